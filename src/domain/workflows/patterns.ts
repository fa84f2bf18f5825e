import type { Context } from "../context.ts";
import { requireScope } from "../tenancy/principal.ts";
import { readContext, spokenIn } from "./actions.ts";
import { lowerBound } from "./predict.ts";
import { contextsAfter, type Outcomes, outcomesOf, patternIdForm, patternIdOf, placeOfPattern, stepsOf } from "./sequence.ts";
import { leastSupport, type StoredPattern } from "./workflow-store.ts";

/** Steps that come one after the other, the last of them likelier than chance. */
export interface WorkflowPattern extends Outcomes {
  id: string;
  commands: string[];
  /** How often it happened. */
  support: number;
  /** A lower bound of how often the last step comes after those before it (Wilson, 95%). */
  confidence: number;
}

/** How many of the most frequent ones are ranked. */
export const mostRanked = 200;
const longestContinued = 50;
/** A pattern that another one holds is left out, unless it happens more often than that one by this factor. */
const apart = 1.25;

const isPatternId = new RegExp(`^${patternIdForm}$`);

/** The surest patterns of the caller in a project; with `context` those that begin with what was done just now. */
export async function workflowPatterns(ctx: Context, { project = "", context, limit }: { project: string | undefined; context?: readonly string[] | undefined; limit: number }): Promise<WorkflowPattern[]> {
  requireScope(ctx.principal, "memory:read");
  const found = context ? await after(ctx, project, context) : await ctx.workflows.patterns(ctx.principal, project, mostRanked);
  const confidence = new Map(found.map((one) => [one, lowerBound(one.count / one.total, one.total)]));
  const ranked = found.toSorted((a, b) => (confidence.get(b) as number) - (confidence.get(a) as number) || b.count - a.count || (patternOf(a) < patternOf(b) ? -1 : 1));
  return shown(ctx, (context ? ranked : withoutParts(ranked)).slice(0, limit));
}

/** The pattern of this id, if it is the caller's. */
export async function workflowPattern(ctx: Context, id: string): Promise<(WorkflowPattern & { project: string }) | undefined> {
  requireScope(ctx.principal, "memory:read");
  const found = isPatternId.test(id) ? await ctx.workflows.pattern(ctx.principal, placeOfPattern(id)) : undefined;
  if (!found) return undefined;
  const [pattern] = await shown(ctx, [found]);
  return pattern && { ...pattern, project: found.project };
}

async function after(ctx: Context, project: string, context: readonly string[]): Promise<StoredPattern[]> {
  const contexts = contextsAfter(await readContext(project, context)).slice(1);
  const levels = await ctx.workflows.continuations(ctx.principal, project, contexts, longestContinued);
  return levels.flatMap(({ context, total, continuations }) => continuations.flatMap((one) => (one.count < leastSupport ? [] : [{ ...one, context, total }])));
}

const patternOf = ({ context, action }: StoredPattern): string => patternIdOf(context, action);

function withoutParts(patterns: readonly StoredPattern[]): StoredPattern[] {
  const ids = patterns.map((one) => ({ ...one, id: `.${patternOf(one)}.` }));
  return patterns.filter((one) => {
    const id = `.${patternOf(one)}.`;
    return !ids.some((other) => other.id.length > id.length && other.id.includes(id) && one.count < other.count * apart);
  });
}

async function shown(ctx: Context, patterns: readonly StoredPattern[]): Promise<WorkflowPattern[]> {
  const steps = patterns.map(({ context, action }) => [...stepsOf(context), { action, success: true }]);
  const commands = await ctx.workflows.commands(ctx.principal, steps.flat().map(({ action }) => action));
  return patterns.flatMap((one, i): WorkflowPattern[] => {
    const said = (steps[i] ?? []).flatMap(({ action, success }) => spokenIn(commands, action, success));
    // The first step may have left the window while the last is still there.
    if (said.length !== steps[i]?.length) return [];
    return [{ id: patternOf(one), commands: said, support: one.count, confidence: lowerBound(one.count / one.total, one.total), ...outcomesOf(one) }];
  });
}
