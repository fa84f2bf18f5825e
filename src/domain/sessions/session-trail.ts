import type { WorkSession } from "./session-store.ts";
import type { TraceEvent } from "./session-trace.ts";
import type { GivenTurn } from "./turns.ts";

export type TrailEvent = TraceEvent | { kind: "turn"; turn: GivenTurn };

/** A hook that looks something up announces itself so: what it asks for is no work of the person. */
export const hookClient = "omnimemory-hook";

/** What the calls of one client in one project leave behind of their session. */
export interface SessionTrail {
  /** Costs the call nothing: what is noted is looked at and stored after the answer. */
  note(event: TrailEvent): void;
  /** Saves what was noted, and answers the open session of this client and project, where there is one. @throws QUOTA_EXCEEDED, STORAGE_FULL */
  session(): Promise<WorkSession | undefined>;
  /** The same to be read: where there is no room to save, it is answered as it was saved last. */
  shown(): Promise<WorkSession | undefined>;
  /** From now on, what this client does in this project belongs to that session, and what others do does not. */
  attach(id: string): void;
  /** No client is at work in this session any more. */
  release(id: string): void;
}
