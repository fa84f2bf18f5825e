import type { DeletionDirectory, Seat } from "../domain/tenancy/deletion-ports.ts";
import type { SessionAnnouncements } from "./announced-tenants.ts";
import { sessionName } from "./call.ts";

/**
 * Deletions, telling the session objects of all who are let in no more, or again, before they are acknowledged; and what a
 * team shows to its organization is hidden or shown with it. `follow` sees to the latter.
 */
export function announcedDeletion(deletion: DeletionDirectory, announce: Pick<SessionAnnouncements, "changed">, follow: () => Promise<void>): DeletionDirectory {
  const told = async (seats: Seat[] | undefined): Promise<Seat[] | undefined> => {
    if (seats) await Promise.all([follow(), ...seats.map(({ teamId, userId }) => announce.changed(sessionName(teamId, userId)))]);
    return seats;
  };
  return {
    deleteTeam: async (...args) => told(await deletion.deleteTeam(...args)),
    restoreTeam: async (...args) => told(await deletion.restoreTeam(...args)),
    deleteOrganization: async (...args) => told(await deletion.deleteOrganization(...args)),
    restoreOrganization: async (...args) => told(await deletion.restoreOrganization(...args)),
    fates: (person) => deletion.fates(person),
    deleteAccount: async (...args) => told(await deletion.deleteAccount(...args)),
  };
}
