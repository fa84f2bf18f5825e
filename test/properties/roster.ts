import { isAdmin, type Principal, type Role } from "./model.ts";

/**
 * Who is what in which team and which links lead there, stated a second time in plain maps. Each act answers the HTTP status
 * that the product must answer, and changes the maps only if it must be carried out. Shares no code with `src`.
 */
export interface Link {
  id: string;
  token: string;
  team: string;
  role: Role;
  by: string;
  state: "open" | "used" | "revoked" | "expired";
  usedBy?: string;
}

const ranks: Role[] = ["viewer", "member", "admin", "owner"];
const isAtMost = (role: Role, other: Role): boolean => ranks.indexOf(role) <= ranks.indexOf(other);
const isOwner = (p: Principal): boolean => p.role === "owner" && isAdmin(p);

export class Roster {
  readonly #roles = new Map<string, Map<string, Role>>();
  readonly #ever = new Map<string, Set<string>>();
  readonly links: Link[] = [];
  /** Told of everybody who goes. */
  readonly #gone: (team: string, user: string) => void;

  constructor(gone: (team: string, user: string) => void) {
    this.#gone = gone;
  }

  roleOf(team: string, user: string): Role | undefined {
    return this.#roles.get(team)?.get(user);
  }

  members(team: string): { user: string; role: Role }[] {
    return [...(this.#roles.get(team) ?? [])].map(([user, role]) => ({ user, role }));
  }

  owners(team: string): number {
    return this.members(team).filter(({ role }) => role === "owner").length;
  }

  teamsOf(user: string): string[] {
    return [...this.#roles].filter(([, members]) => members.has(user)).map(([team]) => team);
  }

  wasIn(team: string, user: string): boolean {
    return this.#ever.get(team)?.has(user) ?? false;
  }

  set(team: string, user: string, role: Role | undefined): void {
    const members = this.#roles.get(team) ?? new Map<string, Role>();
    this.#roles.set(team, members);
    if (role === undefined) {
      if (members.delete(user)) this.#gone(team, user);
      return;
    }
    members.set(user, role);
    this.#ever.set(team, (this.#ever.get(team) ?? new Set()).add(user));
  }

  mayInvite(p: Principal, role: Role): number {
    return isAdmin(p) && isAtMost(role, p.role) ? 201 : 403;
  }

  open(team: string): Link[] {
    return this.links.filter((link) => link.team === team && link.state === "open");
  }

  /** A link works once, in time, and as long as who sent it still may send it. Whom it let in is told so again. */
  accept(user: string, link: Link): { status: number; joined?: boolean } {
    const inviter = this.roleOf(link.team, link.by);
    const stands = inviter !== undefined && ["owner", "admin"].includes(inviter) && isAtMost(link.role, inviter);
    if (link.usedBy === user && this.roleOf(link.team, user) !== undefined) return { status: 200, joined: false };
    if (link.state !== "open" || !stands) return { status: 404 };
    if (this.roleOf(link.team, user) !== undefined) return { status: 200, joined: false };
    link.state = "used";
    link.usedBy = user;
    this.set(link.team, user, link.role);
    return { status: 200, joined: true };
  }

  revoke(p: Principal, link: Link): { status: number; revoked?: boolean } {
    if (!isAdmin(p)) return { status: 403 };
    const revoked = link.team === p.team && link.state === "open";
    if (revoked) link.state = "revoked";
    return { status: 200, revoked };
  }

  changeRole(p: Principal, user: string, to: Role): number {
    const from = this.roleOf(p.team, user);
    if (!isAdmin(p)) return 403;
    if (from === undefined) return 404;
    if (!isAtMost(from, p.role) || !isAtMost(to, p.role)) return 403;
    if (from === "owner" && to !== "owner" && this.owners(p.team) === 1) return 409;
    this.set(p.team, user, to);
    return 200;
  }

  remove(p: Principal, user: string): number {
    const role = this.roleOf(p.team, user);
    const leaves = user === p.user;
    if (leaves ? !p.scopes.includes("memory:admin") : !isAdmin(p)) return 403;
    if (role === undefined) return 404;
    if (!leaves && !isAtMost(role, p.role)) return 403;
    if (role === "owner" && this.owners(p.team) === 1) return 409;
    this.set(p.team, user, undefined);
    return 200;
  }

  transfer(p: Principal, user: string): number {
    if (!isOwner(p)) return 403;
    if (user === p.user) return 400;
    if (this.roleOf(p.team, user) === undefined) return 404;
    this.set(p.team, user, "owner");
    this.set(p.team, p.user, "admin");
    return 200;
  }
}
