import * as z from "zod";
import type { Context } from "../context.ts";
import { defined } from "../defined.ts";
import { isPlain } from "../guard/screen.ts";
import { uuidOf } from "../ids.ts";
import * as field from "../memories/fields.ts";
import { toIso } from "../memories/memory-fields.ts";
import { type Principal, requireScope } from "../tenancy/principal.ts";
import { cursorAfter, placeOf } from "./own-steps.ts";
import { recordSteps } from "./record-steps.ts";
import type { ListedStep } from "./workflow-store.ts";

/**
 * A person's own steps in an export: oldest first in each project, because what is learned of a step depends on those before it. Each
 * has an id, which is its idempotency key where it is imported.
 */

/** Of one record, so that it fits a row of D1 in whatever form. */
const mostSteps = 250;

const step = z.strictObject({
  id: field.idempotencyKey,
  session_id: field.filled("session_id", 200),
  tool_id: field.filled("tool_id", 200),
  at: field.instant,
  command: field.filled("command", 2_000),
  success: z.boolean(),
  duration_ms: z.number().int().min(0).max(1_000_000_000).nullable(),
});

export const stepsRecord = z.strictObject({
  kind: z.literal("work_steps"),
  version: z.literal(1),
  /** Null of what was done outside of any. */
  project_id: field.project.nullable(),
  steps: z.array(step).min(1).max(mostSteps),
});
export type StepsRecord = z.output<typeof stepsRecord>;

/** In the id of a step that has no key: whose it is and of which project, before its number there, which is another step's once it is forgotten. */
const originOf = ({ teamId, userId }: Principal, project: string): Promise<string> => uuidOf(JSON.stringify(["steps", teamId, userId, project]));
const idOf = (origin: string, { idempotencyKey, number, at }: ListedStep): string => idempotencyKey ?? `${origin}.${number}.${at}`;

/** Some lines, and the step after which the next ones begin. */
export async function exportSteps(ctx: Context, cursor?: string): Promise<{ data: string; nextCursor?: string }> {
  requireScope(ctx.principal, "memory:read");
  const steps = await ctx.workflows.listOnward(ctx.principal, { after: cursor === undefined ? { project: "", number: 0 } : placeOf(cursor), limit: mostSteps });
  const records = await Promise.all([...Map.groupBy(steps, ({ project }) => project)].map(([project, some]) => recordOf(ctx.principal, project, some)));
  return { data: records.map((record) => `${JSON.stringify(record)}\n`).join(""), ...defined({ nextCursor: cursorAfter(steps, mostSteps) }) };
}

async function recordOf(principal: Principal, project: string, steps: readonly ListedStep[]): Promise<z.input<typeof stepsRecord>> {
  const origin = await originOf(principal, project);
  return {
    kind: "work_steps",
    version: 1,
    project_id: project === "" ? null : project,
    steps: steps.map((one) => ({ id: idOf(origin, one), session_id: one.thread, tool_id: one.tool, at: toIso(one.at) as string, command: one.command, success: one.success, duration_ms: one.durationMs })),
  };
}

export interface StepsImported {
  steps: number;
  /** For want of room beside those that are there, or because the person wants none recorded. */
  steps_left_out: number;
}

/** Records what is not there yet, as if it were done now, and learns from it. Nothing that is there leaves for it. */
export async function importSteps(ctx: Context & { learns(): Promise<boolean> }, record: StepsRecord): Promise<StepsImported> {
  requireScope(ctx.principal, "memory:write");
  // A name that gives orders is no name.
  const plain = (name: string): string => (isPlain(name) ? name : "imported");
  const project = plain(record.project_id ?? "");
  const there = await ownIds(ctx, project, record.steps);
  const fresh = record.steps.filter(({ id }) => !there.has(id));
  if (!(await ctx.learns())) return { steps: 0, steps_left_out: fresh.length };
  const threads = Map.groupBy(fresh, ({ session_id, tool_id }) => JSON.stringify([session_id, tool_id]));
  const done: StepsImported = { steps: 0, steps_left_out: 0 };
  for (const steps of threads.values()) {
    const { session_id, tool_id } = steps[0] as StepsRecord["steps"][number];
    const { recorded, repeated } = await recordSteps({ ...ctx, tool: plain(tool_id) }, {
      learns: true,
      project,
      session: plain(session_id),
      steps: steps.map(({ id, at, command, success, duration_ms }) => ({ idempotencyKey: id, at, command, success, durationMs: duration_ms })),
      keepsOthers: true,
    });
    done.steps += recorded;
    done.steps_left_out += steps.length - recorded - repeated;
  }
  return done;
}

/** Ids of the caller's own steps that are there under the numbers that these ids name: what has no key is known by nothing else. */
async function ownIds({ principal, workflows }: Context, project: string, steps: StepsRecord["steps"]): Promise<ReadonlySet<string>> {
  const origin = await originOf(principal, project);
  const numbers = steps.flatMap(({ id }) => (id.startsWith(`${origin}.`) ? Number.parseInt(id.slice(origin.length + 1), 10) : [])).filter(Number.isSafeInteger);
  if (numbers.length === 0) return new Set();
  const there = await workflows.listOnward(principal, { after: { project, number: Math.min(...numbers) - 1 }, limit: mostSteps });
  return new Set(there.flatMap((one) => (one.project === project ? idOf(origin, one) : [])));
}
