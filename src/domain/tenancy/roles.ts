import { forbidden } from "../errors.ts";
import type { Principal, Role, Scope } from "./principal.ts";

const everyone = ["owner", "admin", "member", "viewer"] as const;
const admins = ["owner", "admin"] as const;
const owners = ["owner"] as const;

/** Who may do what in a team, and which scope their credential needs for it. What one does with memories is in `memories/policy`. */
const actions = {
  "see the team": { roles: everyone, scope: "memory:read" },
  "leave the team": { roles: everyone, scope: "memory:admin" },
  "rename the team": { roles: admins, scope: "memory:admin" },
  "manage members": { roles: admins, scope: "memory:admin" },
  "manage invitations": { roles: admins, scope: "memory:admin" },
  "read the audit": { roles: admins, scope: "memory:admin" },
  "read what the team's calls prevented": { roles: admins, scope: "memory:admin" },
  "acknowledge alerts": { roles: admins, scope: "memory:admin" },
  "decide proposals": { roles: admins, scope: "memory:admin" },
  "set the review": { roles: admins, scope: "memory:admin" },
  "set the write guard": { roles: admins, scope: "memory:admin" },
  "set the intelligence": { roles: admins, scope: "memory:admin" },
  "steer the curator": { roles: admins, scope: "memory:admin" },
  "rotate the data key": { roles: owners, scope: "memory:admin" },
  "hand over the team": { roles: owners, scope: "memory:admin" },
  "delete the team": { roles: owners, scope: "memory:admin" },
  "create teams": { roles: owners, scope: "memory:admin" },
  "manage the organization": { roles: owners, scope: "memory:admin" },
} as const satisfies Record<string, { roles: readonly Role[]; scope: Scope }>;

export type TeamAction = keyof typeof actions;
export const teamActions = Object.keys(actions) as TeamAction[];

const rank: Record<Role, number> = { owner: 3, admin: 2, member: 1, viewer: 0 };
const isAtMost = (role: Role, other: Role): boolean => rank[role] <= rank[other];

export const may = (role: Role, action: TeamAction): boolean => (actions[action].roles as readonly Role[]).includes(role);

/** Nobody makes anybody more than they are themselves. */
export const mayGive = (actor: Role, role: Role): boolean => may(actor, "manage invitations") && isAtMost(role, actor);

/** Nor touches who is more than they are. */
export const mayChangeRole = (actor: Role, from: Role, to: Role): boolean => may(actor, "manage members") && isAtMost(from, actor) && isAtMost(to, actor);

export const mayRemove = (actor: Role, target: Role): boolean => may(actor, "manage members") && isAtMost(target, actor);

/** @throws PERMISSION_DENIED */
export function requireAction({ role, scopes }: Pick<Principal, "role" | "scopes">, action: TeamAction): void {
  const { roles, scope } = actions[action];
  if (!scopes.includes(scope)) throw forbidden(`This credential lacks the scope ${scope}.`, `Use a key or sign-in that was granted ${scope}.`);
  if (!may(role, action)) throw forbidden(`As ${role} of this team you may not ${action}.`, `Ask an ${roles.join(" or ")} of the team.`);
}
