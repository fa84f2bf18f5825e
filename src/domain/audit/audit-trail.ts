import type { AuditEntry } from "../tenancy/audit-entry.ts";
import type { Principal } from "../tenancy/principal.ts";

/** The actions in the audit of memories; a reader of all audits sees them as `memory.…`. */
export const memoryActions = [
  "create", "update", "archive", "restore", "import", "share", "erase", "export", "read-secret", "secret-refused",
  "propose", "accept", "refuse", "review-on", "review-off", "guard-policy", "intelligence-policy", "quarantine", "release", "link", "unlink", "revert", "undo", "consolidate", "supersede", "merge", "evolve", "evolution-policy", "curator-pause", "curator-resume",
] as const;
export type MemoryAction = (typeof memoryActions)[number];

/** One entry of any audit, in one form. What was done to memories has an action `memory.…`, and the tool or client as `client`. */
export interface AuditRecord {
  /** Which audit it stands in: that of the directory, or a shard's. */
  source: string;
  /** Ascending within the source; never shown, since it reveals how much others do. */
  id: number;
  at: number;
  teamId: string | null;
  userId: string | null;
  action: string;
  success: boolean;
  subject: string | null;
  /** How many memories, where it was about memories. */
  count: number | null;
  client: string | null;
  address: string | null;
  country: string | null;
  credentialId: string | null;
  requestId: string | null;
}

export interface AuditFilter {
  /** A prefix of the action. */
  action?: string | undefined;
  /** Who did it: one of these. */
  userIds?: readonly string[] | undefined;
  /** Both included; ms since the epoch. */
  since?: number | undefined;
  until?: number | undefined;
  success?: boolean | undefined;
}

/** Up to where a reader has come: the instant of the last entry, and how many of that instant they saw of each source. */
export interface AuditPosition {
  at: number;
  seen: ReadonlyMap<string, number>;
}

export interface AuditQuery extends AuditFilter {
  from?: AuditPosition | undefined;
  limit: number;
}

export interface AuditPlace {
  id: string;
  shard: string;
}

type Someone = { userId: string };

/** The actor of what the product does by itself. */
export const systemActor = "system";

/** Somebody whom an audit may name, with all their names. */
export interface AuditPerson {
  id: string;
  names: readonly string[];
}

/** Answers lists of one source each, newest first and within an instant in the order of writing, from the query's position on. */
export interface AuditReader {
  /** Entries of these teams only; the verb has checked that the principal may read them. */
  ofTeams(principal: Pick<Principal, "userId">, teams: readonly AuditPlace[], query: AuditQuery): Promise<AuditRecord[][]>;
  /**
   * What the person did and what was done to them, in the directory. Acts of others are answered without where they came from.
   */
  ofPerson(person: Someone, query: AuditQuery): Promise<AuditRecord[][]>;
  /** Teams of the organization that the person owns and that are not deleted. */
  ownedTeams(person: Someone, organizationId: string): Promise<AuditPlace[]>;
  /** Who is in these teams, by name and by the mail addresses of their accounts. */
  membersOf(principal: Pick<Principal, "userId">, teams: readonly AuditPlace[]): Promise<AuditPerson[]>;
  /** Whether the audits of these teams hold any act of this actor, also one who left, or the product itself. */
  hasActed(principal: Pick<Principal, "userId">, teams: readonly AuditPlace[], userId: string): Promise<boolean>;
  /** The person, and who did something to them. */
  actorsOn(person: Someone): Promise<AuditPerson[]>;
  namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Entries that are written for their own sake, and not with a change. */
export interface AuditTrail {
  write(entry: AuditEntry): Promise<void>;
  /** Unless `limitPerMinute` failures of that team (or of nobody's) were written in the last minute. */
  auditFailure(entry: AuditEntry, limitPerMinute: number): Promise<void>;
  /** Unless the same credential was noted with the same client, address and country after `unlessAfter`. */
  noteUse(entry: AuditEntry, unlessAfter: number): Promise<void>;
}
