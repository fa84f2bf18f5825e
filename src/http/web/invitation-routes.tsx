import type { Context } from "hono";
import type { Services } from "../../app.ts";
import { DomainError } from "../../domain/errors.ts";
import { acceptInvitation, readInvitation } from "../../domain/tenancy/invitations.ts";
import { errorPage } from "./pages/error-page.tsx";
import { InvitationPage, SignInFirstPage } from "./pages/invitation-page.tsx";
import { showPage } from "./pages/layout.tsx";
import { formOf } from "./form.ts";
import { forBrowsers, originOfCall, type Web } from "./web-session.ts";
import { rememberReturn } from "./way-back.ts";
import { Hono } from "../hono.ts";

const refused = "This invitation cannot be accepted";
const advice = "It may be used, expired, revoked or mistyped. Ask for a new one.";

/** Where the link of an invitation leads. Looking at it uses nothing up. */
export function invitationPages(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  app.use("/invitation", forBrowsers(services));

  app.get("/invitation", async (c) => {
    const visitor = c.get("visitor");
    const token = c.req.query("token") ?? "";
    if (!visitor) return signInFirst(services, c, token, 200);
    const found = await readInvitation(services.invitations, token, Date.now());
    if (!found) return errorPage(c, 404, refused, advice);
    return showPage(c, { title: "Invitation", body: <InvitationPage invitation={found} token={token} person={visitor.person.name} /> });
  });

  app.post("/invitation", async (c) => {
    const visitor = c.get("visitor");
    const token = (await formOf(c)).get("token") ?? "";
    if (!visitor) return signInFirst(services, c, token, 401);
    try {
      await acceptInvitation({ person: visitor.person, now: Date.now(), from: originOfCall(c), tenants: services.tenants, invitations: services.invitations }, { token });
    } catch (error) {
      if (error instanceof DomainError) return errorPage(c, 404, refused, advice);
      throw error;
    }
    return c.redirect("/", 303);
  });
  return app;
}

/** Whatever way the person signs in by, they come back to the invitation. */
async function signInFirst(services: Services, c: Context<Web>, token: string, status: 200 | 401): Promise<Response> {
  await rememberReturn(services, c, `/invitation?token=${encodeURIComponent(token)}`);
  return showPage(c, { title: "Invitation", status, body: <SignInFirstPage what="You are invited to a team" /> });
}
