import type { Context } from "hono";
import { cors } from "hono/cors";
import { routePath } from "hono/route";
import { hostHeaderValidationResponse, originValidationResponse } from "@modelcontextprotocol/server";
import type { Services } from "../app.ts";
import { noteRefusal } from "../domain/audit/refusals.ts";
import { asDomainError } from "../domain/errors.ts";
import { uuidv7 } from "../domain/ids.ts";
import { surfaceOf, surfaces } from "../tools/surfaces.ts";
import { discardBody } from "./bounded-body.ts";
import { addressOf, callOrigin, withoutClaimedOrigin } from "./call-origin.ts";
import { auditLater } from "./later.ts";
import { handOn, McpDoor, type SessionStub } from "./mcp-door.ts";
import { bearerToken, CredentialOwners, proveCredential } from "./credentials.ts";
import type { AuditSubject } from "./routes/caller.ts";
import { accountRoutes } from "./routes/account.ts";
import { invitationRoutes } from "./routes/invitations.ts";
import { consentRoutes } from "./oauth/consent-routes.tsx";
import { challenge, resourceOf } from "./oauth/resources.ts";
import { tokenRoutes } from "./oauth/token-routes.ts";
import { passkeyRoutes } from "./passkeys/routes.ts";
import { toolPath, toolQuery } from "./tool-door.ts";
import { refusedAnswer, wantsPage } from "./refused-answer.ts";
import { RequestRefused, retryHeaderOf } from "./request-refused.ts";
import { eventRoutes } from "./routes/events.ts";
import { wellKnownRoutes } from "./passports/well-known.ts";
import { keyRoutes } from "./routes/keys.ts";
import { parsedQuery } from "./routes/query.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { organizationRoutes, teamRoutes } from "./routes/teams.ts";
import { type Audience, securityHeaders } from "./security-headers.ts";
import { errorPage, problemPage } from "./web/pages/error-page.tsx";
import { claimPages } from "./web/claim-routes.tsx";
import { invitationPages } from "./web/invitation-routes.tsx";
import { recoveryPages } from "./web/recovery-routes.tsx";
import { upstreamRoutes } from "./upstream/routes.tsx";
import { memoryPages } from "./web/memory-routes.tsx";
import { teamPages } from "./web/team-routes.tsx";
import { keyPages } from "./web/key-routes.tsx";
import { webRoutes } from "./web/routes.tsx";
import { errorBody, invalidCredential, keyChallenge, noCredential, statusOf } from "./errors.ts";
import { Hono } from "./hono.ts";

/** How the edge reaches the session objects. */
export type SessionOf = (name: string) => SessionStub;

interface Edge {
  Bindings: { ADDRESS_LIMIT?: RateLimit };
  Variables: { requestId: string; audience?: Audience; auditSubject?: AuditSubject };
}

const mcpPaths = ["/mcp", "/mcp/", "/sse", "/sse/", "/sse/messages", "/sse/messages/"];
const isMcp = (path: string): boolean => mcpPaths.includes(path);
const doorOf = (path: string) => (isMcp(path) ? "mcp" : path.startsWith("/oauth/") ? "oauth" : "other");

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** What programs ask for; a person's pages answer that nothing is there. */
const isRest = (path: string): boolean => /^\/(?:v1\/|(?:metrics|health|\.well-known\/jwks\.json)$)/.test(path);

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).hostname : undefined);
const forPagesOf = (hosts: readonly string[]) => ({
  origin: (origin: string) => (hosts.includes(hostOf(origin) ?? "") ? origin : null),
  allowMethods: methods,
  exposeHeaders: ["Mcp-Session-Id", "WWW-Authenticate", "Retry-After", "X-Request-Id"],
  maxAge: 600,
});

/** The HTTP edge: who may call, and where the call goes. */
export function router(services: Services, sessionOf: SessionOf): Hono<Edge> {
  const { config } = services;
  const owners = new CredentialOwners();
  const door = new McpDoor(config);
  const app = new Hono<Edge>({ strict: true });

  app.use(async (c, next) => {
    const requestId = uuidv7(Date.now());
    c.set("requestId", requestId);
    if (!config.production) c.req.raw = withoutClaimedOrigin(c.req.raw);
    await next();
    // Not `c.header`, which would copy the response.
    const { headers } = c.res;
    headers.set("x-request-id", requestId);
    // A stream says for itself that it is not to be kept.
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  });
  app.use(securityHeaders);
  // DNS rebinding: a page in a browser must not reach this server under a name that is not its own.
  app.use(
    async (c, next) =>
      hostHeaderValidationResponse(c.req.raw, config.allowedHosts) ?? originValidationResponse(c.req.raw, config.allowedOrigins) ?? next(),
  );

  // Pages of others, whose scripts call with a key of their own: without cookies, so nothing is done in the name of who looks at them.
  if (config.pageHosts.length > 0) app.use("*", cors(forPagesOf(config.pageHosts)));

  app.get("/health", (c) => c.json({ status: "ok" }));

  // First shield: many keys guessed from one address, and strangers at work. Exact limits per key live in the session object.
  app.use(async (c, next) => {
    // On one machine all have the same address: a stranger there must not lock out whom the session object counts.
    const isCounted = (): boolean => !config.production && (isMcp(c.req.path) || c.req.path.startsWith("/v1/")) && owners.sessionOf(bearerToken(c.req.header("authorization")) ?? "") !== undefined;
    if (config.rateLimited && c.env.ADDRESS_LIMIT && !isCounted()) {
      const { success } = await c.env.ADDRESS_LIMIT.limit({ key: addressOf(c.req.raw.headers) });
      if (!success) {
        await discardBody(c.req.raw);
        throw new RequestRefused(429, "Too many requests from this address. Retry after 60 s.", 60);
      }
    }
    return next();
  });

  /** The session object of a credential's person in their team; undefined where it proves nothing. */
  const sessionFor = async (c: Context<Edge>, token: string, resource: string | undefined): Promise<string | undefined> => {
    const known = owners.sessionOf(token);
    if (known !== undefined) return known;
    const presented = { token, from: callOrigin(c.req.raw.headers, c.get("requestId")), resource };
    const proof = await proveCredential(services, { keys: services.keys, tokens: services.oauth }, presented, (work) => c.executionCtx.waitUntil(work), Date.now());
    return proof.kind === "ok" ? owners.remember(proof.principal.credential, proof.principal.teamId, proof.principal.userId) : undefined;
  };

  for (const path of mcpPaths) {
    app.all(path, async (c) => {
      const requestId = c.get("requestId");
      const url = new URL(c.req.url);
      const surface = surfaceOf(url);
      if (surface === undefined) {
        return c.json(errorBody("VALIDATION_ERROR", `There is no surface ${url.searchParams.get("surface")?.slice(0, 50)}. Use one of: ${surfaces.join(", ")}.`, requestId), 400);
      }
      const token = bearerToken(c.req.header("authorization"));
      if (token === undefined) return noCredential(requestId, challenge(url, config));
      const session = await sessionFor(c, token, resourceOf(url, config));
      if (session === undefined) return invalidCredential(requestId, challenge(url, config, "invalid_token"));
      return door.pass(sessionOf(session), { request: c.req.raw, url, surface, requestId, token });
    });
  }

  // With a key alone: whoever comes with a cookie is a person, who has the pages.
  app.post(toolPath, async (c) => {
    const requestId = c.get("requestId");
    const token = bearerToken(c.req.header("authorization"));
    const session = token === undefined ? undefined : await sessionFor(c, token, undefined);
    if (session !== undefined) {
      parsedQuery(c, toolQuery);
      return handOn(sessionOf(session), { request: c.req.raw, requestId });
    }
    await discardBody(c.req.raw);
    return token === undefined ? noCredential(requestId, keyChallenge) : invalidCredential(requestId, keyChallenge);
  });

  app.route("/v1/keys", keyRoutes(services));
  app.route("/v1/teams", teamRoutes(services));
  app.route("/v1/account", accountRoutes(services));
  app.route("/v1/invitations", invitationRoutes(services));
  app.route("/v1/events", eventRoutes(services));
  app.route("/metrics", metricsRoutes(services));
  app.route("/v1/organizations", organizationRoutes(services));
  app.route("/", tokenRoutes(services));
  app.route("/", wellKnownRoutes(services));
  app.route("/", consentRoutes(services));
  app.route("/", upstreamRoutes(services));
  app.route("/", passkeyRoutes(services));
  app.route("/", webRoutes(services));
  app.route("/", memoryPages(services));
  app.route("/", teamPages(services));
  app.route("/", keyPages(services));
  app.route("/", recoveryPages(services));
  app.route("/", invitationPages(services));
  app.route("/", claimPages(services));

  app.notFound((c) => {
    if (wantsPage(c)) return errorPage(c, 404, "There is nothing here", "The address may be mistyped, or was that of something shown once.");
    const { method, path } = c.req;
    const allowed = isRest(path) ? methods.filter((each) => app.router.match(each, path)[0].some(([[, route]]) => route.method === each)) : [];
    if (allowed.length === 0) return c.json(errorBody("NOT_FOUND", "There is nothing here. The MCP endpoint is /mcp.", c.get("requestId")), 404);
    const allow = allowed.join(", ").replace("GET", "GET, HEAD");
    return c.json(errorBody("METHOD_NOT_ALLOWED", `There is no ${method} of this address. Use one of: ${allow}.`, c.get("requestId")), 405, { allow });
  });
  app.onError((error, c) => {
    if (error instanceof RequestRefused) return refusedAnswer(c, doorOf(c.req.path), error);
    const known = asDomainError(error);
    if (known) {
      const refused = known.code === "PERMISSION_DENIED" ? c.get("auditSubject") : undefined;
      if (refused) {
        auditLater(services, c, c.get("requestId"), noteRefusal(services.audit, refused.who, `${c.req.method} ${routePath(c, -1)}`, Date.now(), refused.from));
      }
      if (wantsPage(c)) return problemPage(c, known);
      return c.json(errorBody(known.code, [known.message, known.hint].filter(Boolean).join(" "), c.get("requestId")), statusOf[known.code], retryHeaderOf(known));
    }
    services.report("http", c.get("requestId"), error);
    const what = "Something went wrong on our side";
    return wantsPage(c) ? errorPage(c, 500, what, "Try again. If it stays so, tell whoever runs the server the request below.") : c.json(errorBody("INTERNAL_ERROR", `${what}.`, c.get("requestId")), 500);
  });
  return app;
}
