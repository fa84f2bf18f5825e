import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Services } from "../../app.ts";
import { attemptMs } from "../../domain/tenancy/sign-in-attempts.ts";
import type { Person } from "../../domain/tenancy/sign-in-store.ts";
import { keepWayBack, readWayBack, takeWayBack } from "../../domain/tenancy/way-back.ts";
import { returnPath } from "./return-to.ts";

const cookieName = "return-to";
const cookie = { prefix: "host", httpOnly: true, sameSite: "Lax" } as const;
const tokenOf = (c: Context): string | undefined => getCookie(c, cookieName, "host");

/**
 * After signing in, by whatever way and in whatever tab, the person goes on with what they came for. The cookie holds a
 * token only: a request for access may be longer than a cookie. `person`: who alone may go on with it.
 */
export async function rememberReturn(services: Services, c: Context, path: string, person?: Person): Promise<void> {
  const token = await keepWayBack(services.signIn, { path, userId: person?.userId }, tokenOf(c), Date.now(), c.req.header("cf-connecting-ip"));
  if (token !== undefined) setCookie(c, cookieName, token, { ...cookie, maxAge: attemptMs / 1000 });
}

/** `undefined` when the person came for nothing but signing in. */
export async function keptReturn(services: Services, c: Context, person: Person): Promise<string | undefined> {
  const path = here(c, await readWayBack(services.signIn, tokenOf(c), person, Date.now()));
  return path === "/" ? undefined : path;
}

export async function takeReturn(services: Services, c: Context, person: Person): Promise<string> {
  const token = tokenOf(c);
  if (token === undefined) return "/";
  deleteCookie(c, cookieName, cookie);
  return here(c, await takeWayBack(services.signIn, token, person, Date.now()));
}

const here = (c: Context, path: string | undefined): string => returnPath(path, new URL(c.req.url).origin);
