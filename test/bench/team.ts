import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type BenchClient, countHits, type Timed } from "./client.ts";
import type { Probe } from "./measure.ts";
import { type BenchMemory, Corpus, drawQuery, type Random, seeded } from "./zipf.ts";

/** As many as a call takes, and of long texts fewer: its body is bounded. */
const importBatch = 1_000;
const importCharacters = 600_000;

/** What a team has stored. Teams with the same seed hold the same memories. */
export class TeamContent {
  readonly imported: Corpus;
  readonly stored: Corpus;
  readonly random: Random;

  constructor(seed: number, draw?: (random: Random) => string) {
    this.imported = new Corpus(`imported-${seed}`, seed, draw);
    this.stored = new Corpus(`stored-${seed}`, seed + 500_000);
    this.random = seeded(seed + 900_000);
  }

  get size(): number {
    return this.imported.size + this.stored.size;
  }
}

/** Calls of the tools through one connection of one team. */
export class Team {
  readonly client: BenchClient;
  readonly content: TeamContent;

  constructor(client: BenchClient, content: TeamContent) {
    this.client = client;
    this.content = content;
  }

  readonly floor: Probe = { run: () => this.client.health() };
  readonly noOp: Probe = { run: () => this.client.callTool("omn_health_check", {}) };
  /** What other figures are held against: the same call, which the SDK and the session object's `fetch` serve whatever becomes of the no-op. */
  readonly reference: Probe = { run: () => this.client.callThroughSdk("omn_health_check", {}) };

  readonly store: Probe = {
    run: () => {
      const { key, content } = this.content.stored.next();
      return this.client.callTool("omn_store_memory", { content, key });
    },
  };

  readonly get: Probe = {
    run: async () => {
      const { imported, random } = this.content;
      const key = imported.keyAt(Math.floor(random() * imported.size));
      const answer = await this.client.callTool("omn_retrieve_memory", { key });
      if (!JSON.stringify(answer.result).includes(key)) throw new Error(`get: the answer does not hold ${key}`);
      return answer;
    },
  };

  /** The same texts as `store` has, encrypted at rest. */
  readonly storeSecret: Probe = {
    run: () => {
      const { key, content } = this.content.stored.next();
      return this.client.callTool("omn_store_memory", { content, key, metadata: { sensitivity: "secret" } });
    },
  };

  /** One key of some that hold a secret; `keep` stores them first. */
  secrets(count: number): Probe & { keep: () => Promise<void> } {
    const contents = Array.from({ length: count }, () => this.content.stored.next());
    let next = 0;
    return {
      keep: async () => {
        for (const { key, content } of contents) await this.client.callTool("omn_store_memory", { content, key, metadata: { sensitivity: "secret" } });
      },
      run: async () => {
        const { key, content } = contents[next++ % count] as { key: string; content: string };
        const answer = await this.client.callTool("omn_retrieve_memory", { key });
        if (!JSON.stringify(answer.result).includes(JSON.stringify(content).slice(1, 40))) throw new Error(`get: the answer does not hold what ${key} says`);
        return answer;
      },
    };
  }

  /** Never asks the same twice, so that no cache of answers flatters the figure. */
  query(seed: number, words = 5, options: Record<string, unknown> = {}): QueryProbe {
    return this.asking(seed, (random) => drawQuery(random, words), options);
  }

  asking(seed: number, draw: (random: Random) => string, options: Record<string, unknown> = {}): QueryProbe {
    const random = seeded(seed);
    const hits: number[] = [];
    const run = async (): Promise<Answer> => {
      const answer = await this.client.callTool("omn_retrieve_memory", { query: draw(random), limit: 10, min_relevance: 0, ...options });
      hits.push(countHits(answer.result));
      return answer;
    };
    return { run, hits: () => hits.reduce((sum, count) => sum + count, 0) / hits.length };
  }

  /** Questions right after a burst of stores, of whose memories the pipeline has no vectors yet. Each twenty are asked after one. */
  justStored(seed: number, stores: number): QueryProbe {
    const query = this.query(seed);
    let asked = 0;
    const run = async (): Promise<Timed> => {
      if (asked++ % 20 === 0) for (let n = 0; n < stores; n += 1) await this.store.run();
      return query.run();
    };
    return { run, hits: query.hits };
  }

  /** Two questions in one. */
  inParts(seed: number): QueryProbe {
    return this.asking(seed, (random) => `Which ${drawQuery(random, 3)} and who ${drawQuery(random, 2)}?`);
  }

  /** Questions that name a time and nothing else. */
  happened(seed: number): QueryProbe {
    return this.asking(seed, (random) => `What happened in the last ${1 + Math.floor(random() * 9_000)} days?`);
  }

  /** How many entities and relationships the graph has. */
  async graphSize(): Promise<string> {
    const { result } = await this.client.callTool("omn_memory_stats", {});
    const { entities, relationships } = (result.structuredContent?.["graph"] ?? {}) as { entities?: number; relationships?: number };
    return `${entities ?? "?"} entities, ${relationships ?? "?"} relationships`;
  }

  /** Asks the same few questions over and over. */
  repeated(seed: number, count: number): Probe & { fill: (times?: number) => Promise<void> } {
    const random = seeded(seed);
    const queries = Array.from({ length: count }, () => drawQuery(random));
    const ask = (query: string): Promise<Answer> => this.client.callTool("omn_retrieve_memory", { query, limit: 10, min_relevance: 0 });
    let next = 0;
    return {
      run: () => ask(queries[next++ % count] as string),
      fill: async (times = 1) => {
        for (const query of queries) for (let n = 0; n < times; n += 1) await ask(query);
      },
    };
  }

  async cacheHits(): Promise<{ l1: number; l2: number }> {
    const { result } = await this.client.callTool("omn_memory_stats", {});
    const caches = result.structuredContent?.["caches"] as Record<"l1" | "l2", { hits: number }> | undefined;
    if (!caches) throw new Error("the statistics say nothing of caches");
    return { l1: caches.l1.hits, l2: caches.l2.hits };
  }

  /** Imports until the team holds `size` memories; the milliseconds it took. */
  async growTo(size: number, visibility: "private" | "shared" = "private"): Promise<number> {
    const start = performance.now();
    while (this.content.size < size) {
      const memories: (BenchMemory & { visibility: string })[] = [];
      for (let characters = 0; memories.length < importBatch && characters < importCharacters && this.content.size < size; ) {
        const memory = this.content.imported.next();
        characters += memory.content.length;
        memories.push({ ...memory, visibility });
      }
      const { result } = await this.client.callTool("omn_import_memories", { memories });
      const created = result.structuredContent?.["created"];
      if (created !== memories.length) throw new Error(`import: ${String(created)} created of ${memories.length}`);
    }
    return performance.now() - start;
  }

  indexed(): Promise<number> {
    return indexed(this.client);
  }
}

/** Until every memory has its vector and its part of the graph, so that a query is measured as it is on most days; the milliseconds it took. */
export async function indexed(client: BenchClient): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { result } = await client.callTool("omn_memory_stats", {});
    const { vectors, graph } = (result.structuredContent ?? {}) as { vectors?: { waiting: number; failed: number }; graph?: { waiting: number } };
    if (!vectors || !graph || vectors.failed > 0) throw new Error("the statistics say nothing of vectors or the graph, or that some failed");
    if (vectors.waiting + graph.waiting === 0) return performance.now() - start;
    await sleep(100);
  }
}

export interface QueryProbe extends Probe {
  /** Memories per answer, on average so far. */
  hits: () => number;
}

/** Seventy queries, twenty gets and ten stores of a hundred calls, as fast as the answers come. */
export async function mixedLoad(team: Team, seed: number, until: number): Promise<Timed[]> {
  const random = seeded(seed);
  const query = team.query(seed + 1);
  const samples: Timed[] = [];
  while (performance.now() < until) {
    const draw = random();
    const probe = draw < 0.7 ? query : draw < 0.9 ? team.get : team.store;
    samples.push(await probe.run());
  }
  return samples;
}
