import type { Context } from "../context.ts";
import { requireScope } from "../tenancy/principal.ts";
import { readContext, spokenIn } from "./actions.ts";
import { predict } from "./predict.ts";
import { threadOf } from "./record-steps.ts";
import { contextsAfter, maxOrder, type Outcomes, outcomesOf, stepsOf, type TrailStep } from "./sequence.ts";

export interface Suggestion extends Outcomes {
  command: string;
  /** A lower bound of how often it comes next. */
  confidence: number;
  probability: number;
  /** The steps before it that say so, as `spoken`; none where it is only frequent. */
  after: string[];
  /** How often it came after them, and what came after them in all. */
  support: number;
  of: number;
}

export interface SuggestInput {
  project: string | undefined;
  session: string | undefined;
  /** What was done just now; what was recorded last unless said. */
  context?: readonly string[] | undefined;
  limit: number;
}

/** Of each context, the actions that are looked at: what is rarer comes to nothing. */
const mostContinuations = 50;

/** What usually comes after what somebody did last, likeliest first, and what that was. */
export async function suggestNext(ctx: Context, { project = "", session, context, limit }: SuggestInput): Promise<{ after: string[]; suggestions: Suggestion[] }> {
  requireScope(ctx.principal, "memory:read");
  const before = context ? await readContext(project, context) : await lastSteps(ctx, project, session);
  const levels = await ctx.workflows.continuations(ctx.principal, project, contextsAfter(before), mostContinuations);
  const predictions = predict(levels, limit);
  const commands = await ctx.workflows.commands(ctx.principal, [...before.map(({ action }) => action), ...predictions.map(({ action }) => action)]);
  const said = (steps: readonly Pick<TrailStep, "action" | "success">[]): string[] => steps.flatMap(({ action, success }) => spokenIn(commands, action, success));
  const alone = new Map(levels[0]?.continuations.map((one) => [one.action, one]));
  const suggestions = predictions.flatMap(({ action, probability, confidence, seen }): Suggestion[] => {
    const command = commands.get(action);
    const { avgDurationMs } = outcomesOf(alone.get(action) ?? seen);
    return command === undefined ? [] : [{ command, probability, confidence, after: said(stepsOf(seen.context)), support: seen.count, of: seen.total, ...outcomesOf(seen), avgDurationMs }];
  });
  return { after: context ? context.slice(-maxOrder) : said(before), suggestions };
}

async function lastSteps(ctx: Context, project: string, session: string | undefined): Promise<TrailStep[]> {
  const [last] = await ctx.workflows.recent(ctx.principal, { project, thread: threadOf(ctx, session), limit: 1 });
  return (last?.trail ?? []).slice(-maxOrder);
}
