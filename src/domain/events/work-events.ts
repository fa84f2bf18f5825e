import type { Context } from "../context.ts";
import type { Memory } from "../memories/memory.ts";
import type { SessionOwner, WorkSession } from "../sessions/session-store.ts";
import { audienceOf, chunksOf, type TeamEvent } from "./team-event.ts";

/** Events of people's work, which the object of the team does not see happen. What a person does is told to nobody else. */

interface Caller extends Pick<Context, "now" | "tool" | "requestId"> {
  principal: Pick<SessionOwner, "userId">;
}

const by = ({ principal, now, tool, requestId }: Caller) => ({ at: now, actorId: principal.userId, tool, requestId });

/** `said`: what was said in it was recorded. */
export type SessionAction = "created" | "restored" | "migrated" | "ended" | "removed" | "said";

export const sessionEvent = (caller: Caller, { id }: Pick<WorkSession, "id">, action: SessionAction): TeamEvent => ({
  kind: "session", ...by(caller), audience: caller.principal.userId, memoryIds: [], action, sessionId: id,
});

/** Steps were recorded; `patterns` may be different now. */
export function stepEvents(caller: Caller, patterns: readonly string[]): TeamEvent[] {
  const event: TeamEvent = { kind: "workflow", ...by(caller), audience: caller.principal.userId, memoryIds: [], action: "step" };
  return patterns.length === 0 ? [event] : chunksOf(patterns).map((some) => ({ ...event, patterns: some }));
}

/** All that was learned in a project is gone. */
export const forgottenStepsEvent = (caller: Caller): TeamEvent => ({
  kind: "workflow", ...by(caller), audience: caller.principal.userId, memoryIds: [], action: "forgotten", patterns: [],
});

/** A checkpoint is a memory: whoever may see that one hears of it. */
export const checkpointEvent = (caller: Caller, memory: Memory): TeamEvent => ({
  kind: "workflow", ...by(caller), audience: audienceOf(memory), memoryIds: [memory.id], action: "checkpoint",
});

/** Of links that were made or taken away. Whoever sees both ends of a link sees it. */
export function linkEvents(caller: Caller, links: readonly { source: Memory; target: Memory }[]): TeamEvent[] {
  return linkEventsOf(caller, links.map(({ source, target }) => ({ source: source.id, target: target.id, audience: audienceOf(source) || audienceOf(target) })));
}

/** The same of links by the ids of their ends. */
export function linkEventsOf(caller: Caller, links: readonly { source: string; target: string; audience: string }[]): TeamEvent[] {
  return [...Map.groupBy(links, ({ audience }) => audience)].flatMap(([audience, some]) => {
    const ids = [...new Set(some.flatMap(({ source, target }) => [source, target]))];
    return chunksOf(ids).map((memoryIds): TeamEvent => ({ kind: "linked", ...by(caller), audience, memoryIds }));
  });
}
