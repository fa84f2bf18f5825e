import type { AuditEntry } from "./audit-entry.ts";
import type { MemberRef } from "./member-ref.ts";
import type { Preferences } from "./preferences.ts";
import type { Role, Scope } from "./principal.ts";
import type { Person } from "./sign-in-store.ts";

/** A team that a person is in. */
export interface TeamMembership {
  teamId: string;
  teamName: string;
  organizationId: string;
  role: Role;
}

/** The rights that a person gave a client in one team, and the person's role there at this moment. */
export interface TokenHolder {
  grantId: string;
  clientId: string;
  userId: string;
  teamId: string;
  scopes: readonly Scope[];
  expiresAt: number;
  role: Role;
  organizationId: string;
  shard: string;
  preferences: Preferences;
}

export interface TokenStore {
  /**
   * The holder of an access token, if it was issued for this resource, has not expired, its grant was not ended, and the person
   * is still in the team. Takes no principal: it is what makes one.
   */
  tokenHolder(token: string, resource: string): Promise<TokenHolder | undefined>;
}

/** A client that may act for a person in a team. */
export interface Connection {
  grantId: string;
  teamId: string;
  teamName: string;
  clientName: string;
  /** Where the client received its access. */
  redirectHost: string;
  scopes: readonly string[];
  createdAt: number;
}

export interface GrantStore {
  memberships(person: Person): Promise<TeamMembership[]>;
  /** Newest first. */
  connections(person: Person, now: number): Promise<Connection[]>;
  /** Ends the grant and all its tokens with the audit row, or does nothing and answers `false` when there is no such grant. */
  endGrant(subject: MemberRef, grantId: string, audit: AuditEntry): Promise<boolean>;
  audit(entry: AuditEntry): Promise<void>;
}

/** In the words of the authorization server, whose user ids must not contain ":"; ours contain no ".". */
export const subjectText = ({ userId, teamId }: MemberRef): string => `${userId}.${teamId}`;

export function parseSubject(text: string): MemberRef | undefined {
  const [userId, teamId, ...rest] = text.split(".");
  return userId && teamId && rest.length === 0 ? { userId, teamId } : undefined;
}
