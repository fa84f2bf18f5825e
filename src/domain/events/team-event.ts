import type { Principal } from "../tenancy/principal.ts";
import { visibilityKeyOf } from "../memories/memory.ts";
import type { MemoryWrite, WriteContext } from "../memories/memory-store.ts";

/** No person has this id. */
export const adminAudience = "admins";

/** What happens in a team, as its event bus tells it (docs/events.md). */
export const eventKinds = ["stored", "recalled", "updated", "forgotten", "promoted", "quarantined", "alert", "job"] as const;
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
}

/** An event in the order of the bus. */
export interface NumberedEvent extends TeamEvent {
  id: number;
}

const kinds: Record<MemoryWrite["action"], EventKind> = {
  create: "stored", import: "stored", restore: "stored", release: "stored", undo: "stored", update: "updated", revert: "updated", consolidate: "updated", supersede: "updated", merge: "updated", evolve: "updated",
  archive: "forgotten", share: "promoted", accept: "promoted", quarantine: "quarantined",
};

/** Memories that one event names; a bulk write is several events. */
export const mostNamed = 100;

/** What a write is told as: one event for each kind and audience. */
export function eventsOfWrites(principal: Principal, { now, tool, requestId }: WriteContext, writes: readonly MemoryWrite[]): TeamEvent[] {
  const groups = new Map<string, { kind: EventKind; audience: string; ids: string[] }>();
  for (const { memory, action } of writes) {
    const kind = memory.quarantine !== null ? "quarantined" : memory.archivedAt !== null ? "forgotten" : kinds[action];
    // What is kept back is its owner's matter, whatever it was to be.
    const audience = kind === "quarantined" ? memory.ownerId : visibilityKeyOf(memory.visibility, memory.ownerId);
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

/** Only of the reader, who alone hears of it. */
export const recalledBy = ({ userId }: Principal, now: number, ids: readonly string[]): TeamEvent[] =>
  [{ kind: "recalled", at: now, audience: userId, memoryIds: [...new Set(ids)].slice(0, mostNamed), actorId: userId, tool: "", requestId: "" }];

function chunksOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / mostNamed) }, (_, i) => ids.slice(i * mostNamed, (i + 1) * mostNamed));
}

/** What clients that watch memories as resources are told of it: ids that changed, and whether lists did. */
export const changeOf = ({ kind, memoryIds }: TeamEvent): { ids: string[]; listChanged: boolean } | undefined => {
  switch (kind) {
    case "stored":
    case "forgotten":
    case "promoted":
    case "quarantined": return { ids: memoryIds, listChanged: true };
    case "updated": return { ids: memoryIds, listChanged: false };
    default: return undefined;
  }
};

/** The end of a stream that a client resumes: what it has not heard, or that some of it is gone. */
export interface EventPage {
  /** Oldest first. */
  events: NumberedEvent[];
  /** The newest number of the bus. */
  last: number;
  /** Events after the one named were dropped meanwhile: what depends on them is to be read anew. */
  hasGap: boolean;
}

export interface EventBus {
  /** What the principal may hear after the event `after`, or from now on; waits up to `waitMs` for the first. */
  events(principal: Principal, which: { after: number | undefined; waitMs: number }): Promise<EventPage>;
}
