import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Services } from "../../app.ts";
import { isAllowed } from "../../domain/tenancy/allow-list.ts";
import { requireFreshSignIn } from "../../domain/tenancy/fresh-sign-in.ts";
import { type Identity, linkIdentity, personOf } from "../../domain/tenancy/identities.ts";
import { auditedFailuresPerMinute } from "../../domain/tenancy/keys.ts";
import { attemptMs, beginAttempt, takeAttempt } from "../../domain/tenancy/sign-in-attempts.ts";
import { publicOrigin } from "../origin.ts";
import { errorPage } from "../web/pages/error-page.tsx";
import { showPage } from "../web/pages/layout.tsx";
import { NotListedPage } from "../web/pages/not-listed-page.tsx";
import { forVisitor } from "../web/fresh-sign-in.tsx";
import { forBrowsers, originOfCall, signIn, type Web } from "../web/web-session.ts";
import { takeReturn } from "../web/way-back.ts";
import type { UpstreamProvider } from "./provider.ts";
import { isClockFault, isRefusal, Upstream, upstreamState, type Vouched } from "./upstream.ts";
import { Hono } from "../hono.ts";

type WebCall = Context<Web>;

const cookieName = "upstream";
const cookie = { prefix: "host", httpOnly: true, sameSite: "Lax" } as const;

/** Signing in with an account elsewhere, and adding such an account to one's own. */
export function upstreamRoutes(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  const { config, signIn: attempts, identities } = services;
  const upstreams = new Map(config.signInProviders.map((provider) => [provider.id, { provider, upstream: new Upstream(provider) }]));
  for (const path of ["/sign-in/with/*", "/identities/*", "/sign-in/callback/*"]) app.use(path, forBrowsers(services));

  app.post("/sign-in/with/:provider", (c) => begin(c, undefined));
  app.post("/identities/:provider", (c) =>
    forVisitor(c, "ways-in", ({ person, session }) => {
      // Before the person is sent anywhere; it is asked again when they are back.
      requireFreshSignIn(session.createdAt, Date.now());
      return begin(c, person.userId);
    }),
  );

  app.get("/sign-in/callback/:provider", async (c) => {
    const known = upstreams.get(c.req.param("provider"));
    const now = Date.now();
    const token = getCookie(c, cookieName, "host");
    deleteCookie(c, cookieName, cookie);
    const kept = upstreamState.safeParse(await takeAttempt(attempts, "upstream", token, now));
    if (!known || !kept.success || kept.data.provider !== known.provider.id) return refuse(c, "The sign-in was begun in another browser, or too long ago", undefined);
    let vouched: Vouched;
    try {
      vouched = await known.upstream.finish(new URL(c.req.url), redirectUriOf(c, known.provider), kept.data, now);
    } catch (error) {
      return refuse(c, `${known.provider.name} did not sign you in`, error);
    }
    const { identity, verified } = vouched;
    if (!isAllowed(known.provider.allow, verified)) return refuseUnlisted(c, known.provider, verified);
    return kept.data.linkTo === undefined ? signInAs(c, identity, now) : link(c, identity, kept.data.linkTo, now);
  });

  async function begin(c: WebCall, linkTo: string | undefined): Promise<Response> {
    const known = upstreams.get(c.req.param("provider") ?? "");
    if (!known) return errorPage(c, 404, "There is no such way to sign in", "Choose one of those on the sign-in page.");
    const now = Date.now();
    try {
      const { url, state } = await known.upstream.begin(redirectUriOf(c, known.provider), now);
      const token = await beginAttempt(attempts, "upstream", { ...state, linkTo }, now);
      setCookie(c, cookieName, token, { ...cookie, maxAge: attemptMs / 1000 });
      return c.redirect(url.href, 303);
    } catch (error) {
      return refuse(c, `${known.provider.name} cannot be reached`, error);
    }
  }

  async function signInAs(c: WebCall, identity: Identity, now: number): Promise<Response> {
    const person = await personOf(identities, identity, now, originOfCall(c));
    if (!person) return refuse(c, "This account was deleted", undefined);
    await signIn(services, c, person, "upstream");
    return c.redirect(await takeReturn(services, c, person), 303);
  }

  /** Only for the person who asked for it, in the browser where they did: else an attacker's account would be added to a victim's. */
  async function link(c: WebCall, identity: Identity, linkTo: string, now: number): Promise<Response> {
    if (c.get("visitor")?.person.userId !== linkTo) return refuse(c, "You are no longer signed in as before", undefined);
    return forVisitor(c, "ways-in", async (visitor) => {
      const outcome = await linkIdentity(identities, visitor, identity, now, originOfCall(c));
      return outcome === "linked" ? c.redirect("/", 303) : errorPage(c, 409, "This account belongs to somebody else here", "Sign in with it instead, or add another one.");
    });
  }

  async function refuse(c: WebCall, what: string, error: unknown): Promise<Response> {
    if (error !== undefined && !isRefusal(error)) services.report("sign-in.upstream", c.get("requestId"), error);
    await noteRefused(c, "upstream");
    return errorPage(c, 403, what, isClockFault(error) ? "The clocks of this server and of the issuer differ. Set this server's clock, then try again." : "Go back to the sign-in page and try again.");
  }

  /**
   * The allow-list also holds for people who have an account here: it says who may sign in today, not who could once. An
   * invitation does not overrule it.
   */
  async function refuseUnlisted(c: WebCall, provider: UpstreamProvider, verified: readonly string[]): Promise<Response> {
    await noteRefused(c, "not-listed");
    return showPage(c, { title: "Not let in yet", status: 403, body: <NotListedPage provider={provider.name} server={new URL(c.req.url).host} verified={verified} /> });
  }

  async function noteRefused(c: WebCall, subject: "upstream" | "not-listed"): Promise<void> {
    await attempts.auditFailure({ ...originOfCall(c), at: Date.now(), action: "sign-in.refused", success: false, subject }, auditedFailuresPerMinute);
  }

  /** One for each issuer, so that the answer of one cannot be taken for another's. */
  const redirectUriOf = (c: WebCall, provider: UpstreamProvider): string => `${publicOrigin(new URL(c.req.url), config)}/sign-in/callback/${provider.id}`;
  return app;
}
