import { AuthorizationError, authorizationErrorRedirect, CimdFetchError, type AuthRequest } from "@cloudflare/workers-oauth-provider";
import type { Context } from "hono";
import type { Services } from "../../app.ts";
import { DomainError } from "../../domain/errors.ts";
import { subjectText, type TeamMembership } from "../../domain/tenancy/grant-store.ts";
import { chooseTeam, noteGrant } from "../../domain/tenancy/grants.ts";
import { isScope, roleAllows, type Scope, scopes } from "../../domain/tenancy/principal.ts";
import { maxWayBackLength } from "../../domain/tenancy/way-back.ts";
import { errorPage } from "../web/pages/error-page.tsx";
import { showPage } from "../web/pages/layout.tsx";
import { formOf } from "../web/form.ts";
import { forBrowsers, originOfCall, type Web } from "../web/web-session.ts";
import { rememberReturn } from "../web/way-back.ts";
import { offlineAccess, paths } from "./authorization-server.ts";
import { backToClient, sendDecision } from "./back-to-client.tsx";
import { isAcceptableClientId, isAddress } from "./client-address.ts";
import { ConsentPage } from "./consent-page.tsx";
import { UsedTwice } from "./records.ts";
import { redirectKind, redirectName } from "./redirects.ts";
import { isShownName } from "./registration.ts";
import { firstScopes } from "./resources.ts";
import { UnreadableClientPage } from "./unreadable-client-page.tsx";
import { Hono } from "../hono.ts";

type WebCall = Context<Web>;

/** Where a person lets a client act for them: in which team, and what it may do there. */
export function consentRoutes(services: Services): Hono<Web> {
  const { oauth, grants } = services;
  const isLocal = !services.config.production;
  const app = new Hono<Web>();
  app.use(paths.authorize, forBrowsers(services));

  app.get(paths.authorize, async (c) => {
    const visitor = c.get("visitor");
    const url = new URL(c.req.url);
    const { pathname, search, searchParams } = url;
    if (pathname.length + search.length > maxWayBackLength) return notValid(c, `A request has at most ${maxWayBackLength} characters`, 414);
    const clientId = searchParams.get("client_id") ?? "";
    if (!isAcceptableClientId(clientId)) return unknownClient(c);
    if (!redirectKind(searchParams.get("redirect_uri") ?? "")) return notValid(c, "The redirect URI is missing, or of a kind that access is not sent to");
    return explained(c, isLocal, async () => {
      const signInFirst = async (): Promise<Response> => {
        await rememberReturn(services, c, `${pathname}${search}`);
        return c.redirect("/sign-in");
      };
      if (!visitor && isAddress(clientId)) {
        // The server fetches nothing for a stranger, so it does not know yet whether the redirect address is the client's own.
        const problem = problemOf(unverified(searchParams));
        return problem ? notValid(c, problem.description) : signInFirst();
      }
      const api = oauth.helpers(url, Date.now());
      const request = await api.parseAuthRequest(c.req.raw);
      const problem = problemOf(request);
      if (problem) return backToClient(c, authorizationErrorRedirect(request, problem.code, problem.description), problem.description);
      if (!visitor) return signInFirst();
      const client = await api.describeConsent(request);
      if (!isShownName(client.clientName)) return unshownClient(c);
      const teams = await grants.memberships(visitor.person);
      if (teams.length === 0) return errorPage(c, 403, "You are in no team", "Ask an owner or admin of yours for an invitation.");
      const { handle, headers } = await api.beginConsent(request);
      const page = showPage(c, {
        title: "Let a client use your memory",
        audience: "outward",
        body: <ConsentPage client={client} visitor={visitor} teams={teams} offered={offeredTo(request, teams)} handle={handle} />,
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
    return explained(c, isLocal, async () => {
      const now = Date.now();
      const api = oauth.helpers(new URL(c.req.url), now);
      const handle = form.get("handle") ?? "";
      if (form.get("decision") !== "allow") {
        const denied = await api.denyConsent(c.req.raw, handle);
        return withCookies(sendDecision(c, denied.redirectTo), denied.headers);
      }
      const team = await chooseTeam(grants, visitor.person, form.get("team") ?? "");
      const ticked = form.getAll("scope").filter(isScope);
      if (ticked.length === 0) return errorPage(c, 400, "Nothing is chosen that the client may do", "Go back and choose something, or deny.");
      const { request, headers } = await api.approveConsent(c.req.raw, handle);
      const scope = grantedScopes(request, ticked.filter((each) => roleAllows(team.role, each)));
      if (scope.length === 0) return errorPage(c, 400, "The client cannot be given this", "It did not ask for it, or you only read in this team. Go back to the client and start again.");
      const client = await api.describeConsent(request);
      const { redirectTo } = await api.completeAuthorization({
        request,
        userId: subjectText({ userId: visitor.person.userId, teamId: team.teamId }),
        metadata: { clientName: client.clientName, redirectHost: redirectName(request.redirectUri) },
        scope,
        props: {},
        // A document describes a client on all its machines, and none of them ends what another was let do; who registers is one installation.
        revokeExistingGrants: !isAddress(request.clientId),
      });
      await services.oauthRecords.keepForever(`client:${request.clientId}`);
      await noteGrant(grants, visitor.person, team, { id: request.clientId }, now, originOfCall(c));
      return withCookies(sendDecision(c, redirectTo), headers);
    });
  });
  return app;
}

/** The parts of a request that its parameters name, unchecked. */
type Asked = Pick<AuthRequest, "responseType" | "scope"> & { codeChallenge?: string | undefined; codeChallengeMethod?: string | undefined };

const unverified = (parameters: URLSearchParams): Asked => ({
  responseType: parameters.get("response_type") ?? "",
  codeChallenge: parameters.get("code_challenge") ?? undefined,
  codeChallengeMethod: parameters.get("code_challenge_method") ?? undefined,
  scope: (parameters.get("scope") ?? "").split(" ").filter(Boolean),
});

/** RFC 9700 section 2.1.1 wants PKCE of every client; the library asks it of public ones. */
function problemOf(request: Asked): { code: "unsupported_response_type" | "invalid_request" | "invalid_scope"; description: string } | undefined {
  if (request.responseType !== "code") return { code: "unsupported_response_type", description: "The response type is code" };
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

/** What can be granted in one of the teams at least. The power over keys is given only by a tick of one's own. */
const offeredTo = (request: AuthRequest, teams: readonly TeamMembership[]): { scope: Scope; chosen: boolean }[] =>
  scopes.filter((scope) => askedOf(request).includes(scope) && teams.some(({ role }) => roleAllows(role, scope))).map((scope) => ({ scope, chosen: scope !== "memory:admin" }));

/** Fewer than asked for, never more. */
function grantedScopes(request: AuthRequest, ticked: readonly Scope[]): string[] {
  const granted = askedOf(request).filter((scope) => ticked.includes(scope));
  return granted.length > 0 && request.scope.includes(offlineAccess) ? [...granted, offlineAccess] : [...granted];
}

const notValid = (c: WebCall, description: string, status: 400 | 414 = 400): Response =>
  errorPage(c, status, "This request for access is not valid", `${description}. Start again from the client.`);

const unshownClient = (c: WebCall): Response => errorPage(c, 400, "This client's name cannot be shown", "It is too long, or has characters that nobody can see. Ask its publisher to correct it.");

const unknownClient = (c: WebCall): Response => errorPage(c, 400, "This client is not known", "Start again from the client; it may have to register anew.");

/** Errors that a client may hear of are sent back to it; the others a person reads, because nobody else can be trusted with them. */
async function explained(c: WebCall, local: boolean, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof AuthorizationError) {
      if (error.redirectTo) return backToClient(c, error.redirectTo, error.description);
      return notValid(c, error.description);
    }
    if (error instanceof CimdFetchError) {
      return showPage(c, { title: "The client's description could not be fetched", status: 400, body: <UnreadableClientPage address={error.metadataUrl} local={local} /> });
    }
    if (error instanceof UsedTwice) return errorPage(c, 400, "This page was used already", "Start again from the client.");
    if (error instanceof DomainError && error.code === "PERMISSION_DENIED") return errorPage(c, 403, error.message, error.hint ?? "");
    throw error;
  }
}

function withCookies(answer: Response, headers: Headers): Response {
  for (const cookie of headers.getSetCookie()) answer.headers.append("set-cookie", cookie);
  return answer;
}
