import type { Context } from "hono";
import type { Services } from "../../app.ts";
import { sha256Hex } from "../../domain/hash.ts";
import { parseSubject } from "../../domain/tenancy/grant-store.ts";
import { parseGrantKey } from "../../domain/tenancy/oauth-records.ts";
import type { CallOrigin } from "../../domain/tenancy/audit-entry.ts";
import { bounds, readBody } from "../bounded-body.ts";
import { addressOf, callOrigin } from "../call-origin.ts";
import { publicOrigin } from "../origin.ts";
import { RequestRefused } from "../request-refused.ts";
import { decodeForm } from "../web/form.ts";
import { paths } from "./authorization-server.ts";
import { namesAcceptableClient } from "./client-address.ts";
import { UsedTwice } from "./records.ts";
import { metadataPaths, resourceMetadata, resourcesOf } from "./resources.ts";
import { Hono } from "../hono.ts";

interface OAuth {
  Bindings: { REGISTRATION_LIMIT?: RateLimit };
  Variables: { requestId: string };
}

/** The endpoints of the authorization server for programs: metadata, registration, tokens, revocation. */
export function tokenRoutes(services: Services): Hono<OAuth> {
  const { config, oauth } = services;
  const app = new Hono<OAuth>();

  for (const [path, endpoint] of metadataPaths) {
    app.get(path, (c) => {
      const url = new URL(c.req.url);
      const origin = config.production ? `https://${url.hostname}` : url.origin;
      const resource = resourcesOf(url, config).find((known) => known === `${origin}/${endpoint}`);
      return resource ? c.json(resourceMetadata(resource, url, config)) : c.notFound();
    });
  }

  // Under every name of the server, because clients of 2025-03-26 look at the address of the MCP endpoint.
  app.get(paths.metadata, (c) => oauth.fetch(underPublicOrigin(c), Date.now(), c.executionCtx as ExecutionContext));
  app.post(paths.register, async (c) => {
    if (config.rateLimited && c.env.REGISTRATION_LIMIT && !(await c.env.REGISTRATION_LIMIT.limit({ key: addressOf(c.req.raw.headers) })).success) {
      throw new RequestRefused(429, "Too many registrations from this address. Retry after 60 s.", 60);
    }
    const body = await readBody(c.req.raw, bounds.registration);
    const answer = await oauth.fetch(underPublicOrigin(c, body), Date.now(), c.executionCtx as ExecutionContext);
    if (answer.status === 201) {
      const { client_id } = await answer.clone().json<{ client_id: string }>();
      await services.grants.audit({ ...fromOf(c), at: Date.now(), action: "client.register", success: true, subject: client_id });
    }
    return answer;
  });

  app.post(paths.token, async (c) => {
    const body = await readBody(c.req.raw, bounds.oauth);
    const form = decodeForm(body);
    const authorization = c.req.header("authorization");
    if (!namesAcceptableClient(form, authorization)) return refused("invalid_client", "Client not found", 401, authorization === undefined ? {} : challenge);
    const answer = await answerOnce(c, underPublicOrigin(c, body));
    if (!answer.ok && form.get("grant_type") === "refresh_token") await endIfReplayed(c, form.get("refresh_token") ?? "");
    return answer;
  });

  /** A code or a refresh token that two use at the same moment is in two hands: neither keeps what it opens. */
  async function answerOnce(c: Context<OAuth>, request: Request): Promise<Response> {
    try {
      return await oauth.fetch(request, Date.now(), c.executionCtx as ExecutionContext);
    } catch (error) {
      if (!(error instanceof UsedTwice)) throw error;
      await endGrantAt(c, error.key);
      return refused("invalid_grant", "Grant not found");
    }
  }

  /** A refresh token that was exchanged before is in two hands, and the one that came first may be the thief's. */
  async function endIfReplayed(c: Context<OAuth>, refreshToken: string): Promise<void> {
    const grantKey = await services.oauthRecords.grantOfSpent(await sha256Hex(refreshToken));
    if (grantKey !== undefined) await endGrantAt(c, grantKey);
  }

  async function endGrantAt(c: Context<OAuth>, key: string): Promise<void> {
    const parts = parseGrantKey(key);
    const subject = parts && parseSubject(parts.subject);
    if (!parts || !subject) return;
    await services.grants.endGrant(subject, parts.grantId, { ...fromOf(c), at: Date.now(), action: "grant.reuse", success: false, ...subject, subject: parts.grantId });
  }

  /** The library answers only at the issuer's own address, and reads bodies without a bound: it gets what we read. */
  function underPublicOrigin(c: Context<OAuth>, body?: Uint8Array): Request {
    const url = new URL(c.req.url);
    const { method, headers, signal } = c.req.raw;
    return new Request(`${publicOrigin(url, config)}${url.pathname}${url.search}`, { method, headers, signal, ...(body && { body }) });
  }
  return app;
}

const fromOf = (c: Context<OAuth>): CallOrigin => callOrigin(c.req.raw.headers, c.get("requestId"), "oauth");

/** RFC 6749 section 5.2. */
const refused = (error: string, description: string, status = 400, headers: HeadersInit = {}): Response => Response.json({ error, error_description: description }, { status, headers });
/** Whoever was told of the client by the Authorization header is told which scheme that takes, as the library tells it. */
const challenge = { "www-authenticate": 'Basic realm="OAuth"' };
