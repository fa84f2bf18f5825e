import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { BenchClient } from "./client.ts";
import { hostileLoad } from "./hostile.ts";
import { interleave, summarise } from "./measure.ts";
import type { Options } from "./options.ts";
import { progress, type Report } from "./report.ts";
import { type Instance, limits, querySeeds, Rows, startInstance } from "./rows.ts";
import { whole } from "./table.ts";
import { Team, TeamContent } from "./team.ts";
import { drawConnectedContent, drawLongContent } from "./zipf.ts";
import { addMembers, addTeams } from "./tenants.ts";

/** Equal seeds mean equal memories: the crowded team is the lone one's twin. */
const seeds = { lone: 1, grown: 2, log: 3, graph: 4, long: 5, others: 1_000 };

/**
 * Two servers run side by side: `lone` holds a small team throughout, `grown` is filled step by step. A row of the
 * large team is taken in turns with the lone one, so both see the same machine. `grown` then makes way for `crowded`:
 * the lone team's twin in a shard full of others.
 */
export class Scenario {
  readonly #options: Options;
  readonly #report: Report;
  readonly #rows: Rows;
  readonly #directory: string;

  constructor(options: Options, report: Report, directory: string) {
    this.#options = options;
    this.#report = report;
    this.#rows = new Rows(options.sizes, report);
    this.#directory = directory;
  }

  async run(): Promise<void> {
    const { wants, sizes } = this.#options;
    const rows = this.#rows;
    const needsLone = wants("floor", "no-op", "auth", "bindings", "query-small", "query-large", "mixed", "crowded", "cached");
    const lone = needsLone ? await this.#start("lone", new TeamContent(seeds.lone)) : undefined;
    if (lone) {
      await lone.team.growTo(sizes.small);
      await lone.team.indexed();
      if (wants("floor", "no-op")) await this.attempt("floor and no-op", () => rows.floor(lone));
      if (wants("auth")) await this.attempt("auth", () => this.#auth(lone));
      if (wants("bindings")) await this.attempt("bindings", () => this.#bindings());
      if (wants("cached")) await this.attempt("cached", () => rows.cached(lone));
      if (wants("query-small")) await this.attempt("query-small", () => rows.querySmall(lone));
      if (wants("mixed")) await this.attempt("mixed, small", () => rows.mixed(lone, this.#today("small")));
    }
    if (wants("store", "get", "secrets", "query-medium", "restore", "agents", "query-large", "mixed", "import", "restart", "peers")) {
      const grown = await this.#start("grown", new TeamContent(seeds.grown));
      await this.attempt("the growing team", () => this.#grow(grown, lone));
      await grown.server.stop();
    }
    if (wants("long")) await this.attempt("long messages", () => this.#long());
    if (wants("graph")) await this.attempt("graph", () => this.#graph());
    if (wants("log")) await this.attempt("log", () => this.#log());
    if (wants("hostile")) await this.attempt("hostile load", () => hostileLoad(join(this.#directory, "hostile"), sizes.small, this.#report));
    if (lone && wants("crowded")) await this.attempt("crowded", () => this.#crowded(lone));
  }

  /** One row that fails does not cost the others. */
  async attempt(stage: string, run: () => Promise<void> | void): Promise<void> {
    progress(`${stage} …`);
    try {
      await run();
    } catch (error) {
      this.#report.failures.push({ stage, message: (error as Error).message });
      progress(`${stage} failed: ${(error as Error).message}`);
    }
  }

  #start(name: string, content: TeamContent): Promise<Instance> {
    return startInstance(join(this.#directory, name), content);
  }

  async #auth(lone: Instance): Promise<void> {
    await this.#varied("worker-without-auth.ts", (believing) => this.#rows.auth(lone, believing));
  }

  #bindings(): Promise<void> {
    return this.#varied("worker-with-bindings.ts", (server) => this.#rows.bindings(server));
  }

  /** A server with another entry than the product's. */
  async #varied(entry: string, run: (server: LocalServer) => Promise<void>): Promise<void> {
    const server = await startServer({
      dataDir: join(this.#directory, entry), port: 0, vars: { OMNIMEMORY_RATE_LIMIT: "off" }, entry: fileURLToPath(new URL(entry, import.meta.url)),
    });
    try {
      await run(server);
    } finally {
      await server.close(1_000);
    }
  }

  async #grow(grown: Instance, lone: Instance | undefined): Promise<void> {
    const { sizes, wants } = this.#options;
    const { team } = grown;
    const rows = this.#rows;
    await team.growTo(sizes.small);
    await team.indexed();
    if (wants("store", "get")) await this.attempt("store and get", () => rows.storeAndGet(grown));
    if (wants("secrets")) await this.attempt("secrets", () => rows.secrets(grown));
    if (wants("peers")) {
      await team.growTo(sizes.peers);
      await team.indexed();
      await this.attempt("this server beside its peers", () => rows.besidePeers(grown));
    }
    if (wants("query-medium", "restore", "agents", "mixed")) {
      await team.growTo(sizes.medium);
      await team.indexed();
      if (wants("query-medium")) await this.attempt("query-medium", () => rows.queryMedium(grown));
      if (wants("restore")) await this.attempt("restore", () => rows.restore(grown));
      if (wants("agents")) await this.attempt("agents", () => rows.agents(grown));
      if (wants("mixed")) await this.attempt("mixed, medium", () => rows.mixed(grown, this.#today("medium")));
    }
    if (wants("import", "query-large", "restart")) {
      progress(`growing the team to ${whole(sizes.large)} …`);
      await rows.import(grown, sizes.large);
      if (lone && wants("query-large")) await this.attempt("query-large", () => rows.queryLarge(lone, grown));
      if (wants("mixed")) await this.attempt("mixed, large", () => rows.mixed(grown, this.#today("large")));
      if (wants("restart")) await this.attempt("restart", () => this.#restart(grown));
    }
  }

  /** Figures of small teams say nothing of what the full ones had. */
  #today(size: keyof typeof limits.today): number | undefined {
    return this.#options.quick ? undefined : limits.today[size];
  }

  async #long(): Promise<void> {
    const long = await this.#start("long", new TeamContent(seeds.long, drawLongContent));
    await long.team.growTo(this.#options.sizes.long);
    await long.team.indexed();
    await this.#rows.long(long);
    await long.server.stop();
  }

  async #graph(): Promise<void> {
    const size = this.#options.sizes.graph;
    const instances = [await this.#start("connected", new TeamContent(seeds.graph, drawConnectedContent)), await this.#start("plain", new TeamContent(seeds.graph))] as const;
    for (const { team } of instances) {
      await team.growTo(size);
      await team.indexed();
    }
    await this.#rows.graph(...instances);
    for (const { server } of instances) await server.stop();
  }

  async #log(): Promise<void> {
    const { sizes } = this.#options;
    const content = new TeamContent(seeds.log);
    const before = await this.#start("log", content);
    await before.team.growTo(sizes.small, "shared");
    await before.team.indexed();
    await before.server.stop();
    const keys = addMembers(before.server.dataDir, sizes.developers);
    const again = await this.#start("log", content);
    await this.#rows.log(again, keys);
    await again.server.stop();
  }

  async #restart(grown: Instance): Promise<void> {
    const { content } = grown.team;
    await grown.server.stop();
    const again = await this.#start("grown", content);
    grown.server = again.server;
    const healthMs = performance.now() - again.server.spawnedAt;
    const query = again.team.query(querySeeds.restart);
    const { bytes } = await query.run();
    const ms = performance.now() - again.server.spawnedAt;
    if (query.hits() === 0) throw new Error("no hits after the restart");
    const note = `spawn to first answered query; healthy after ${whole(healthMs)} ms`;
    this.#report.row({ name: `restart with ${whole(content.size)}`, p50: ms, bytes, rssMiB: again.server.rssMiB(), note });
    this.#report.bound(`restart with ${whole(content.size)}: ms to the first answer`, limits.restartMs, ms);
  }

  async #crowded(lone: Instance): Promise<void> {
    const { sizes } = this.#options;
    const content = new TeamContent(seeds.lone);
    const before = await this.#start("crowded", content);
    await before.team.growTo(sizes.small);
    await before.team.indexed();
    await before.server.stop();
    const keys = addTeams(before.server.dataDir, sizes.otherTeams);
    const crowded = await this.#start("crowded", content);
    progress(`importing ${whole(sizes.others)} memories of ${keys.length} other teams …`);
    for (const [index, key] of keys.entries()) {
      const other = new Team(new BenchClient(crowded.server.url, key), new TeamContent(seeds.others + index));
      await other.growTo(sizes.others / sizes.otherTeams);
      other.client.close();
    }
    const [alone, among] = [lone.team.query(querySeeds.crowded), crowded.team.query(querySeeds.crowded)];
    const taken = await interleave({ alone, among }, sizes);
    const summary = summarise(taken.among);
    this.#rows.queryRow(crowded, summary, among, { what: `among ${whole(sizes.others)} of others` });
    this.#report.ratio("query in crowded shard / lone", limits.crowded, summary, summarise(taken.alone));
    await crowded.server.stop();
  }
}
