import { type Args, type Call, type FamilyContract, refusedAs } from "./contract.ts";

/** Token Saver document, "API Design" and "Key Patterns". */
const write = (key: string, value: unknown, more: Args = {}): Call => ({ tool: "write_memory", args: { key, value, ...more }, as: { id: "id" } });
const read = (args: Args): Call => ({ tool: "read_memory", args });
const four: Call[] = [
  write("project.architecture", { style: "microservices" }, { tags: ["design"], ttl: 3_600 }),
  write("project.type", "Next.js"),
  write("shared.bug_found", "Memory leak in the websocket handler", { scope: "shared" }),
  write("current.task", "refactoring", { scope: "session" }),
  write("style", "terse", { scope: "global", tags: ["design"] }),
];
const badScope = ["everyone", "", "PROJECT", 5];

export const tokenSaver: FamilyContract = {
  errorForm: "line",
  tools: [
    {
      tool: "write_memory",
      aliases: ["token_saver_write_memory"],
      given: [write("project.old", "first")],
      call: { key: "project.architecture", value: "Microservices with event bus" },
      parameters: [
        { name: "key", required: true, example: "project.architecture", shows: [{ path: "key", is: "project.architecture" }, { of: read({ key: "project.architecture" }), path: "memory.value", is: "Microservices with event bus" }], refused: refusedAs.key },
        { name: "value", required: true, example: { module: "auth", progress: 70, next: ["tests"] }, shows: [{ of: read({ key: "project.architecture" }), path: "memory.value", is: { module: "auth", progress: 70, next: ["tests"] } }], refused: [null, "", "x".repeat(10_001)] },
        { name: "scope", default: "project", unsaid: [{ path: "scope", is: "project" }], example: "shared", shows: [{ path: "scope", is: "shared" }], refused: badScope },
        { name: "ttl", example: 60, unsaid: [{ of: read({ key: "project.architecture" }), path: "memory.metadata.ttl", absent: true }], shows: [{ of: read({ key: "project.architecture" }), path: "memory.metadata.ttl", is: 60 }], refused: refusedAs.count },
        { name: "tags", example: ["design"], shows: [{ of: read({ key: "project.architecture" }), path: "memory.metadata.tags", is: ["design"] }], refused: refusedAs.tags },
        { name: "expected_version", with: { key: "project.old" }, example: 1, shows: [{ path: "version", is: 2 }], refused: [-1, 1.5, "one"] },
      ],
      output: { fields: { outcome: "text", id: "uuid", key: "text", scope: "text", version: "integer" } },
    },
    {
      tool: "read_memory",
      aliases: ["token_saver_read_memory"],
      given: four,
      call: { key: "project.architecture" },
      parameters: [
        { name: "key", example: "project.*", shows: [{ path: "memory.length", is: 2 }], refused: refusedAs.keyPattern },
        { name: "pattern", without: ["key"], example: "project.*", shows: [{ path: "memory.length", is: 2 }], refused: refusedAs.keyPattern },
        { name: "scope", without: ["key"], example: "shared", shows: [{ path: "memory.length", is: 1 }, { path: "memory.0.key", is: "shared.bug_found" }], refused: badScope },
        { name: "tags", without: ["key"], example: ["design"], shows: [{ path: "memory.length", is: 2 }], refused: refusedAs.tags },
      ],
      output: {
        fields: {
          "memory.id": "uuid", "memory.key": "text", "memory.value": "object", "memory.scope": "text", "memory.metadata.created_at": "instant", "memory.metadata.updated_at": "instant", "memory.metadata.accessed_at": "instant",
          "memory.metadata.created_by": "text", "memory.metadata.ttl": "integer", "memory.metadata.tags": "texts", "memory.metadata.access_count": "integer",
        },
      },
    },
    {
      tool: "list_memories",
      aliases: ["token_saver_list_memories"],
      given: four,
      call: {},
      parameters: [
        { name: "scope", unsaid: [{ path: "memories.length", is: 5 }], example: "global", shows: [{ path: "memories.length", is: 1 }, { path: "memories.0.key", is: "style" }], refused: badScope },
        { name: "pattern", example: "project.*", shows: [{ path: "memories.length", is: 2 }], refused: refusedAs.keyPattern },
        { name: "tags", example: ["design"], shows: [{ path: "memories.length", is: 2 }], refused: refusedAs.tags },
        { name: "limit", default: 50, example: 1, shows: [{ path: "memories.length", is: 1 }], refused: [0, 501, 1.5] },
      ],
      output: { call: { pattern: "project.architecture" }, fields: { memories: "list", "memories.0.id": "uuid", "memories.0.key": "text", "memories.0.value": "object", "memories.0.scope": "text", "memories.0.metadata": "object" } },
    },
    {
      tool: "delete_memory",
      aliases: ["token_saver_delete_memory"],
      given: [...four, write("twice", "here"), write("twice", "there", { scope: "global" })],
      call: { key: "project.type" },
      parameters: [
        { name: "key", required: true, example: "project.type", shows: [{ path: "deleted", is: true }, { of: read({ key: "project.type" }), path: "memory", isA: "null" }], refused: ["", "project.*", 5] },
        { name: "scope", with: { key: "twice" }, without: ["key"], example: "global", shows: [{ path: "deleted", is: true }, { of: read({ key: "twice" }), path: "memory.value", is: "here" }], refused: badScope },
      ],
      output: { call: { key: "nothing.here" }, fields: { deleted: "boolean" } },
    },
    {
      tool: "smart_resume",
      aliases: ["token_saver_smart_resume"],
      given: [...four, write("project.other", "of the mill", { project_path: "/home/ada/mill" }), write("current.goal", "of the other session", { scope: "session", session_id: "s2" })],
      call: {},
      parameters: [
        { name: "project_path", example: "/home/ada/mill", shows: [{ path: "context.project.[key=project.other].value", is: "of the mill" }], unsaid: [{ path: "context.project.[key=project.other]", absent: true }], refused: ["", 5] },
        { name: "session_id", example: "s2", shows: [{ path: "context.current.[key=current.goal].value", is: "of the other session" }], unsaid: [{ path: "context.current.[key=current.goal]", absent: true }], refused: ["", 5, "star*"] },
      ],
      output: { fields: { briefing: "text", context: "object", "context.project": "list", "context.current": "list", "context.shared": "list", "context.shared.0.key": "text", token_count: "integer" } },
    },
  ],
  conduct: [
    { document: "exact key: one memory; wildcard: an array", given: four, call: read({ key: "project.*" }), shows: [{ path: "memory", isA: "list" }, { of: read({ key: "project.type" }), path: "memory.value", is: "Next.js" }] },
    { document: "get shared collaboration context by its scope", given: four, call: read({ scope: "shared" }), shows: [{ path: "memory.length", is: 1 }] },
    { document: "recent discoveries by pattern and tag", given: [write("discovered.bug", "leak", { tags: ["recent"] }), write("discovered.old", "none")], call: read({ pattern: "discovered.*", tags: ["recent"] }), shows: [{ path: "memory.length", is: 1 }] },
    { document: "the same key in another scope is another memory", given: [write("k", "p"), write("k", "g", { scope: "global" })], call: read({ key: "k", scope: "global" }), shows: [{ path: "memory.value", is: "g" }, { of: read({ key: "k", scope: "project" }), path: "memory.value", is: "p" }] },
    { document: "who wrote it (created_by) is kept", given: [write("k", "v")], call: read({ key: "k" }), shows: [{ path: "memory.metadata.created_by", is: "vitest" }] },
    { document: "a rewrite is a version of the same memory", given: [write("k", "v"), write("k", "w")], call: read({ key: "k" }), shows: [{ path: "memory.id", is: "$id" }, { path: "memory.metadata.version", is: 2 }] },
    {
      document: "ai.<tool>.preferences are that tool's own", given: [write("ai.vitest.preferences", "terse"), write("ai.gemini.preferences", "verbose")],
      call: { tool: "smart_resume" }, shows: [{ path: "context.project.[key=ai.vitest.preferences].value", is: "terse" }, { path: "context.project.[key=ai.gemini.preferences]", absent: true }, { of: read({ key: "ai.gemini.preferences" }), path: "memory.value", is: "verbose" }],
    },
  ],
  failures: [
    { code: "CONFLICT", given: [write("k", "v"), write("k", "w")], call: write("k", "x", { expected_version: 1 }), details: ["hint", "details.current.value", "details.attempted.value"] },
    { code: "MEMORY_NOT_FOUND", call: write("nothing.here", "x", { expected_version: 1 }), details: ["hint"] },
    { code: "CONFLICT", given: [write("twice", "here"), write("twice", "there", { scope: "global" })], call: { tool: "delete_memory", args: { key: "twice" } }, details: ["hint"] },
    { code: "PERMISSION_DENIED", call: write("k", "v"), scopes: ["memory:read"], details: ["hint"] },
    { code: "VALIDATION_ERROR", call: { tool: "read_memory" }, details: ["hint"] },
  ],
  differences: [
    { document: "read_memory answers null", ours: "null in `memory`", because: "a structured answer is an object", call: read({ key: "nothing.here" }), shows: [{ path: "memory", isA: "null" }] },
    { document: "read_memory({pattern}) has a key, too", ours: "a pattern without a key", because: "the document's own examples leave it out", given: four, call: read({ pattern: "shared.*" }), shows: [{ path: "memory.length", is: 1 }] },
    { document: "context holds whole memories", ours: "keys, scopes and short values", because: "whole ones would break the budget of 200–500 tokens", given: [write("project.long", "word ".repeat(200))], call: { tool: "smart_resume" }, shows: [{ path: "context.project.0.metadata", absent: true }, { path: "context.project.0.key", is: "project.long" }] },
    { document: "delete_memory removes", ours: "archives: a restore brings it back", because: "forgetting is reversible", given: [write("k", "v")], call: { tool: "delete_memory", args: { key: "k" } }, shows: [{ of: { tool: "omn_update_memory", args: { id: "$id", archived: false } }, path: "outcome", is: "updated" }, { of: read({ key: "k" }), path: "memory.value", is: "v" }] },
    { document: "value: any", ours: "not null", because: "null says nothing to remember; read_memory answers it for what is not there", call: write("k", null), refused: "VALIDATION_ERROR" },
  ],
};
