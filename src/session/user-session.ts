import { DurableObject } from "cloudflare:workers";
import type { Server, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { servicesOf, type Services } from "../app.ts";
import { type CallContext, callTool } from "../tools/call-tool.ts";
import { isResourceUri, urisChangedWith } from "../tools/resources.ts";
import { buildMcpServer } from "../mcp/server.ts";
import { surfaceOf, type Surface } from "../tools/surfaces.ts";
import { type Change, changeOf } from "../domain/events/change-of.ts";
import type { TeamEvent } from "../domain/events/team-event.ts";
import { LruMap } from "../domain/lru-map.ts";
import { noteResourceRead } from "../domain/audit/resource-reads.ts";
import { noteRefusal, refusedAs } from "../domain/audit/refusals.ts";
import { type BodyBound, discardBody } from "../http/bounded-body.ts";
import { callOrigin } from "../http/call-origin.ts";
import { bearerToken, type Presented, proveCredential } from "../http/credentials.ts";
import { invalidCredential, keyChallenge } from "../http/errors.ts";
import { challenge, resourceOf } from "../http/oauth/resources.ts";
import { publicOrigin } from "../http/origin.ts";
import { projectOf } from "../http/project.ts";
import { sessionDefaultsOf } from "../http/session-headers.ts";
import { RequestRefused } from "../http/request-refused.ts";
import { refusedResponse, toolCallAt } from "../http/tool-door.ts";
import type { SessionDefaults } from "../domain/memories/session-scope.ts";
import type { Authentication } from "../domain/tenancy/keys.ts";
import { copiesWith } from "../domain/secrets/sealed-copy.ts";
import { defaultProject } from "../domain/sessions/session-fields.ts";
import { hookClient } from "../domain/sessions/session-trail.ts";
import { mayWrite, type Principal } from "../domain/tenancy/principal.ts";
import { usualPreferences } from "../domain/tenancy/preferences.ts";
import { preferenceUris } from "../tools/families/omn/preference-resources.ts";
import { AccessLog } from "./access-log.ts";
import { BodyLease, ByteBudget } from "./byte-budget.ts";
import { CacheCounts } from "./cache-counts.ts";
import { costOfAll } from "../mcp/call-cost.ts";
import { busyRetrySeconds, CallSlots, tooManyAtOnceMessage } from "./call-slots.ts";
import { type SessionCall, sessionCallOf, requestIdHeader, sessionName, toAuthInfo, userIdOf } from "./session-call.ts";
import { Gate, type OverLimit } from "./gate.ts";
import { rpcRefused } from "../mcp/json-rpc.ts";
import { clientName } from "../mcp/client-name.ts";
import { leanAnswer, leanCallOf, parsedOrUndefined } from "../mcp/lean-call.ts";
import { McpEndpoint, type McpServerContext } from "../mcp/mcp-endpoint.ts";
import { callOverRest, type Connection } from "./rest-tool-call.ts";
import { SessionTrails } from "./session-trails.ts";
import { PreventionLog } from "./prevention-log.ts";
import { SessionRecallCache } from "./recall-cache.ts";
import { RecalledTexts } from "./recalled-texts.ts";
import { SessionDefaultsTable } from "./session-defaults.ts";
import { endOf, OpenStreams, validUntil } from "./open-streams.ts";
import { StoredAnswers } from "./stored-answers.ts";
import { CredentialCache } from "./credential-cache.ts";

/** Import of 1,000 memories at their longest, with room for history. */
const maxBodyBytes = 16 * 1024 * 1024;
/** Who cannot write has nothing long to say. */
const maxReadBodyBytes = 256 * 1024;
const bodyWithinMs = 60_000;

/** Large bodies of one person, and of all that an isolate serves: it has 128 MB, and a parsed body takes several times its bytes. */
const personBodies = { bytes: maxBodyBytes, waitMs: 10_000 };
const isolateBodies = new ByteBudget(2 * maxBodyBytes, 10_000);

/** Calls of one person at work and waiting. More at once would only make all of them late. */
const callsAtOnce = { atOnce: 8, maxWaiting: 64 };
const bulkCallsAtOnce = { atOnce: 1, maxWaiting: 16 };

/** A body that is read by the edge is small, and takes nothing of the budgets. */
const noLease = new BodyLease([]);

const mostOwn = 1_000;

/** An ordinary call as the edge hands it on. */
export interface LeanRequest extends Presented {
  /** The body, and the tool's name as the headers have it. */
  text: string;
  name: string;
  /** `?surface=` of the server's URL. */
  surface: Surface;
  /** Of the connection (`http/project.ts`). */
  project: string | undefined;
  /** Of the request's headers (`http/session-headers.ts`). */
  sessionDefaults: SessionDefaults | undefined;
  publicOrigin: string;
}

/** Why a call has no answer: it is the SDK's to answer, its credential proves nothing, a limit is reached, or something went wrong here. */
export type LeanRefusal =
  | { kind: "sdk" | "credential" | "fault" }
  | { kind: "refused"; status: RequestRefused["status"]; message: string; retryAfterSeconds: number | undefined };

/**
 * All MCP clients of one person in one team meet here: protocol sessions, the exact rate limit, and the
 * notifications by which one client learns what another wrote.
 */
export class UserSession extends DurableObject<Env> {
  readonly #services: Services;
  readonly #endpoint: McpEndpoint;
  readonly #copies = copiesWith(async () => this.#principal && (await this.#services.index.state(this.#principal))?.copyKey);
  readonly #gate: Gate;
  readonly #bodies = new ByteBudget(personBodies.bytes, personBodies.waitMs);
  readonly #calls = new CallSlots(callsAtOnce);
  readonly #bulkCalls = new CallSlots(bulkCallsAtOnce);
  readonly #credentialCache: CredentialCache;
  readonly #streams = new OpenStreams((presented) => validUntil(this.#services, this.#credentialCache, presented));
  readonly #accesses: AccessLog;
  readonly #cache: SessionRecallCache;
  readonly #recalled: RecalledTexts;
  readonly #trails: SessionTrails;
  readonly #prevention: PreventionLog;
  readonly #sessionDefaults: SessionDefaultsTable;
  /** Ids of the requests that it answered last. */
  readonly #own = new LruMap<true>(mostOwn);
  /** As who the person was let in last; it is always the same one in the same team. */
  #principal: Principal | undefined;
  #preferences = usualPreferences;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#services = servicesOf(env);
    this.#gate = new Gate(env.TEAM_LIMIT);
    this.#accesses = new AccessLog((principal, ids) => this.#countAccesses(principal, ids));
    this.#cache = new SessionRecallCache({
      answers: this.#services.answers,
      stored: new StoredAnswers(ctx.storage.sql, Date.now()),
      counts: new CacheCounts(ctx.storage.sql),
      later: (work) => this.ctx.waitUntil(work),
    });
    this.#prevention = new PreventionLog(this.#services.prevention.store, (error) => this.#services.report("prevention", "", error));
    this.#recalled = new RecalledTexts(ctx.storage);
    this.#trails = new SessionTrails(ctx.storage, {
      sessions: this.#services.sessions,
      report: (error) => this.#services.report("trail", "", error),
      changed: ({ session, conversations }) => this.#changed({ ids: [], listChanged: false, sessions: session, ...(conversations && { conversations }) }),
      tell: ({ teamId }, event) => {
        this.#own.set(event.requestId, true, 1);
        this.#later(this.#services.events.publish(teamId, [event]));
      },
    });
    this.#sessionDefaults = new SessionDefaultsTable(ctx.storage.sql);
    this.#credentialCache = new CredentialCache(this.#services.keys, this.#services.oauth);
    this.#endpoint = new McpEndpoint({
      storage: ctx.storage,
      buildServer: (server) => this.buildServer(server),
      copies: this.#copies,
      isResource: (uri) => this.isResource(uri),
      onwatch: () => this.#watch(),
      onfault: (error) => this.#services.report("mcp", "", error),
      bodyBound: (authInfo) => this.#bodyBound(sessionCallOf(authInfo)),
      admit: (messages, authInfo) => this.#admit(costOfAll(messages), sessionCallOf(authInfo).principal),
    });
    this.#endpoint.purgeExpiredSessions(Date.now());
  }

  /** Every request proves its credential here, whatever the edge found: the object follows changes at once. */
  override async fetch(request: Request): Promise<Response> {
    const now = Date.now();
    const requestId = request.headers.get(requestIdHeader) ?? "";
    const url = new URL(request.url);
    const { config } = this.#services;
    const tool = toolCallAt(url.pathname);
    // Access tokens are for MCP.
    const resource = tool ? undefined : resourceOf(url, config);
    const presented = { token: bearerToken(request.headers.get("authorization")) ?? "", from: callOrigin(request.headers, requestId), resource };
    const [changes, proof] = [this.#streams.changes, await this.prove(presented, now)];
    const principal = this.#admitted(proof);
    if (!principal) return refuse(request, invalidCredential(requestId, tool ? keyChallenge : challenge(url, config, "invalid_token")));
    const over = await this.#charge(principal, 1, now);
    if (over) return refuse(request, (tool && refusedResponse(over, requestId)) ?? rpcRefused(over, requestId));
    this.#later(this.#services.uses.note(principal, presented.from, now));
    const body = new BodyLease([this.#bodies, isolateBodies]);
    const call: SessionCall = { principal, requestId, from: presented.from, publicOrigin: publicOrigin(url, config), body };
    try {
      if (!tool) return await this.#streams.opened(await this.#endpoint.fetch(request, toAuthInfo(call)), presented, changes, endOf(proof));
      const [admit, contextOf] = [(cost: number) => this.#admit(cost, principal), (connection: Connection) => this.#contextOf(call, connection)];
      return await callOverRest(request, tool, call, { bodyBound: this.#bodyBound(call), admit, contextOf, report: (error) => this.#services.report("rest", requestId, error) });
    } finally {
      body.releaseSoon();
    }
  }

  /**
   * An ordinary call, which the edge has read, as one RPC of text (`mcp/lean-call.ts`). The credential is proven and the call charged
   * as in `fetch`; the reply is the text of the answer, or what becomes of the request instead.
   */
  async call({ text, name, surface, project, sessionDefaults, publicOrigin: origin, ...presented }: LeanRequest): Promise<string | LeanRefusal> {
    const now = Date.now();
    const { from } = presented;
    const principal = this.#admitted(await this.prove(presented, now));
    if (!principal) return { kind: "credential" };
    const message = parsedOrUndefined(text);
    const call = leanCallOf(message, name);
    if (!call) return { kind: "sdk" };
    try {
      const over = await this.#charge(principal, 1, now);
      if (over) throw over;
      this.#later(this.#services.uses.note(principal, from, now));
      await this.#admit(costOfAll([message]), principal);
      const context = this.#contextOf({ principal, requestId: from.requestId, from, publicOrigin: origin, body: noLease }, { tool: clientName(call.clientInfo), sessionId: undefined, surface, project, sessionDefaults });
      const answer = await callTool(call.name, call.args, { ...context, asksPerson: call.asks });
      return answer ? await leanAnswer(call, answer, this.#copies) : { kind: "sdk" };
    } catch (error) {
      if (error instanceof RequestRefused) return { kind: "refused", status: error.status, message: error.message, retryAfterSeconds: error.retryAfterSeconds };
      this.#services.report("mcp", from.requestId, error);
      return { kind: "fault" };
    }
  }

  /** A call of the same person by another door than MCP, which the edge serves itself. */
  charge(credential: { credentialId: string; teamId: string }, cost: number): Promise<OverLimit | undefined> {
    return this.#gate.charge(credential, cost, Date.now());
  }

  /** Whose request this is, if the credential is this person's in this team. */
  #admitted(proof: Authentication): Principal | undefined {
    if (proof.kind !== "ok" || sessionName(proof.principal.teamId, proof.principal.userId) !== this.ctx.id.name) return undefined;
    this.#principal = proof.principal;
    this.#preferences = proof.preferences;
    return proof.principal;
  }

  /** Overridden by the bench, which measures what it costs. */
  protected prove(presented: Presented, now: number): Promise<Authentication> {
    return proveCredential(this.#services, this.#credentialCache.directory(now), presented, (work) => this.ctx.waitUntil(work), now);
  }

  /** A credential or a membership of this person was changed: nothing known of it holds any longer, and what it opened ends with it. */
  credentialsChanged(): Promise<void> {
    this.#credentialCache.changed();
    return this.#streams.changed();
  }

  /** Saves what the person's calls left behind of their sessions. */
  override alarm(): Promise<void> {
    return this.#trails.alarm();
  }

  /** The next request reads them with its credential; clients that watch them are told. */
  preferencesChanged(): void {
    this.#credentialCache.changed();
    for (const uri of preferenceUris(userIdOf(this.ctx.id.name ?? ""))) this.#endpoint.resourceUpdated(uri);
  }

  /** The person is not in the team any more: nothing of what they did or read here is kept. */
  memberLeft(): Promise<void> {
    this.#credentialCache.changed();
    this.#cache.drop();
    this.#stopStreams();
    const dropped = this.#trails.drop();
    this.ctx.storage.transactionSync(() => {
      const tables = this.ctx.storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'");
      for (const { name } of tables.toArray()) this.ctx.storage.sql.exec(`DELETE FROM "${name}"`);
    });
    return dropped;
  }

  /** The team or the person is erased: nothing at all is kept. */
  async erase(): Promise<void> {
    this.#credentialCache.changed();
    this.#stopStreams();
    await Promise.all([this.#trails.drop(), this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
  }

  #stopStreams(): void {
    this.#streams.endAll();
    this.#endpoint.stopWatching();
  }

  /** The team's object tells of what others changed, and jobs. Answers whether somebody here still watches. */
  teamChanged(events: TeamEvent[]): boolean {
    const now = Date.now();
    if (!this.#endpoint.isWatched(now)) return false;
    for (const event of events) {
      // What a call of this object changed, it has told itself; but for links, of which it hears by the bus.
      if (event.kind === "linked" || !this.#own.get(event.requestId)) this.#tellOf(event);
    }
    return true;
  }

  #watch(): void {
    const principal = this.#principal;
    if (principal) this.#later(this.#services.events.watch(principal, Date.now()));
  }

  /** Overridden by the conformance entry, as is the next. */
  protected isResource(uri: string): boolean {
    return isResourceUri(uri);
  }

  /** Overridden by the conformance entry, which adds its fixtures. */
  protected buildServer(server: McpServerContext): Server | McpServer {
    const url = new URL(server.request.url);
    const { headers } = server.request;
    const project = projectOf(headers, url);
    return buildMcpServer({
      surface: surfaceOf(url) ?? "core",
      copies: this.#copies,
      contextOf: (ctx: ServerContext, client) => this.#contextOf(sessionCallOf(ctx.http?.authInfo), { ...client, project, sessionDefaults: (ctx.http?.req && sessionDefaultsOf(ctx.http.req.headers)) ?? sessionDefaultsOf(headers) }),
    });
  }

  /** Everything that a tool may know of the call and use. */
  #contextOf({ principal: proven, requestId, from, publicOrigin, body }: SessionCall, { sessionDefaults, ...client }: Connection): CallContext {
    // A call of a session may have waited for its person: the request with their answer says what they may do by now.
    const principal = this.#principal?.credential.id === proven.credential.id ? this.#principal : proven;
    this.#own.set(requestId, true, 1);
    const { config, memories, writer, proposals, guard, reversions, sessions, passports, intelligence, index, graph, people, semantic, indexingQueue, workflows, reranker, wordMatcher, dependencies } = this.#services;
    return {
      ...client,
      connectionDefaults: this.#sessionDefaults.of(client, sessionDefaults),
      principal,
      preferences: this.#preferences,
      compresses: this.#preferences.default_compression,
      requestId,
      address: from.address,
      now: Date.now(),
      memories,
      writer,
      proposals,
      guard,
      reversions,
      sessions,
      passports,
      publicOrigin,
      intelligence,
      index,
      graph,
      people,
      semantic,
      indexingQueue,
      workflows,
      reranker,
      wordMatcher,
      dependencies,
      prevention: { store: this.#prevention, pricePer1k: config.tokenPrice },
      measured: (operation, reading, answer) => this.#prevention.note(principal, { operation, reading, answer }),
      recencyHalfLife: config.recencyHalfLife,
      cache: this.#cache,
      recalled: this.#recalled,
      // Who may not write leaves nothing behind.
      trailIn: (project) => (mayWrite(principal) && client.tool !== hookClient ? this.#trails.of(principal, { client: client.tool, project: project ?? defaultProject }) : undefined),
      report: (event, error) => this.#services.report(event, requestId, error),
      noteAccess: (ids) => this.#accesses.note(principal, ids),
      changed: (change) => this.#changed(change),
      tell: (events) => {
        for (const event of events) this.#tellOf(event);
        this.#later(this.#services.events.publish(principal.teamId, events));
      },
      noteResource: (uri, success) => this.#later(noteResourceRead(this.#services.audit, refusedAs(principal), { uri, success }, Date.now(), from)),
      refused: (what) => this.#later(noteRefusal(this.#services.audit, refusedAs(principal), what, Date.now(), from)),
      inTurn: (cost, work) => {
        const run = () => this.#calls.run(work);
        return body.during(cost > 1 ? () => this.#bulkCalls.run(run) : run);
      },
    };
  }

  #bodyBound({ principal, body }: SessionCall): BodyBound {
    const maxBytes = principal.scopes.includes("memory:write") ? maxBodyBytes : maxReadBodyBytes;
    return { maxBytes, withinMs: bodyWithinMs, reserve: (bytes) => body.take(bytes) };
  }

  /** One was charged before the body was read. @throws RequestRefused */
  async #admit(cost: number, principal: Principal): Promise<void> {
    const rest = cost - 1;
    const over = rest > 0 ? await this.#charge(principal, rest, Date.now()) : undefined;
    if (over) throw over;
    if (this.#calls.isFull) throw new RequestRefused(429, tooManyAtOnceMessage, busyRetrySeconds);
  }

  async #charge({ credential, teamId }: Principal, cost: number, now: number): Promise<RequestRefused | undefined> {
    if (!this.#services.config.rateLimited) return undefined;
    const over = await this.#gate.charge({ credentialId: credential.id, teamId }, cost, now);
    return over && new RequestRefused(429, over.message, over.retryAfterSeconds);
  }

  /** After the answer; what fails then is for the log. */
  #later(work: Promise<void> | undefined): void {
    if (work) this.ctx.waitUntil(work.catch((error: unknown) => this.#services.report("audit", "", error)));
  }

  async #countAccesses(principal: Principal, ids: string[]): Promise<void> {
    const { memories, index, report } = this.#services;
    const now = Date.now();
    await memories.recordAccess(principal, now, ids).then(() => index.accessed(principal, now, ids), (error: unknown) => report("access", "", error));
  }

  #tellOf(event: TeamEvent): void {
    const change = changeOf(event);
    if (change) this.#changed(change);
  }

  #changed(change: Change): void {
    for (const uri of urisChangedWith(change, (prefix) => this.#endpoint.watched(prefix))) this.#endpoint.resourceUpdated(uri);
    if (change.listChanged) this.#endpoint.resourcesChanged();
  }
}

async function refuse(request: Request, answer: Response): Promise<Response> {
  await discardBody(request);
  return answer;
}
