import type { DeletionStore } from "../domain/tenancy/deletion-store.ts";
import type { MemberRef } from "../domain/tenancy/member-ref.ts";
import type { SessionInvalidation } from "./tenant-invalidation.ts";
import { sessionName } from "./session-call.ts";

/**
 * The deletion store, invalidating the session objects of all who lose or regain access before a deletion is acknowledged;
 * `follow` hides or shows what the team made public to its organization.
 */
export function deletionWithInvalidation(deletion: DeletionStore, invalidate: Pick<SessionInvalidation, "changed">, follow: () => Promise<void>): DeletionStore {
  const invalidateAll = async (members: MemberRef[] | undefined): Promise<MemberRef[] | undefined> => {
    if (members) await Promise.all([follow(), ...members.map(({ teamId, userId }) => invalidate.changed(sessionName(teamId, userId)))]);
    return members;
  };
  return {
    deleteTeam: async (...args) => invalidateAll(await deletion.deleteTeam(...args)),
    restoreTeam: async (...args) => invalidateAll(await deletion.restoreTeam(...args)),
    deleteOrganization: async (...args) => invalidateAll(await deletion.deleteOrganization(...args)),
    restoreOrganization: async (...args) => invalidateAll(await deletion.restoreOrganization(...args)),
    fates: (person) => deletion.fates(person),
    deleteAccount: async (...args) => invalidateAll(await deletion.deleteAccount(...args)),
  };
}
