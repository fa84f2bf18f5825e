import { setTimeout as sleep } from "node:timers/promises";
import type { LocalServer } from "../../src/cli/server.ts";
import { accessToken } from "./access-token.ts";
import { BenchClient } from "./client.ts";
import { clientLog } from "./client-log.ts";
import { interleave, type Probe, type Summary, summarise } from "./measure.ts";
import type { Sizes } from "./options.ts";
import { replay } from "./replay.ts";
import type { Report } from "./report.ts";
import { Server } from "./server.ts";
import { whole } from "./table.ts";
import { mixedLoad, type QueryProbe, Team, type TeamContent } from "./team.ts";

/** Each stream of queries has its own seed: no query is asked of a server twice. */
export const querySeeds = { small: 10, medium: 11, large: 12, five: 13, one: 14, restart: 15, crowded: 16, cached: 17, evicted: 18, log: 19, mixed: 100 };
const clients = 16;
/** An object that nobody calls for 10 s leaves the memory of workerd (and of Cloudflare after 70–140 s). */
const evictionMs = 12_000;

export const referenceName = "reference (no-op through the SDK)";

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
    this.#row(referenceName, lone, referenceRow, "ratios are to this");
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
    const query = lone.team.query(querySeeds.small);
    const taken = await interleave({ noOp: lone.team.noOp, query }, this.#sizes);
    this.queryRow(lone, summarise(taken.query), query);
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
    const { noOp, store, get } = grown.team;
    const taken = await interleave({ noOp, store, get }, this.#sizes);
    const [noOpRow, storeRow, getRow] = [summarise(taken.noOp), summarise(taken.store), summarise(taken.get)];
    this.#row("store", grown, storeRow);
    this.#row("get by key", grown, getRow);
    this.#report.ratio("store / no-op", 2, storeRow, noOpRow);
    this.#report.ratio("get / no-op", 2, getRow, noOpRow);
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
    const taken = await interleave({ noOp: grown.team.noOp, query }, this.#sizes);
    const summary = summarise(taken.query);
    this.queryRow(grown, summary, query);
    this.#report.ratio(`hybrid query at ${whole(this.#sizes.medium)} / no-op`, 2.5, summary, summarise(taken.noOp));
  }

  async queryLarge(lone: Instance, grown: Instance): Promise<void> {
    const [small, large] = [lone.team.query(querySeeds.large), grown.team.query(querySeeds.large)];
    const taken = await interleave({ small, large }, this.#sizes);
    const summary = summarise(taken.large);
    this.queryRow(grown, summary, large);
    const { large: largeSize, small: smallSize } = this.#sizes;
    this.#report.ratio(`hybrid query at ${whole(largeSize)} / at ${whole(smallSize)}`, 1.5, summary, summarise(taken.small));
  }

  async mixed(grown: Instance): Promise<void> {
    const { server, team } = grown;
    const connections = Array.from({ length: clients }, () => new BenchClient(server.url, server.apiKey));
    try {
      const start = performance.now();
      const until = start + this.#sizes.mixedMs;
      const samples = await Promise.all(
        connections.map((client, index) => mixedLoad(new Team(client, team.content), querySeeds.mixed + 2 * index, until)),
      );
      const summary = summarise(samples.flat(), performance.now() - start);
      this.#row(`${clients} clients at once`, grown, summary, "70% query, 20% get, 10% store");
    } finally {
      for (const client of connections) client.close();
    }
  }

  async import(grown: Instance): Promise<void> {
    const count = this.#sizes.import;
    const ms = await grown.team.growTo(grown.team.content.size + count);
    const perSecond = (count * 1000) / ms;
    this.#report.row({ name: `import of ${whole(count)}`, perSecond, rssMiB: grown.server.rssMiB(), note: "memories/s" });
    const waited = await grown.team.indexed();
    this.#report.row({ name: `vectors of these ${whole(count)}`, perSecond: (count * 1000) / (ms + waited), rssMiB: grown.server.rssMiB(), note: "memories/s embedded and indexed, from the first import on" });
  }

  queryRow(instance: Instance, summary: Summary, probe: QueryProbe, what = "memories"): void {
    const name = `query, ${whole(instance.team.content.size)} ${what}`;
    if (probe.hits() === 0) throw new Error(`${name}: not one hit, so nothing was measured`);
    this.#row(name, instance, summary, `${probe.hits().toFixed(1)} hits`);
  }

  #row(name: string, { server }: Instance, summary: Summary, note?: string): void {
    this.#report.row({ name, ...summary, rssMiB: server.rssMiB(), ...(note ? { note } : {}) });
  }
}
