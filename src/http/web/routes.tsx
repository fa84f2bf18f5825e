import type { Context } from "hono";
import type { Services } from "../../app.ts";
import { disconnect } from "../../domain/tenancy/grants.ts";
import { previewSignInLink, takeSignInLink } from "../../domain/tenancy/sign-in-link.ts";
import type { LinkPreview, Person } from "../../domain/tenancy/sign-in-store.ts";
import { endSession, newToken } from "../../domain/tenancy/web-session.ts";
import { publicOrigin } from "../origin.ts";
import { formOf } from "./form.ts";
import { pathOf } from "./fresh-sign-in.tsx";
import { errorPage } from "./pages/error-page.tsx";
import { favicon } from "./pages/favicon.ts";
import { AccountPage } from "./pages/account-page.tsx";
import { showPage } from "./pages/layout.tsx";
import { SignInLinkPage } from "./pages/sign-in-link-page.tsx";
import { SignInPage } from "./pages/sign-in-page.tsx";
import { style } from "./pages/style.ts";
import { forBrowsers, forgetSession, originOfCall, signIn, type Visitor, type Web } from "./web-session.ts";
import { keptReturn, rememberReturn, takeReturn } from "./way-back.ts";
import { Hono } from "../hono.ts";

const pagePaths = ["/", "/sign-in", "/sign-in/*", "/sign-out", "/sessions/*", "/connections/*"];

/** The person whom the browser is signed in as, if it is somebody else. */
function otherThan(c: Context<Web>, { userId }: Person): Visitor | undefined {
  const visitor = c.get("visitor");
  return visitor?.person.userId === userId ? undefined : visitor;
}

/** Pages for people: signing in, and where they are signed in. */
export function webRoutes(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  const providers = services.config.signInProviders;
  const leading = providers.length > 0 ? "account-outward" : "account";
  for (const path of ["/favicon.svg", "/favicon.ico"]) app.get(path, (c) => c.body(favicon, 200, { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" }));
  app.get("/style.css", (c) => c.body(style, 200, { "content-type": "text/css; charset=utf-8", "cache-control": "max-age=300" }));

  for (const path of pagePaths) app.use(path, forBrowsers(services));

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
    const signInMethods = { identities, passkeys, recovery, providers };
    const { method, createdAt: signedInAt } = visitor.session;
    const lacksSignInMethod = method === "recovery" && ![...identities, ...passkeys, ...(recovery ? [recovery] : [])].some(({ createdAt }) => createdAt >= signedInAt);
    const needsSignInMethod = lacksSignInMethod ? { onward: await keptReturn(services, c, visitor.person) } : undefined;
    const mcpUrl = `${publicOrigin(new URL(c.req.url), services.config)}/mcp`;
    const page = <AccountPage visitor={visitor} mcpUrl={mcpUrl} needsSignInMethod={needsSignInMethod} sessions={sessions} connections={connections} teams={memberships} keys={{ keys, teams: memberships }} signInMethods={signInMethods} />;
    return showPage(c, { title: "Your account", audience: leading, body: page });
  });

  app.get("/sign-in", async (c) => {
    const again = c.req.query("again");
    const person = c.get("visitor")?.person;
    if (person && again === undefined) return c.redirect("/");
    // Not for somebody else who signs in then.
    if (person) await rememberReturn(services, c, again ? pathOf(again) : "/", person);
    return showPage(c, { title: "Sign in", audience: leading, body: <SignInPage providers={providers} local={!services.config.production} again={person?.name} /> });
  });

  // `outward`: signing in may lead on to a client's request that is wrong, and from there back to the client.
  app.get("/sign-in/link", async (c) => {
    const token = c.req.query("token") ?? "";
    const link = await previewSignInLink(services.signIn, token, Date.now());
    return link ? showLink(c, token, link) : refuseLink(c);
  });
  app.post("/sign-in/link", async (c) => {
    const form = await formOf(c);
    const token = form.get("token") ?? "";
    const link = await previewSignInLink(services.signIn, token, Date.now());
    // The page says whose session ends; somebody else may have signed in since, or it was never shown.
    const other = link && otherThan(c, link.person);
    if (link && other && form.get("replace") !== other.session.id) return showLink(c, token, link, 409);
    const use = await takeSignInLink(services.signIn, { token, page: form.get("page") ?? "" }, Date.now(), originOfCall(c));
    if (!use) return refuseLink(c);
    await signIn(services, c, use.person, use.isOwn ? "recovery" : "link");
    // The account page says that the link is used up, and leads on to the page the person came for.
    return c.redirect(use.isOwn ? "/" : await takeReturn(services, c, use.person), 303);
  });

  const showLink = (c: Context<Web>, token: string, link: LinkPreview, status: 200 | 409 = 200): Response =>
    showPage(c, { title: "Sign in", status, audience: "outward", body: <SignInLinkPage token={token} link={link} other={otherThan(c, link.person)} page={newToken()} /> });

  function refuseLink(c: Context<Web>): Response {
    const hint = services.config.production ? "Sign in another way." : "Start the server again for a new link.";
    return errorPage(c, 403, "This link does not sign you in", `It may be used, expired or mistyped, or there is another way in by now. ${hint}`);
  }

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
