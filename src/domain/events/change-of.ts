import type { TeamEvent } from "./team-event.ts";

/** What is different after a write, for clients that watch resources. */
export interface Change {
  /** Ids of memories whose text or state changed. */
  ids: string[];
  /** Whether memories appeared or vanished, so that lists are different now. */
  listChanged: boolean;
  /** Ids of workflow patterns that may be different now. */
  patterns?: string[];
  /** Links between memories were made or taken away. */
  linked?: boolean;
  /** The person's work sessions, or what is told in them, are different now. */
  sessions?: boolean;
  /** Ids of work sessions in which something was said. */
  conversations?: string[];
}

/** Whether memories changed, and not only what people do with them. */
export const isOfMemories = ({ ids, listChanged }: Change): boolean => ids.length > 0 || listChanged;

const nothing = { ids: [], listChanged: false };

/** What clients that watch resources are told of an event; undefined where it changes none. */
export function changeOf({ kind, memoryIds, action, sessionId, patterns }: TeamEvent): Change | undefined {
  switch (kind) {
    case "stored":
    case "promoted":
    case "quarantined": return { ids: memoryIds, listChanged: true };
    // A session tells decisions in the words of the memories that hold them.
    case "forgotten": return { ids: memoryIds, listChanged: true, sessions: true };
    case "updated": return { ids: memoryIds, listChanged: false, sessions: true };
    case "linked": return { ...nothing, linked: true };
    case "session": return { ...nothing, sessions: action !== "said", conversations: sessionId === undefined ? [] : [sessionId] };
    case "workflow": return patterns && { ...nothing, patterns };
    default: return undefined;
  }
}
