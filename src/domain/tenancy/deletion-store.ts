import type { VectorKind } from "../embedding/vector-index.ts";
import type { ExpiredMemory } from "../memories/sweep.ts";
import type { TeamRef } from "./team-ref.ts";
import type { AuditEntry } from "./audit-entry.ts";
import type { MemberRef } from "./member-ref.ts";
import type { Principal } from "./principal.ts";
import type { Person } from "./sign-in-store.ts";

/** The fate of a person's team when they delete their account. */
export interface TeamFate {
  id: string;
  name: string;
  /** `erased`: nobody else is in it. `blocks`: others are in it, and it would have no owner. */
  fate: "erased" | "left" | "blocks";
}

/**
 * Deleting, and restoring within the grace. Each is one transaction with its audit row, and done only if the caller still
 * has the role they acted in; what is answered are the seats of those who are let in no more, or again.
 */
export interface DeletionStore {
  /** `undefined` also for somebody's own team. */
  deleteTeam(principal: Principal, eraseAt: number, audit: AuditEntry): Promise<MemberRef[] | undefined>;
  restoreTeam(principal: Principal, audit: AuditEntry): Promise<MemberRef[] | undefined>;
  /** `undefined` also when the principal does not own all its teams. */
  deleteOrganization(principal: Principal, eraseAt: number, audit: AuditEntry): Promise<MemberRef[] | undefined>;
  restoreOrganization(principal: Principal, audit: AuditEntry): Promise<MemberRef[] | undefined>;
  fates(person: Pick<Person, "userId">): Promise<TeamFate[]>;
  /** Ends the person's sessions and keys, and gives up the teams that nobody else is in. `undefined` when a team `blocks`. */
  deleteAccount(person: Pick<Person, "userId">, audit: AuditEntry): Promise<MemberRef[] | undefined>;
}

/** Reads and changes of the directory for erasure. Not on behalf of a person. */
export interface ErasureDirectory {
  /** Teams whose grace is over. They cannot be restored from now on, so what is answered may be erased. */
  claimTeams(now: number): Promise<TeamRef[]>;
  isLastOfOrganization(team: TeamRef): Promise<boolean>;
  memberRefsOf(by: { teamId: string } | { userId: string }): Promise<MemberRef[]>;
  /** Takes the team out of the directory with all that belongs to it, and its organization if it was the last. */
  forgetTeam(team: TeamRef, audit: AuditEntry): Promise<void>;
  dueAccounts(now: number): Promise<string[]>;
  /** Removes everything of the person but an id without a name, which stands for the author of what a team keeps. */
  forgetAccount(userId: string, audit: AuditEntry): Promise<void>;
  findTeam(id: string): Promise<TeamRef | undefined>;
  listShards(): Promise<string[]>;
  /** Teams that are deleted, by themselves or with their organization. */
  deletedTeams(): Promise<(TeamRef & { beingErased: boolean })[]>;
}

/** Reads and changes of a shard for erasure. */
export interface ErasureStore {
  vectorsOf(team: TeamRef, limit: number): Promise<{ kind: VectorKind; id: string }[]>;
  dropVectors(team: TeamRef, entries: { kind: VectorKind; id: string }[]): Promise<void>;
  /** Deletes some rows of the team. `false` when there were none left; the audit stays. */
  eraseRows(team: TeamRef): Promise<boolean>;
  /** Some private memories of the person, of whatever team. */
  privateMemories(shard: string, userId: string): Promise<ExpiredMemory[]>;
  /** Takes the words out of versions from when a memory was the person's private one. Answers the teams that have such. */
  blankPrivateVersions(shard: string, userId: string): Promise<string[]>;
  /** Every work session of the person, of whatever team, with what was said in it. */
  forgetSessions(shard: string, userId: string): Promise<void>;
  /** Deletes some of what was recorded of the person's workflows, in whatever team. `false` when there was nothing left. */
  eraseWorkflows(shard: string, userId: string): Promise<boolean>;
  closedTeams(shard: string): Promise<string[]>;
  /** Hides what the team shows to its organization, or shows it again. */
  setClosed(team: TeamRef, at: number | null): Promise<void>;
}

export interface ErasureIndex {
  eraseTeam(team: TeamRef): Promise<void>;
  /** Erases memories of the team in just these versions, in the truth and in its index, and leaves tombstones. */
  eraseMemories(team: TeamRef, now: number, memories: ExpiredMemory[]): Promise<void>;
  eraseOrganization(organizationId: string): Promise<void>;
  /** Takes the team out of its organization's index. */
  forgetInOrganization(team: TeamRef): Promise<void>;
  rebuild(team: TeamRef): Promise<void>;
  /** No kept answer of the organization's other teams is used any more. */
  staleAnswers(team: TeamRef): Promise<void>;
}

export interface ErasurePorts {
  directory: ErasureDirectory;
  store: ErasureStore;
  index: ErasureIndex;
  vectors: { remove(team: TeamRef, entries: { kind: VectorKind; id: string }[]): Promise<void> };
  sessions: { erase(member: MemberRef): Promise<void> };
  keys: { destroy(teamId: string): Promise<void> };
  report(event: string, error: unknown): void;
}
