import { type Args, type Call, type FamilyContract, later, refusedAs } from "./contract.ts";

/** Mnemosyne document, "8 OODA-Aligned Tools", "Type System" and "Data Flow". */
const remember = (content: string, more: Args = {}, as = "id"): Call => ({ tool: "mnemosyne_remember", args: { content, ...more }, as: { [as]: "memory_id" } });
const context = (args: Args = { memory_ids: ["$id"] }): Call => ({ tool: "mnemosyne_context", args });
const noted = (args: Args): Call => ({ tool: "mnemosyne_list", args });
const types = ["ArchitectureDecision", "CodePattern", "BugFix", "Configuration", "Constraint", "Entity", "Insight", "Reference", "Preference"];
const links = ["Extends", "Contradicts", "Implements", "References", "Supersedes"];

const three: Call[] = [
  remember("Zebra crossings are repainted in spring.", { importance: 3, tags: ["road"], namespace: "global" }, "far"),
  remember("The crosswalk budget is decided by the council.", { importance: 5, memory_type: "Constraint", links: [{ target_id: "$far", link_type: "References" }] }, "middle"),
  remember("The quarterly roadworks plan.", { importance: 9, namespace: "project:shop", links: [{ target_id: "$middle", link_type: "Extends", strength: 0.6, reason: "same street" }] }),
];
const badType = ["Musing", "", 5];
const badLinks = ["text", [{}], [{ target_id: "no-id", link_type: "Extends" }], [{ target_id: "$id", link_type: "Likes" }], [{ target_id: "$id", link_type: "Extends", strength: 2 }]];
const badRole = ["a b", "", 5];
const badNamespace = ["shop", "project:", 5, { Team: "x" }];

export const mnemosyne: FamilyContract = {
  errorForm: "line",
  tools: [
    {
      tool: "mnemosyne_recall",
      aliases: ["mnemosyne.recall"],
      given: three,
      indexed: true,
      call: { query: "quarterly roadworks plan" },
      parameters: [
        { name: "query", required: true, example: "roadworks", shows: [{ path: "query", is: "roadworks" }, { path: "results.0.memory_id", is: "$id" }], refused: refusedAs.text },
        { name: "namespace", with: { query: "zebra crossings" }, example: "global", shows: [{ path: "results.0.memory_id", is: "$far" }], refused: badNamespace },
        { name: "max_results", default: 10, example: 1, shows: [{ path: "results.length", is: 1 }], refused: [0, 101, 1.5] },
        { name: "min_importance", example: 9, shows: [{ path: "results.length", is: 1 }, { path: "results.0.memory_id", is: "$id" }], refused: refusedAs.ten },
        { name: "memory_type", with: { query: "crosswalk budget" }, example: "Constraint", shows: [{ path: "results.0.memory_type", is: "Constraint" }], refused: badType },
        { name: "tags", with: { query: "zebra crossings" }, example: ["road"], shows: [{ path: "results.length", is: 1 }], refused: refusedAs.tags },
        { name: "agent_role", with: { query: "zebra crossings" }, example: "reviewer", shows: [{ path: "results.0.memory_id", is: "$far" }], refused: badRole },
        { name: "expand_graph", default: true, example: false, refused: refusedAs.boolean },
      ],
      output: {
        fields: { query: "text", results: "list", "results.0.memory_id": "uuid", "results.0.content": "text", "results.0.namespace": "text", "results.0.tags": "texts", "results.0.memory_type": "text", "results.0.importance": "integer", "results.0.created_at": "instant", "results.0.score": "fraction" },
      },
    },
    {
      tool: "mnemosyne_list",
      aliases: ["mnemosyne.list"],
      given: three,
      call: {},
      parameters: [
        { name: "namespace", example: "project:shop", shows: [{ path: "memories.length", is: 1 }], refused: badNamespace },
        { name: "limit", default: 20, example: 1, shows: [{ path: "memories.length", is: 1 }], refused: [0, 201, 1.5] },
        { name: "sort_by", default: "recent", example: "importance", shows: [{ path: "memories.0.importance", is: 9 }], refused: ["size", 5] },
        { name: "since", example: later, unsaid: [{ path: "memories.length", is: 3 }], shows: [{ path: "memories.length", is: 0 }], refused: refusedAs.instant },
        { name: "min_importance", example: 5, shows: [{ path: "memories.length", is: 2 }], refused: refusedAs.ten },
        { name: "memory_type", example: "Constraint", shows: [{ path: "memories.length", is: 1 }], refused: badType },
        { name: "tags", example: ["road"], shows: [{ path: "memories.0.memory_id", is: "$far" }], refused: refusedAs.tags },
        { name: "agent_role", example: "reviewer", shows: [{ path: "memories.length", is: 3 }], refused: badRole },
      ],
      output: { fields: { memories: "list", "memories.0.memory_id": "uuid", "memories.0.importance": "integer" } },
    },
    {
      tool: "mnemosyne_graph",
      aliases: ["mnemosyne.graph"],
      given: three,
      call: { seed_ids: ["$id"] },
      parameters: [
        { name: "seed_ids", required: true, example: ["$middle"], shows: [{ path: "nodes.0.memory_id", is: "$middle" }], refused: [[], "text", ["no-id"], [5.5]] },
        { name: "max_hops", default: 2, unsaid: [{ path: "nodes.length", is: 3 }], example: 1, shows: [{ path: "nodes.length", is: 2 }], refused: [0, 4, 1.5] },
      ],
      output: {
        fields: {
          nodes: "list", "nodes.0.memory_id": "uuid", "nodes.1.distance": "integer", "nodes.1.via": "text", "nodes.1.strength": "fraction", links: "list", "links.[target_id=$middle].source_id": "uuid",
          "links.[target_id=$middle].link_type": "text", "links.[target_id=$middle].strength": "fraction", "links.[target_id=$middle].reason": "text",
        },
      },
    },
    {
      tool: "mnemosyne_context",
      aliases: ["mnemosyne.context"],
      given: three,
      call: {},
      parameters: [
        { name: "memory_ids", example: ["$id", "$middle"], shows: [{ path: "memories.length", is: 2 }, { path: "links.length", is: 1 }], refused: [[], "text", ["no-id"]] },
        { name: "include_links", default: true, unsaid: [{ path: "links", isA: "list" }], example: false, shows: [{ path: "links", absent: true }], refused: refusedAs.boolean },
        { name: "namespace", example: "project:shop", shows: [{ path: "project.namespace", is: "project:shop" }], refused: badNamespace },
        { name: "agent_role", example: "reviewer", shows: [{ path: "recent.length", is: 3 }], refused: badRole },
      ],
      output: {
        fields: {
          "project.namespace": "text", recent: "list", important: "list", important_ids: "texts", connected: "list", links: "list", "statistics.total_memories": "integer", "statistics.coverage": "fraction", "statistics.link_density": "number",
        },
      },
    },
    {
      tool: "mnemosyne_remember",
      aliases: ["mnemosyne.remember"],
      given: [remember("The decision.", {}, "target")],
      call: { content: "PostgreSQL was chosen because of its transactions." },
      parameters: [
        { name: "content", required: true, example: "We fixed the leak.", refused: refusedAs.content },
        { name: "namespace", default: "global", unsaid: [{ path: "namespace", is: "global" }], example: "session:shop:session_20241026_a8f3b2", shows: [{ path: "namespace", is: "session:shop/session_20241026_a8f3b2" }], refused: badNamespace },
        { name: "importance", example: 9, unsaid: [{ path: "importance", isA: "integer" }], shows: [{ path: "importance", is: 9 }], refused: refusedAs.ten },
        { name: "context", example: "after the outage", shows: [{ of: noted({ limit: 1 }), path: "memories.0.context", is: "after the outage" }], refused: refusedAs.text },
        { name: "memory_type", example: "BugFix", unsaid: [{ path: "memory_type", isA: "text" }], shows: [{ path: "memory_type", is: "BugFix" }], refused: badType },
        { name: "tags", example: ["db"], unsaid: [{ path: "tags", isA: "texts" }], shows: [{ path: "tags", is: ["db"] }], refused: refusedAs.tags },
        { name: "confidence", example: 0.7, shows: [{ of: noted({ limit: 1 }), path: "memories.0.confidence", is: 0.7 }], refused: refusedAs.fraction },
        { name: "related_files", example: ["src/db.ts"], shows: [{ of: noted({ limit: 1 }), path: "memories.0.related_files", is: ["src/db.ts"] }], refused: ["src/db.ts", [""], [5]] },
        { name: "agent_role", example: "reviewer", shows: [{ of: noted({ limit: 1 }), path: "memories.0.agent_role", is: "reviewer" }, { of: noted({ agent_role: "executor" }), path: "memories.length", is: 1 }], refused: badRole },
        { name: "expires_at", example: later, shows: [{ of: noted({ limit: 1 }), path: "memories.0.expires_at", is: later }], refused: refusedAs.instant },
        { name: "links", example: [{ target_id: "$target", link_type: "Implements", strength: 0.6, reason: "same module" }], unsaid: [{ path: "links", is: 0 }], shows: [{ path: "links", is: 1 }], refused: badLinks },
      ],
      output: { fields: { memory_id: "uuid", summary: "text", importance: "integer", tags: "texts", links: "integer", memory_type: "text", namespace: "text" } },
    },
    {
      tool: "mnemosyne_consolidate",
      aliases: ["mnemosyne.consolidate"],
      given: [remember("We deploy on Friday at noon.", { allow_duplicate: true }, "one"), remember("We deploy on Friday at noon, by the script.", { allow_duplicate: true }, "two"), remember("Tea is brewed for four minutes.", {}, "three")],
      indexed: true,
      call: {},
      parameters: [
        { name: "memory_ids", example: ["$one", "$three"], shows: [{ path: "decisions", is: [{ decision: "KeepBoth" }] }], refused: [[], ["$one"], "text"] },
        { name: "namespace", example: "project:shop", shows: [{ path: "decisions", is: [] }], refused: badNamespace },
        { name: "confirm", example: "a guess", shows: [{ path: "outcome", is: "preview" }], refused: ["", 5] },
      ],
      output: { fields: { outcome: "text", decisions: "list" } },
    },
    {
      tool: "mnemosyne_update",
      aliases: ["mnemosyne.update"],
      given: [remember("The target.", {}, "target"), remember("Now.", { tags: ["a"], importance: 7 })],
      call: { memory_id: "$id", importance: 8 },
      parameters: [
        { name: "memory_id", required: true, example: "$id", shows: [{ path: "memory_id", is: "$id" }], refused: refusedAs.ref },
        { name: "content", example: "Later.", shows: [{ of: context(), path: "memories.0.content", is: "Later." }], refused: refusedAs.content },
        { name: "importance", example: 2, shows: [{ of: context(), path: "memories.0.importance", is: 2 }], refused: refusedAs.ten },
        { name: "tags", example: ["b"], shows: [{ path: "tags", is: ["b"] }], refused: refusedAs.tags },
        { name: "add_tags", example: ["b"], shows: [{ path: "tags", is: ["a", "b"] }], refused: refusedAs.tags },
        { name: "memory_type", example: "Insight", shows: [{ of: context(), path: "memories.0.memory_type", is: "Insight" }], refused: badType },
        { name: "namespace", example: "project:shop", shows: [{ of: context(), path: "memories.0.namespace", is: "project:shop" }], refused: badNamespace },
        { name: "links", example: [{ target_id: "$target", link_type: "Supersedes" }], shows: [{ of: { tool: "mnemosyne_graph", args: { seed_ids: ["$id"] } }, path: "links.0.link_type", is: "Supersedes" }], refused: badLinks },
        { name: "remove_links", with: { links: [] }, example: [{ target_id: "$target" }], refused: ["text", [{}]] },
        { name: "archived", example: false, refused: [true, "no"] },
        { name: "expected_version", example: 1, shows: [{ path: "version", is: 2 }], refused: refusedAs.version },
      ],
      output: { fields: { memory_id: "uuid", updated: "boolean", version: "integer" } },
    },
    {
      tool: "mnemosyne_delete",
      aliases: ["mnemosyne.delete"],
      given: three,
      call: { memory_id: "$id" },
      parameters: [{ name: "memory_id", required: true, example: "$id", shows: [{ path: "archived", is: true }, { of: context(), path: "missing", is: ["$id"] }], refused: refusedAs.ref }],
      output: { fields: { memory_id: "uuid", archived: "boolean" } },
    },
  ],
  conduct: [
    ...types.map((type) => ({ document: `memory type ${type}`, given: [remember("Something to keep.", { memory_type: type })], call: context(), shows: [{ path: "memories.0.memory_type", is: type }, { of: noted({ memory_type: type }), path: "memories.0.memory_id", is: "$id" }] })),
    ...links.map((type) => ({
      document: `link type ${type}, directed, with strength and reason`, given: [remember("The target.", {}, "target"), remember("The source.", { links: [{ target_id: "$target", link_type: type, strength: 0.4, reason: "because" }] })],
      call: { tool: "mnemosyne_graph", args: { seed_ids: ["$target"] } }, shows: [{ path: "links.0", is: { source_id: "$id", target_id: "$target", link_type: type, strength: 0.4, reason: "because", origin: "said" } }],
    })),
    { document: "session start: recent, important and connected memories once each", given: three, call: context({}), shows: [{ path: "recent.length", is: 3 }, { path: "important_ids", is: ["$id"] }, { path: "important", is: [] }] },
    { document: "delete keeps the links", given: [...three, { tool: "mnemosyne_delete", args: { memory_id: "$id" } }, { tool: "mnemosyne_update", args: { memory_id: "$id", archived: false } }], call: { tool: "mnemosyne_graph", args: { seed_ids: ["$id"], max_hops: 1 } }, shows: [{ path: "links.[target_id=$middle].link_type", is: "Extends" }] },
    { document: "update tracks versions", given: [remember("Now."), { tool: "mnemosyne_update", args: { memory_id: "$id", content: "Later." } }], call: { tool: "memory_get_history", args: { memory_id: "$id" } }, shows: [{ path: "data.history.0.old_memory", is: "Now." }, { path: "data.history.0.new_memory", is: "Later." }] },
    { document: "namespace as the document's type writes it", given: [remember("x", { namespace: { Session: { project: "shop", session_id: "s1" } } })], call: context(), shows: [{ path: "memories.0.namespace", is: "session:shop/s1" }] },
  ],
  failures: [
    { code: "MEMORY_NOT_FOUND", call: { tool: "mnemosyne_delete", args: { memory_id: "00000000-0000-7000-8000-000000000000" } }, details: ["hint"] },
    { code: "VALIDATION_ERROR", call: remember("x", { expires_at: "2001-01-01" }), details: ["hint"] },
    { code: "VALIDATION_ERROR", given: [remember("x")], call: { tool: "mnemosyne_update", args: { memory_id: "$id" } }, details: ["hint"] },
    { code: "PERMISSION_DENIED", call: remember("x"), scopes: ["memory:read"], details: ["hint"] },
    { code: "PERMISSION_DENIED", call: { tool: "mnemosyne_recall", args: { query: "x" } }, scopes: ["memory:write"], details: ["hint"] },
  ],
  differences: [
    { document: "the note has all fields", ours: "those that are not as usual", because: "an answer of ten notes would cost twice the tokens", given: [remember("x", { memory_type: "Insight", tags: ["t"], importance: 5 })], call: context(), shows: [{ path: "memories.0.confidence", absent: true }, { path: "memories.0.updated_at", absent: true }, { path: "memories.0.access_count", absent: true }] },
    { document: "is_archived", ours: "what is archived is missing", because: "nobody finds it until it is restored", given: [remember("x"), { tool: "mnemosyne_delete", args: { memory_id: "$id" } }], call: context(), shows: [{ path: "missing", is: ["$id"] }] },
    { document: "score: 50% words, 20% graph, 20% importance, 10% recency", ours: "a learned order, whose parts the receipt shows", because: "measured better on labelled questions (docs/decisions/recall.md)", given: three, call: { tool: "mnemosyne_recall", args: { query: "roadworks plan", receipt: true } }, shows: [{ path: "receipts.0.hits", isA: "list" }] },
    { document: "related_entities, embedding_model", ours: "the graph knows entities, omn_health_check the model", because: "neither is a field of one memory", given: [remember("PostgreSQL runs billing.")], call: context(), shows: [{ path: "memories.0.related_entities", absent: true }, { path: "memories.0.embedding_model", absent: true }] },
    { document: "session_{timestamp}_{random}", ours: "any session id", because: "clients name their sessions", call: remember("x", { namespace: "session:shop/s1" }), shows: [{ path: "namespace", is: "session:shop/s1" }] },
  ],
};
