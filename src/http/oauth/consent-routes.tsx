import { AuthorizationError, authorizationErrorRedirect, CimdFetchError, type AuthRequest } from "@cloudflare/workers-oauth-provider";
import { Hono, type Context } from "hono";
import type { Services } from "../../app.ts";
import { DomainError } from "../../domain/errors.ts";
import { subjectText } from "../../domain/tenancy/grant-ports.ts";
import { chooseTeam, noteGrant } from "../../domain/tenancy/grants.ts";
import { isScope, type Scope, scopes } from "../../domain/tenancy/principal.ts";
import { errorPage } from "../web/pages/error-page.tsx";
import { showPage } from "../web/pages/layout.tsx";
import { formOf } from "../web/form.ts";
import { canonicalOrigin, findVisitor, originOfCall, rememberReturn, sameOriginOnly, type Web } from "../web/visit.ts";
import { offlineAccess, paths } from "./authorization-server.ts";
import { backToClient } from "./back-to-client.tsx";
import { isAcceptableClientId } from "./client-address.ts";
import { ConsentPage } from "./consent-page.tsx";
import { UsedTwice } from "./records.ts";
import { isShownName } from "./registration.ts";
import { firstScopes } from "./resources.ts";

type Call = Context<Web>;

/** Where a person lets a client act for them: in which team, and what it may do there. */
export function consentRoutes(services: Services): Hono<Web> {
  const { oauth, grants } = services;
  const app = new Hono<Web>();
  app.use(paths.authorize, canonicalOrigin(services), sameOriginOnly(services), findVisitor(services));

  app.get(paths.authorize, async (c) => {
    const visitor = c.get("visitor");
    if (!visitor) {
      // Nothing is looked at, let alone fetched, for a stranger.
      rememberReturn(c);
      return c.redirect("/sign-in");
    }
    if (!isAcceptableClientId(new URL(c.req.url).searchParams.get("client_id") ?? "")) return unknownClient(c);
    return explained(c, async () => {
      const api = oauth.helpers(new URL(c.req.url), Date.now());
      const request = await api.parseAuthRequest(c.req.raw);
      const problem = problemOf(request);
      if (problem) return backToClient(c, authorizationErrorRedirect(request, problem.code, problem.description), problem.description);
      const client = await api.describeConsent(request);
      if (!isShownName(client.clientName)) return unshownClient(c);
      const teams = await grants.memberships(visitor.person);
      if (teams.length === 0) return errorPage(c, 403, "You are in no team", "Ask an owner or admin of yours for an invitation.");
      const { handle, headers } = await api.beginConsent(request);
      const page = showPage(c, {
        title: "Let a client use your memory",
        audience: "outward",
        body: <ConsentPage client={client} visitor={visitor} teams={teams} offered={offeredTo(request)} handle={handle} />,
      });
      return withCookies(page, headers);
    });
  });

  app.post(paths.authorize, async (c) => {
    const visitor = c.get("visitor");
    const form = await formOf(c);
    // The page says whose consent it asks for; somebody else may have signed in since.
    if (!visitor || form.get("session") !== visitor.session.id) {
      return errorPage(c, 403, "You are no longer signed in as before", "Go back to the client and start again.");
    }
    return explained(c, async () => {
      const now = Date.now();
      const api = oauth.helpers(new URL(c.req.url), now);
      const handle = form.get("handle") ?? "";
      if (form.get("decision") !== "allow") {
        const denied = await api.denyConsent(c.req.raw, handle);
        return withCookies(c.redirect(denied.redirectTo, 303), denied.headers);
      }
      const team = await chooseTeam(grants, visitor.person, form.get("team") ?? "");
      const ticked = form.getAll("scope").filter(isScope);
      if (ticked.length === 0) return errorPage(c, 400, "Nothing is chosen that the client may do", "Go back and choose something, or deny.");
      const { request, headers } = await api.approveConsent(c.req.raw, handle);
      const scope = grantedScopes(request, ticked);
      if (scope.length === 0) return errorPage(c, 400, "The client did not ask for this", "Go back to the client and start again.");
      const client = await api.describeConsent(request);
      const { redirectTo } = await api.completeAuthorization({
        request,
        userId: subjectText({ userId: visitor.person.userId, teamId: team.teamId }),
        metadata: { clientName: client.clientName, redirectHost: client.redirectHost },
        scope,
        props: {},
      });
      await services.oauthRecords.keepForever(`client:${request.clientId}`);
      await noteGrant(grants, visitor.person, team, { id: request.clientId }, now, originOfCall(c));
      return withCookies(c.redirect(redirectTo, 303), headers);
    });
  });
  return app;
}

/** What the library lets pass and we do not: RFC 9700 section 2.1.1 wants PKCE of every client. */
function problemOf(request: AuthRequest): { code: "invalid_request" | "invalid_scope"; description: string } | undefined {
  if (!request.codeChallenge || request.codeChallengeMethod !== "S256") {
    return { code: "invalid_request", description: "PKCE with code_challenge_method S256 is required" };
  }
  if (request.scope.length > 0 && !request.scope.some((scope) => isScope(scope) || scope === offlineAccess)) {
    return { code: "invalid_scope", description: `Scopes: ${scopes.join(" ")}` };
  }
  return undefined;
}

/** Without a word on scopes, or on ours, a client is offered the usual ones. */
function askedOf(request: AuthRequest): readonly Scope[] {
  const asked = request.scope.filter(isScope);
  return asked.length > 0 ? asked : firstScopes;
}

/** The power over keys is given only by a tick of one's own. */
const offeredTo = (request: AuthRequest): { scope: Scope; chosen: boolean }[] =>
  scopes.filter((scope) => askedOf(request).includes(scope)).map((scope) => ({ scope, chosen: scope !== "memory:admin" }));

/** Fewer than asked for, never more. */
function grantedScopes(request: AuthRequest, ticked: readonly Scope[]): string[] {
  const granted = askedOf(request).filter((scope) => ticked.includes(scope));
  return granted.length > 0 && request.scope.includes(offlineAccess) ? [...granted, offlineAccess] : [...granted];
}

const unshownClient = (c: Call): Response => errorPage(c, 400, "This client's name cannot be shown", "It is too long, or has characters that nobody can see. Ask its publisher to correct it.");

const unknownClient = (c: Call): Response => errorPage(c, 400, "This client is not known", "Start again from the client; it may have to register anew.");

/** Errors that a client may hear of are sent back to it; the others a person reads, because nobody else can be trusted with them. */
async function explained(c: Call, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof AuthorizationError) {
      if (error.redirectTo) return backToClient(c, error.redirectTo, error.description);
      return errorPage(c, 400, "This request for access is not valid", `${error.description}. Start again from the client.`);
    }
    if (error instanceof CimdFetchError) return unknownClient(c);
    if (error instanceof UsedTwice) return errorPage(c, 400, "This page was used already", "Start again from the client.");
    if (error instanceof DomainError && error.code === "PERMISSION_DENIED") return errorPage(c, 403, error.message, error.mend ?? "");
    throw error;
  }
}

function withCookies(answer: Response, headers: Headers): Response {
  for (const cookie of headers.getSetCookie()) answer.headers.append("set-cookie", cookie);
  return answer;
}
