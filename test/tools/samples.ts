/** For every tool a call that succeeds on a team that holds the memory `sampleKey`. A test checks that none is missing. */
export const sampleKey = "project.sample.decision";

/** Stores what the other samples refer to. */
export const sampleMemory = {
  key: sampleKey,
  content: "We chose PostgreSQL for the billing service because of its transactions.",
  metadata: { tags: ["database"], importance: 0.8 },
};

export const sampleCalls = (memoryId: string): Record<string, Record<string, unknown>> => ({
  omn_retrieve_memory: { query: "which database for billing" },
  omn_store_memory: { key: "project.sample.other", content: "Invoices are numbered per country." },
  omn_update_memory: { key: sampleKey, content: "We chose PostgreSQL 18 for the billing service." },
  omn_forget_memory: { key: sampleKey },
  omn_revert: { tool: "vitest" },
  omn_consolidate: {},
  omn_list_memories: { filters: { tags: ["database"] } },
  omn_export_memories: { format: "json" },
  omn_import_memories: { memories: [{ key: "project.sample.imported", content: "Refunds need two approvals." }] },
  omn_memory_stats: {},
  omn_memory_health: {},
  omn_compress_text: { text: "We met on Monday. We did not choose MySQL.", target_tokens: 8 },
  omn_health_check: { deep: true },
  smart_resume: {},
  write_memory: { key: "current.task", value: { goal: "migrate billing", progress: 40 } },
  read_memory: { key: sampleKey },
  list_memories: { pattern: "project.*" },
  delete_memory: { key: sampleKey },
  memory_add: { messages: [{ role: "user", content: "I prefer invoices by post." }], user_id: "sample" },
  mnemosyne_recall: { query: "which database for billing" },
  mnemosyne_list: {},
  mnemosyne_graph: { seed_ids: [memoryId] },
  mnemosyne_context: {},
  mnemosyne_remember: { content: "Refunds are paid out on Mondays.", memory_type: "ArchitectureDecision", importance: 8 },
  mnemosyne_update: { memory_id: memoryId, importance: 9, add_tags: ["billing"] },
  mnemosyne_delete: { memory_id: memoryId },
  save_context: { key: "current.context", content: { goal: "migrate billing" } },
  recall_context: { key: sampleKey },
  embed_text: { texts: ["which database for billing"] },
  upsert_memory: { items: [{ id: "invoice-rule", text: "Invoices are numbered per country.", metadata: { tags: ["invoices"] } }] },
  search_memory: { query: { text: "which database for billing" } },
  warm_cache: {},
  sync_semantic: { max_batch: 1 },
  search: { query: "billing database" },
  fetch: { id: memoryId },
});
