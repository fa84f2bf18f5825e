import type { Context } from "../context.ts";
import { uuidv7 } from "../ids.ts";
import { formAfter, formOf } from "./compressed-form.ts";
import type { Memory, MemoryState } from "./memory.ts";

/** Removes memories for good. @throws WriteRace when one has changed or is gone */
export const purge = (ctx: Context, doomed: Memory[]): Promise<string[]> => ctx.writer.erase(ctx.principal, ctx, doomed);

export function firstVersion(ctx: Context, state: MemoryState, id: string = uuidv7(ctx.now)): Memory {
  return {
    ...state,
    ...formOf(state),
    id,
    teamId: ctx.principal.teamId,
    alias: 0,
    seq: 0,
    version: 1,
    createdAt: ctx.now,
    createdBy: ctx.principal.userId,
    createdTool: ctx.tool,
    updatedAt: ctx.now,
    updatedBy: ctx.principal.userId,
    updatedTool: ctx.tool,
    accessCount: 0,
    accessedAt: null,
  };
}

/** Who writes, when and with what. */
export type Writing = Pick<Context, "principal" | "now" | "tool">;

/** Wraps a changed state as the version after `existing`, written by the caller now. */
export const followingVersion = (ctx: Writing, existing: Memory, state: Partial<MemoryState>): Memory => ({
  ...existing,
  ...state,
  ...formAfter(existing, state),
  version: existing.version + 1,
  // Two versions never share an instant, so that "as of" has one answer even when the clock stands still.
  updatedAt: Math.max(ctx.now, existing.updatedAt + 1),
  updatedBy: ctx.principal.userId,
  updatedTool: ctx.tool,
});

/**
 * Somebody who writes a new state is its author; repeating the words of an import lifts no mark. A quarantined memory stays so.
 */
export const trustAfter = ({ content, trust }: Memory, said: string | undefined): Memory["trust"] =>
  said === undefined || said === content ? trust : { source: "user", quarantined: trust.quarantined };
