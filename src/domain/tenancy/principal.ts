import { forbidden } from "../errors.ts";

export const scopes = ["memory:read", "memory:write", "memory:admin"] as const;
export type Scope = (typeof scopes)[number];

export const roles = ["owner", "admin", "member", "viewer"] as const;
export type Role = (typeof roles)[number];

/** The actor of what the curator changes. No person has this id: theirs are UUIDs. */
export const curatorActor = "curator";

/**
 * How the caller proved who they are: a key of their own, a grant that they gave to a client, or a browser that is signed in.
 * `upkeep` is the product itself (`upkeep.ts`), and nobody can present it.
 */
export type Credential =
  | { kind: "api-key"; id: string }
  | { kind: "grant"; id: string; clientId: string }
  | { kind: "web-session"; id: string; /** ms since the epoch. */ signedInAt: number }
  | { kind: "upkeep"; id: typeof curatorActor };

/**
 * Who is asking: a person in one team, through one credential. Every verb and every store method takes it,
 * so that a query without a tenant cannot be written (architecture, decision 7).
 */
export interface Principal {
  userId: string;
  teamId: string;
  organizationId: string;
  role: Role;
  scopes: readonly Scope[];
  /** Name of the D1 binding that holds the team's memories. */
  shard: string;
  credential: Credential;
}

/** Who acts. Upkeep sees a person's private memories as that person does, and acts in its own name. */
export const actorOf = ({ userId, credential }: Pick<Principal, "userId" | "credential">): string => (credential.kind === "upkeep" ? curatorActor : userId);

/** A scope that this version does not know grants nothing. */
export const isScope = (value: string): value is Scope => (scopes as readonly string[]).includes(value);

/** Whether somebody with this role may do it, and may let a key or a client do it. */
export const roleAllows = (role: Role, scope: Scope): boolean => role !== "viewer" || scope === "memory:read";

/** A viewer never writes, whatever the key says. */
export function requireScope(principal: Principal, scope: Scope): void {
  requireGranted(principal, scope);
  if (!roleAllows(principal.role, scope)) {
    throw forbidden("A viewer of this team may read but not write.", "Ask an owner or admin of the team for the role member.");
  }
}

/** For what is the person's own, such as their keys, and theirs to manage in any role. */
export function requireGranted({ scopes: granted }: Principal, scope: Scope): void {
  if (!granted.includes(scope)) throw forbidden(`This credential lacks the scope ${scope}.`, `Use a key or sign-in that was granted ${scope}.`);
}

/** Who may only write is answered without what is stored. */
export const mayRead = ({ scopes: granted }: Pick<Principal, "scopes">): boolean => granted.includes("memory:read");

export const mayWrite = ({ scopes: granted, role }: Principal): boolean => granted.includes("memory:write") && roleAllows(role, "memory:write");

export const isTeamAdmin = (principal: Principal): boolean =>
  (principal.role === "owner" || principal.role === "admin") && principal.scopes.includes("memory:admin");
