import { type Call, type FamilyContract, later, refusedAs, type ToolContract } from "./contract.ts";
import { omnWork } from "./omn-work.ts";

/** OmniMemory document, "Tools Specification", category 1. */
const look = (more: Call["args"] = {}): Call => ({ tool: "omn_retrieve_memory", args: { id: "$id", ...more } });
const long = Array.from({ length: 120 }, (_, i) => `Service ${i} listens on port ${4_000 + i} and is not reached from outside. It is said again that this is so.`).join("\n").slice(0, 9_900);
const ledger: Call = { tool: "omn_store_memory", args: { key: "project.ledger", content: "PostgreSQL runs the billing ledger.", metadata: { tags: ["db"], importance: 0.8 } }, as: { id: "memory_id" } };
const note: Call = { tool: "omn_store_memory", args: { key: "project.tea", content: "Darjeeling is brewed for four minutes.", metadata: { scope: "shared" } }, as: { tea: "memory_id" } };
const longNote: Call = { tool: "omn_store_memory", args: { key: "long", content: long }, as: { id: "memory_id" } };
const many: Call = { tool: "omn_import_memories", args: { memories: Array.from({ length: 30 }, (_, i) => ({ key: `many.${i}`, content: `Entry number ${i} of the list.` })) } };

const store: ToolContract = {
  tool: "omn_store_memory",
  call: { content: "Invoices are numbered per country." },
  parameters: [
    { name: "content", required: true, example: "Refunds take 3 days.", shows: [{ path: "size_bytes", is: 20 }], refused: refusedAs.content },
    { name: "key", example: "project.invoices", shows: [{ path: "key", is: "project.invoices" }], refused: refusedAs.key },
    { name: "metadata", example: { tags: ["a"], own: { deep: [1] } }, refused: ["text", 5, { user_id: "x" }, { a: { b: { c: { d: { e: { f: 1 } } } } } }] },
    { name: "metadata.tags", with: { key: "k" }, example: ["billing"], shows: [{ of: { tool: "omn_retrieve_memory", args: { key: "k" } }, path: "memories.0.metadata.tags", is: ["billing"] }], refused: refusedAs.tags },
    { name: "metadata.importance", with: { key: "k" }, example: 0.8, shows: [{ of: { tool: "omn_retrieve_memory", args: { key: "k" } }, path: "memories.0.metadata.importance", is: 0.8 }], refused: refusedAs.fraction },
    { name: "metadata.expiry", with: { key: "k" }, example: later, shows: [{ of: { tool: "omn_retrieve_memory", args: { key: "k" } }, path: "memories.0.metadata.expiry", is: later }], refused: refusedAs.expiry },
    { name: "metadata.scope", default: "private", unsaid: [{ path: "scope", is: "private" }], example: "shared", shows: [{ path: "scope", is: "shared" }], refused: refusedAs.visibility },
    { name: "compress", with: { content: long }, default: true, unsaid: [{ path: "compressed", is: true }], example: false, shows: [{ path: "compressed", is: false }, { path: "compression_ratio", absent: true }], refused: refusedAs.boolean },
    { name: "namespace", example: "project:shop", shows: [{ path: "namespace", is: "project:shop" }], refused: refusedAs.namespace },
    { name: "occurred_at", with: { key: "k" }, example: "2020-05-01", shows: [{ of: { tool: "omn_retrieve_memory", args: { key: "k" } }, path: "memories.0.occurred_at", is: "2020-05-01T00:00:00.000Z" }], refused: refusedAs.instant },
    { name: "idempotency_key", example: "once", shows: [{ of: { tool: "omn_store_memory", args: { content: "Invoices are numbered per country.", idempotency_key: "once" } }, path: "replayed", is: true }], refused: refusedAs.text },
  ],
  output: { call: { key: "long", content: long }, fields: { memory_id: "uuid", key: "text", outcome: "text", size_bytes: "integer", compressed: "boolean", compression_ratio: "number", tokens_saved: "integer" } },
};

const retrieve: ToolContract = {
  tool: "omn_retrieve_memory",
  given: [ledger, note, many],
  indexed: true,
  call: { query: "which database runs billing" },
  parameters: [
    { name: "query", example: "billing ledger database", shows: [{ path: "memories.0.memory_id", is: "$id" }], refused: refusedAs.text },
    { name: "key", without: ["query"], example: "project.ledger", shows: [{ path: "memories.0.memory_id", is: "$id" }, { path: "total_found", is: 1 }], refused: refusedAs.keyPattern },
    { name: "filters.tags", without: ["query"], example: ["db"], shows: [{ path: "memories.length", is: 1 }], refused: refusedAs.tags },
    { name: "filters.scope", without: ["query"], example: "shared", shows: [{ path: "memories.length", is: 1 }, { path: "memories.0.memory_id", is: "$tea" }], refused: refusedAs.visibility },
    { name: "filters.min_importance", without: ["query"], example: 0.7, shows: [{ path: "memories.length", is: 1 }], refused: refusedAs.fraction },
    { name: "filters.max_age_days", without: ["query"], with: { key: "project.*" }, example: 1, shows: [{ path: "memories.length", is: 2 }], refused: [0, -1, "week", 40_000] },
    { name: "limit", without: ["query"], with: { key: "many.*" }, default: 10, unsaid: [{ path: "memories.length", is: 10 }, { path: "total_found", is: 30 }], example: 3, shows: [{ path: "memories.length", is: 3 }], refused: [0, 101, 1.5, "ten"] },
    { name: "decompress", example: true, refused: refusedAs.boolean },
    { name: "max_tokens", example: 60, refused: [49, 1.5, "few"] },
    { name: "as_of", without: ["query"], with: { key: "project.ledger" }, example: "2020-01-01", shows: [{ path: "memories.length", is: 0 }], refused: refusedAs.instant },
  ],
  output: {
    fields: {
      memories: "list", "memories.0.memory_id": "uuid", "memories.0.key": "text", "memories.0.content": "text", "memories.0.metadata": "object",
      "memories.0.relevance_score": "fraction", "memories.0.created_at": "instant", total_found: "integer", query_time_ms: "number",
    },
  },
};

const update: ToolContract = {
  tool: "omn_update_memory",
  given: [ledger],
  call: { id: "$id", content: "MySQL runs it." },
  parameters: [
    { name: "id", example: "$id", refused: refusedAs.ref },
    { name: "key", without: ["id"], example: "project.ledger", shows: [{ path: "memory_id", is: "$id" }], refused: refusedAs.key },
    { name: "content", example: "SQLite runs it.", shows: [{ of: look(), path: "memories.0.content", is: "SQLite runs it." }], refused: refusedAs.content },
    { name: "metadata", example: { importance: 0.1 }, shows: [{ of: look(), path: "memories.0.metadata.importance", is: 0.1 }, { of: look(), path: "memories.0.metadata.tags", is: ["db"] }], refused: refusedAs.object },
    { name: "expected_version", example: 1, shows: [{ path: "version", is: 2 }], refused: refusedAs.version },
    { name: "archived", without: ["content"], example: false, refused: [true, "no"] },
  ],
  output: { fields: { memory_id: "uuid", outcome: "text", version: "integer" } },
};

const forget: ToolContract = {
  tool: "omn_forget_memory",
  given: [ledger, note],
  call: { id: "$id" },
  parameters: [
    { name: "id", example: "$id", shows: [{ path: "count", is: 1 }], refused: refusedAs.ref },
    { name: "key", without: ["id"], example: "project.*", shows: [{ path: "count", is: 2 }], refused: refusedAs.keyPattern },
    { name: "filters", without: ["id"], example: { tags: ["db"] }, shows: [{ path: "count", is: 1 }], refused: ["text", { nonsense: 1 }] },
    { name: "mode", default: "archive", unsaid: [{ path: "mode", is: "archive" }], example: "erase", shows: [{ path: "mode", is: "erase" }], refused: ["burn", "", 5] },
    // The safety check: without the token of a preview nothing goes.
    { name: "confirm", example: "a guess", shows: [{ path: "outcome", is: "preview" }, { of: look(), path: "memories.length", is: 1 }], refused: [5, "x".repeat(101)] },
  ],
  output: { fields: { outcome: "text", count: "integer", confirm: "text", would_forget: "list", "would_forget.0.memory_id": "uuid" } },
};

const list: ToolContract = {
  tool: "omn_list_memories",
  given: [ledger, note, many],
  call: {},
  parameters: [
    { name: "filters", example: { tags: ["db"] }, shows: [{ path: "memories.length", is: 1 }], refused: ["text", { nonsense: 1 }, { scope: "everyone" }] },
    { name: "key", example: "many.*", shows: [{ path: "memories.length", is: 20 }], refused: refusedAs.keyPattern },
    { name: "limit", default: 20, unsaid: [{ path: "memories.length", is: 20 }, { path: "next_cursor", isA: "text" }], example: 32, shows: [{ path: "memories.length", is: 32 }, { path: "next_cursor", absent: true }], refused: [0, 201, 1.5] },
    { name: "cursor", example: "00000000-0000-7000-8000-000000000000", refused: ["", 5, "c".repeat(51)] },
    { name: "archived", example: true, shows: [{ path: "memories.length", is: 0 }], refused: refusedAs.boolean },
    { name: "full", default: false, example: true, shows: [{ path: "memories.0.content", isA: "text" }], refused: refusedAs.boolean },
  ],
  output: { fields: { memories: "list", "memories.0.memory_id": "uuid", "memories.0.content": "text", next_cursor: "text" } },
};

const exported: ToolContract = {
  tool: "omn_export_memories",
  given: [ledger, note],
  call: {},
  parameters: [
    { name: "format", default: "ndjson", unsaid: [{ path: "format", is: "ndjson" }], example: "json", shows: [{ path: "format", is: "json" }], refused: ["xml", "", 5] },
    { name: "filters", example: { tags: ["db"] }, shows: [{ path: "count", is: 1 }], refused: ["text", { nonsense: 1 }] },
    { name: "include_history", default: true, example: false, refused: refusedAs.boolean },
    { name: "include_secrets", default: false, example: true, refused: refusedAs.boolean },
    { name: "limit", default: 100, example: 1, shows: [{ path: "count", is: 1 }, { path: "next_cursor", isA: "text" }], refused: [0, 1_001, 1.5] },
  ],
  output: { fields: { data: "text", count: "integer", sha256: "text", format: "text" } },
};

const imported: ToolContract = {
  tool: "omn_import_memories",
  given: [ledger, { tool: "omn_export_memories", as: { data: "data", sha256: "sha256", count: "count" } }],
  call: { memories: [{ content: "Refunds need two approvals." }] },
  parameters: [
    { name: "memories", example: [{ content: "one" }, { content: "two" }], shows: [{ path: "created", is: 2 }], refused: [[], "text", [{}], Array.from({ length: 1_001 }, () => ({ content: "x" }))] },
    { name: "data", without: ["memories"], example: "$data", shows: [{ path: "unchanged", is: 1 }], refused: ["", 5] },
    { name: "sha256", without: ["memories"], with: { data: "$data" }, example: "$sha256", refused: ["short", 5] },
    { name: "count", without: ["memories"], with: { data: "$data" }, example: "$count", refused: [-1, 1.5, "one"] },
    { name: "on_conflict", without: ["memories"], with: { memories: [{ key: "project.ledger", content: "MySQL runs it." }] }, default: "update", unsaid: [{ path: "updated", is: 1 }], example: "skip", shows: [{ path: "skipped", is: 1 }], refused: ["ask", 5] },
  ],
  output: { fields: { created: "integer", updated: "integer", unchanged: "integer", skipped: "integer", memory_ids: "texts" } },
};

const stats: ToolContract = {
  tool: "omn_memory_stats",
  given: [ledger, note],
  indexed: true,
  call: {},
  parameters: [],
  output: {
    fields: {
      total: "integer", archived: "integer", versions: "integer", content_bytes: "integer", by_scope: "object", by_namespace: "object", by_type: "object", top_tags: "list",
      "vectors.indexed": "integer", average_content_length: "number", by_agent: "object", by_run: "object",
    },
  },
};

export const omn: FamilyContract = {
  errorForm: "line",
  tools: [store, retrieve, update, forget, list, exported, imported, stats, ...omnWork],
  conduct: [
    { document: "tags are an index for search", given: [ledger, { tool: "omn_store_memory", args: { content: "It is fed twice a day.", metadata: { tags: ["aquarium"] } }, as: { fish: "memory_id" } }], call: { tool: "omn_retrieve_memory", args: { query: "aquarium" } }, shows: [{ path: "memories.0.memory_id", is: "$fish" }] },
    { document: "what has expired is not answered", given: [ledger], call: { tool: "omn_update_memory", args: { id: "$id", metadata: { expiry: null } } }, shows: [{ of: look(), path: "memories.length", is: 1 }] },
    { document: "the original of a compressed memory comes back byte for byte", given: [longNote], call: { tool: "omn_retrieve_memory", args: { id: "$id", decompress: true } }, shows: [{ path: "memories.0.content", is: long }] },
    { document: "decompress: false brings the compressed form", given: [longNote], call: { tool: "omn_retrieve_memory", args: { id: "$id", decompress: false } }, shows: [{ path: "memories.0.compressed", is: true }, { path: "memories.0.compression_ratio", isA: "number" }] },
  ],
  failures: [
    { code: "MEMORY_NOT_FOUND", call: { tool: "omn_update_memory", args: { key: "nothing.here", content: "x" } }, details: ["hint"] },
    { code: "PERMISSION_DENIED", call: { tool: "omn_store_memory", args: { content: "x" } }, scopes: ["memory:read"], details: ["hint"] },
    { code: "PERMISSION_DENIED", call: { tool: "omn_retrieve_memory", args: { query: "x" } }, scopes: ["memory:write"], details: ["hint"] },
    { code: "VALIDATION_ERROR", call: { tool: "omn_update_memory", args: { content: "x" } }, details: ["hint"] },
    { code: "VALIDATION_ERROR", call: { tool: "omn_import_memories", args: { data: "no export" } } },
  ],
  differences: [
    { document: "key: string, required", ours: "a memory without a key has an id alone", because: "a model has no name for every fact; without one, repeats merge", call: { tool: "omn_store_memory", args: { content: "x" } }, shows: [{ path: "key", is: null }] },
    {
      document: "decompress: true unless said", ours: "of a long memory a query brings the passage about it", because: "a whole memory of 10,000 characters costs 2,500 tokens; decompress: true brings it",
      given: [longNote], call: { tool: "omn_retrieve_memory", args: { query: "which port does service 7 listen on", min_relevance: 0, decompress: true } }, shows: [{ path: "memories.0.content", is: long }],
    },
    {
      document: "size_bytes: size of the compressed form", ours: "the size of what is stored", because: "the original stays beside its compressed form, byte for byte",
      call: { tool: "omn_store_memory", args: { content: long } }, shows: [{ path: "size_bytes", is: new TextEncoder().encode(long).byteLength }],
    },
    {
      document: "a result for every query", ours: "what no memory answers is not answered by the nearest", because: "calibrated relevance: a lead is marked, and min_relevance: 0 brings all",
      given: [ledger], call: { tool: "omn_retrieve_memory", args: { query: "how far is the moon" } }, shows: [{ path: "memories.length", is: 0 }],
    },
    { document: "user_id of anybody", ours: "a session is the caller's own", because: "tenancy: no argument leads to another person", call: { tool: "omn_create_session", args: { tool_id: "cursor", user_id: "somebody" } }, refused: "PERMISSION_DENIED" },
    { document: "tool_id and workspace_path, required", ours: "the client's name and the connection's project", because: "both are known of every connection", call: { tool: "omn_create_session" }, shows: [{ path: "tool_id", is: "vitest" }, { path: "project_id", isA: "text" }] },
  ],
};
