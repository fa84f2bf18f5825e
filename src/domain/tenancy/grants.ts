import { forbidden } from "../errors.ts";
import type { GrantStore, TeamMembership } from "./grant-store.ts";
import type { CallOrigin } from "./audit-entry.ts";
import type { Person } from "./sign-in-store.ts";

/** The team that a person picked for a client: one that they are in. The answer does not reveal which other teams exist. */
export async function chooseTeam(grants: Pick<GrantStore, "memberships">, person: Person, teamId: string): Promise<TeamMembership> {
  const team = (await grants.memberships(person)).find((membership) => membership.teamId === teamId);
  if (!team) throw forbidden("You are not in this team.", "Choose one of your own teams.");
  return team;
}

/** Notes that a person let a client act for them in a team. */
export async function noteGrant(grants: GrantStore, person: Person, team: TeamMembership, client: { id: string }, now: number, from: CallOrigin): Promise<void> {
  const { teamId, organizationId } = team;
  await grants.audit({ ...from, at: now, action: "grant.create", success: true, organizationId, teamId, userId: person.userId, subject: client.id });
}

/** The client no longer acts for the person in that team, from the next request on. Disconnecting twice is no error. */
export async function disconnect(
  grants: GrantStore,
  person: Person,
  grant: { teamId: string; grantId: string },
  now: number,
  from: CallOrigin = {},
): Promise<{ ended: boolean }> {
  const { userId } = person;
  const { teamId, grantId } = grant;
  const audit = { ...from, at: now, action: "grant.end", success: true, teamId, userId, subject: grantId } as const;
  return { ended: await grants.endGrant({ userId, teamId }, grantId, audit) };
}
