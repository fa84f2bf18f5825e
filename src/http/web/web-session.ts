import type { Context, MiddlewareHandler } from "hono";
import type { Child } from "hono/jsx";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Services } from "../../app.ts";
import type { CallOrigin } from "../../domain/tenancy/audit-entry.ts";
import { ensurePersonalTeam } from "../../domain/tenancy/teams.ts";
import type { Person, SignInMethod, WebSession } from "../../domain/tenancy/sign-in-store.ts";
import { lifetimeMs, proveSession, startSession } from "../../domain/tenancy/web-session.ts";
import { callOrigin } from "../call-origin.ts";
import { publicOrigin } from "../origin.ts";
import type { Audience } from "../security-headers.ts";
import { errorPage } from "./pages/error-page.tsx";

/** The variables of a request to the web routes. `written`: what the person gave, which the page that refuses it shows: in its form, or as text where sending it again is of no use. */
export interface Web {
  Variables: { requestId: string; audience?: Audience; visitor: Visitor | undefined; written?: Child };
}

/** A person and the browser that they are signed in with. */
export interface Visitor {
  person: Person;
  session: WebSession;
}

type WebContext = Context<Web>;

const cookieName = "session";
const cookie = { prefix: "host", httpOnly: true, sameSite: "Lax" } as const;

export const sessionToken = (c: Context): string | undefined => getCookie(c, cookieName, "host");
export const keepSession = (c: WebContext, token: string): void => setCookie(c, cookieName, token, { ...cookie, maxAge: lifetimeMs / 1000 });
export const forgetSession = (c: WebContext): unknown => deleteCookie(c, cookieName, cookie);

export const originOfCall = (c: WebContext): CallOrigin => callOrigin(c.req.raw.headers, c.get("requestId"), "web");

/**
 * Cookies are sent along with requests that other sites cause, so a request that changes something must come from a page
 * of this very origin. Browsers say so in Sec-Fetch-Site and Origin; who says neither is no browser with a page of ours.
 */
export function comesFromOwnPage(request: Request, services: Services): boolean {
  const site = request.headers.get("sec-fetch-site") ?? undefined;
  const origin = request.headers.get("origin") ?? undefined;
  const saysSame = (site ?? origin) !== undefined;
  const own = publicOrigin(new URL(request.url), services.config);
  return saysSame && (site ?? "same-origin") === "same-origin" && (origin ?? own) === own;
}

export const changesNothing = (method: string): boolean => method === "GET" || method === "HEAD";

/** Before each page: browsers are led to the one name under which their cookies live, and change nothing for another site. */
export const forBrowsers = (services: Services): MiddlewareHandler<Web> => async (c, next) => {
  const url = new URL(c.req.url);
  const own = publicOrigin(url, services.config);
  if (url.origin !== own) {
    if (c.req.method === "GET") return c.redirect(`${own}${url.pathname}${url.search}`, 302);
    return errorPage(c, 403, "This is not the address of OmniMemory's pages", `Open ${own} instead.`);
  }
  if (!changesNothing(c.req.method) && !comesFromOwnPage(c.req.raw, services)) return errorPage(c, 403, "This request came from another site", "Open OmniMemory itself and try again there.");
  c.set("visitor", await proveSession(services.signIn, sessionToken(c), Date.now()));
  return next();
};

/** From here on the browser is this person's; whatever session it had ends. */
export async function signIn(services: Services, c: WebContext, person: Person, method: SignInMethod): Promise<void> {
  const now = Date.now();
  const from = originOfCall(c);
  await ensurePersonalTeam({ person, now, from, tenants: services.tenants });
  const { token } = await startSession(
    services.signIn,
    { person, method, previousToken: sessionToken(c), userAgent: c.req.header("user-agent") },
    now,
    from,
  );
  keepSession(c, token);
}
