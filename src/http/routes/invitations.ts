import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { acceptInvitation, defaultInvitationDays, invite, listInvitations, maxInvitationDays, revokeInvitation } from "../../domain/tenancy/invitations.ts";
import { roles } from "../../domain/tenancy/principal.ts";
import type { Invitation } from "../../domain/tenancy/tenant-store.ts";
import { publicOrigin } from "../origin.ts";
import { parsed } from "./body.ts";
import { type RestEnv, callerInTeam, callingPerson, findCaller } from "./caller.ts";
import { iso } from "./wire.ts";
import { Hono } from "../hono.ts";

export const creation = z.strictObject({ role: z.enum(roles).default("member"), expires_in_days: z.number().int().min(1).max(maxInvitationDays).default(defaultInvitationDays) });
export const acceptance = z.strictObject({ token: z.string().max(200) });

/** Invitations of a team, below its path. */
export function teamInvitationRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = async (c: Context<RestEnv>) => ({ ...(await callerInTeam(services, c)), invitations: services.invitations });

  app.get("/", async (c) => c.json({ invitations: (await listInvitations(await context(c))).map(shown) }));
  app.post("/", async (c) => {
    const input = await parsed(c.req.raw, creation);
    const { token, invitation } = await invite(await context(c), { role: input.role, expiresInDays: input.expires_in_days });
    const url = `${publicOrigin(new URL(c.req.url), services.config)}/invitation?token=${token}`;
    return c.json({ invitation: shown(invitation), token, url }, 201);
  });
  app.delete("/:id", async (c) => c.json(await revokeInvitation(await context(c), { id: c.req.param("id") })));
  return app;
}

/** Accepting one, which is for a person: a key is for a team. */
export function invitationRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.use(findCaller(services));
  app.post("/accept", async (c) => {
    const { token } = await parsed(c.req.raw, acceptance);
    const { teamId, joined } = await acceptInvitation({ ...callingPerson(services, c), invitations: services.invitations }, { token });
    return c.json({ team: teamId, joined });
  });
  return app;
}

const shown = ({ id, role, invitedBy, createdAt, expiresAt }: Invitation): Record<string, unknown> => ({
  id, role, invited_by: invitedBy, created_at: iso(createdAt), expires_at: iso(expiresAt),
});
