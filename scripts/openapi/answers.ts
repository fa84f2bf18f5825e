import * as z from "zod";
import { runKinds } from "../../src/domain/curation/run-store.ts";
import { evolutionPolicies } from "../../src/domain/evolution/evolution-policy.ts";
import { eventKinds } from "../../src/domain/events/team-event.ts";
import { instructionPolicies, secretPolicies } from "../../src/domain/guard/guard-policy.ts";
import { intelligenceProviders } from "../../src/domain/intelligence/intelligence-setting.ts";
import { proposalStates } from "../../src/domain/memories/proposal-store.ts";
import { roles, scopes } from "../../src/domain/tenancy/principal.ts";

/**
 * What the routes answer. They build their answers by hand, so their forms are written down here; the tests hold real answers against
 * them. `strictObject`: every field is named. What a tool answers too has the tool's own form.
 */
const named = <T extends z.ZodType>(id: string, schema: T): T => schema.meta({ id }) as T;

const instant = z.iso.datetime();
const instantOrNull = instant.nullable();
const counts = z.record(z.string(), z.number());
const open = z.looseObject({});
const cursor = z.string().optional().describe("of the next page; absent on the last");

export const memory = named("Memory", z.looseObject({ memory_id: z.string(), key: z.string().optional(), content: z.string(), metadata: open.optional(), namespace: z.string().optional(), created_at: instant.optional() }));
/** The id alone for a key that may not read. */
const readable = z.union([memory, z.strictObject({ memory_id: z.string() })]);

export const team = named("Team", z.strictObject({
  id: z.string(), name: z.string(), organization: z.strictObject({ id: z.string(), name: z.string() }), role: z.enum(roles), personal: z.boolean(), created_at: instant,
  erase_at: instant.optional().describe("of a deleted team: until then it can be restored"),
}));
const created = z.strictObject({ id: z.string(), name: z.string() });
export const teams = z.strictObject({ teams: z.array(team) });
export const oneTeam = z.strictObject({ team });
export const newTeam = z.strictObject({ team: created });
export const newOrganization = z.strictObject({ organization: created, team: created });
export const deletedTeam = z.strictObject({ deleted: z.literal(true), erase_at: instant });
export const restored = z.strictObject({ restored: z.literal(true) });
export const members = z.strictObject({ members: z.array(named("Member", z.strictObject({ user_id: z.string(), name: z.string(), role: z.enum(roles), joined_at: instant }))) });
export const changed = z.strictObject({ changed: z.boolean() });
export const removed = z.strictObject({ removed: z.literal(true) });
export const transferred = z.strictObject({ transferred: z.literal(true) });
export const rotatedDataKey = z.strictObject({ rotated: z.literal(true), data_key: z.number().int() });

const key = named("ApiKey", z.strictObject({
  key_id: z.string(), name: z.string(), scopes: z.array(z.enum(scopes)), user_id: z.string(), team_id: z.string(), created_at: instant,
  expires_at: instantOrNull, revoked_at: instantOrNull, last_used_at: instantOrNull, replaced_by: z.string().nullable(),
}));
const token = z.string().describe("shown this once");
export const keys = z.strictObject({ keys: z.array(key) });
export const newKey = z.strictObject({ token, key });
export const rotatedKey = z.strictObject({ token, key, old_expires_at: instant });
export const revoked = z.strictObject({ revoked: z.boolean() });

const invitation = named("Invitation", z.strictObject({ id: z.string(), role: z.enum(roles), invited_by: z.string(), created_at: instant, expires_at: instant }));
export const invitations = z.strictObject({ invitations: z.array(invitation) });
export const newInvitation = z.strictObject({ invitation, token, url: z.url() });
export const joined = z.strictObject({ team: z.string(), joined: z.boolean().describe("false: the person was in it before") });

export const preferences = named("Preferences", z.strictObject({
  theme: z.enum(["light", "dark", "system"]), default_compression: z.boolean(),
  search_defaults: z.strictObject({ min_relevance: z.number().nullable(), max_results: z.number().int() }),
  auto_features: z.strictObject({ workflow_learning: z.boolean(), context_compression: z.boolean() }),
}));
export const account = z.strictObject({
  user_id: z.string(), name: z.string(), preferences,
  when_deleted: z.array(z.strictObject({ id: z.string(), name: z.string(), fate: z.enum(["erased", "left", "blocks"]), export: z.string() })),
});
export const deleted = z.strictObject({ deleted: z.literal(true) });

export const audit = z.strictObject({
  entries: z.array(named("AuditEntry", z.strictObject({
    at: instant, action: z.string(), success: z.boolean(), team_id: z.string().nullable(), user_id: z.string().nullable(), user_name: z.string().nullable(), subject: z.string().nullable(),
    count: z.number().int().optional(), client: z.string().nullable(), address: z.string().nullable(), country: z.string().nullable(), credential_id: z.string().nullable(), request_id: z.string().nullable(),
  }))),
  next_cursor: cursor,
});
export const alerts = z.strictObject({
  alerts: z.array(named("Alert", z.strictObject({
    id: z.string(), rule: z.string(), subject: z.string(), value: z.string().optional(), at: instant, details: open, raised_at: instant, acknowledged_at: instantOrNull, acknowledged_by: z.string().nullable(),
  }))),
  next_cursor: cursor,
});
export const acknowledged = z.strictObject({ acknowledged: z.boolean().describe("false: somebody did before") });

export const review = z.strictObject({ required: z.boolean() });
export const guard = z.strictObject({ secrets: z.enum(secretPolicies), instructions: z.enum(instructionPolicies) });
export const evolution = z.strictObject({ policy: z.enum(evolutionPolicies) });
export const proposals = z.strictObject({
  proposals: z.array(named("Proposal", z.strictObject({
    id: z.string(), state: z.enum(proposalStates), scope: z.enum(["shared", "public"]), proposed_by: z.string(), proposed_at: instant, decided_by: z.string().nullable(), decided_at: instantOrNull,
    memory_id: z.string(), outdated: z.boolean().optional(), memory: memory.optional(), changes: z.record(z.string(), z.strictObject({ before: z.unknown(), after: z.unknown() })).optional(), links: open.optional(),
  }))),
  next_cursor: cursor,
});
export const accepted = z.strictObject({ accepted: z.literal(true), memory: readable });
export const refused = z.strictObject({ refused: z.literal(true) });
export const quarantine = z.strictObject({
  quarantine: z.array(named("QuarantinedMemory", z.strictObject({
    id: z.string(), reasons: z.array(z.unknown()).optional(), scope: z.string().optional(), memory_id: z.string().optional(), fields: z.array(z.string()).optional(), held_at: instant, key: z.string().nullable(),
    namespace: z.string(), content: z.string(), value: z.unknown().optional(), summary: z.string().optional(), metadata: open.optional(), tags: z.array(z.string()), tool: z.string(),
  }))),
});
export const released = z.strictObject({ outcome: z.string(), memory: readable, proposal: z.strictObject({ id: z.string(), state: z.enum(proposalStates) }).optional() });
export const discarded = z.strictObject({ discarded: z.literal(true) });

const setting = { provider: z.enum(intelligenceProviders), extraction_prompt: z.string().nullable(), update_prompt: z.string().nullable(), daily_tokens: z.number().int().nullable() };
const modelCounts = { calls: z.number().int(), input_tokens: z.number().int(), output_tokens: z.number().int(), reserved_tokens: z.number().int(), cost_usd: z.number() };
export const setIntelligence = z.strictObject(setting);
export const intelligence = z.strictObject({
  ...setting,
  usage: z.strictObject({ today: z.strictObject(modelCounts), last_30_days: z.strictObject(modelCounts), by_day: z.array(z.strictObject({ day: z.string(), model: z.string(), ...modelCounts })) }),
});

const times = { requested_by: z.string(), requested_at: instant, started_at: instantOrNull, ended_at: instantOrNull };
const run = named("Run", z.strictObject({ run: z.string(), kind: z.enum(runKinds), state: z.enum(["waiting", "running", "done", "stopped", "failed"]), dry_run: z.boolean(), ...times, counts, more: z.boolean(), error: z.string().optional() }));
const paused = { paused: z.boolean(), paused_by: z.string().optional(), paused_at: instant.optional() };
export const pause = z.strictObject(paused);
export const runs = z.strictObject({ ...paused, runs: z.array(run) });
export const oneRun = z.strictObject({ run });
export const runState = z.strictObject({ ...paused, run: run.nullable() });
export const runChanges = z.strictObject({ run, changes: z.array(z.strictObject({ memory_id: z.string(), version: z.number().int(), because: z.array(z.string()), undone: z.boolean() })) });

const job = named("Job", z.strictObject({
  job: z.string(), kind: z.enum(["import", "export", ...runKinds]), state: z.enum(["waiting", "running", "done", "failed", "cancelled"]), ...times, done: z.number().int(), total: z.number().int().nullable(), counts,
  failed: z.array(z.strictObject({ entry: z.number().int(), error: z.string() })).optional(), hint: z.string().optional(), dry_run: z.boolean().optional(), error: z.string().optional(),
}));
export const jobs = z.strictObject({ jobs: z.array(job) });
export const oneJob = z.strictObject({ job });

const session = named("Session", z.strictObject({
  session_id: z.string(), project_id: z.string(), workspace_path: z.string().optional(), tool_id: z.string(), original_tool: z.string(), created_at: instant, last_activity: instant, ended_at: instant.optional(),
  migration_count: z.number().int(), passport_export_count: z.number().int(),
}));
const migration = z.strictObject({ from_tool: z.string(), to_tool: z.string(), migrated_at: instant, passport_used: z.boolean(), success: z.boolean(), error_message: z.string().optional() });
export const sessions = z.strictObject({ sessions: z.array(session) });
export const newSession = z.strictObject({ session });
export const oneSession = z.strictObject({
  session,
  context: z.strictObject({ files_accessed: z.array(z.strictObject({ path: z.string(), importance: z.number() })), recent_searches: z.array(z.string()), decisions: z.array(z.string()), workflow_state: open }),
  migrations: z.array(migration),
});
export const passport = z.strictObject({ session, passport: z.union([open, z.string()]).describe("a document, or with a passphrase a JWE"), encrypted: z.boolean(), export_url: z.url() });
export const turns = z.strictObject({ count: z.number().int(), turns: z.array(z.strictObject({ turn: z.number().int(), role: z.string(), name: z.string().optional(), at: instant, content: z.string() })) });
export const recordedTurns = z.strictObject({ added: z.number().int(), count: z.number().int(), refused: z.number().int().optional() });
export const issuers = z.strictObject({ issuers: z.array(z.strictObject({ issuer: z.string(), trusted_at: instant })) });
export const distrusted = z.strictObject({ deleted: z.boolean() });

export const recordedSteps = z.strictObject({ recorded: z.number().int(), repeated: z.number().int(), workflow_learning: z.literal(false).optional() });
export const steps = z.strictObject({
  steps: z.array(z.strictObject({
    project: z.string().optional(), number: z.number().int(), session_id: z.string(), client: z.string(), at: instant, command: z.string(), success: z.boolean(), duration_ms: z.number().optional(), idempotency_key: z.string().optional(),
  })),
  next_cursor: cursor,
});
export const forgotten = z.strictObject({ forgotten: z.literal(true) });

export const reverts = z.strictObject({
  reverts: z.array(z.strictObject({ run: z.string(), kind: z.string().optional(), reverted_by: z.string(), reverted_at: instant, client: z.string(), selection: open, count: z.number().int() })),
});
const summary = {
  calls: z.number(), calls_prevented: z.number(), baseline_tokens: z.number(), actual_tokens: z.number(), tokens_prevented: z.number(), average_prevention_percent: z.number(), cost_saved: z.number(),
  cache: z.strictObject({ l1: open, l2: open }),
};
export const stats = z.strictObject({
  of: z.enum(["own", "team"]), by: z.enum(["hour", "day"]), from: instant, to: instant, currency: z.literal("USD"), price_per_1k_tokens: z.number(), ...summary,
  top_operations: z.array(z.strictObject({ operation: z.string(), ...summary })), series: z.array(z.strictObject({ start: instant, ...summary })),
});
export const events = z.strictObject({
  events: z.array(named("Event", z.strictObject({
    id: z.string(), kind: z.enum(eventKinds), at: instant, action: z.string().optional(), session_id: z.string().optional(), memory_ids: z.array(z.string()).optional(), job: z.string().optional(),
    actor_id: z.string(), tool: z.string(), scope: z.enum(["team", "admins", "private"]),
  }))),
  last_event_id: z.string(), gap: z.boolean().describe("older events are not kept any more"),
});
export const health = z.strictObject({ status: z.literal("ok") });
export const keySet = z.strictObject({ keys: z.array(open) });
