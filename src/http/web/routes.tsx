import { Hono } from "hono";
import type { Services } from "../../app.ts";
import { disconnect } from "../../domain/tenancy/grants.ts";
import { takeSignInLink } from "../../domain/tenancy/sign-in-link.ts";
import { endSession } from "../../domain/tenancy/web-session.ts";
import { formOf } from "./form.ts";
import { errorPage } from "./pages/error-page.tsx";
import { favicon } from "./pages/favicon.ts";
import { HomePage } from "./pages/home-page.tsx";
import { showPage } from "./pages/layout.tsx";
import { SignInLinkPage, SignInPage } from "./pages/sign-in-page.tsx";
import { style } from "./pages/style.ts";
import { canonicalOrigin, findVisitor, forgetSession, keptReturn, originOfCall, rememberReturn, sameOriginOnly, signIn, takeReturn, type Web } from "./visit.ts";

const pagePaths = ["/", "/sign-in", "/sign-in/*", "/sign-out", "/sessions/*", "/connections/*"];

/** Pages for people: signing in, and where they are signed in. */
export function webRoutes(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  const providers = services.config.signInProviders;
  const leading = providers.length > 0 ? "account-outward" : "account";
  for (const path of ["/favicon.svg", "/favicon.ico"]) app.get(path, (c) => c.body(favicon, 200, { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" }));
  app.get("/style.css", (c) => c.body(style, 200, { "content-type": "text/css; charset=utf-8", "cache-control": "max-age=300" }));

  for (const path of pagePaths) app.use(path, canonicalOrigin(services), sameOriginOnly(services), findVisitor(services));

  app.get("/", async (c) => {
    const visitor = c.get("visitor");
    if (!visitor) return c.redirect("/sign-in");
    const now = Date.now();
    const [sessions, connections, keys, memberships, identities, passkeys, recovery] = await Promise.all([
      services.signIn.listSessions(visitor.person, now),
      services.grants.connections(visitor.person, now),
      services.keys.listOwnKeys(visitor.person, now),
      services.grants.memberships(visitor.person),
      services.identities.identities(visitor.person),
      services.passkeys.passkeys(visitor.person),
      services.signIn.ownRecoveryLink(visitor.person, now),
    ]);
    const ways = { identities, passkeys, recovery, providers };
    const { method, createdAt: signedInAt } = visitor.session;
    const isStranded = method === "recovery" && ![...identities, ...passkeys, ...(recovery ? [recovery] : [])].some(({ createdAt }) => createdAt >= signedInAt);
    const teams = memberships.filter(({ role }) => role !== "viewer");
    const stranded = isStranded ? { onward: keptReturn(c) } : undefined;
    const page = <HomePage visitor={visitor} stranded={stranded} sessions={sessions} connections={connections} keys={{ keys, teams }} ways={ways} />;
    return showPage(c, { title: "Your account", audience: leading, body: page });
  });

  app.get("/sign-in", (c) => {
    const isAgain = c.req.query("again") !== undefined;
    if (c.get("visitor") && !isAgain) return c.redirect("/");
    if (isAgain) rememberReturn(c, "/");
    return showPage(c, { title: "Sign in", audience: leading, body: <SignInPage providers={providers} local={!services.config.production} /> });
  });

  // `outward`: signing in may lead on to a client's request that is wrong, and from there back to the client.
  app.get("/sign-in/link", (c) => showPage(c, { title: "Sign in", audience: "outward", body: <SignInLinkPage token={c.req.query("token") ?? ""} /> }));
  app.post("/sign-in/link", async (c) => {
    const token = (await formOf(c)).get("token") ?? undefined;
    const use = await takeSignInLink({ links: services.signIn, sessions: services.signIn }, token, Date.now(), originOfCall(c));
    if (!use) {
      const mend = services.config.production ? "Sign in another way." : "Start the server again for a new link.";
      return errorPage(c, 403, "This link does not sign you in", `It may be used, expired or mistyped, or there is another way in by now. ${mend}`);
    }
    await signIn(services, c, use.person, use.isOwn ? "recovery" : "link");
    // The home page says that the link is used up, and leads on to what the person came for.
    return c.redirect(use.isOwn ? "/" : takeReturn(c), 303);
  });

  app.post("/sign-out", async (c) => {
    const visitor = c.get("visitor");
    if (visitor) await endSession(services.signIn, visitor.person, visitor.session.id, Date.now(), originOfCall(c));
    forgetSession(c);
    return c.redirect("/sign-in", 303);
  });

  app.post("/sessions/:id/end", async (c) => {
    const visitor = c.get("visitor");
    if (!visitor) return c.redirect("/sign-in", 303);
    await endSession(services.signIn, visitor.person, c.req.param("id"), Date.now(), originOfCall(c));
    return c.redirect("/", 303);
  });

  app.post("/connections/:teamId/:grantId/end", async (c) => {
    const visitor = c.get("visitor");
    if (!visitor) return c.redirect("/sign-in", 303);
    await disconnect(services.grants, visitor.person, c.req.param(), Date.now(), originOfCall(c));
    return c.redirect("/", 303);
  });
  return app;
}
