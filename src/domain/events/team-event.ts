import { systemActor } from "../audit/audit-trail.ts";
import type { Principal } from "../tenancy/principal.ts";
import { type Memory, visibilityKeyOf } from "../memories/memory.ts";
import type { MemoryWrite, WriteContext } from "../memories/memory-store.ts";

/** No person has this id. */
export const adminAudience = "admins";

/** What happens in a team, as its event bus tells it (docs/events.md). */
export const eventKinds = ["stored", "recalled", "updated", "forgotten", "linked", "promoted", "quarantined", "session", "workflow", "alert", "job"] as const;
export type EventKind = (typeof eventKinds)[number];

/** It names what it is about and holds none of its words. */
export interface TeamEvent {
  kind: EventKind;
  /** ms since the epoch. */
  at: number;
  /** Who may hear of it: `''` for the team, `adminAudience` for its admins, else one person. */
  audience: string;
  memoryIds: string[];
  actorId: string;
  /** The client that it came from. */
  tool: string;
  /** Of the call, so that whoever made it can tell its own. */
  requestId: string;
  /** Of a session or a workflow: what was done with it (`work-events.ts`). */
  action?: string;
  sessionId?: string;
  /** Ids of workflow patterns that may be different now. They are told to who watches those, and shown to nobody. */
  patterns?: string[];
}

/** An event in the order of the bus. */
export interface NumberedEvent extends TeamEvent {
  id: number;
}

const kinds: Record<MemoryWrite["action"], EventKind> = {
  create: "stored", import: "stored", restore: "stored", release: "stored", undo: "stored", update: "updated", revert: "updated", consolidate: "updated", supersede: "updated", merge: "updated", evolve: "updated",
  archive: "forgotten", share: "updated", accept: "updated", quarantine: "quarantined",
};

/** Memories that one event names; a bulk write is several events. */
export const mostNamed = 100;

/** What a write is told as: one event for each kind and audience. */
export function eventsOfWrites(principal: Principal, { now, tool, requestId }: WriteContext, writes: readonly MemoryWrite[]): TeamEvent[] {
  const groups = new Map<string, { kind: EventKind; audience: string; ids: string[] }>();
  for (const { memory, action, before } of writes) {
    const isShared = kinds[action] === "updated" && before?.visibility === "private" && memory.visibility !== "private";
    const kind = memory.quarantine !== null ? "quarantined" : memory.archivedAt !== null ? "forgotten" : isShared ? "promoted" : kinds[action];
    const audience = audienceOf(memory);
    const group = groups.get(`${kind} ${audience}`) ?? { kind, audience, ids: [] };
    group.ids.push(memory.id);
    groups.set(`${kind} ${audience}`, group);
  }
  return [...groups.values()].flatMap(({ kind, audience, ids }) =>
    chunksOf(ids).map((memoryIds): TeamEvent => ({ kind, at: now, audience, memoryIds, actorId: principal.userId, tool, requestId })));
}

/** Of erasures; of what was private only its owner hears, who alone could erase it. */
export function eventsOfErasure(principal: Principal, { now, tool, requestId }: WriteContext, doomed: readonly { id: string; visibility: string }[]): TeamEvent[] {
  const told = (audience: string, ids: string[]): TeamEvent[] =>
    chunksOf(ids).map((memoryIds) => ({ kind: "forgotten", at: now, audience, memoryIds, actorId: principal.userId, tool, requestId }));
  return [
    ...told("", doomed.filter(({ visibility }) => visibility !== "private").map(({ id }) => id)),
    ...told(principal.userId, doomed.filter(({ visibility }) => visibility === "private").map(({ id }) => id)),
  ];
}

/** Of memories whose time was over, each with those who could see it. */
export const eventsOfPurge = (now: number, gone: readonly { id: string; audience: string }[]): TeamEvent[] =>
  [...Map.groupBy(gone, ({ audience }) => audience)].flatMap(([audience, some]) =>
    chunksOf(some.map(({ id }) => id)).map((memoryIds): TeamEvent => ({ kind: "forgotten", at: now, audience, memoryIds, actorId: systemActor, tool: "", requestId: "" })));

/** Only of the reader, who alone hears of it. */
export const recalledBy = ({ userId }: Principal, now: number, ids: readonly string[]): TeamEvent[] =>
  [{ kind: "recalled", at: now, audience: userId, memoryIds: [...new Set(ids)].slice(0, mostNamed), actorId: userId, tool: "", requestId: "" }];

/** Who may hear of a memory. What is kept back is its owner's matter, whatever it was to be. */
export const audienceOf = ({ visibility, ownerId, quarantine }: Pick<Memory, "visibility" | "ownerId" | "quarantine">): string =>
  quarantine === null ? visibilityKeyOf(visibility, ownerId) : ownerId;

export function chunksOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / mostNamed) }, (_, i) => ids.slice(i * mostNamed, (i + 1) * mostNamed));
}

/** The end of a stream that a client resumes: what it has not heard, or that some of it is gone. */
export interface EventPage {
  /** Oldest first. */
  events: NumberedEvent[];
  /** Of the newest event that this reader has heard or could have: of those of others nothing is told. */
  last: number;
  /** Events after the one named were dropped meanwhile: what depends on them is to be read anew. */
  hasGap: boolean;
}

export interface EventBus {
  /** What the principal may hear after the event `after`, or from now on; waits up to `waitMs` for the first. */
  events(principal: Principal, which: { after: number | undefined; waitMs: number }): Promise<EventPage>;
}
