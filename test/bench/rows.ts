import { setTimeout as sleep } from "node:timers/promises";
import type { LocalServer } from "../../src/launcher/server.ts";
import { accessToken } from "./access-token.ts";
import { BenchClient } from "./client.ts";
import { clientLog } from "./client-log.ts";
import { interleave, type Probe, type Summary, summarise } from "./measure.ts";
import type { Sizes } from "./options.ts";
import { replay } from "./replay.ts";
import type { Report } from "./report.ts";
import { Server } from "./server.ts";
import { whole } from "./table.ts";
import { drawConnectedQuery } from "./zipf.ts";
import { mixedLoad, type QueryProbe, Team, type TeamContent } from "./team.ts";

/** Each stream of queries has its own seed: no query is asked of a server twice. */
export const querySeeds = { small: 10, medium: 11, large: 12, five: 13, one: 14, restart: 15, crowded: 16, cached: 17, evicted: 18, log: 19, budget: 20, receipt: 21, long: 22, longBudget: 23, longReceipt: 24, graph: 25, happened: 26, parts: 27, stored: 28, burst: 29, agents: 40, mixed: 100 };
const clients = 16;
/** Of one orchestrator, at work in one project. */
const agents = 4;
/** An object that nobody calls for 10 s leaves the memory of workerd (and of Cloudflare after 70–140 s). */
const evictionMs = 12_000;

export const referenceName = "reference (no-op through the SDK)";

/** In reference calls, or in what the name says (issue 11, "How it is shown"). `today`: requests per reference call before that issue. */
export const limits = {
  get: 1.2, store: 2.3, querySmall: 2.2, queryMedium: 2.6, queryLarge: 3, long: 6,
  largeToSmall: 1.4, graph: 1.3, crowded: 1.1, restartMs: 4_000, restoreMs: 2_000, retrievalMs: 200, storeMs: 500, importRate: 0.8, moreRequests: 3,
  today: { small: 0.117, medium: 0.134, large: 0.069 },
} as const;

interface Held {
  reference?: Summary;
  limit?: number;
}

/** A running server and the team of its local owner. */
export interface Instance {
  server: Server;
  team: Team;
}

export async function startInstance(dataDir: string, content: TeamContent): Promise<Instance> {
  const server = await Server.start(dataDir);
  return { server, team: new Team(server.client, content) };
}

/** The rows that only call a running server. */
export class Rows {
  readonly #sizes: Sizes;
  readonly #report: Report;

  constructor(sizes: Sizes, report: Report) {
    this.#sizes = sizes;
    this.#report = report;
  }

  async floor(lone: Instance): Promise<void> {
    const { floor, noOp, reference } = lone.team;
    const taken = await interleave({ floor, noOp, reference }, this.#sizes);
    const [floorRow, noOpRow, referenceRow] = [summarise(taken.floor), summarise(taken.noOp), summarise(taken.reference)];
    this.#row("floor (GET /health)", lone, floorRow);
    this.#row("no-op (omn_health_check)", lone, noOpRow);
    this.#row(referenceName, lone, referenceRow, { note: "ratios are to this" });
    this.#report.ratio("no-op / floor", 1.75, noOpRow, floorRow);
  }

  /** The no-op with a key, with the access token of a client, and at a server that believes what it proved once. */
  async auth({ server, team }: Instance, believing: LocalServer): Promise<void> {
    const clients = [new BenchClient(server.url, await accessToken(server.url, await server.signInUrl())), new BenchClient(believing.url, believing.apiKey)] as const;
    const [token, stubbed] = clients.map((client) => new Team(client, team.content).noOp) as [Probe, Probe];
    try {
      const taken = await interleave({ stubbed, key: team.noOp, token }, this.#sizes);
      const [stubbedRow, keyRow, tokenRow] = [summarise(taken.stubbed), summarise(taken.key), summarise(taken.token)];
      this.#report.row({ name: "no-op, auth stubbed out", ...stubbedRow });
      this.#row("no-op with an API key", { server, team }, keyRow);
      this.#row("no-op with an OAuth token", { server, team }, tokenRow);
      this.#report.ratio("API key / auth stubbed out", 1.3, keyRow, stubbedRow);
      this.#report.ratio("OAuth token / auth stubbed out", 1.3, tokenRow, stubbedRow);
    } finally {
      for (const client of clients) client.close();
    }
  }

  /** What a binding costs at least here: no answer that needs it can come sooner, whatever we do. */
  async bindings({ url, apiKey }: LocalServer): Promise<void> {
    const clients = ["", "?with=kv", "?with=d1", "?with=vectors"].map((query) => new BenchClient(`${url}${query}`, apiKey));
    const [noOp, kv, d1, vectors] = clients.map((client): Probe => ({ run: () => client.callTool("omn_health_check", {}) })) as [Probe, Probe, Probe, Probe];
    try {
      const taken = await interleave({ noOp, kv, d1, vectors }, this.#sizes);
      const floor = summarise(taken.noOp);
      for (const [what, samples] of [["one read of KV", taken.kv], ["one statement of D1", taken.d1], ["an embedding and a query to Vectorize", taken.vectors]] as const) {
        const row = summarise(samples);
        this.#report.row({ name: `no-op with ${what}`, ...row, note: `${(row.p50 / floor.p50).toFixed(2)} x no-op` });
      }
    } finally {
      for (const client of clients) client.close();
    }
  }

  async querySmall(lone: Instance): Promise<void> {
    const { reference } = lone.team;
    const query = lone.team.query(querySeeds.small);
    const [happened, parts] = [lone.team.happened(querySeeds.happened), lone.team.inParts(querySeeds.parts)];
    const [budget, receipt] = [lone.team.query(querySeeds.budget, 5, { max_tokens: 2_000 }), lone.team.query(querySeeds.receipt, 5, { receipt: true })];
    const taken = await interleave({ reference, query, budget, receipt, happened, parts }, this.#sizes);
    const held = summarise(taken.reference);
    this.queryRow(lone, summarise(taken.query), query, { reference: held, limit: limits.querySmall });
    this.queryRow(lone, summarise(taken.budget), budget, { reference: held, what: "memories, max_tokens 2,000" });
    this.queryRow(lone, summarise(taken.receipt), receipt, { reference: held, what: "memories, with receipt" });
    this.queryRow(lone, summarise(taken.happened), happened, { reference: held, what: "memories, of a time" });
    this.queryRow(lone, summarise(taken.parts), parts, { reference: held, what: "memories, in two parts" });
  }

  /** The same question again: from the memory of the session's object, and from KV after the object was evicted. */
  async cached({ team, server }: Instance): Promise<void> {
    const { samples, warmUp } = this.#sizes;
    const held = team.repeated(querySeeds.cached, 20);
    await held.fill();
    const before = await team.cacheHits();
    const l1 = await interleave({ noOp: team.noOp, held }, { samples, warmUp });
    const between = await team.cacheHits();
    if (between.l1 - before.l1 < samples) throw new Error("L1: not all answers came from it, so nothing was measured");

    // Each asked once: the first time an answer comes from KV, it is in L1 from then on.
    const kept = team.repeated(querySeeds.evicted, samples + warmUp);
    // An answer goes to KV when it is asked for again; all of them together are more than L1 holds.
    await kept.fill(2);
    await sleep(evictionMs);
    const l2 = await interleave({ noOp: team.noOp, kept }, { samples, warmUp });
    if ((await team.cacheHits()).l2 - between.l2 < samples) throw new Error("L2: not all answers came from it, so nothing was measured");

    const [l1NoOp, l1Row, l2NoOp, l2Row] = [summarise(l1.noOp), summarise(l1.held), summarise(l2.noOp), summarise(l2.kept)];
    this.#row("query answered by L1", { server, team }, l1Row);
    this.#row("query answered by L2", { server, team }, l2Row);
    this.#report.ratio("L1 hit / no-op", 1.3, l1Row, l1NoOp);
    this.#report.ratio("L2 hit / no-op", 1.6, l2Row, l2NoOp);
  }

  /** The team's developers and their clients, as in client-log.ts. */
  async log({ server }: Instance, apiKeys: readonly string[]): Promise<void> {
    const log = clientLog(querySeeds.log, { developers: apiKeys.length, conversations: this.#sizes.conversations });
    const { l1, l2 } = await replay(server.url, apiKeys, log);
    this.#report.row({ name: "replayed client log", note: `${l1.hits + l1.misses} questions; L1 ${l1.hits}, L2 ${l2.hits} of ${l2.hits + l2.misses}` });
    this.#report.share("L1 hits of the log", 0.6, l1.hits / (l1.hits + l1.misses));
    this.#report.share("L2 hits of the rest", 0.3, l2.hits / (l2.hits + l2.misses));
  }

  async storeAndGet(grown: Instance): Promise<void> {
    const { reference, store, get } = grown.team;
    const taken = await interleave({ reference, store, get }, this.#sizes);
    const held = summarise(taken.reference);
    this.#row("store", grown, summarise(taken.store), { reference: held, limit: limits.store });
    this.#row("get by key", grown, summarise(taken.get), { reference: held, limit: limits.get });
    for (const [stores, seed] of [[1, querySeeds.stored], [32, querySeeds.burst]] as const) {
      const query = grown.team.justStored(seed, stores);
      const after = await interleave({ reference, query }, this.#sizes);
      this.queryRow(grown, summarise(after.query), query, { reference: summarise(after.reference), what: `memories, ${stores} just stored` });
    }
  }

  /** A secret beside a plain memory: what encryption adds. Without L1, which keeps plain answers only. */
  async secrets(grown: Instance): Promise<void> {
    const { team } = grown;
    const sealed = team.secrets(this.#sizes.samples);
    await sealed.keep();
    const taken = await interleave({ store: team.store, storeSecret: team.storeSecret, get: team.get, getSecret: { run: sealed.run } }, this.#sizes);
    const [store, storeSecret, get, getSecret] = [summarise(taken.store), summarise(taken.storeSecret), summarise(taken.get), summarise(taken.getSecret)];
    this.#row("store a secret", grown, storeSecret);
    this.#row("get a secret by key", grown, getSecret);
    this.#report.ratio("store a secret / store", 1.3, storeSecret, store);
    this.#report.ratio("get a secret / get", 1.3, getSecret, get);
  }

  /** What the peers are asked, asked of us; here over HTTP, there over a pipe. */
  async besidePeers({ server, team }: Instance): Promise<void> {
    const { noOp, store } = team;
    const [five, one] = [team.query(querySeeds.five, 5), team.query(querySeeds.one, 1)];
    const taken = await interleave({ noOp, store, five, one }, { samples: 100, warmUp: 20 });
    const [fiveRow, oneRow] = [summarise(taken.five), summarise(taken.one)];
    this.#report.peers.push({
      name: "OmniMemory",
      noOp: summarise(taken.noOp).p50,
      store: summarise(taken.store).p50,
      fiveWords: { p50: fiveRow.p50, bytes: fiveRow.bytes, hits: five.hits() },
      oneWord: { p50: oneRow.p50, bytes: oneRow.bytes, hits: one.hits() },
      rssMiB: server.rssMiB(),
      note: "HTTP",
    });
  }

  async queryMedium(grown: Instance): Promise<void> {
    const query = grown.team.query(querySeeds.medium);
    const happened = grown.team.happened(querySeeds.happened);
    const taken = await interleave({ reference: grown.team.reference, query, happened }, this.#sizes);
    const reference = summarise(taken.reference);
    this.queryRow(grown, summarise(taken.query), query, { reference, limit: limits.queryMedium });
    this.queryRow(grown, summarise(taken.happened), happened, { reference, what: "memories, of a time" });
  }

  /** A session of a full trace, restored with its briefing. */
  async restore({ server, team }: Instance): Promise<void> {
    const { client } = team;
    for (let n = 0; n < 50; n += 1) await client.callTool("omn_store_memory", { key: `restore.decision.${n}`, content: `We chose option ${n} of the plan for service ${n}.`, citations: [{ path: `src/service-${n}.ts` }] });
    await client.callTool("omn_get_session_context", {});
    const restore: Probe = { run: () => client.callTool("omn_restore_session", {}) };
    const row = summarise((await interleave({ restore }, this.#sizes)).restore);
    this.#row("restore a session", { server, team }, row);
    this.#report.bound("restore a session, p95 ms", limits.restoreMs, row.p95);
  }

  /** What one of several agents waits that ask and store at once (Mnemosyne document, "Targets"). */
  async agents({ server, team }: Instance): Promise<void> {
    const connections = Array.from({ length: agents }, () => new BenchClient(server.url, server.apiKey));
    try {
      const taken = await Promise.all(connections.map((client, index) => {
        const agent = new Team(client, team.content);
        return interleave({ query: agent.query(querySeeds.agents + index), store: agent.store }, this.#sizes);
      }));
      const [query, store] = [summarise(taken.flatMap((one) => one.query)), summarise(taken.flatMap((one) => one.store))];
      this.#row(`query, ${agents} agents at once`, { server, team }, query);
      this.#row(`store, ${agents} agents at once`, { server, team }, store);
      this.#report.bound(`query beside ${agents - 1} other agents, p95 ms [C9]`, limits.retrievalMs, query.p95);
      this.#report.bound(`store beside ${agents - 1} other agents, p95 ms [C9]`, limits.storeMs, store.p95);
    } finally {
      for (const client of connections) client.close();
    }
  }

  async queryLarge(lone: Instance, grown: Instance): Promise<void> {
    const [small, large] = [lone.team.query(querySeeds.large), grown.team.query(querySeeds.large)];
    const taken = await interleave({ reference: grown.team.reference, small, large }, this.#sizes);
    const summary = summarise(taken.large);
    this.queryRow(grown, summary, large, { reference: summarise(taken.reference), limit: limits.queryLarge });
    const { large: largeSize, small: smallSize } = this.#sizes;
    this.#report.ratio(`hybrid query at ${whole(largeSize)} / at ${whole(smallSize)}`, limits.largeToSmall, summary, summarise(taken.small));
  }

  /** The same question in a team of long messages, as clients keep them that store whole conversations. */
  async long(instance: Instance): Promise<void> {
    const { reference } = instance.team;
    const ask = (seed: number, options: Record<string, unknown>): QueryProbe => instance.team.query(seed, 5, { limit: 25, ...options });
    const [query, budget, receipt] = [ask(querySeeds.long, {}), ask(querySeeds.longBudget, { max_tokens: 2_000 }), ask(querySeeds.longReceipt, { receipt: true })];
    const taken = await interleave({ reference, query, budget, receipt }, this.#sizes);
    const held = summarise(taken.reference);
    this.queryRow(instance, summarise(taken.query), query, { reference: held, limit: limits.long, what: "long messages, limit 25" });
    this.queryRow(instance, summarise(taken.budget), budget, { reference: held, what: "long messages, max_tokens 2,000" });
    this.queryRow(instance, summarise(taken.receipt), receipt, { reference: held, what: "long messages, with receipt" });
  }

  /** What the graph costs where it has something to say: the same questions of a team whose memories name people and services, and of one whose do not. */
  async graph(connected: Instance, plain: Instance): Promise<void> {
    const { reference } = connected.team;
    const [within, without] = [connected.team.asking(querySeeds.graph, drawConnectedQuery), plain.team.query(querySeeds.graph, 5)];
    const taken = await interleave({ reference, within, without }, this.#sizes);
    const [held, withGraph, withoutGraph] = [summarise(taken.reference), summarise(taken.within), summarise(taken.without)];
    this.queryRow(plain, withoutGraph, without, { reference: held, what: "memories without a graph" });
    this.queryRow(connected, withGraph, within, { reference: held, what: `memories with ${await connected.team.graphSize()}` });
    this.#report.ratio("query with entities and relationships / without", limits.graph, withGraph, withoutGraph);
  }

  async mixed(grown: Instance, today?: number): Promise<void> {
    const { server, team } = grown;
    const held = summarise((await interleave({ reference: team.reference }, { samples: 100, warmUp: 20 })).reference);
    const connections = Array.from({ length: clients }, () => new BenchClient(server.url, server.apiKey));
    try {
      const start = performance.now();
      const until = start + this.#sizes.mixedMs;
      const samples = await Promise.all(
        connections.map((client, index) => mixedLoad(new Team(client, team.content), querySeeds.mixed + 2 * index, until)),
      );
      const summary = summarise(samples.flat(), performance.now() - start);
      const size = whole(team.content.size);
      this.#row(`${clients} clients at once, ${size} memories`, grown, summary, { reference: held, note: "70% query, 20% get, 10% store" });
      // In requests for each second in which a lone client has its reference calls answered one after the other, machines compare.
      if (today !== undefined) this.#report.share(`${clients} clients at ${size}: requests per reference call`, limits.moreRequests * today, (summary.perSecond * held.p50) / 1_000);
    } finally {
      for (const client of connections) client.close();
    }
  }

  /** Grows the team step by step: how many memories a second are stored, and have their vector and their part of the graph. */
  async import(grown: Instance, size: number): Promise<void> {
    const { team, server } = grown;
    const rates: number[] = [];
    while (team.content.size < size) {
      const from = team.content.size;
      const to = Math.min(size, from + this.#sizes.step);
      const ms = await team.growTo(to);
      const waited = await team.indexed();
      const count = to - from;
      rates.push((count * 1_000) / (ms + waited));
      const note = `memories/s with vectors and graph; stored at ${whole((count * 1_000) / ms)}/s`;
      this.#report.row({ name: `import, ${whole(from)} to ${whole(to)}`, perSecond: rates.at(-1) as number, rssMiB: server.rssMiB(), note });
    }
    const [first, last] = [rates[0], rates.at(-1)];
    if (first !== undefined && last !== undefined && rates.length > 1) this.#report.share("import: rate of the last step / of the first", limits.importRate, last / first);
  }

  queryRow(instance: Instance, summary: Summary, probe: QueryProbe, { what = "memories", ...held }: Held & { what?: string } = {}): void {
    const name = `query, ${whole(instance.team.content.size)} ${what}`;
    if (probe.hits() === 0) throw new Error(`${name}: not one hit, so nothing was measured`);
    this.#row(name, instance, summary, { note: `${probe.hits().toFixed(1)} hits`, ...held });
  }

  #row(name: string, { server }: Instance, summary: Summary, { reference, ...more }: Held & { note?: string } = {}): void {
    this.#report.row({ name, ...summary, rssMiB: server.rssMiB(), ...(reference ? { reference: reference.p50 } : {}), ...more });
  }
}
