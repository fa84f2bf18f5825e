/** How many steps before one are looked at to say what comes next. */
export const maxOrder = 3;

/** A step as those after it see it. */
export interface TrailStep {
  /** Id of its command in its general form. */
  action: string;
  success: boolean;
  durationMs: number | null;
}

/** A step and those just before it, oldest first. */
export type Trail = readonly TrailStep[];

export const extended = (before: Trail, step: TrailStep): Trail => [...before, step].slice(-maxOrder - 1);

/** What follows a failure is not what follows a success. */
const failedMark = "x";
const symbolOf = ({ action, success }: Pick<TrailStep, "action" | "success">): string => (success ? action : `${action}${failedMark}`);

const actionForm = "[0-9a-f]{12}";
/** A pattern is named by its steps. */
export const patternIdForm = `(?:${actionForm}${failedMark}?\\.){1,${maxOrder}}${actionForm}`;

export const contextOf = (steps: readonly Pick<TrailStep, "action" | "success">[]): string => steps.map(symbolOf).join(".");
export const patternIdOf = (context: string, action: string): string => `${context}.${action}`;

export interface PatternPlace {
  context: string;
  action: string;
}

export function placeOfPattern(patternId: string): PatternPlace {
  const end = patternId.lastIndexOf(".");
  return { context: patternId.slice(0, end), action: patternId.slice(end + 1) };
}

export const stepsOf = (context: string): Pick<TrailStep, "action" | "success">[] =>
  context === "" ? [] : context.split(".").map((symbol) => ({ action: symbol.replace(failedMark, ""), success: !symbol.endsWith(failedMark) }));

/** What came before, in every length that is looked at: the shortest, which is none at all, first. */
export const contextsAfter = (before: readonly Pick<TrailStep, "action" | "success">[]): string[] =>
  Array.from({ length: Math.min(before.length, maxOrder) + 1 }, (_, order) => contextOf(before.slice(before.length - order)));

/** How often an action came after a context, and how it went. */
export interface Continuation {
  action: string;
  count: number;
  successes: number;
  /** Of how many the duration is known, and how long those took, the steps of the context included. */
  timed: number;
  durationMs: number;
}

export interface Outcomes {
  /** Of the last step. */
  successRate: number;
  /** Of all steps together; undefined where nobody said how long they take. */
  avgDurationMs: number | undefined;
}

export const outcomesOf = ({ count, successes, timed, durationMs }: Continuation): Outcomes => ({
  successRate: successes / count,
  avgDurationMs: timed === 0 ? undefined : Math.round(durationMs / timed),
});

export type CountChange = Continuation & { context: string };

/** What steps that come into the window and steps that leave it change in the counts; at most `maxOrder + 1` rows for each. */
export function countChanges(arriving: readonly Trail[], leaving: readonly Trail[]): CountChange[] {
  const changes = new Map<string, CountChange>();
  const count = (trail: Trail, sign: 1 | -1): void => {
    const { action, success } = trail.at(-1) as TrailStep;
    for (const [order, context] of contextsAfter(trail.slice(0, -1)).entries()) {
      const durations = trail.slice(-order - 1).map(({ durationMs }) => durationMs);
      const isTimed = durations.every((duration) => duration !== null);
      const key = patternIdOf(context, action);
      const change = changes.get(key) ?? { context, action, count: 0, successes: 0, timed: 0, durationMs: 0 };
      changes.set(key, {
        ...change,
        count: change.count + sign,
        successes: change.successes + (success ? sign : 0),
        timed: change.timed + (isTimed ? sign : 0),
        durationMs: change.durationMs + (isTimed ? sign * durations.reduce((sum, each) => sum + each, 0) : 0),
      });
    }
  };
  for (const trail of arriving) count(trail, 1);
  for (const trail of leaving) count(trail, -1);
  return [...changes.values()].filter((change) => change.count !== 0 || change.successes !== 0 || change.timed !== 0 || change.durationMs !== 0);
}
