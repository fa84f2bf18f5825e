import { type Call, refusedAs, type ToolContract } from "./contract.ts";

/** OmniMemory document, "Tools Specification", categories 3 to 5. */
const session: Call = { tool: "omn_create_session", args: { tool_id: "claude-code", workspace_path: "/home/ada/shop" }, as: { session: "session_id", project: "project_id" } };
const passport: Call = { tool: "omn_export_session", args: { session_id: "$session" }, as: { passport: "passport" } };
const step = (command: string): Call => ({ tool: "omn_record_workflow_step", args: { command, success: true, duration_ms: 100 } });
const learned: Call[] = Array.from({ length: 5 }, () => [step("git add ."), step("git commit"), step("git push")]).flat();
const long = Array.from({ length: 40 }, (_, i) => `The service number ${i} listens on port ${4_000 + i}. It is very nice and everybody likes it very much indeed.`).join(" ");

const badPath = ["", 5, "a\0b"];

export const omnWork: ToolContract[] = [
  {
    tool: "omn_create_session",
    given: [session],
    call: {},
    parameters: [
      { name: "tool_id", example: "cursor", shows: [{ path: "tool_id", is: "cursor" }], refused: ["", 5, "x".repeat(300)] },
      { name: "workspace_path", example: "/home/ada/shop", shows: [{ path: "project_id", is: "$project" }], refused: badPath },
      { name: "restore_from", example: "$session", shows: [{ path: "restored_from", is: "$session" }], refused: ["", 5] },
    ],
    output: { call: { tool_id: "cursor", workspace_path: "/home/ada/shop" }, fields: { session_id: "text", project_id: "text", created_at: "instant" } },
  },
  {
    tool: "omn_restore_session",
    given: [session, passport],
    call: { session_id: "$session" },
    parameters: [
      { name: "session_id", example: "$session", shows: [{ path: "session_id", is: "$session" }], refused: ["", 5] },
      { name: "passport", without: ["session_id"], example: "$passport", shows: [{ path: "session_id", is: "$session" }], refused: ["", 5, "no passport", { version: "2.0" }] },
      { name: "tool_id", example: "cursor", shows: [{ path: "tool_id", is: "cursor" }, { path: "original_tool", is: "claude-code" }], refused: ["", 5] },
    ],
    output: {
      fields: {
        session_id: "text", context: "object", "context.files_accessed": "list", "context.recent_searches": "texts", "context.decisions": "list", "context.workflow_state": "object",
        restored_at: "instant", original_tool: "text",
      },
    },
  },
  {
    tool: "omn_get_session_context",
    given: [session],
    call: { session_id: "$session" },
    parameters: [{ name: "session_id", example: "$session", shows: [{ path: "session_id", is: "$session" }], refused: ["", 5] }],
    output: { fields: { session_id: "text", context: "object", project_id: "text" } },
  },
  {
    tool: "omn_migrate_session",
    given: [session],
    call: { to_tool: "cursor", session_id: "$session" },
    parameters: [
      { name: "to_tool", required: true, example: "vscode", shows: [{ path: "to_tool", is: "vscode" }, { path: "session_id", is: "$session" }], refused: ["", 5] },
      { name: "session_id", example: "$session", refused: ["", 5] },
    ],
    output: { fields: { session_id: "text", from_tool: "text", to_tool: "text", migrated_at: "instant" } },
  },
  {
    tool: "omn_export_session",
    given: [session],
    call: { session_id: "$session" },
    parameters: [
      { name: "session_id", example: "$session", refused: ["", 5] },
      { name: "passphrase", example: "correct horse battery", shows: [{ path: "encrypted", is: true }], unsaid: [{ path: "encrypted", is: false }], refused: ["", 5] },
      { name: "qr", example: true, shows: [{ path: "passport.qr_code", isA: "text" }], unsaid: [{ path: "passport.qr_code", absent: true }], refused: ["", 5] },
    ],
    output: {
      fields: {
        session_id: "text", passport: "object", "passport.version": "text", "passport.session_id": "text", "passport.exported_at": "instant", "passport.exported_by_tool": "text", "passport.project_id": "text",
        "passport.workspace_path": "text", "passport.context": "object", "passport.compressed_context": "text", "passport.compression_ratio": "number", "passport.metadata.total_files_accessed": "integer",
        "passport.metadata.total_searches": "integer", "passport.metadata.session_duration_hours": "number", "passport.signature": "text",
      },
    },
  },
  {
    tool: "omn_end_session",
    given: [session],
    call: { session_id: "$session" },
    parameters: [{ name: "session_id", example: "$session", shows: [{ path: "session_id", is: "$session" }], refused: ["", 5] }],
    output: { fields: { session_id: "text", ended_at: "instant" } },
  },
  {
    tool: "omn_get_workflow_patterns",
    given: learned,
    call: {},
    parameters: [
      { name: "context", example: ["git add ."], shows: [{ path: "patterns", isA: "list" }], refused: ["git add .", [""], [5]] },
      { name: "limit", default: 10, example: 1, shows: [{ path: "patterns.length", is: 1 }], refused: [0, 51, 1.5, "ten"] },
    ],
    output: {
      fields: {
        patterns: "list", "patterns.0.pattern_id": "text", "patterns.0.commands": "texts", "patterns.0.confidence": "fraction", "patterns.0.success_rate": "fraction", "patterns.0.avg_duration_ms": "number",
      },
    },
  },
  {
    tool: "omn_suggest_next_action",
    given: learned,
    call: {},
    parameters: [
      { name: "context", example: ["git add ."], shows: [{ path: "suggestions.0.action", is: "git commit" }], refused: ["git add .", [5]] },
      { name: "limit", default: 3, example: 1, shows: [{ path: "suggestions.length", is: 1 }], refused: [0, 11, 1.5] },
    ],
    output: { call: { context: ["git commit"] }, fields: { suggestions: "list", "suggestions.0.action": "text", "suggestions.0.confidence": "fraction", "suggestions.0.reason": "text" } },
  },
  {
    tool: "omn_record_workflow_step",
    call: { command: "npm test" },
    parameters: [
      { name: "command", required: true, example: "npm test", shows: [{ path: "outcome", is: "recorded" }], refused: refusedAs.text },
      { name: "success", default: true, example: false, refused: refusedAs.boolean },
      { name: "duration_ms", example: 1_200, refused: [-1, 1.5, "long"] },
      { name: "context", example: ["git pull"], refused: ["git pull", [5]] },
    ],
    output: { fields: { outcome: "text", command: "text" } },
  },
  {
    tool: "omn_workflow_checkpoint",
    given: [step("npm test")],
    call: {},
    parameters: [
      { name: "action", default: "save", unsaid: [{ path: "outcome", is: "created" }], example: "list", shows: [{ path: "outcome", is: "listed" }], refused: ["burn", 5] },
      { name: "name", example: "before lunch", shows: [{ path: "name", is: "before lunch" }], refused: ["", 5, "star*"] },
      { name: "note", example: "the tests pass", shows: [{ of: { tool: "omn_workflow_checkpoint", args: { action: "restore" } }, path: "note", is: "the tests pass" }], refused: refusedAs.text },
      { name: "state", example: { branch: "main" }, shows: [{ of: { tool: "omn_workflow_checkpoint", args: { action: "restore" } }, path: "state", is: { branch: "main" } }], refused: ["x".repeat(10_001)] },
    ],
    output: { fields: { outcome: "text", checkpoint_id: "uuid", name: "text", version: "integer" } },
  },
  {
    tool: "omn_compress_text",
    call: { text: long },
    parameters: [
      { name: "text", required: true, example: long, refused: ["", 5, "x".repeat(40_001)] },
      { name: "quality_threshold", default: 0.95, example: 0.2, refused: refusedAs.fraction },
      { name: "target_tokens", example: 100, refused: [0, 1.5, "few"] },
    ],
    output: { fields: { compressed_text: "text", original_tokens: "integer", compressed_tokens: "integer", compression_ratio: "number", tokens_saved: "integer", retained: "fraction" } },
  },
  {
    tool: "omn_get_stats",
    call: {},
    parameters: [
      { name: "days", default: 30, example: 7, refused: [0, 401, 1.5, "week"] },
      { name: "of", example: "team", refused: ["world", 5] },
    ],
    output: { fields: { calls: "integer", calls_prevented: "integer", tokens_prevented: "integer", average_prevention_percent: "number", cost_saved: "number", cache: "object", top_operations: "list", series: "list", memories: "object" } },
  },
  {
    tool: "omn_health_check",
    call: {},
    parameters: [{ name: "deep", example: true, shows: [{ path: "dependencies", isA: "object" }], unsaid: [{ path: "dependencies", absent: true }], refused: refusedAs.boolean }],
    output: { call: { deep: true }, fields: { status: "text", dependencies: "object", "dependencies.database": "object" } },
  },
];
