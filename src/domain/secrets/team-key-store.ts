import type { TeamRef } from "../tenancy/team-ref.ts";
import type { AuditEntry } from "../tenancy/audit-entry.ts";
import type { Principal } from "../tenancy/principal.ts";
import type { WrappedKey } from "./master-keys.ts";

/**
 * Data keys of the teams, wrapped. Kept in the directory and not beside what they open: a copy of a shard opens nothing, and a
 * key that is destroyed takes along what older copies hold.
 */
export interface TeamKeyStore {
  /** By number, ascending. */
  keysOf(teamId: string): Promise<WrappedKey[]>;
  /** The team's first key, unless it has one. */
  insertFirst(key: WrappedKey, now: number): Promise<void>;
  /** A new current key, with its audit row. `false` when another got the number first, or the principal is no owner any more. */
  insertNext(principal: Principal, key: WrappedKey, now: number, audit: AuditEntry): Promise<boolean>;
  /** Takes the team's keys away for good. */
  destroy(teamId: string): Promise<void>;
}

/** The cron's work on all keys; not on behalf of a person. */
export interface KeyMaintenanceStore {
  /** Keys that another master key than this one wraps. */
  wrappedByOthers(masterId: string, after: Pick<WrappedKey, "teamId" | "number">, limit: number): Promise<WrappedKey[]>;
  /** Puts `next` in the place of `key`, unless that has changed. */
  replace(key: WrappedKey, next: WrappedKey): Promise<void>;
  /** Teams with keys before their current one, and since when (ms) that is current. */
  rotating(): Promise<{ team: TeamRef; current: number; since: number }[]>;
  /** Destroys those before `number`. */
  dropBefore(teamId: string, number: number): Promise<void>;
}

/** The sealed rows of a shard. */
export interface SealedStore {
  /** Seals some of what is not sealed with the team's current key anew. Answers how many rows there were, at most `limit`. */
  reseal(team: TeamRef, current: number, limit: number): Promise<number>;
  /** Teams with secrets from before secrets were sealed. */
  unsealedTeams(shard: string, limit: number): Promise<string[]>;
}
