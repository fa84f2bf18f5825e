import { type Args, type Call, type FamilyContract, refusedAs } from "./contract.ts";

/** Kompanion document, "Tools" and "Error Model". */
const save = (args: Args): Call => ({ tool: "save_context", args, as: { id: "id", at: "created_at" } });
const recall = (args: Args = {}): Call => ({ tool: "recall_context", args });
const aliases = (name: string): string[] => [`kom_memory_v1_${name}`, `kom.memory.v1.${name}`];
const contexts: Call[] = [
  save({ key: "current.goal", content: { goal: "billing" }, tags: ["work"], namespace: "project:metal" }),
  save({ key: "current.note", content: "plain", namespace: "thread:t1" }),
];
const stored: Call = { tool: "upsert_memory", args: { items: [{ id: "db", text: "We chose PostgreSQL for billing.", metadata: { tags: ["db"], source: "wiki" } }, { id: "tea", text: "Darjeeling is brewed for four minutes." }] }, as: { db: "ids.0" } };

export const kom: FamilyContract = {
  errorForm: { json: [] },
  tools: [
    {
      tool: "save_context",
      aliases: aliases("save_context"),
      call: { content: { goal: "billing" } },
      parameters: [
        { name: "key", example: "current.goal", shows: [{ of: recall({ key: "current.goal" }), path: "items.0.id", isA: "uuid" }], refused: refusedAs.key },
        { name: "content", required: true, example: [1, { a: null }, "ß"], shows: [{ of: recall(), path: "items.0.content", is: [1, { a: null }, "ß"] }], refused: [null, "", "x".repeat(10_001)] },
        { name: "tags", example: ["work"], shows: [{ of: recall({ tags: ["work"] }), path: "items.length", is: 1 }], refused: refusedAs.tags },
        { name: "ttl_seconds", example: 60, unsaid: [{ of: recall(), path: "items.0.expires_at", absent: true }], shows: [{ of: recall(), path: "items.0.expires_at", isA: "instant" }], refused: refusedAs.count },
        { name: "namespace", example: "project:metal", shows: [{ of: recall({ namespace: "project:metal" }), path: "items.length", is: 1 }], refused: refusedAs.namespace },
      ],
      output: { fields: { id: "uuid", created_at: "instant" } },
    },
    {
      tool: "recall_context",
      aliases: aliases("recall_context"),
      given: contexts,
      call: {},
      parameters: [
        { name: "key", example: "current.goal", shows: [{ path: "items.length", is: 1 }], refused: refusedAs.keyPattern },
        { name: "tags", example: ["work"], shows: [{ path: "items.length", is: 1 }], refused: refusedAs.tags },
        { name: "limit", default: 20, example: 1, shows: [{ path: "items.length", is: 1 }], refused: [0, 101, 1.5] },
        { name: "since", example: "2099-01-01", unsaid: [{ path: "items.length", is: 2 }], shows: [{ path: "items.length", is: 0 }], refused: refusedAs.instant },
        { name: "namespace", example: "thread:t1", shows: [{ path: "items.length", is: 1 }, { path: "items.0.content", is: "plain" }], refused: ["metal", "project:", 5] },
      ],
      output: { call: { key: "current.goal" }, fields: { items: "list", "items.0.id": "uuid", "items.0.key": "text", "items.0.content": "object", "items.0.tags": "texts", "items.0.created_at": "instant" } },
    },
    {
      tool: "embed_text",
      aliases: aliases("embed_text"),
      given: [{ tool: "embed_text", args: { texts: ["x"] }, as: { model: "model" } }],
      call: { texts: ["one", "two"] },
      parameters: [
        { name: "model", example: "$model", refused: ["", 5, "text-embedding-3-small"] },
        { name: "texts", required: true, example: ["one"], shows: [{ path: "vectors.length", is: 1 }], refused: [[], "one", [5], Array.from({ length: 33 }, () => "x")] },
      ],
      output: { fields: { model: "text", vectors: "list", "vectors.1": "list", "vectors.1.0": "number" } },
    },
    {
      tool: "upsert_memory",
      aliases: aliases("upsert_memory"),
      given: [{ tool: "embed_text", args: { texts: ["x"] }, as: { vector: "vectors.0" } }, save({ content: "older" })],
      call: { items: [{ text: "We chose PostgreSQL." }] },
      parameters: [
        { name: "items", required: true, example: [{ text: "one" }, { text: "two" }], shows: [{ path: "upserted", is: 2 }], refused: [[], "text", [{}], Array.from({ length: 101 }, () => ({ text: "x" }))] },
        { name: "items.0.id", example: "$id", shows: [{ path: "ids.0", is: "$id" }], refused: refusedAs.key },
        { name: "items.0.text", required: true, example: "SQLite", refused: refusedAs.content },
        { name: "items.0.metadata", example: { tags: ["db"], source: "wiki" }, shows: [{ of: recall({ tags: ["db"] }), path: "items.0.metadata.source", is: "wiki" }], refused: ["text", 5] },
        { name: "items.0.embedding", example: "$vector", refused: [[0.1, 0.2], "vector", [5, "x"]] },
      ],
      output: { fields: { upserted: "integer" } },
    },
    {
      tool: "search_memory",
      aliases: aliases("search_memory"),
      given: [stored, { tool: "embed_text", args: { texts: ["which database does billing use"], kind: "query" }, as: { vector: "vectors.0" } }],
      indexed: true,
      call: { query: { text: "which database does billing use" } },
      parameters: [
        { name: "query", required: true, example: { text: "PostgreSQL" }, refused: ["text", {}, 5] },
        { name: "query.text", example: "PostgreSQL billing", shows: [{ path: "matches.0.id", is: "$db" }], refused: refusedAs.text },
        { name: "query.embedding", example: "$vector", shows: [{ path: "matches.0.id", is: "$db" }], refused: [[0.1, 0.2], "vector"] },
        { name: "query.k", default: 10, example: 1, shows: [{ path: "matches.length", is: 1 }], refused: [0, 101, 1.5] },
        { name: "query.filter", example: { tags: ["nothing"] }, shows: [{ path: "matches.length", is: 0 }], refused: ["text", { nonsense: 1 }] },
      ],
      output: { fields: { matches: "list", "matches.0.id": "uuid", "matches.0.score": "fraction", "matches.0.text": "text", "matches.0.metadata": "object" } },
    },
    { tool: "warm_cache", aliases: aliases("warm_cache"), call: {}, parameters: [{ name: "since", example: "2026-01-01", refused: refusedAs.instant }], output: { fields: { queued: "integer" } } },
    {
      tool: "sync_semantic",
      aliases: aliases("sync_semantic"),
      given: contexts,
      call: {},
      parameters: [{ name: "max_batch", default: 100, unsaid: [{ path: "processed", is: 2 }], example: 1, shows: [{ path: "processed", is: 1 }], refused: [0, 501, 1.5] }],
      output: { fields: { processed: "integer", pending: "integer" } },
    },
  ],
  conduct: [
    { document: "namespaces project:metal, thread:, user:", given: contexts, call: recall({ namespace: "project:metal" }), shows: [{ path: "items.0.namespace", is: "project:metal" }, { path: "items.length", is: 1 }] },
    { document: "the same id is upserted, not added", given: [stored, stored], call: recall(), shows: [{ path: "items.length", is: 2 }, { path: "items.[key=db].id", is: "$db" }] },
    { document: "raw content is kept beside its text", given: [save({ key: "k", content: { engine: "PostgreSQL" } })], call: { tool: "search_memory", args: { query: { text: "PostgreSQL engine", filter: {} } } }, shows: [{ path: "matches.0.id", is: "$id" }, { of: recall({ key: "k" }), path: "items.0.content", is: { engine: "PostgreSQL" } }] },
  ],
  failures: [
    { code: "VALIDATION_ERROR", call: { tool: "search_memory", args: { query: {} } }, details: ["hint"] },
    { code: "VALIDATION_ERROR", call: { tool: "search_memory", args: { query: { embedding: [0.1] } } }, details: ["dimensions", "model"] },
    { code: "PERMISSION_DENIED", call: save({ content: "x" }), scopes: ["memory:read"], details: ["hint"] },
  ],
  differences: [
    { document: "content: any", ours: "not null", because: "null says nothing to remember", call: save({ content: null }), refused: "VALIDATION_ERROR" },
    { document: "embedding of any model", ours: "of this team's model", because: "a vector of another model is near to nothing here", call: { tool: "upsert_memory", args: { items: [{ text: "x", embedding: [0.1, 0.2] }] } }, refused: "VALIDATION_ERROR" },
    { document: "embedding is stored", ours: "checked, and made anew from the text", because: "no writer can make a memory answer what its text does not", given: [{ tool: "embed_text", args: { texts: ["x"] }, as: { vector: "vectors.0" } }], call: { tool: "upsert_memory", args: { items: [{ text: "y", embedding: "$vector" }] } }, shows: [{ path: "embeddings", isA: "text" }] },
    { document: "sync_semantic takes all", ours: "no secrets", because: "the document's own note", given: [{ tool: "upsert_memory", args: { items: [{ text: "hush", metadata: { sensitivity: "secret" } }] } }], call: { tool: "sync_semantic" }, shows: [{ path: "processed", is: 0 }] },
  ],
};
