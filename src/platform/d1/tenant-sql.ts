import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { memberships, organizations, teams, users } from "./directory-schema.ts";

/** The caller is still, in a team that is not deleted, what they were when they were let in. */
export const actsStill = ({ teamId, userId, role }: Principal): SQL => sql`exists (
  select 1 from ${memberships} a join ${teams} t on t.id = a.team_id and t.deleted_at is null
  join ${organizations} o on o.id = t.organization_id and o.deleted_at is null
  join ${users} u on u.id = a.user_id and u.deleted_at is null
  where a.team_id = ${teamId} and a.user_id = ${userId} and a.role = ${role})`;

/** The team has an owner beside this person. */
export const hasOwnerBeside = (teamId: string, userId: string): SQL => sql`exists (
  select 1 from ${memberships} x join ${users} u on u.id = x.user_id and u.deleted_at is null
  where x.team_id = ${teamId} and x.role = 'owner' and x.user_id <> ${userId})`;

export const isMember = (teamId: string, userId: string, role?: string): SQL =>
  sql`exists (select 1 from ${memberships} x where x.team_id = ${teamId} and x.user_id = ${userId}${role === undefined ? sql`` : sql` and x.role = ${role}`})`;

export const ofMember = (teamId: string, userId: string): SQL | undefined => and(eq(memberships.teamId, teamId), eq(memberships.userId, userId));

export const liveTeam = and(eq(teams.id, memberships.teamId), isNull(teams.deletedAt));
export const liveOrganization = and(eq(organizations.id, teams.organizationId), isNull(organizations.deletedAt));
export const liveUser = and(eq(users.id, memberships.userId), isNull(users.deletedAt));

/** Keys of the authorization server's records of one person in one team, or of one person: `(kind:subject` up to the next sign. */
export const grantsOf = (column: SQL, { userId, teamId }: { userId: string; teamId?: string }): SQL => {
  const [subject, end] = teamId === undefined ? [`${userId}.`, `${userId}/`] : [`${userId}.${teamId}:`, `${userId}.${teamId};`];
  return sql`(${column} >= ${`grant:${subject}`} and ${column} < ${`grant:${end}`} or ${column} >= ${`token:${subject}`} and ${column} < ${`token:${end}`})`;
};
