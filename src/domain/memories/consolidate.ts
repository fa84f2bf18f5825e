import type { Context } from "../context.ts";
import { sha256Hex } from "../hash.ts";
import { byRules } from "../intelligence/rules/rule-consolidation.ts";
import { requireScope } from "../tenancy/principal.ts";
import { type JudgedPair, judgeNamed, judgePairs } from "./consolidation-pairs.ts";
import { type ConsolidationProposal, type Step, stepsOf } from "./consolidation-steps.ts";
import { canonical } from "./memory.ts";
import type { MemoryWrite } from "./memory-store.ts";
import { resolveAll } from "./resolve.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";
import { isReviewed } from "./review.ts";

export interface ConsolidateInput {
  /** These and no others, each with each. */
  ids?: (string | number)[] | undefined;
  /** Only memories of this namespace. */
  namespace?: string | undefined;
  /** How many memories a run looks at, newest first; 1–200. */
  limit: number;
  /** Where the run before stopped: id of the last memory that it looked at. */
  cursor?: string | undefined;
  /** The token of a preview: without it nothing is written. */
  confirm?: string | undefined;
}

export type ConsolidateOutcome =
  /** `confirm` is absent where there is nothing to do. `changed`: it is not what was previewed. `looked`: memories of this page. */
  | { outcome: "preview"; steps: Step[]; proposals: ConsolidationProposal[]; confirm: string | undefined; changed: boolean; looked: number; cursor: string | undefined }
  /** `run`: undone by `undoRevert`. Undefined, with no ids, where there was nothing to do. `steps` is empty where the run was done before. */
  | { outcome: "consolidated"; run: string | undefined; ids: string[]; steps: Step[]; proposals: ConsolidationProposal[]; looked: number; cursor: string | undefined };

/** Below, a step is proposed. */
export const leastConfidence = 0.8;
const mostSteps = 50;

/**
 * Merges what is said twice and marks what was replaced, a page of memories at a time: those that the caller may see and edit, and no
 * secrets. The first call previews; its token is bound to just those versions and decisions, and names the run. A run is one
 * transaction: all of it is done, or nothing. Here the rules decide, at once and always alike.
 */
export async function consolidate(ctx: Context, { confirm, ...page }: ConsolidateInput): Promise<ConsolidateOutcome> {
  requireScopes(ctx);
  return retryOnConflict("these memories", async (): Promise<ConsolidateOutcome> => {
    const run = confirm === undefined ? undefined : await ctx.reversions.find(ctx.principal, confirm);
    if (run?.kind === "consolidation" && run.userId === ctx.principal.userId && run.items.length >= run.memories) {
      return { outcome: "consolidated", run: run.id, ids: run.items.map(({ memoryId }) => memoryId), steps: [], proposals: [], looked: 0, cursor: undefined };
    }
    const plan = await planOf(ctx, page);
    const token = await tokenOf(ctx, plan.steps);
    if (confirm !== token || plan.steps.length === 0) return { outcome: "preview", ...plan, confirm: plan.steps.length > 0 ? token : undefined, changed: confirm !== undefined };
    return carryOut(ctx, token, plan);
  });
}

function requireScopes({ principal }: Context): void {
  requireScope(principal, "memory:write");
  // A preview shows what would change.
  requireScope(principal, "memory:read");
}

interface Plan {
  steps: Step[];
  proposals: ConsolidationProposal[];
  looked: number;
  cursor: string | undefined;
}

async function planOf(ctx: Context, { ids, ...page }: Omit<ConsolidateInput, "confirm">): Promise<Plan> {
  const [{ pairs, looked, cursor }, review] = await Promise.all([ids ? pairsAmong(ctx, ids) : pairsOnPage(ctx, page), isReviewed(ctx)]);
  return { ...stepsOf(ctx, pairs, { leastConfidence, isReviewed: review, isUnattended: false, mostSteps }), looked, cursor };
}

type Looked = Pick<Plan, "looked" | "cursor"> & { pairs: JudgedPair[] };

async function pairsOnPage(ctx: Context, { namespace, limit, cursor }: Omit<ConsolidateInput, "confirm" | "ids">): Promise<Looked> {
  const filter = namespace === undefined ? {} : { namespaces: [namespace] };
  const { items, next } = await ctx.memories.list(ctx.principal, ctx.now, filter, { below: cursor, limit, secrets: "omit" });
  return { pairs: await judgePairs(ctx, byRules, items), looked: items.length, cursor: next };
}

/** @throws MEMORY_NOT_FOUND */
async function pairsAmong(ctx: Context, ids: readonly (string | number)[]): Promise<Looked> {
  const named = await resolveAll(ctx, ids);
  return { pairs: await judgeNamed(ctx, byRules, named), looked: named.length, cursor: undefined };
}

/** Bound to the versions of both memories of each step, and to what becomes of them. */
async function tokenOf({ principal }: Context, steps: readonly Step[]): Promise<string> {
  const what = steps.map(({ kept, gone, verdict }) => [gone.id, gone.version, kept.id, kept.version, verdict.decision === "merge" ? verdict.content : ""]);
  return (await sha256Hex(canonical([principal.teamId, principal.userId, "consolidation", what]))).slice(0, 32);
}

/** @throws WriteConflict when one of the memories has changed since it was read */
async function carryOut(ctx: Context, run: string, { steps, ...plan }: Plan): Promise<ConsolidateOutcome> {
  const changes = steps.flatMap(({ writes }) => writes);
  await ctx.reversions.begin(ctx.principal, ctx, { id: run, kind: "consolidation", selection: {}, memories: changes.length });
  const writes = changes.map(({ memory, next }): MemoryWrite => ({ memory: next, action: "consolidate", before: memory, reversion: { run, restored: memory.version } }));
  await ctx.writer.commit(ctx.principal, ctx, writes);
  return { outcome: "consolidated", run, ids: changes.map(({ memory }) => memory.id), steps, ...plan };
}
