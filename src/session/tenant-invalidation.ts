import type { TenantStore } from "../domain/tenancy/tenant-store.ts";
import { sessionName } from "./session-call.ts";

export interface SessionInvalidation {
  /** The person's role in the team has changed. */
  changed(session: string): Promise<void>;
  /** The person is not in the team any more. */
  left(session: string): Promise<void>;
}

/**
 * The tenant store, invalidating a person's session object for every change of their membership before the change is
 * acknowledged: a removed member is refused from the next request on, and a lower role holds at once.
 */
export function tenantsWithInvalidation(tenants: TenantStore, invalidate: SessionInvalidation): TenantStore {
  return {
    membership: (person, teamId) => tenants.membership(person, teamId),
    membershipInDeletedTeam: (person, teamId, now) => tenants.membershipInDeletedTeam(person, teamId, now),
    listTeams: (person, now) => tenants.listTeams(person, now),
    insertOrganization: (...args) => tenants.insertOrganization(...args),
    insertPersonalTeam: (...args) => tenants.insertPersonalTeam(...args),
    insertTeam: (...args) => tenants.insertTeam(...args),
    renameTeam: (...args) => tenants.renameTeam(...args),
    renameOrganization: (...args) => tenants.renameOrganization(...args),
    listMembers: (principal) => tenants.listMembers(principal),
    findMember: (principal, userId) => tenants.findMember(principal, userId),
    async changeRole(principal, change, audit) {
      const changed = await tenants.changeRole(principal, change, audit);
      if (changed) await invalidate.changed(sessionName(principal.teamId, change.userId));
      return changed;
    },
    async removeMember(principal, member, audit) {
      const removed = await tenants.removeMember(principal, member, audit);
      if (removed) await invalidate.left(sessionName(principal.teamId, member.userId));
      return removed;
    },
    async transferOwnership(principal, userId, audit) {
      const transferred = await tenants.transferOwnership(principal, userId, audit);
      if (transferred) await Promise.all([userId, principal.userId].map((id) => invalidate.changed(sessionName(principal.teamId, id))));
      return transferred;
    },
  };
}
