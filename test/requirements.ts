/**
 * What the product must do, as data. A test cites the rows it shows by their ids at the end of its title:
 * `test("a write is found by the next search [B1] [U6]", …)`. Ids are stable: never renumber, only add.
 * A row works when a real MCP client, browser or shell does it against the running server and a test shows it.
 */
export interface Requirement {
  readonly id: string;
  readonly section: string;
  readonly title: string;
  readonly works: string;
}

type Row = readonly [id: string, title: string, works: string];

const omnimemory: readonly Row[] = [
  ["A1", "8 memory tools: omn_store_memory, omn_retrieve_memory, omn_update_memory, omn_forget_memory, omn_list_memories, omn_export_memories, omn_import_memories, omn_memory_stats",
    "Schemas follow the document, plus `namespace`, `occurred_at` and `idempotency_key`. Import takes `memories[]` (at most 1,000 a call) and files of the formats named in U10. Retrieve works by key, wildcard, query, filters, `max_tokens` and `as_of`. Forget previews, then deletes. Every write answers with a typed outcome (created, merged, duplicate, quarantined …)."],
  ["A2", "5 search tools over indexed code: omn_semantic_search, omn_code_search, omn_symbol_search, omn_dependency_search, omn_similar_files",
    "A real repository is indexed by the command line or by `omn_index_files`. Lezer grammars give syntax trees for JS/TS/JSX, Python, Rust, Go, Java, C/C++ and PHP; other files are indexed as text. Definitions and references carry line ranges; dependents and dependencies of a file or symbol are found."],
  ["A3", "omn_read: the read flow of hot cache, response cache, file hash and compression",
    "Reads an indexed file in full, as an overview, or one symbol of it. An unchanged file is answered from the cache, and the tokens prevented are recorded."],
  ["A4", "6 session tools: omn_create_session, omn_restore_session, omn_get_session_context, omn_migrate_session, omn_export_session, omn_end_session",
    "The context (files accessed, searches, decisions, workflow state) is recorded as tools are used, saved every 5 minutes and at the end, and survives eviction and restart. A restore takes less than 2 s with 10,000 memories."],
  ["A5", "Memory Passport",
    "JSON as in the document (version 2.0): gzip-compressed context, HMAC-SHA256 signature over canonical JSON; across servers also an EdDSA signature with a published JWKS; optional passphrase encryption (JWE); a QR code holding a short-lived claim link, and a claim page. Any changed byte is refused. Moving claude-code → cursor → vscode keeps session id, files, searches and decisions; each migration is logged."],
  ["A6", "4 workflow tools: omn_get_workflow_patterns, omn_suggest_next_action, omn_record_workflow_step, omn_workflow_checkpoint",
    "Patterns are learned from recorded steps, with support, confidence with a lower bound, success rate and average duration. On a replayed synthetic log the right next step is in the top 3 more often than the most-frequent baseline."],
  ["A7", "3 utility tools: omn_compress_text, omn_get_stats, omn_health_check",
    "Compression reports its ratio and what was kept; facts (numbers, names, identifiers, negations) survive it. The health check tries each real dependency."],
  ["A8", "5 resources: user preferences, session context, project knowledge, workflow patterns, conversation history with compression tiers",
    "Resource templates and subscriptions work. Each resource is readable, writable where a tool or the web allows it, and its access is logged."],
  ["A9", "8 prompts: explain-code, find-similar, suggest-refactor, debug-help, implement-feature, review-changes, write-tests, document-code",
    "Arguments are as in the document, filled with recalled project context within a budget; arguments have completion."],
  ["A10", "Tri-index search: dense, sparse and structural, fused by reciprocal rank, reranked by witness for diversity",
    "Quality as in the retrieval notes. Each leg can be switched off by an argument, and the receipt shows its part."],
  ["A11", "Caches: L1 (session), L2 (KV) and file hash, with hit rates",
    "On a replayed client log L1 serves more than 60% and L2 more than 30% of the rest. Never a stale answer after one's own write."],
  ["A12", "Compression of memories over 1,000 tokens",
    "The ratio is reported, and the original is always recoverable byte for byte."],
  ["A13", "Identity: API keys (generate, validate, rotate, revoke, 90 days), OAuth 2.1, visibility private/shared/public",
    "As in the protocol notes: keys are hashed and compared in constant time, OAuth metadata and flows suit the real clients, and a member's role is read again on each request."],
  ["A14", "Rate limit of 100 a minute with burst 20, audit and alerts",
    "Per key and per address, an exact count over a minute, with `Retry-After`. Audit of key use, failures and resource access. Alerts on anomalies are visible in the dashboard and as an event."],
  ["A15", "Prevention metrics and dashboard",
    "Calls and tokens prevented, cost saved, hit rates and top operations, in line, bar, donut and area charts. The baseline is measured on the user's own data (what the client would have read instead), the formula is documented, and the price is configurable."],
  ["A16", "Integration guides for Claude Desktop and Code, Cursor, VS Code/Copilot, Continue and Cline; OpenAPI",
    "The configuration in each guide is generated and tested."],
  ["A17", "Monitoring and backups",
    "Prometheus metrics at `/metrics`; the backup and restore commands are verified by count and hash."],
];

const tokenSaver: readonly Row[] = [
  ["B1", "write_memory, read_memory, list_memories, delete_memory, smart_resume",
    "Schemas as in the document: default scope project, exact key or wildcard, an array for a pattern, null when absent."],
  ["B2", "Scopes global/project/session/shared, key conventions, TTL, tags, versioning, conflict resolution, several AIs on shared keys",
    "Concurrent writers lose no update; a conflict is returned with both versions; who wrote what is kept."],
  ["B3", "smart_resume: briefing, context and token_count",
    "200–500 tokens by default and at least 90% fewer than the stored context. It says task, progress, blockers, next steps and shared findings."],
  ["B4", "Memory compression, suggestions, cross-session learning",
    "Suggestions come with reasons, and nothing is changed unasked."],
  ["B5", "Fast and lossless at project size",
    "Access in less than 100 ms with 1,000 or more memories per project, and zero loss: shown by the bench and by kill tests."],
];

const mnemosyne: readonly Row[] = [
  ["C1", "8 tools: recall, list, graph, context, remember, consolidate, update, delete",
    "Listed as `mnemosyne_recall` … and also called with a dot. Each OODA phase behaves as in the document; delete archives, and links stay."],
  ["C2", "9 memory types, 5 link types with strength and reason, importance 1–10, confidence",
    "Assigned on write, with or without an LLM."],
  ["C3", "Enrichment, link generation and consolidation",
    "Enrichment gives a summary, 3–5 keywords, 2–3 tags, type and importance. Links are generated. Consolidation merges, supersedes or keeps both, with an audit trail. All through each provider of `Intelligence`, and reversible."],
  ["C4", "Hybrid scoring with graph expansion (depth 2), recency and importance; graph walk",
    "The receipt shows the parts of the score."],
  ["C5", "Namespaces global/project/session with priority retrieval",
    "The command line detects the namespace from the git root and CLAUDE.md and sends it."],
  ["C6", "Claude Code hooks: session-start, post-commit, pre-compact",
    "Installed by one command and run against a real git repository. The session-start hook adds at most 100 ms beyond the call."],
  ["C7", "Context editor, event stream and dashboard",
    "Templates api, architecture, bugfix, feature and refactor, and a read-only mode. Events over SSE. In the terminal (`omnimemory context`, `omnimemory dash`) and on the web; it reconnects and sees several instances."],
  ["C8", "Evolution: periodic consolidation, link decay, importance recalculation, archival, role views for agents",
    "Runs as a cron job, with a dry run and an undo."],
  ["C9", "Retrieval p95 under 200 ms and store under 500 ms, with several agents at once",
    "Shown by the bench."],
  ["C10", "Direct access for orchestrators (the role of the Python binding)",
    "A typed TypeScript client over the REST API, one round trip per operation."],
];

const memoryServer: readonly Row[] = [
  ["D1", "memory_add, memory_search, memory_get_all, memory_update, memory_delete, memory_delete_all, memory_history, memory_stats, memory_init_session, memory_graph",
    "Add takes messages or content, with inference or direct. Request and response bodies follow sections 12–15, with integer ids beside UUIDs and an optimistic version."],
  ["D2", "Fact extraction and the decision ADD/UPDATE/DELETE/NONE with confidence and reasoning, from text and image messages",
    "Through each provider, rule-based without one; the raw message is kept."],
  ["D3", "Entities (aliases, confidence, sources), relationships (temporal context) and graph updates",
    "Stored, searched and shown."],
  ["D4", "Session defaults from the headers X-Memory-User-ID, -Agent-ID, -Run-ID and -Session-Metadata, from the init call, and from explicit arguments",
    "The precedence holds, and none of them can leave the caller's tenant."],
  ["D5", "Unified search: 6 operations in parallel, weights 1.0/0.8/0.7",
    "Reranks before the cut-off, deduplicates (85%, with the sources traced), adds at most 2 related items and keeps the original structure. With one leg at a time broken on purpose, answers still come and the receipt says which leg failed."],
  ["D6", "Validation rules and error codes of sections 12–14, bulk results, statistics, session metrics (adapted: objects, hops, retries)",
    "Table-driven tests taken from the document."],
];

const kompanion: readonly Row[] = [
  ["E1", "save_context, recall_context, embed_text, upsert_memory, search_memory, warm_cache, sync_semantic; aliases under kom.memory.v1.",
    "Outputs as in the document; errors in the form `{error:{code,message,details}}`."],
  ["E2", "Embedded vectors given by the caller; hybrid search by text or vector",
    "A vector of the wrong dimension is refused clearly."],
  ["E3", "Episodic → semantic jobs",
    "Secret and expired memories are skipped, and pending ones are counted. The queue and outbox survive a kill."],
  ["E4", "`memory.updated` notification, namespaces, resource descriptors (episodic, semantic, sync jobs)",
    "A second client sees the event."],
];

const ours: readonly Row[] = [
  ["F1", "Small default tool list",
    "The default `tools/list` holds at most 9 tools and at most 1,500 tokens."],
  ["F2", "Surfaces",
    "`?surface=core|omn|token-saver|mnemosyne|memory|kom|chatgpt|all` selects the tools listed; chatgpt means `search` and `fetch`."],
  ["F3", "Teams, roles and invitations", "People are invited to a team and act in it by their role, shown with a real client or browser."],
  ["F4", "Promote with review", "A private memory becomes the team's after a review, shown with a real client or browser."],
  ["F5", "Web dashboard", "Shown in a real browser against the running server."],
  ["F6", "`omnimemory` command line", "Shown in a real shell against the running server."],
  ["F7", "Installers for each client and deep links", "The command line sets up each client; deep links do the same from the web."],
  ["F8", "One-command deploy", "One command brings the whole product to Cloudflare: it creates what is missing, migrates, deploys and proves that the result answers."],
  ["F9", "Offline default", "The default needs no account and no network."],
];

const users: readonly Row[] = [
  ["U1", "Recall receipt", "Says why each hit was returned (sources, ranks, scores), what was dropped, and the tokens spent and saved."],
  ["U2", "Verbatim plus derived", "Raw text is always kept and searchable; every write returns a typed outcome, never a silent drop."],
  ["U3", "Recall-loop guard", "Text that was just recalled is not stored again as new knowledge."],
  ["U4", "Reversible supersession and careful forgetting", "Supersession can be undone, forgetting previews and then confirms, and writes can be reverted in bulk by author, tool or session."],
  ["U5", "Hard token budget per recall", "No recall exceeds its budget; previews carry handles to fetch more; the default tool list stays under 1,500 tokens."],
  ["U6", "Read your own write", "At once, on every path."],
  ["U7", "Promote private → team with review", "With attribution; roles are enforced alike on every read path."],
  ["U8", "Secret and injection quarantine at write time", "Recalled text is handed over as data, marked with its source and trust."],
  ["U9", "Commit-anchored memories", "They turn stale when the file they cite changes."],
  ["U10", "Lossless round trip", "Importers read server-memory JSONL, mem0, basic-memory Markdown, CLAUDE.md and Cursor rules, ChatGPT and Claude exports; an export is verified by count and hash."],
  ["U11", "Connection doctor", "Replays a client's OAuth steps against the account and says what is wrong."],
  ["U12", "Store report card", "Shows duplicates, junk, stale, secrets, loops and live memories, with one-click undo."],
  ["U13", "As-of recall", "Answers what was believed on a date."],
];

/** S1–S9 keep the numbers of the foundation's "How it is shown"; S10 and later are its "What must exist at the end". */
const foundation: readonly Row[] = [
  ["S1", "Conformance",
    "`npm run conformance` runs the official suite against the running product (a test entry adds the fixture tools on the same auth, object and transport) for requirements 2025-11-25 and 2026-07-28: every scored check passes, in CI."],
  ["S2", "Real clients",
    "End-to-end tests with `@modelcontextprotocol/sdk` 1.x (Streamable HTTP and SSE) and `@modelcontextprotocol/client` 2.x (both negotiations): all tools, resume after the object was evicted, two clients of one user at once, list-changed and updated notifications reach the other client."],
  ["S3", "Recall", "The shared evaluation on its default data against `npm start`: R@10 at least 70, MRR at least 50, no foreign keys."],
  ["S4", "Speed",
    "`npm run bench` starts the product the same way and prints a table (p50/p95, requests/s, bytes, RSS) and JSON. In that run: no-op call ≤ 2.5 × floor; store and get ≤ 2 × no-op; query at 10k ≤ 2 × no-op; at 100k ≤ 2 × at 1k; a 1k team in a shard with 200k memories of others ≤ 1.3 × a lone team. Also import of 10k, 16 clients at once, restart with 100k, and two other servers at 5,000 memories beside it. Bundle ≤ 1 MiB gzip, start-up CPU ≤ 100 ms."],
  ["S5", "Durability",
    "SIGKILL at random moments under concurrent writers, 20 rounds: after each restart every acknowledged write is there exactly once, every version chain is whole, and the index agrees with D1."],
  ["S6", "Isolation",
    "Property-based: two organizations, three teams, random members, visibilities and operations over all tools; a model predicts exactly who sees what, and no tool, list, count, stat, error or cache key reveals the rest."],
  ["S7", "Bad input",
    "Table-driven: every field of every tool with wrong type, empty, too long, wrong UTF-8, deep metadata and reserved keys; huge bodies (413), malformed JSON-RPC, wrong headers. Always a clear error, never a 500."],
  ["S8", "Requirements as data", "These rows, cited by tests; a test checks that every cited id exists, and `npm run requirements` prints each row with its tests or \"not yet\"."],
  ["S9", "CI and documents", "`.ci/run` does all of it except the bench in under 30 minutes; README, AGENTS.md and LICENSE (MIT) are there."],
  ["S10", "One-command start",
    "`npm ci && npm start` on a fresh machine with Node 20 or newer: no account, prompt, telemetry or network. It migrates, runs the Worker under workerd on 127.0.0.1 at `PORT` (26366) with its data in `OMNIMEMORY_DATA_DIR`, prints the MCP URL, the owner's API key and the line for Claude Code, and writes `local.json` (mode 0600); the next start prints the same key. Port taken, data dir unwritable or wrong Node: one clear line and a non-zero exit code. On SIGTERM requests finish and nothing is lost."],
  ["S11", "The edge",
    "Host and Origin checks, API key → Principal, security headers, request id; one session object per (team, user) speaks both protocol eras, sessions survive eviction and restart, and `/sse` serves old clients."],
  ["S12", "Layer borders", "Imports point inwards; lint fails when the domain sees an edge or the platform, and a test proves each border."],
  ["S13", "Data and migrations",
    "Linear migrations for the directory and the shards; two shards in tests, one locally; a write is one atomic batch. A new column is an ordinary migration: a populated database of the previous schema is migrated in a test."],
  ["S14", "Verbs",
    "remember, recall, revise, forget, list, export, import and stats do all the foundation says: the same key again is a new version, a conflict returns both versions, erased means gone from D1, index, versions and caches, pages are stable under writes, the round trip is lossless, and expired memories are never returned and are purged by cron."],
  ["S15", "Team index",
    "Full-text search in the team's own object, with stop words out of the query and neighbours, speaker and date as columns. Dropped, lagging or with rows missing, it rebuilds itself from D1. One team's statistics never influence another's."],
  ["S16", "Tool catalogue",
    "Each tool has title, description, input schema, annotations and short text, and on surfaces for programs output schema and structured content; aliases are accepted; an unknown surface is a clear error. Errors say how to mend the call; faults carry the request id and nothing internal. A shallow health check touches no dependency."],
  ["S17", "Keys, scopes and rate limit",
    "`omn_<keyid>_<secret>` is stored as SHA-256 only and compared in constant time; scopes, expiry, revocation, and rotation with grace hold; a read-only key cannot write by any path. The limit per key is exact, with `Retry-After`; `OMNIMEMORY_RATE_LIMIT=off` lifts it locally, and a production deployment refuses to start with it."],
];

const sections: readonly (readonly [section: string, rows: readonly Row[]])[] = [
  ["A. OmniMemory", omnimemory],
  ["B. Token Saver", tokenSaver],
  ["C. Mnemosyne", mnemosyne],
  ["D. Memory server", memoryServer],
  ["E. Kompanion", kompanion],
  ["F. Ours, beyond the five", ours],
  ["U. What nobody gives users", users],
  ["S. How the foundation is shown", foundation],
];

export const requirements: readonly Requirement[] = sections.flatMap(([section, rows]) =>
  rows.map(([id, title, works]) => ({ id, section, title, works })),
);
