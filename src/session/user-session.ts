import { DurableObject } from "cloudflare:workers";
import type { Server, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { servicesOf, type Services } from "../app.ts";
import type { MemoryChange } from "../mcp/define-tool.ts";
import { isResourceUri, memoryUri, recentUri } from "../mcp/resources.ts";
import { buildMcpServer } from "../mcp/server.ts";
import { isSurface } from "../mcp/surfaces.ts";
import { noteRefusal, refusedAs } from "../domain/audit/refusals.ts";
import { callOrigin } from "../http/call-origin.ts";
import { bearerToken, type Presented, proveCredential } from "../http/credentials.ts";
import { invalidCredential } from "../http/errors.ts";
import { challenge, resourceOf } from "../http/oauth/resources.ts";
import type { Authentication } from "../domain/tenancy/keys.ts";
import type { Principal } from "../domain/tenancy/principal.ts";
import { AccessLog } from "./access-log.ts";
import { CacheCounts } from "./cache-counts.ts";
import { callOfAuthInfo, requestIdHeader, sessionName, toAuthInfo } from "./call.ts";
import { McpEndpoint, type McpServerContext } from "./mcp-endpoint.ts";
import { RateLimit } from "./rate-limit.ts";
import { SessionRecallCache } from "./recall-cache.ts";
import { RecalledTexts } from "./recalled-texts.ts";
import { StoredAnswers } from "./stored-answers.ts";
import { Standing } from "./standing.ts";

/** Import of 1,000 memories at their longest, with room for history. */
const maxRequestBodySize = 16 * 1024 * 1024;

/**
 * All MCP clients of one person in one team meet here: protocol sessions, the exact rate limit, and the
 * notifications by which one client learns what another wrote.
 */
export class UserSession extends DurableObject<Env> {
  readonly #services: Services;
  readonly #endpoint: McpEndpoint;
  readonly #limit = new RateLimit();
  readonly #standing: Standing;
  readonly #accesses: AccessLog;
  readonly #cache: SessionRecallCache;
  readonly #recalled: RecalledTexts;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#services = servicesOf(env, ctx.id.name);
    this.#accesses = new AccessLog((principal, ids) => this.#countAccesses(principal, ids));
    this.#cache = new SessionRecallCache({
      answers: this.#services.answers,
      stored: new StoredAnswers(ctx.storage.sql, Date.now()),
      counts: new CacheCounts(ctx.storage.sql),
      later: (work) => this.ctx.waitUntil(work),
    });
    this.#recalled = new RecalledTexts(ctx.storage);
    this.#standing = new Standing(this.#services.keys, this.#services.oauth);
    this.#endpoint = new McpEndpoint({
      storage: ctx.storage,
      buildServer: (server) => this.buildServer(server),
      isResource: (uri) => this.isResource(uri),
      onfault: (error) => this.#services.report("mcp", "", error),
      maxRequestBodySize,
    });
    this.#endpoint.purgeExpiredSessions(Date.now());
  }

  /** Every request proves its credential here, whatever the edge believed: the object knows of changes at once. */
  override async fetch(request: Request): Promise<Response> {
    const now = Date.now();
    const requestId = request.headers.get(requestIdHeader) ?? "";
    const url = new URL(request.url);
    const presented = {
      token: bearerToken(request.headers.get("authorization")) ?? "",
      from: callOrigin(request.headers, requestId),
      resource: resourceOf(url, this.#services.config),
    };
    const proof = await this.prove(presented, now);
    if (proof.kind !== "ok" || sessionName(proof.principal.teamId, proof.principal.userId) !== this.ctx.id.name) {
      return refuse(request, invalidCredential(requestId, challenge(url, this.#services.config, "invalid_token")));
    }
    const { principal } = proof;
    if (this.#services.config.rateLimited) {
      const admission = this.#limit.admit(principal.credential.id, now);
      if (!admission.admitted) return refuse(request, tooMany(admission.retryAfterSeconds, requestId));
    }
    this.#later(this.#services.uses.note(principal, presented.from, now));
    return this.#endpoint.fetch(request, toAuthInfo({ principal, requestId, from: presented.from }));
  }

  /** Overridden by the bench, which measures what it costs. */
  protected prove(presented: Presented, now: number): Promise<Authentication> {
    return proveCredential(this.#services, this.#standing.directory(now), presented, (work) => this.ctx.waitUntil(work), now);
  }

  /** The team's index or its organization's is in another state than it said. */
  indexChanged(): void {
    this.#services.index.disbelieve();
  }

  /** A credential or a membership of this person was changed: nothing known of it holds any longer. */
  standingChanged(): void {
    this.#standing.changed();
  }

  /** The person is not in the team any more: nothing of what they did or read here is kept. */
  memberLeft(): void {
    this.#standing.changed();
    this.#cache.drop();
    this.ctx.storage.transactionSync(() => {
      const tables = this.ctx.storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'");
      for (const { name } of tables.toArray()) this.ctx.storage.sql.exec(`DELETE FROM "${name}"`);
    });
  }

  /** The team or the person is erased: nothing at all is kept. */
  async erase(): Promise<void> {
    this.#standing.changed();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** Overridden by the conformance entry, as is the next. */
  protected isResource(uri: string): boolean {
    return isResourceUri(uri);
  }

  /** Overridden by the conformance entry, which adds its fixtures. */
  protected buildServer(server: McpServerContext): Server | McpServer {
    const { searchParams } = new URL(server.request.url);
    const surface = searchParams.get("surface") ?? "core";
    const project = searchParams.get("project") ?? undefined;
    return buildMcpServer({
      surface: isSurface(surface) ? surface : "core",
      contextOf: (ctx: ServerContext) => {
        const { principal, requestId, from } = callOfAuthInfo(ctx.http?.authInfo);
        const { config, memories, proposals, index, graph, semantic, reranker } = this.#services;
        return {
          principal,
          requestId,
          address: from.address,
          now: Date.now(),
          memories,
          proposals,
          index,
          graph,
          semantic,
          reranker,
          recencyHalfLife: config.recencyHalfLife,
          cache: this.#cache,
          recalled: this.#recalled,
          project,
          report: (event, error) => this.#services.report(event, requestId, error),
          noteAccess: (ids) => this.#accesses.note(principal, ids),
          changed: (change) => this.#changed(change),
          refused: (what) => this.#later(noteRefusal(this.#services.audit, refusedAs(principal), what, Date.now(), from)),
        };
      },
      report: this.#services.report,
    });
  }

  /** After the answer; what fails then is for the log. */
  #later(work: Promise<void> | undefined): void {
    if (work) this.ctx.waitUntil(work.catch((error: unknown) => this.#services.report("audit", "", error)));
  }

  async #countAccesses(principal: Principal, ids: string[]): Promise<void> {
    await this.#services.memories.recordAccess(principal, Date.now(), ids).catch((error: unknown) => this.#services.report("access", "", error));
  }

  #changed(change: MemoryChange): void {
    for (const id of change.ids) this.#endpoint.resourceUpdated(memoryUri(id));
    this.#endpoint.resourceUpdated(recentUri);
    if (change.listChanged) this.#endpoint.resourcesChanged();
  }
}

/** A body that nobody will read is let go before the answer: the runtime complains of a stream left behind. */
async function refuse(request: Request, answer: Response): Promise<Response> {
  await request.body?.cancel();
  return answer;
}

function tooMany(retryAfterSeconds: number, requestId: string): Response {
  return Response.json(
    {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32_000,
        message: `RATE_LIMIT_EXCEEDED: this key made more than 100 requests in a minute. Retry after ${retryAfterSeconds} s.`,
        data: { code: "RATE_LIMIT_EXCEEDED", retry_after: retryAfterSeconds, request_id: requestId },
      },
    },
    { status: 429, headers: { "retry-after": String(retryAfterSeconds) } },
  );
}
