import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { createKey, defaultLifetimeDays, type KeyContext, maxLifetimeDays, revokeKey, rotateKey } from "../../domain/tenancy/keys.ts";
import { roleAllows, scopes } from "../../domain/tenancy/principal.ts";
import { noSuchTeam, principalIn } from "../../domain/tenancy/teams.ts";
import { orExplained } from "./for-member.tsx";
import { forVisitor } from "./fresh-sign-in.tsx";
import { formOf, parsedForm, seedOf } from "./form.ts";
import { IssuedKeyPage, NewKey } from "./pages/keys.tsx";
import { showPage } from "./pages/layout.tsx";
import { forBrowsers, originOfCall, type Visitor, type Web } from "./web-session.ts";
import { Hono } from "../hono.ts";

type WebCall = Context<Web>;

const creation = z.object({
  name: z.string().trim().min(1, "Give it a name.").max(100),
  team: z.string().min(1).max(100),
  scopes: z.array(z.enum(scopes)).min(1, "Choose what the key may do."),
  days: z.coerce.number().int().min(1).max(maxLifetimeDays).default(defaultLifetimeDays),
});

/** The forms of the account page by which people make, replace and revoke their keys. */
export function keyPages(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  for (const path of ["/keys", "/keys/*"]) app.use(path, forBrowsers(services));

  app.post("/keys", (c) =>
    forKeyOwner(c, async (visitor) => {
      const form = await formOf(c);
      c.set("written", <NewKey teams={await services.grants.memberships(visitor.person)} given={form} />);
      const { team, days, name, scopes: ticked } = parsedCreation(form);
      const ctx = await contextIn(c, visitor, team, form);
      // The boxes are the same for all teams of the form, which says in which ones a person only reads.
      const possible = ticked.filter((scope) => roleAllows(ctx.principal.role, scope));
      const issued = await createKey(ctx, { name, scopes: possible.length > 0 ? possible : ticked, expiresInDays: days });
      return showPage(c, { title: "Your new key", status: 201, body: <IssuedKeyPage issued={issued} /> });
    }),
  );
  app.post("/keys/:team/:keyId/rotate", (c) =>
    forKeyOwner(c, async (visitor) => {
      const { oldExpiresAt, ...issued } = await rotateKey(await contextIn(c, visitor, c.req.param("team"), await formOf(c)), { keyId: c.req.param("keyId") });
      return showPage(c, { title: "Your new key", status: 201, body: <IssuedKeyPage issued={issued} oldExpiresAt={oldExpiresAt} /> });
    }),
  );
  app.post("/keys/:team/:keyId/revoke", (c) =>
    forKeyOwner(c, async (visitor) => {
      await revokeKey(await contextIn(c, visitor, c.req.param("team")), { keyId: c.req.param("keyId") });
      return c.redirect("/", 303);
    }),
  );

  async function contextIn(c: WebCall, visitor: Visitor, teamId: string, form?: URLSearchParams): Promise<KeyContext> {
    const principal = await principalIn(services.tenants, visitor, teamId);
    if (!principal) throw noSuchTeam();
    return { principal, now: Date.now(), keys: services.keys, from: originOfCall(c), seed: seedOf(c, form) };
  }

  const forKeyOwner = (c: WebCall, work: (visitor: Visitor) => Promise<Response>): Promise<Response> =>
    forVisitor(c, "keys", (visitor) => orExplained(services, c, visitor, () => work(visitor)));

  return app;
}

const parsedCreation = (form: URLSearchParams): z.output<typeof creation> =>
  parsedForm(creation, { name: form.get("name"), team: form.get("team"), scopes: form.getAll("scope"), days: form.get("days") ?? undefined });
