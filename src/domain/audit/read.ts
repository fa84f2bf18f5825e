import { invalid } from "../errors.ts";
import type { Principal } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import { cursorOf, mergePage, parseCursor } from "./pages.ts";
import type { AuditFilter, AuditPosition, AuditQuery, AuditReader, AuditRecord } from "./ports.ts";

export interface AuditInput extends AuditFilter {
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

/** What happened in the team. */
export async function readTeamAudit({ principal, audit }: Reading & { principal: Principal }, input: AuditInput): Promise<AuditPage> {
  requireAction(principal, "read the audit");
  return pageOf(audit, input, (query) => audit.ofTeams(principal, [{ id: principal.teamId, shard: principal.shard }], query));
}

/** What happened in all teams of the organization that the caller owns. */
export async function readOrganizationAudit({ principal, audit }: Reading & { principal: Principal }, input: AuditInput): Promise<AuditPage> {
  requireAction(principal, "manage the organization");
  const teams = await audit.ownedTeams(principal, principal.organizationId);
  return pageOf(audit, input, (query) => audit.ofTeams(principal, teams, query));
}

/** What somebody did and what was done to them, in whatever team. */
export const readAccountAudit = ({ person, audit }: Reading & { person: { userId: string } }, input: AuditInput): Promise<AuditPage> =>
  pageOf(audit, input, (query) => audit.ofPerson(person, query));

async function pageOf(audit: AuditReader, { cursor, limit, ...filter }: AuditInput, ask: (query: AuditQuery) => Promise<AuditRecord[][]>): Promise<AuditPage> {
  const from = cursor === undefined ? undefined : requirePosition(cursor);
  const { entries, next } = mergePage(await ask({ ...filter, from, limit }), from, limit);
  const names = await audit.namesOf([...new Set(entries.flatMap(({ userId }) => userId ?? []))]);
  return {
    entries: entries.map((entry) => ({ ...entry, userName: names.get(entry.userId ?? "") ?? null })),
    ...(next === undefined ? {} : { nextCursor: cursorOf(next) }),
  };
}

function requirePosition(cursor: string): AuditPosition {
  const position = parseCursor(cursor);
  if (!position) throw invalid("The cursor is not one that this server gave.", "Pass next_cursor of the page before, unchanged, or leave it out.");
  return position;
}
