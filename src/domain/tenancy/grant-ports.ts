import type { AuditEntry } from "./ports.ts";
import type { Role, Scope } from "./principal.ts";
import type { Person } from "./sign-in-ports.ts";

/** A team that a person is in. */
export interface Membership {
  teamId: string;
  teamName: string;
  organizationId: string;
  role: Role;
}

/** What a person let a client do in one team, and what they are in that team at this moment. */
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
}

export interface TokenDirectory {
  /**
   * Whose access token it is, if it was issued for this resource, has not expired, its grant was not ended, and the
   * person is still in the team. Knows no principal: it is what makes one.
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

export interface GrantDirectory {
  memberships(person: Person): Promise<Membership[]>;
  /** Newest first. */
  connections(person: Person, now: number): Promise<Connection[]>;
  /** Ends the grant and all its tokens with the audit row, or does nothing and answers `false` when there is no such grant. */
  endGrant(subject: GrantSubject, grantId: string, audit: AuditEntry): Promise<boolean>;
  audit(entry: AuditEntry): Promise<void>;
}

/** Whom a grant is of: one person in one team. */
export interface GrantSubject {
  userId: string;
  teamId: string;
}

/** In the words of the authorization server, whose user ids must not contain ":"; ours contain no ".". */
export const subjectText = ({ userId, teamId }: GrantSubject): string => `${userId}.${teamId}`;

export function parseSubject(text: string): GrantSubject | undefined {
  const [userId, teamId, ...rest] = text.split(".");
  return userId && teamId && rest.length === 0 ? { userId, teamId } : undefined;
}
