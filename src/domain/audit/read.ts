import { unknownCursor } from "../errors.ts";
import type { Principal } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import { type Actors, type AuditWish, toFilter } from "./filter.ts";
import { cursorOf, mergePage, parseCursor } from "./pages.ts";
import type { AuditPlace, AuditPosition, AuditQuery, AuditReader, AuditRecord } from "./audit-trail.ts";

export interface AuditInput extends AuditWish {
  cursor?: string | undefined;
  limit: number;
}

export type NamedRecord = AuditRecord & { userName: string | null };

export interface AuditPage {
  entries: NamedRecord[];
  nextCursor?: string;
}

interface Reading {
  audit: AuditReader;
}

/** Reads the audit of the team. */
export async function readTeamAudit(ctx: Reading & { principal: Principal }, input: AuditInput): Promise<AuditPage> {
  const { teamId: id, shard } = ctx.principal;
  requireAction(ctx.principal, "read the audit");
  return teamsPage(ctx, [{ id, shard }], input);
}

/** Reads the audits of all teams of the organization that the caller owns. */
export async function readOrganizationAudit(ctx: Reading & { principal: Principal }, input: AuditInput): Promise<AuditPage> {
  requireAction(ctx.principal, "manage the organization");
  return teamsPage(ctx, await ctx.audit.ownedTeams(ctx.principal, ctx.principal.organizationId), input);
}

function teamsPage({ principal, audit }: Reading & { principal: Principal }, teams: readonly AuditPlace[], input: AuditInput): Promise<AuditPage> {
  const actors = { people: () => audit.membersOf(principal, teams), hasActed: (userId: string) => audit.hasActed(principal, teams, userId) };
  return pageOf(audit, input, actors, (query) => audit.ofTeams(principal, teams, query));
}

/** Reads what a person did and what was done to them, in whatever team. */
export function readAccountAudit({ person, audit }: Reading & { person: { userId: string } }, input: AuditInput): Promise<AuditPage> {
  const actors = { people: () => audit.actorsOn(person), hasActed: () => Promise.resolve(false) };
  return pageOf(audit, input, actors, (query) => audit.ofPerson(person, query));
}

async function pageOf(audit: AuditReader, { cursor, limit, ...wish }: AuditInput, actors: Actors, ask: (query: AuditQuery) => Promise<AuditRecord[][]>): Promise<AuditPage> {
  const from = cursor === undefined ? undefined : requirePosition(cursor);
  const filter = await toFilter(wish, actors);
  const { entries, next } = mergePage(await ask({ ...filter, from, limit }), from, limit);
  const names = await audit.namesOf([...new Set(entries.flatMap(({ userId }) => userId ?? []))]);
  return {
    entries: entries.map((entry) => ({ ...entry, userName: names.get(entry.userId ?? "") ?? null })),
    ...(next === undefined ? {} : { nextCursor: cursorOf(next) }),
  };
}

function requirePosition(cursor: string): AuditPosition {
  const position = parseCursor(cursor);
  if (!position) throw unknownCursor();
  return position;
}
