import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { asDomainError } from "../../domain/errors.ts";
import { defaultInvitationDays, invite, type Inviting, listInvitations, maxInvitationDays, revokeInvitation } from "../../domain/tenancy/invitations.ts";
import { changeRole, leaveTeam, listMembers, removeMember } from "../../domain/tenancy/members.ts";
import { type Role, roles } from "../../domain/tenancy/principal.ts";
import { may } from "../../domain/tenancy/roles.ts";
import { createTeam, listTeams, showTeam } from "../../domain/tenancy/teams.ts";
import { statusOf } from "../errors.ts";
import { publicOrigin } from "../origin.ts";
import { renaming as naming } from "../routes/teams.ts";
import { formOf, parsedForm, seedOf } from "./form.ts";
import { forMember } from "./for-member.tsx";
import { orSignInAgain } from "./fresh-sign-in.tsx";
import { errorPage } from "./pages/error-page.tsx";
import { showPage } from "./pages/layout.tsx";
import { deeds, NewInvitationPage, TeamPage } from "./pages/team.tsx";
import { forBrowsers, originOfCall, type Visitor, type Web } from "./web-session.ts";
import { Hono } from "../hono.ts";

type WebCall = Context<Web>;
type Deed = (typeof deeds)[number];

const visit = z.object({ done: z.enum(deeds).optional() });
const named = z.object({ id: z.string().max(100) });
const roleChange = named.extend({ role: z.enum(roles) });
const invitation = z.object({ role: z.enum(roles), days: z.coerce.number().int().min(1).max(maxInvitationDays).default(defaultInvitationDays) });

/** Pages on which people see who is in a team, and change that as far as they may. */
export function teamPages(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  app.use("/teams/*", forBrowsers(services));

  app.get("/teams/:team", (c) =>
    inTeam(c, async (ctx) => {
      const { done } = parsedForm(visit, c.req.query());
      const [team, members, open] = await Promise.all([showTeam(ctx), listMembers(ctx), may(ctx.principal.role, "manage invitations") ? listInvitations(ctx) : undefined]);
      return showPage(c, { title: `Members of ${team.name}`, body: <TeamPage {...{ principal: ctx.principal, team, members, open, done }} /> });
    }),
  );
  app.post("/teams/:team/leave", (c) =>
    inTeam(c, async (ctx) => {
      const { userId } = ctx.principal;
      return (await refusal(c, ctx, () => leaveTeam(ctx), async () => (await roleOf(ctx, userId)) === undefined)) ?? c.redirect("/", 303);
    }),
  );
  app.post("/teams/:team/members/:id/remove", (c) =>
    inTeam(c, async (ctx) => {
      const { id: userId } = parsedForm(named, c.req.param());
      return (await refusal(c, ctx, () => removeMember(ctx, { userId }), async () => (await roleOf(ctx, userId)) === undefined)) ?? shownAfter(c, ctx, "removed");
    }),
  );
  app.post("/teams/:team/members/:id/role", (c) =>
    inTeam(c, async (ctx, form) => {
      const { id: userId, role } = parsedForm(roleChange, { ...c.req.param(), role: form.get("role") });
      // Whoever made themselves less may not ask again, and may have pressed twice.
      if (userId === ctx.principal.userId && role === ctx.principal.role) return shownAfter(c, ctx, "role");
      return (await refusal(c, ctx, () => changeRole(ctx, { userId, role }), async () => (await roleOf(ctx, userId)) === role)) ?? shownAfter(c, ctx, "role");
    }),
  );
  app.post("/teams/:team/invitations", (c) =>
    inTeam(c, async (ctx, form) => {
      const { role, days } = parsedForm(invitation, Object.fromEntries(form));
      // First, so that nothing stands between the link and the page that shows it this once.
      const { name } = await showTeam(ctx);
      const { token, invitation: made } = await invite({ ...ctx, seed: seedOf(c, form) }, { role, expiresInDays: days });
      const link = `${publicOrigin(new URL(c.req.url), services.config)}/invitation?token=${token}`;
      return showPage(c, { title: "Your invitation", status: 201, body: <NewInvitationPage invitation={made} team={name} link={link} /> });
    }),
  );
  app.post("/teams/:team/invitations/:id/revoke", (c) =>
    inTeam(c, async (ctx) => {
      await revokeInvitation(ctx, parsedForm(named, c.req.param()));
      return shownAfter(c, ctx, "revoked");
    }),
  );

  app.post("/teams/:team/beside", (c) =>
    inTeam(c, async (ctx, form, { person }) => {
      const { name } = parsedForm(naming, { name: form.get("name") });
      const own = await listTeams({ ...ctx, person });
      // A form that is sent twice finds the team there.
      const there = own.find((team) => team.organizationId === ctx.principal.organizationId && team.name === name && team.eraseAt === null);
      const { id } = there ?? (await createTeam(ctx, { name }));
      return c.redirect(`/teams/${id}`, 303);
    }),
  );

  async function inTeam(c: WebCall, work: (ctx: Inviting, form: URLSearchParams, visitor: Visitor) => Promise<Response>): Promise<Response> {
    const form = await formOf(c);
    const { tenants, invitations } = services;
    return orSignInAgain(c, `teams/${c.req.param("team")}`, () =>
      forMember(services, c, (principal, visitor) => work({ principal, now: Date.now(), from: originOfCall(c), tenants, invitations }, form, visitor)),
    );
  }
  return app;
}

const roleOf = async ({ principal, tenants }: Inviting, userId: string): Promise<Role | undefined> => (await tenants.findMember(principal, userId))?.role;

const shownAfter = (c: WebCall, { principal }: Inviting, done: Deed): Response => c.redirect(`/teams/${principal.teamId}?done=${done}`, 303);

/** Why it was not done, with the way back to the team. A button that is pressed twice finds done what it asks for, which is no reason. */
async function refusal(c: WebCall, { principal }: Inviting, act: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<Response | undefined> {
  try {
    await act();
  } catch (error) {
    const known = asDomainError(error);
    if (known?.code !== "CONFLICT" && known?.code !== "NOT_FOUND") throw error;
    if (await isDone()) return undefined;
    const advice = known.code === "NOT_FOUND" ? "They may have left." : (known.hint ?? "");
    return errorPage(c, statusOf[known.code], known.message, advice, { link: { href: `/teams/${principal.teamId}`, children: "All members" } });
  }
  return undefined;
}
