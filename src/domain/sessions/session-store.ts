import type { Principal } from "../tenancy/principal.ts";
import type { SessionTrace } from "./session-trace.ts";

/** Whose sessions: a person's in a team, wherever the call came from. Work that follows the call has no more than this. */
export type SessionOwner = Pick<Principal, "teamId" | "userId" | "shard">;

/** A person's work with one client tool in one project, until it is ended. */
export interface WorkSession {
  id: string;
  project: string;
  /** As the client named it. */
  workspacePath: string | null;
  /** The client tool that began it, and the one that has it now. */
  originalTool: string;
  tool: string;
  createdAt: number;
  activeAt: number;
  endedAt: number | null;
  migrations: number;
  /** How many passports of it were made. */
  exports: number;
  trace: SessionTrace;
  revision: number;
}

export const turnRoles = ["user", "assistant", "system"] as const;

export interface Turn {
  id: string;
  role: (typeof turnRoles)[number];
  name: string | null;
  at: number;
  /** As it was said, but for secrets. */
  content: string;
  /** Null where nothing can be left out. */
  compressed: string | null;
}

export interface StoredTurn extends Turn {
  /** From 1, in the order in which they were added. */
  seq: number;
  /** On the last turn of a block: what the block says. */
  summary: string | null;
}

export interface Migration {
  id: string;
  sessionId: string;
  fromTool: string | null;
  toTool: string;
  at: number;
  passportUsed: boolean;
  success: boolean;
  error: string | null;
}

export interface SessionStore {
  find(owner: SessionOwner, id: string): Promise<WorkSession | undefined>;
  /** The one of this tool and project that is not ended. */
  findOpen(owner: SessionOwner, where: { tool: string; project: string }): Promise<WorkSession | undefined>;
  /** Those of the project, or of all, last used first. */
  list(owner: SessionOwner, which: { project?: string | undefined; limit: number }): Promise<WorkSession[]>;
  /** The first above an id, in the order of ids, which no use changes. */
  next(owner: SessionOwner, after: string): Promise<WorkSession | undefined>;
  /** Unless there is an open one of this tool and project: then that one is answered. @throws QUOTA_EXCEEDED, STORAGE_FULL */
  create(owner: SessionOwner, session: WorkSession): Promise<WorkSession>;
  /** Stores one that is ended, as a passport tells of it. False where its id is taken. @throws QUOTA_EXCEEDED, STORAGE_FULL */
  import(owner: SessionOwner, session: WorkSession): Promise<boolean>;
  /** False when it has changed since it was read. A session that is `unchanged` in what it holds needs no room. @throws QUOTA_EXCEEDED, STORAGE_FULL */
  save(owner: SessionOwner, session: WorkSession, held?: "unchanged"): Promise<boolean>;
  /** The same for a session that another tool takes, or that is opened again: it ends the open one that the tool has in the project. */
  handOver(owner: SessionOwner, session: WorkSession, at: number, migration?: Migration, held?: "unchanged"): Promise<boolean>;
  logMigration(owner: SessionOwner, migration: Migration): Promise<void>;
  /** Of a session, newest first. */
  migrationsOf(owner: SessionOwner, id: string): Promise<Migration[]>;
  /** With all that was said in it. False when there is none. */
  remove(owner: SessionOwner, id: string): Promise<boolean>;
  /** Adds those that are not there yet, up to `mostTurns`, and answers how many the session has now. @throws QUOTA_EXCEEDED, STORAGE_FULL */
  addTurns(owner: SessionOwner, id: string, turns: readonly Turn[]): Promise<number>;
  /** From `after` on, oldest first. */
  turns(owner: SessionOwner, id: string, which: { after: number; limit: number }): Promise<StoredTurn[]>;
  /** The newest, oldest of them first. */
  lastTurns(owner: SessionOwner, id: string, limit: number): Promise<StoredTurn[]>;
  countTurns(owner: SessionOwner, id: string): Promise<number>;
  /** Summaries of blocks, newest first, with the number of the last turn of each. */
  summaries(owner: SessionOwner, id: string, limit: number): Promise<{ seq: number; summary: string }[]>;
  setSummary(owner: SessionOwner, id: string, summary: { seq: number; summary: string }): Promise<void>;
}
