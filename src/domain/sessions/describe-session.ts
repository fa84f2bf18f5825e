import type { Context } from "../context.ts";
import { valueOf } from "../memories/any-value.ts";
import { cutTo } from "../text/token-count.ts";
import { requireScope } from "../tenancy/principal.ts";
import { ratedFiles } from "./session-trace.ts";
import type { WorkSession } from "./session-store.ts";

/** What a session is about, newest first, with the memories that its trace names as they are now. */
export interface SessionContext {
  files: { path: string; importance: number; at: number }[];
  searches: { query: string; at: number }[];
  decisions: { decision: string; at: number; memoryId?: string }[];
  state: { key: string; value: unknown; text: string; at: number; memoryId?: string }[];
  commands: string[];
}

/** In tokens of one decision: what was decided stands at its beginning. */
const decisionTokens = 60;

/** One round trip. What the person may not see any more, what is in quarantine and what is secret is not in it. */
export async function describeSession(ctx: Context, { trace }: WorkSession): Promise<SessionContext> {
  requireScope(ctx.principal, "memory:read");
  const ids = [...new Set([...trace.decisions, ...trace.state].map(({ id }) => id))];
  const { memories } = ids.length === 0 ? { memories: [] } : await ctx.memories.hydrate(ctx.principal, ctx.now, ids);
  const shown = new Map(memories.filter(({ sensitivity, quarantine }) => sensitivity !== "secret" && quarantine === null).map((memory) => [memory.id, memory]));
  return {
    files: trace.files.length === 0 ? [] : ratedFiles(trace),
    searches: trace.searches.toReversed(),
    decisions: [
      ...trace.decisions.toReversed().flatMap(({ id, at }) => {
        const memory = shown.get(id);
        return memory ? [{ decision: cutTo(memory.content, decisionTokens), at, memoryId: id }] : [];
      }),
      ...(trace.told?.decisions ?? []),
    ],
    // A key may have been given to another memory since.
    state: withoutRepeats([
      ...trace.state.toReversed().flatMap(({ id, at }) => {
        const memory = shown.get(id);
        return memory?.key ? [{ key: memory.key, value: valueOf(memory), text: memory.content, at, memoryId: id }] : [];
      }),
      ...(trace.told?.state ?? []).map((one) => ({ ...one, text: one.value })),
    ]),
    commands: trace.commands,
  };
}

/** What is said now under a key goes before what a passport told. */
const withoutRepeats = (state: SessionContext["state"]): SessionContext["state"] => state.filter(({ key }, i) => state.findIndex((other) => other.key === key) === i);
