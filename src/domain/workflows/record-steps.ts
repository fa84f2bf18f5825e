import type { Context } from "../context.ts";
import { stepEvents } from "../events/work-events.ts";
import { retryOnConflict } from "../memories/retry-on-conflict.ts";
import { requireScope } from "../tenancy/principal.ts";
import { actionOf, readContext } from "./actions.ts";
import { generalise } from "./generalise.ts";
import { type CountChange, countChanges, extended, patternIdOf, type Trail } from "./sequence.ts";
import type { RecordedStep } from "./workflow-store.ts";

export interface NewStep {
  command: string;
  success: boolean;
  durationMs: number | null;
  /** When it ended; now unless said. */
  at?: number | undefined;
  /** A step with a key that was used before is not recorded again. */
  idempotencyKey?: string | undefined;
}

export interface RecordInput {
  /** The person's preference `workflow_learning`: without it nothing is recorded. */
  learns: boolean;
  project: string | undefined;
  /** Steps of one session follow each other; those of the client do where it names none. */
  session: string | undefined;
  /** What came just before the first, if it is not what was recorded last. */
  context?: readonly string[] | undefined;
  steps: readonly NewStep[];
  /** Steps for which others would leave the window are not recorded. */
  keepsOthers?: boolean;
}

export interface RecordOutcome {
  recorded: number;
  repeated: number;
  /** Commands as they were learned, of those that were recorded. */
  commands: string[];
}

/** Steps of a project that count: with the next one the oldest is forgotten, so that what is learned follows what is done. */
export const stepWindow = 10_000;
/** Work that is taken up after longer than this begins anew, and so does what was done before. */
const longestPauseMs = 3_600_000;

/** Whose steps follow each other. */
export const threadOf = ({ tool }: Pick<Context, "tool">, session: string | undefined): string => session ?? tool;

/** Learns from steps that somebody did. Each costs the same, however many there were: its own row, and one count for each length of context. */
export async function recordSteps(ctx: Context, { learns, project = "", session, context, steps, keepsOthers = false }: RecordInput): Promise<RecordOutcome> {
  requireScope(ctx.principal, "memory:write");
  if (!learns) return { recorded: 0, repeated: 0, commands: [] };
  const thread = threadOf(ctx, session);
  const read = await Promise.all(
    steps.map(async ({ command: said, at = ctx.now, idempotencyKey = null, ...outcome }) => {
      const command = generalise(said);
      return { ...outcome, command, action: await actionOf(project, command), at: Math.min(at, ctx.now), idempotencyKey };
    }),
  );
  const keys = read.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
  const given = context && (await readContext(project, context));
  return retryOnConflict("the workflow log", async () => {
    const state = await ctx.workflows.state(ctx.principal, { project, thread, keys, arriving: read.length, window: stepWindow });
    const used = new Set(state.usedKeys);
    const unused = read.filter(({ idempotencyKey: key }) => {
      const isRepeated = key !== null && used.has(key);
      if (key !== null) used.add(key);
      return !isRepeated;
    });
    const goingFor = (count: number) => state.oldest.filter(({ number }) => number <= state.last + count - stepWindow);
    const fresh = keepsOthers ? unused.slice(0, unused.length - goingFor(unused.length).length) : unused;
    const outcome = { recorded: fresh.length, repeated: read.length - unused.length, commands: fresh.map(({ command }) => command) };
    if (fresh.length === 0) return outcome;
    const recorded = withTrails(fresh, given === undefined ? state.thread : { trail: given, at: fresh[0]?.at ?? ctx.now }).map((step): RecordedStep => ({ ...step, tool: ctx.tool, thread }));
    const leaving = goingFor(recorded.length);
    const changes = countChanges(recorded.map(({ trail }) => trail), leaving.map(({ trail }) => trail));
    await ctx.workflows.append(ctx.principal, { project, last: state.last, steps: recorded, changes, dropThrough: leaving.at(-1)?.number ?? 0 });
    ctx.tell?.(stepEvents(ctx, changes.flatMap(patternOf)));
    return outcome;
  });
}

const patternOf = ({ context, action }: CountChange): string[] => (context === "" ? [] : [patternIdOf(context, action)]);

function withTrails<T extends Pick<RecordedStep, "action" | "success" | "durationMs" | "at">>(steps: readonly T[], before: { trail: Trail; at: number } | undefined): (T & { trail: Trail })[] {
  let last = before;
  return steps.map((step) => {
    const { action, success, durationMs, at } = step;
    const trail = extended(last && Math.abs(at - last.at) <= longestPauseMs ? last.trail : [], { action, success, durationMs });
    last = { trail, at };
    return { ...step, trail };
  });
}
