import type { Context } from "../../context.ts";
import type { CacheLevel } from "./recall-cache.ts";
import { findsPublic } from "../retrieve.ts";
import { requireScope } from "../../tenancy/principal.ts";
import { authorsOf } from "../../memories/authorship.ts";
import { canonical } from "../../memories/memory.ts";
import { day, startOfDay } from "../../text/time-calendar.ts";
import { recall, type RecallInput, type RecallOutcome } from "../recall.ts";

/**
 * The longest that an answer is kept. Nothing in it moves with the clock but what expires and the day, which are minded, so the generation
 * ends it long before; the bound is for what a later release would answer otherwise, and for the space in KV. An hour holds
 * out from one conversation of a person to the next.
 */
export const cachedAnswerMs = 60 * 60 * 1_000;

/**
 * `recall` as the tools of a session use it: a question asked before is answered from what is kept while that is still true,
 * and what was answered is remembered for the loop guard. `form` names the way in which the caller renders an answer, since
 * what fits into a budget depends on it.
 */
export async function cachedRecall(ctx: Context, input: RecallInput, form: string): Promise<RecallOutcome> {
  requireScope(ctx.principal, "memory:read");
  if (input.query !== undefined) ctx.trail?.note({ kind: "search", query: input.query });
  const { outcome, level } = await answer(ctx, input, form);
  if (level === "l1" || level === "l2") {
    ctx.noteAccess(outcome.items.filter(({ memory }) => memory.teamId === ctx.principal.teamId).map(({ memory }) => memory.id));
  }
  ctx.reading?.answered(level, outcome.baseline ?? 0);
  ctx.recalled?.note(ctx.now, outcome.items.map(({ memory }) => memory));
  return outcome.receipt ? { ...outcome, receipt: { ...outcome.receipt, cache: level } } : outcome;
}

async function answer(ctx: Context, input: RecallInput, form: string): Promise<{ outcome: RecallOutcome; level: CacheLevel }> {
  if (!ctx.cache || input.query === undefined || input.vector !== undefined || dependsOnClock(ctx, input)) return { outcome: await recall(ctx, input), level: "off" };
  const question = questionOf(input, form);
  const kept = await ctx.cache.get(ctx.principal, ctx.now, question, () => ctx.index.state(ctx.principal, { others: findsPublic(input) }));
  if (kept && (await namesStillHold(ctx, kept.outcome))) return kept;
  const { generation, endsAt = Infinity, ...outcome } = await recall(ctx, input);
  if (generation === undefined || !isCacheable(outcome)) return { outcome, level: "off" };
  ctx.cache.put(ctx.principal, ctx.now, question, { outcome, generation, until: validUntil(ctx.now, endsAt) });
  return { outcome, level: "miss" };
}

/** The generation does not move when somebody leaves or changes their name, so names are checked. */
async function namesStillHold(ctx: Context, { items }: RecallOutcome): Promise<boolean> {
  const authorOf = await authorsOf(ctx, items.map(({ memory }) => memory));
  return items.every(({ memory, author }) => author === authorOf(memory));
}

/** "The last seven days" begin at another instant with every call, and the future is not known yet. */
const dependsOnClock = ({ now }: Context, { filter, asOf }: RecallInput): boolean =>
  filter?.changedSince !== undefined || (asOf !== undefined && asOf > now);

/** The same for all ways of asking the same. Functions, such as those that render, say nothing here: `form` does. */
function questionOf({ query, filter, ...rest }: RecallInput, form: string): string {
  const sorted = {
    ...filter,
    tags: filter?.tags?.toSorted(),
    namespaces: filter?.namespaces?.toSorted(),
  };
  return canonical([form, { ...rest, filter: sorted, query: query?.normalize("NFC").trim().replaceAll(/\s+/g, " ") }]);
}

/** An answer that lacks a part of the search would go on lacking it, and secrets are kept nowhere but in the truth. */
const isCacheable = ({ items, degraded }: RecallOutcome): boolean =>
  degraded.length === 0 && items.every(({ memory }) => memory.sensitivity !== "secret");

/** What "yesterday" means ends with the day. */
const validUntil = (now: number, endsAt: number): number => Math.min(now + cachedAnswerMs, startOfDay(now) + day, endsAt);
