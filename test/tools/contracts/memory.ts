import { type Args, type Call, type FamilyContract, type ParameterContract, refusedAs } from "./contract.ts";

/** Memory-server document, sections 1 to 8 and 12 to 15, and the models behind them. */
const add = (text: string, more: Args = {}, as = "id"): Call => ({ tool: "memory_add", args: { messages: text, infer: false, ...more }, as: { [as]: "data.0.id" } });
const all = (args: Args = {}): Call => ({ tool: "memory_get_all", args });
const three: Call[] = [
  add("Anna likes pasta with tomatoes.", { user_id: "anna", agent_id: "cook", run_id: "run-1", metadata: { category: "food", tags: ["italy"], checked: true } }),
  add("Anna takes the train to Rome.", { user_id: "anna", agent_id: "guide", run_id: "run-2", metadata: { category: "travel" } }, "train"),
  add("Ben likes pasta with cheese.", { user_id: "ben", agent_id: "cook", metadata: { category: "food" } }, "ben"),
];
const wrapped = { success: "boolean", data: "object", metadata: "object", "metadata.timestamp": "instant", "metadata.processing_time_ms": "number", "metadata.request_id": "text" } as const;
const wrappedList = { ...wrapped, data: "list" } as const;

/** Section 2: whom a call is about; elsewhere the memory does not exist. */
const scope = (whose: string, shows?: ParameterContract["shows"]): ParameterContract[] => [
  { name: "user_id", example: whose, ...(shows ? { shows } : {}), refused: refusedAs.id },
  { name: "agent_id", example: "cook", refused: refusedAs.id },
  { name: "run_id", example: "run-1", refused: refusedAs.id },
];
const badMetadata = ["text", 5, { user_id: "x" }, { agent_id: "x" }, { run_id: "x" }, { created_at: "x" }, { updated_at: "x" }, { memory_type: "x" }, { a: { b: { c: { d: { e: { f: 1 } } } } } }, { ["k".repeat(101)]: 1 }, { note: "x".repeat(1_001) }];
const filters: ParameterContract[] = [
  { name: "filters.user_id", example: "ben", shows: [{ path: "data.results.length", is: 1 }], refused: refusedAs.id },
  { name: "filters.agent_id", example: "guide", shows: [{ path: "data.results.0.id", is: "$train" }], refused: refusedAs.id },
  { name: "filters.run_id", example: "run-2", shows: [{ path: "data.results.0.id", is: "$train" }], refused: refusedAs.id },
  { name: "filters.memory_type", example: "PROCEDURAL", shows: [{ path: "data.results.length", is: 0 }], refused: ["MUSING", "", 5] },
  { name: "filters.category", example: "travel", shows: [{ path: "data.results.length", is: 1 }, { path: "data.results.0.id", is: "$train" }], refused: refusedAs.text },
  { name: "filters.tags", example: ["italy"], shows: [{ path: "data.results.0.id", is: "$id" }, { path: "data.results.length", is: 1 }], refused: refusedAs.tags },
  { name: "filters.date_range", example: { start: "2099-01-01" }, shows: [{ path: "data.results.length", is: 0 }], refused: ["today", { start: "tomorrow" }, { nonsense: 1 }] },
  { name: "filters.custom_filters", example: { checked: true }, shows: [{ path: "data.results.length", is: 1 }], refused: ["text", { deep: { er: 1 } }] },
];

const spoken = [{ role: "user", content: "I love Italian food, especially pasta dishes." }];

export const memory: FamilyContract = {
  errorForm: { json: ["timestamp", "request_id"] },
  tools: [
    {
      tool: "memory_add",
      call: { messages: spoken },
      parameters: [
        { name: "messages", required: true, example: "I work as a software engineer.", shows: [{ path: "data.0.event", is: "ADD" }], refused: ["", [], 5, [{}], [{ role: "robot", content: "x" }], [{ role: "user", content: "" }]] },
        { name: "messages", example: [{ role: "user", content: [{ type: "text", text: "I love this restaurant." }, { type: "image", image_url: { url: "https://example.com/r.jpg", detail: "high" } }], name: "Anna", timestamp: "2024-01-15T10:30:00Z", metadata: { channel: "web" } }], refused: [[{ role: "user", content: [{ type: "image", image_url: { url: "ftp://x" } }] }]] },
        { name: "user_id", with: { infer: false }, example: "user_123", shows: [{ of: all({ user_id: "user_123" }), path: "data.results.0.metadata.user_id", is: "user_123" }], refused: refusedAs.id },
        { name: "agent_id", with: { infer: false }, example: "assistant_001", shows: [{ of: all({ agent_id: "assistant_001" }), path: "data.results.0.metadata.agent_id", is: "assistant_001" }], refused: refusedAs.id },
        { name: "run_id", with: { infer: false }, example: "conversation-456", shows: [{ of: all({ run_id: "conversation-456" }), path: "data.results.0.metadata.run_id", is: "conversation-456" }], refused: refusedAs.id },
        { name: "metadata", with: { infer: false }, example: { category: "preferences", tags: ["food", "cuisine"], source: "conversation" }, shows: [{ of: all(), path: "data.results.0.metadata.category", is: "preferences" }, { of: all(), path: "data.results.0.metadata.tags", is: ["food", "cuisine"] }, { of: all(), path: "data.results.0.metadata.custom_metadata.source", is: "conversation" }], refused: badMetadata },
        { name: "memory_type", with: { infer: false }, example: "PROCEDURAL", shows: [{ of: all(), path: "data.results.0.metadata.memory_type", is: "PROCEDURAL" }], refused: ["MUSING", "", 5] },
        { name: "infer", default: true, unsaid: [{ path: "metadata.facts_extracted", is: 1 }], example: false, shows: [{ path: "metadata.facts_extracted", is: 0 }, { path: "data.0.memory", is: "I love Italian food, especially pasta dishes." }], refused: refusedAs.boolean },
        { name: "mode", default: "inference", unsaid: [{ path: "metadata.facts_extracted", is: 1 }], example: "direct", shows: [{ path: "metadata.facts_extracted", is: 0 }], refused: ["guess", 5] },
      ],
      output: {
        fields: {
          ...wrappedList, "data.0.id": "uuid", "data.0.event": "text", "data.0.memory": "text", "data.0.confidence": "fraction", "data.0.reasoning": "text", "metadata.facts_extracted": "integer", "metadata.operations_performed": "integer",
          "metadata.extraction_metadata.model_used": "text", "metadata.extraction_metadata.extraction_time": "instant", "metadata.extraction_metadata.confidence_score": "fraction", "metadata.extraction_metadata.language_detected": "text",
          "metadata.extraction_metadata.custom_prompt_used": "boolean", "metadata.processing_metadata.total_operations": "integer", "metadata.processing_metadata.decision_time": "instant", "metadata.processing_metadata.model_used": "text",
          "metadata.processing_metadata.uuid_mapping_used": "boolean",
        },
      },
    },
    {
      tool: "memory_search",
      given: three,
      indexed: true,
      call: { query: "Anna Ben pasta train Rome", score_threshold: 0 },
      parameters: [
        { name: "query", required: true, example: "who likes pasta", refused: refusedAs.text },
        ...scope("ben", [{ path: "data.results.length", is: 1 }]),
        ...filters,
        { name: "limit", default: 10, example: 1, shows: [{ path: "data.results.length", is: 1 }, { path: "data.has_more", is: true }], refused: [0, 101, 1.5] },
        { name: "offset", default: 0, example: 2, shows: [{ path: "data.results.length", is: 1 }], refused: [-1, 100, 1.5] },
        { name: "search_type", default: "hybrid", example: "Text", shows: [{ path: "data.results.0.search_type", is: "Text" }], refused: ["guess", 5] },
        { name: "score_threshold", with: { query: "pasta with tomatoes" }, example: 0.99, refused: refusedAs.fraction },
        { name: "include_metadata", default: true, unsaid: [{ path: "data.results.0.metadata", isA: "object" }], example: false, shows: [{ path: "data.results.0.metadata", absent: true }], refused: refusedAs.boolean },
        { name: "include_embeddings", default: false, unsaid: [{ path: "data.results.0.embedding", absent: true }], example: true, shows: [{ path: "data.results.0.embedding", isA: "list" }], refused: refusedAs.boolean },
      ],
      output: {
        call: { query: "who likes pasta with tomatoes", user_id: "anna", filters: { category: "food" } },
        fields: {
          ...wrapped, "data.results": "list", "data.query": "text", "data.total_count": "integer", "data.has_more": "boolean", "data.results.0.id": "uuid", "data.results.0.integer_id": "integer", "data.results.0.content": "text", "data.results.0.version": "integer",
          "data.results.0.score": "fraction", "data.results.0.similarity": "number", "data.results.0.relevance": "number", "data.results.0.search_type": "text", "data.results.0.metadata.user_id": "text", "data.results.0.metadata.agent_id": "text",
          "data.results.0.metadata.run_id": "text", "data.results.0.metadata.created_at": "instant", "data.results.0.metadata.updated_at": "instant", "data.results.0.metadata.memory_type": "text", "data.results.0.metadata.category": "text",
          "data.results.0.metadata.tags": "texts", "data.results.0.metadata.custom_metadata": "object", "metadata.search_metadata.query_time": "instant", "metadata.search_metadata.vector_search_time_ms": "number", "metadata.search_metadata.filters_applied": "object",
        },
      },
    },
    {
      tool: "memory_get_all",
      given: three,
      call: {},
      parameters: [
        ...scope("ben", [{ path: "data.count", is: 1 }]),
        ...filters,
        { name: "limit", default: 100, example: 1, shows: [{ path: "data.count", is: 1 }, { path: "data.has_more", is: true }], refused: [0, 201, 1.5] },
        { name: "offset", default: 0, example: 2, shows: [{ path: "data.results.0.id", is: "$id" }], refused: [-1, 1.5] },
        { name: "include_metadata", default: true, example: false, shows: [{ path: "data.results.0.metadata", absent: true }], refused: refusedAs.boolean },
      ],
      output: { fields: { ...wrapped, "data.results": "list", "data.count": "integer", "data.has_more": "boolean", "data.results.0.id": "uuid", "data.results.0.integer_id": "integer", "data.results.0.version": "integer" } },
    },
    {
      tool: "memory_update",
      given: three,
      call: { memory_id: "$id", data: "Anna likes pizza." },
      parameters: [
        { name: "memory_id", required: true, example: "$id", shows: [{ path: "data.id", is: "$id" }], refused: refusedAs.ref },
        { name: "data", example: "Anna likes soup.", shows: [{ path: "data.memory", is: "Anna likes soup." }], refused: refusedAs.content },
        ...scope("anna"),
        { name: "metadata", example: { category: "cuisine" }, shows: [{ of: all({ filters: { category: "cuisine" } }), path: "data.count", is: 1 }], refused: badMetadata },
        { name: "memory_type", example: "PROCEDURAL", shows: [{ of: all({ filters: { memory_type: "PROCEDURAL" } }), path: "data.count", is: 1 }], refused: ["MUSING", 5] },
        { name: "version", example: 1, shows: [{ path: "data.version", is: 2 }], refused: refusedAs.version },
      ],
      output: { fields: { ...wrapped, "data.id": "uuid", "data.event": "text", "data.memory": "text", "data.version": "integer" } },
    },
    {
      tool: "memory_delete",
      given: three,
      call: { memory_id: "$id" },
      parameters: [{ name: "memory_id", required: true, example: "$id", shows: [{ path: "data.event", is: "DELETE" }, { of: all(), path: "data.count", is: 2 }], refused: refusedAs.ref }, ...scope("anna")],
      output: { fields: { ...wrapped, "data.id": "uuid", "data.event": "text" } },
    },
    {
      tool: "memory_delete_all",
      given: [...three, { tool: "memory_delete_all", args: { user_id: "anna" }, as: { confirm: "data.confirm" } }],
      call: { user_id: "anna", confirm: "$confirm" },
      parameters: [
        { name: "user_id", without: ["confirm"], example: "anna", shows: [{ path: "data.event", is: "PREVIEW" }, { path: "data.count", is: 2 }], refused: refusedAs.id },
        { name: "agent_id", without: ["confirm", "user_id"], example: "cook", shows: [{ path: "data.count", is: 2 }], refused: refusedAs.id },
        { name: "run_id", without: ["confirm", "user_id"], example: "run-1", shows: [{ path: "data.count", is: 1 }], refused: refusedAs.id },
        { name: "confirm", unsaid: [{ path: "data.success_count", is: 0 }, { of: all(), path: "data.count", is: 3 }], example: "$confirm", shows: [{ path: "data.success_count", is: 2 }, { of: all(), path: "data.count", is: 1 }], refused: [5] },
      ],
      output: { fields: { ...wrapped, "data.success_count": "integer", "data.failure_count": "integer", "data.results": "list", "data.results.0.event": "text", "data.message": "text", "data.total_execution_time_ms": "number" } },
    },
    {
      tool: "memory_get_history",
      aliases: ["memory_history"],
      given: [...three, { tool: "memory_update", args: { memory_id: "$id", data: "Anna likes pizza." } }],
      call: { memory_id: "$id" },
      parameters: [
        { name: "memory_id", required: true, example: "$id", refused: refusedAs.ref },
        ...scope("anna"),
        { name: "limit", default: 50, example: 1, shows: [{ path: "data.history.length", is: 1 }, { path: "data.total_count", is: 2 }], refused: [0, 201, 1.5] },
      ],
      output: { fields: { ...wrapped, "data.memory_id": "uuid", "data.history": "list", "data.total_count": "integer", "data.history.0.version": "integer", "data.history.0.event": "text", "data.history.0.old_memory": "text", "data.history.0.new_memory": "text", "data.history.0.created_at": "instant" } },
    },
    {
      tool: "memory_get_stats",
      aliases: ["memory_stats"],
      given: three,
      indexed: true,
      call: {},
      parameters: scope("ben", [{ path: "data.total_memories", is: 1 }]),
      output: { fields: { ...wrapped, "data.total_memories": "integer", "data.embedding_count": "integer", "data.storage_size": "integer", "data.average_content_length": "number", "data.last_memory_created": "instant", "data.session_counts": "object", "data.session_metrics": "object" } },
    },
    {
      tool: "memory_init_session",
      call: { user_id: "anna" },
      parameters: [
        { name: "user_id", example: "user_123", shows: [{ path: "data.user_id", is: "user_123" }, { of: all(), path: "metadata.context.user_id", is: "user_123" }], refused: refusedAs.id },
        { name: "agent_id", example: "assistant_001", shows: [{ path: "data.session_type", is: "AGENT" }], refused: refusedAs.id },
        { name: "run_id", example: "conversation-456", shows: [{ path: "data.session_type", is: "RUN" }], refused: refusedAs.id },
        { name: "metadata", example: { language: "en" }, shows: [{ path: "data.metadata.language", is: "en" }], refused: badMetadata },
      ],
      output: {
        fields: {
          ...wrapped, "data.user_id": "text", "data.session_type": "text", "data.permissions.read": "boolean", "data.permissions.write": "boolean", "data.permissions.delete": "boolean", "data.session_defaults.connection_id": "text", "data.session_defaults.created_at": "instant",
        },
      },
    },
    {
      tool: "memory_graph",
      given: [add("PostgreSQL runs the billing service.", { user_id: "anna" }), add("PostgreSQL is backed up by Barman.", { user_id: "anna" }, "two"), { tool: "omn_update_memory", args: { id: "$two", links: [{ to: "$id", type: "extends" }] } }],
      indexed: true,
      call: { memory_id: "$id" },
      parameters: [
        { name: "memory_id", example: "$two", shows: [{ path: "data.memories.[id=$two].distance", is: 0 }], refused: refusedAs.ref },
        { name: "entity", without: ["memory_id"], example: "PostgreSQL", shows: [{ path: "data.memories.length", is: 2 }], refused: refusedAs.text },
        { name: "user_id", example: "anna", refused: refusedAs.id },
        { name: "max_hops", default: 1, example: 2, refused: [0, 4, 1.5] },
        { name: "limit", default: 20, example: 1, shows: [{ path: "data.memories.length", is: 1 }], refused: [0, 51, 1.5] },
      ],
      output: {
        fields: {
          ...wrapped, "data.memories": "list", "data.entities": "list", "data.relationships": "list", "data.links": "list", "data.entities.[name=PostgreSQL].type": "text", "data.entities.[name=PostgreSQL].confidence": "fraction",
          "data.entities.[name=PostgreSQL].source_memory_ids": "texts", "data.links.0.link_type": "text",
        },
      },
    },
  ],
  conduct: [
    { document: "an integer id names a memory (section 1)", given: [...three, { ...all({ filters: { tags: ["italy"] } }), as: { integer: "data.results.0.integer_id" } }], call: { tool: "memory_update", args: { memory_id: "$integer", data: "Anna likes pizza." } }, shows: [{ path: "data.id", is: "$id" }] },
    { document: "a memory of another user is not there", given: three, call: all({ user_id: "nobody" }), shows: [{ path: "data.count", is: 0 }] },
    { document: "an update counts the version up (section 1)", given: [...three, { tool: "memory_update", args: { memory_id: "$id", data: "Anna likes pizza." } }], call: all({ filters: { tags: ["italy"] } }), shows: [{ path: "data.results.0.version", is: 2 }] },
    { document: "UUIDs are matched whatever their case (section 14)", given: [...three], call: { tool: "memory_get_history", args: { memory_id: "$id" } }, shows: [{ path: "data.total_count", is: 1 }] },
  ],
  failures: [
    { code: "MEMORY_NOT_FOUND", call: { tool: "memory_update", args: { memory_id: "550e8400-e29b-41d4-a716-446655440000", data: "x" } }, details: ["hint"] },
    { code: "MEMORY_NOT_FOUND", given: three, call: { tool: "memory_delete", args: { memory_id: "$id", user_id: "ben" } }, details: ["hint"] },
    { code: "CONFLICT", given: [...three, { tool: "memory_update", args: { memory_id: "$id", data: "Anna likes pizza." } }], call: { tool: "memory_update", args: { memory_id: "$id", data: "Anna likes soup.", version: 1 } }, details: ["hint", "current.content"] },
    { code: "VALIDATION_ERROR", call: { tool: "memory_delete_all" }, details: ["hint"] },
    { code: "VALIDATION_ERROR", call: { tool: "memory_search", args: { query: "x", user_id: "anna", filters: { user_id: "ben" } } }, details: ["hint"] },
    { code: "VALIDATION_ERROR", call: { tool: "memory_add", args: { messages: "x", infer: true, mode: "direct" } }, details: ["hint"] },
    { code: "PERMISSION_DENIED", call: { tool: "memory_add", args: { messages: "x" } }, scopes: ["memory:read"], details: ["hint"] },
    { code: "PERMISSION_DENIED", call: all(), scopes: ["memory:write"], details: ["hint"] },
  ],
  differences: [
    { document: "user_id, required", ours: "optional", because: "isolation is by team and person; user_id narrows within what one may see", call: { tool: "memory_add", args: { messages: "x y z", infer: false } }, shows: [{ path: "success", is: true }] },
    { document: "id: integer", ours: "a UUID, and the integer beside it", because: "the document's own examples have UUIDs, and both are taken", given: three, call: all(), shows: [{ path: "data.results.0.id", isA: "uuid" }, { path: "data.results.0.integer_id", isA: "integer" }] },
    { document: "score_threshold: 0.7 unless said", ours: "what is likely", because: "on the calibrated scale 0.7 is all but certain", given: three, call: { tool: "memory_search", args: { query: "who likes pasta" } }, shows: [{ path: "data.results", isA: "list" }] },
    { document: "embedding_time_ms", ours: "a part of vector_search_time_ms", because: "the question is embedded in that leg", given: three, call: { tool: "memory_search", args: { query: "who likes pasta" } }, shows: [{ path: "metadata.search_metadata.embedding_time_ms", absent: true }, { path: "metadata.processing_time_ms", isA: "number" }] },
    { document: "UUID v4", ours: "v7, and any version is taken", because: "v7 ascends with time", given: three, call: all(), shows: [{ path: "data.results.0.id", isA: "uuid" }] },
    { document: "delete removes", ours: "archives, with its history", because: "forgetting is reversible", given: [...three, { tool: "memory_delete", args: { memory_id: "$id" } }], call: { tool: "omn_update_memory", args: { id: "$id", archived: false } }, shows: [{ path: "outcome", is: "updated" }] },
    { document: "permissions of a session", ours: "they tell of role and key", because: "an argument gives no rights", call: { tool: "memory_init_session" }, shows: [{ path: "data.permissions", is: { read: true, write: true, delete: true } }] },
    { document: "session metrics of database connections", ours: "cache rates of the person's session", because: "there are no connections to leak", given: three, call: { tool: "memory_get_stats" }, shows: [{ path: "data.session_metrics", isA: "object" }] },
    { document: "bytes of an image", ours: "an https address", because: "bytes are not stored; an address is noted and never fetched", call: { tool: "memory_add", args: { messages: [{ role: "user", content: [{ type: "image", image_url: { url: "data:image/png;base64,AAAA" } }] }] } }, refused: "VALIDATION_ERROR" },
  ],
};
