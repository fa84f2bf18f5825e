import type { AuditEntry } from "./audit-entry.ts";
import type { Principal, Role } from "./principal.ts";
import type { Person } from "./sign-in-store.ts";

/** A team as one who is in it may see it. */
export interface TeamSummary {
  id: string;
  name: string;
  organizationId: string;
  organizationName: string;
  /** Role of the person who asks. */
  role: Role;
  /** Whether it is the person's own team, made at their first sign-in. */
  personal: boolean;
  createdAt: number;
  /** When everything of it will be erased; `null` for a team that is not deleted. */
  eraseAt: number | null;
}

export interface Member {
  userId: string;
  name: string;
  role: Role;
  joinedAt: number;
}

/** The role of a person in a team, and where the team's data is: with it a person becomes a principal. */
export interface Membership {
  role: Role;
  organizationId: string;
  shard: string;
}

export interface NewTeam {
  id: string;
  name: string;
}

/**
 * Organizations, teams and who is in them. What is to change is changed only if the caller still has the role they acted
 * in, by one transaction together with its audit row; `false` when that, or what else is said, did not hold any more.
 */
export interface TenantStore {
  /** By one query; knows no principal: it is what makes one. `undefined` when the person is not in the team, or either is deleted. */
  membership(person: Pick<Person, "userId">, teamId: string): Promise<Membership | undefined>;
  /** The same for a team that is deleted, or whose organization is, and can still be restored. */
  membershipInDeletedTeam(person: Pick<Person, "userId">, teamId: string, now: number): Promise<Membership | undefined>;
  /** Those the person is in, also deleted ones that can still be restored; oldest first. */
  listTeams(person: Pick<Person, "userId">, now: number): Promise<TeamSummary[]>;
  /** An organization with its first team, whose owner the person is. */
  insertOrganization(person: Pick<Person, "userId">, organization: NewTeam, team: NewTeam, audit: AuditEntry): Promise<void>;
  /** The same for the person's own team, unless they are in a team already. Of several at once one does it. */
  insertPersonalTeam(person: Pick<Person, "userId">, organization: NewTeam, team: NewTeam, audit: AuditEntry): Promise<boolean>;
  /** Another team of the principal's organization, whose owner they are. */
  insertTeam(principal: Principal, team: NewTeam, audit: AuditEntry): Promise<boolean>;
  renameTeam(principal: Principal, name: string, audit: AuditEntry): Promise<boolean>;
  renameOrganization(principal: Principal, name: string, audit: AuditEntry): Promise<boolean>;
  /** Owners first, then by the time they joined. */
  listMembers(principal: Principal): Promise<Member[]>;
  findMember(principal: Principal, userId: string): Promise<Member | undefined>;
  /** `false` also when the member's role is not `from`, or the team would be left without an owner. */
  changeRole(principal: Principal, change: { userId: string; from: Role; to: Role }, audit: AuditEntry): Promise<boolean>;
  /** Ends their keys and grants for the team, too. `false` as for `changeRole`. */
  removeMember(principal: Principal, member: { userId: string; role: Role }, audit: AuditEntry): Promise<boolean>;
  /** The member becomes owner and the principal admin. `false` when there is no such member. */
  transferOwnership(principal: Principal, userId: string, audit: AuditEntry): Promise<boolean>;
}

export interface Invitation {
  id: string;
  teamId: string;
  role: Role;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
}

/** What a person is shown of an invitation before they accept it. */
export interface OpenInvitation {
  teamId: string;
  teamName: string;
  organizationName: string;
  role: Role;
  inviterName: string;
  inviterRole: Role;
}

/** The way into a team. A change and its audit row are written together or not at all. */
export interface InvitationStore {
  /**
   * The invitation, or the open one of the team that has this token already. `undefined` when the caller has not the role any
   * more in which they acted, the team is somebody's own, `most` are open already, or the one with this token is not open any more.
   */
  insertInvitation(principal: Principal, invitation: Invitation & { tokenHash: string }, most: number, audit: AuditEntry): Promise<Invitation | undefined>;
  /** Those of the principal's team that can still be accepted, newest first. */
  listInvitations(principal: Principal, now: number): Promise<Invitation[]>;
  /** `false` when it is not there, or used, expired or revoked already. */
  revokeInvitation(principal: Principal, id: string, audit: AuditEntry): Promise<boolean>;
  /** An invitation that can be accepted; its inviter may still give the role. */
  findInvitation(tokenHash: string, now: number): Promise<OpenInvitation | undefined>;
  /**
   * Takes the invitation: of several who show it, one becomes a member. Who is in the team already stays what they are, and
   * does not use it up. `undefined` when it is unknown, used, expired or revoked, the team is deleted, or the inviter is no
   * longer in one of `inviters` roles.
   */
  acceptInvitation(person: Pick<Person, "userId">, tokenHash: string, inviters: readonly Role[], audit: AuditEntry): Promise<{ teamId: string; joined: boolean } | undefined>;
  /** The team into which this person came by this invitation, and is still in. */
  acceptedBefore(person: Pick<Person, "userId">, tokenHash: string): Promise<string | undefined>;
  /** Writes the row unless `limitPerMinute` failures of nobody's were written in the last minute. */
  auditFailure(entry: AuditEntry, limitPerMinute: number): Promise<void>;
}
