import type { Context, MiddlewareHandler } from "hono";
import type { Services } from "../../app.ts";
import { type Refused, refusedAs } from "../../domain/audit/refusals.ts";
import { forbidden } from "../../domain/errors.ts";
import type { CallOrigin } from "../../domain/tenancy/audit-entry.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { Person, WebSession } from "../../domain/tenancy/sign-in-store.ts";
import { noSuchTeam, type PersonContext, principalIn, type TenantContext } from "../../domain/tenancy/teams.ts";
import { proveSession } from "../../domain/tenancy/web-session.ts";
import { callOrigin } from "../call-origin.ts";
import { bearerToken, proveCredential } from "../credentials.ts";
import { invalidCredential, keyChallenge, noCredential, unauthorized } from "../errors.ts";
import { auditLater } from "../later.ts";
import { charge } from "./limits.ts";
import { refuseQuery } from "./query.ts";
import { changesNothing, comesFromOwnPage, sessionToken } from "../web/web-session.ts";

/** Who calls the REST interface: a key, which is for one team, or a browser, whose person may be in several. */
export type Caller = ({ kind: "key"; principal: Principal } | { kind: "browser"; person: Person; session: WebSession }) & { now: number; from: CallOrigin };

export interface RestEnv {
  Variables: { requestId: string; caller: Caller; auditSubject?: AuditSubject };
}

/** Who is refused, if the request is. */
export interface AuditSubject {
  who: Refused;
  from: CallOrigin;
}

/**
 * A request with an Authorization header is judged by that alone. A cookie comes along by itself, so what is to change
 * something by it must come from a page of this server.
 */
export const findCaller = (services: Services): MiddlewareHandler<RestEnv> => async (c, next) => {
  if (c.req.header("authorization") !== undefined) return findKey(services)(c, next);
  const requestId = c.get("requestId");
  const now = Date.now();
  const found = await proveSession(services.signIn, sessionToken(c), now);
  if (!found) return unauthorized("Sign in, or send your API key as Authorization: Bearer omn_….", requestId, keyChallenge);
  const from = callOrigin(c.req.raw.headers, requestId, "web");
  c.set("auditSubject", { who: { userId: found.person.userId, credentialId: found.session.id }, from });
  if (!changesNothing(c.req.method) && !comesFromOwnPage(c.req.raw, services)) throw forbidden("This request came from another site.", "Send it from a page of OmniMemory, or with an API key.");
  c.set("caller", { kind: "browser", ...found, now, from });
  await charge(services, c, 1);
  refuseQuery(c);
  return next();
};

/** The caller by their API key alone: a cookie is not looked at. */
export const findKey = (services: Services): MiddlewareHandler<RestEnv> => async (c, next) => {
  const requestId = c.get("requestId");
  const now = Date.now();
  const token = bearerToken(c.req.header("authorization"));
  if (token === undefined) return noCredential(requestId, keyChallenge);
  // Access tokens are for MCP, not for what a client could widen its own rights with.
  const from = callOrigin(c.req.raw.headers, requestId);
  const presented = { token, from, resource: undefined };
  const proof = await proveCredential(services, { keys: services.keys, tokens: services.oauth }, presented, (work) => c.executionCtx.waitUntil(work), now);
  if (proof.kind !== "ok") return invalidCredential(requestId, keyChallenge);
  c.set("caller", { kind: "key", principal: proof.principal, now, from });
  await charge(services, c, 1);
  c.set("auditSubject", { who: refusedAs(proof.principal), from });
  auditLater(services, c, requestId, services.uses.note(proof.principal, from, now));
  refuseQuery(c);
  return next();
};

/** The caller in the team of the path or, where it names none, of their key. @throws when they are not in it, or their key is for another one */
export async function callerInTeam(services: Services, c: Context<RestEnv>, teamId = c.req.param("team") ?? teamOfKey(c)): Promise<TenantContext> {
  return { ...rest(services, c.get("caller")), principal: await principalOf(services, c, teamId) };
}

/** The caller in a deleted team, which only a browser can be: keys to it open nothing. */
export async function callerInDeletedTeam(services: Services, c: Context<RestEnv>): Promise<TenantContext> {
  const caller = c.get("caller");
  const principal = caller.kind === "browser" ? await principalIn(services.tenants, caller, c.req.param("team") ?? "", { now: caller.now }) : undefined;
  if (!principal) throw noSuchTeam();
  c.set("auditSubject", { who: refusedAs(principal), from: caller.from });
  return { ...rest(services, caller), principal };
}

/** A key is for one team, so it does not reach what belongs to the person alone. */
export const callingPerson = (services: Services, c: Context<RestEnv>): PersonContext => ({ ...rest(services, c.get("caller")), person: callingBrowser(c).person });

/** The session by which the person calls. */
export const callingSession = (c: Context<RestEnv>): WebSession => callingBrowser(c).session;

function callingBrowser(c: Context<RestEnv>): Extract<Caller, { kind: "browser" }> {
  const caller = c.get("caller");
  if (caller.kind === "key") throw forbidden("An API key is for one team; this is for a person.", "Sign in with a browser.");
  return caller;
}

function teamOfKey(c: Context<RestEnv>): string {
  const caller = c.get("caller");
  return caller.kind === "key" ? caller.principal.teamId : "";
}

async function principalOf(services: Services, c: Context<RestEnv>, teamId: string): Promise<Principal> {
  const caller = c.get("caller");
  const found = caller.kind === "browser" ? await principalIn(services.tenants, caller, teamId) : caller.principal;
  if (found?.teamId !== teamId) throw noSuchTeam();
  c.set("auditSubject", { who: refusedAs(found), from: caller.from });
  return found;
}

const rest = (services: Services, { now, from }: Caller): Omit<PersonContext, "person"> => ({ now, from, tenants: services.tenants });
