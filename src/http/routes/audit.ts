import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { type AuditInput, type AuditPage, type NamedRecord, readAccountAudit, readOrganizationAudit, readTeamAudit } from "../../domain/audit/read.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { auditOf, type TenantContext } from "../../domain/tenancy/teams.ts";
import { type RestEnv, callerInTeam, callingPerson } from "./caller.ts";
import { ndjson, type NdjsonPage } from "./ndjson.ts";
import { flag, withQuery } from "./query.ts";
import { iso } from "./wire.ts";
import { Hono } from "../hono.ts";

const instant = z.iso.datetime({ offset: true, error: "an instant such as 2026-11-20T12:00:00Z" }).transform((text) => Date.parse(text));
export const filter = z.strictObject({
  action: z.string().min(1).max(60).optional(),
  actor: z.string().trim().min(1).max(320).optional(),
  since: instant.optional(),
  until: instant.optional(),
  success: flag.optional(),
});
export const paged = filter.extend({ cursor: z.string().max(500).optional(), limit: z.coerce.number().int().min(1).max(200).default(50) });
const exportPage = 200;

type AuditContext = TenantContext & { audit: Services["audit"] };

/** The audit of a team, below its path: in pages, or whole as NDJSON. */
export const teamAuditRoutes = (services: Services): Hono<RestEnv> => auditRoutes(services, readTeamAudit, ({ teamId }) => teamId);

/** The same of all teams of the organization that a person owns; a key is for one team. */
export const organizationAuditRoutes = (services: Services): Hono<RestEnv> =>
  auditRoutes(services, readOrganizationAudit, ({ organizationId }) => organizationId, (c) => void callingPerson(services, c));

function auditRoutes(
  services: Services,
  read: (ctx: AuditContext, input: AuditInput) => Promise<AuditPage>,
  subjectOf: (principal: Principal) => string,
  admit: (c: Context<RestEnv>) => void = () => undefined,
): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const { audit } = services;
  const context = async (c: Context<RestEnv>): Promise<AuditContext> => {
    admit(c);
    return { ...(await callerInTeam(services, c)), audit };
  };
  app.get("/", withQuery(paged, async (c, asked) => c.json(shownPage(await read(await context(c), asked)))));
  app.get("/export", withQuery(filter, async (c, asked) => {
    const ctx = await context(c);
    const page = async (cursor?: string): Promise<NdjsonPage> => {
      const { entries, nextCursor } = await read(ctx, { ...asked, cursor, limit: exportPage });
      return { data: entries.map((entry) => `${JSON.stringify(shown(entry))}\n`).join(""), nextCursor };
    };
    return ndjson(services, c, "omnimemory-audit.ndjson", page, () => audit.write(auditOf(ctx, "audit.export", subjectOf(ctx.principal))));
  }));
  return app;
}

/** The audit of the caller's own account. */
export const accountAudit = (services: Services) =>
  withQuery(paged, async (c, asked) => c.json(shownPage(await readAccountAudit({ person: callingPerson(services, c).person, audit: services.audit }, asked))));

const shownPage = ({ entries, nextCursor }: AuditPage): Record<string, unknown> => ({ entries: entries.map(shown), next_cursor: nextCursor });

const shown = (entry: NamedRecord): Record<string, unknown> => ({
  at: iso(entry.at),
  action: entry.action,
  success: entry.success,
  team_id: entry.teamId,
  user_id: entry.userId,
  user_name: entry.userName,
  subject: entry.subject,
  ...(entry.count === null ? {} : { count: entry.count }),
  client: entry.client,
  address: entry.address,
  country: entry.country,
  credential_id: entry.credentialId,
  request_id: entry.requestId,
});
