import type { Context } from "../context.ts";
import { unknownCursor } from "../errors.ts";
import { forgottenStepsEvent } from "../events/work-events.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { ListedStep } from "./workflow-store.ts";

/** All that was recorded of the caller, of one project or of all, newest first in each. */
export async function listSteps(ctx: Context, { project, cursor, limit }: { project?: string | undefined; cursor?: string | undefined; limit: number }): Promise<{ steps: ListedStep[]; next: string | undefined }> {
  requireScope(ctx.principal, "memory:read");
  const steps = await ctx.workflows.list(ctx.principal, { project, below: cursor === undefined ? undefined : placeOf(cursor), limit });
  return { steps, next: cursorAfter(steps, limit) };
}

/** Where the steps after a page of `limit` begin; undefined where there are none. */
export function cursorAfter(steps: readonly ListedStep[], limit: number): string | undefined {
  const last = steps.at(-1);
  return last && steps.length === limit ? `${last.number}:${last.project}` : undefined;
}

/** Of a cursor. @throws VALIDATION_ERROR */
export function placeOf(cursor: string): { project: string; number: number } {
  const [, number, project] = /^(\d{1,15}):(.*)$/s.exec(cursor) ?? [];
  if (number === undefined || project === undefined) throw unknownCursor();
  return { number: Number(number), project };
}

/** Forgets what the caller did in a project, and what was learned of it; without one, what was done outside of any. */
export async function forgetSteps(ctx: Context, { project = "" }: { project?: string | undefined }): Promise<void> {
  requireScope(ctx.principal, "memory:write");
  let forgotten = false;
  while (await ctx.workflows.forget(ctx.principal, project)) forgotten = true;
  if (forgotten) ctx.tell?.([forgottenStepsEvent(ctx)]);
}
