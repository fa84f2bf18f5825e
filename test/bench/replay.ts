import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { cachedAnswerMs } from "../../src/domain/recall/cache/cached-recall.ts";
import { BenchClient } from "./client.ts";
import type { LogEntry } from "./client-log.ts";
import { indexed } from "./team.ts";

/** Without calls a Durable Object leaves the memory after 70–140 s in production, after 10 s here. */
const evictedAfterMs = 120_000;
const localEvictionMs = 12_000;
const leastRelevance = 0.075;

export interface Rates {
  l1: { hits: number; misses: number };
  l2: { hits: number; misses: number };
}

/**
 * Plays a log against the running server, in its order but without most of its idle time. Three things that time does are
 * kept up: a developer's pause in which the session object would be evicted lasts until this runtime evicts it, and a
 * question whose answer would have expired is asked in a way that no kept answer fits. What was stored is indexed before the
 * log goes on, as it is in a second of the developer's time.
 */
export async function replay(url: string, apiKeys: readonly string[], log: readonly LogEntry[]): Promise<Rates> {
  const developers = apiKeys.map((key) => new Developer(url, key));
  try {
    for (const entry of log) await (developers[entry.developer] as Developer).take(entry);
    const rates = await Promise.all(developers.map((developer) => developer.rates()));
    const sum = (level: "l1" | "l2") => ({
      hits: rates.reduce((all, rate) => all + rate[level].hits, 0),
      misses: rates.reduce((all, rate) => all + rate[level].misses, 0),
    });
    return { l1: sum("l1"), l2: sum("l2") };
  } finally {
    for (const developer of developers) await developer.close();
  }
}

class Developer {
  readonly client: BenchClient;
  readonly #url: string;
  readonly #apiKey: string;
  /** Asks nothing here; its stream keeps the session object in memory. */
  #editor: Client | undefined;
  /** By question: when, on the clock of the log, its answer was made, and how often it was made before. */
  readonly #made = new Map<string, { at: number; times: number }>();
  #lastAt: number | undefined;
  #lastCall = 0;

  constructor(url: string, apiKey: string) {
    this.client = new BenchClient(url, apiKey);
    this.#url = url;
    this.#apiKey = apiKey;
  }

  async close(): Promise<void> {
    this.client.close();
    await this.#editor?.close();
  }

  async take({ at, call }: LogEntry): Promise<void> {
    if (call.kind === "editor") return this.#listen(call.open);
    const idle = at - (this.#lastAt ?? at);
    // After a longer pause nothing is valid any more, wherever it was kept.
    if (idle > evictedAfterMs && idle < cachedAnswerMs) await sleep(Math.max(0, this.#lastCall + localEvictionMs - performance.now()));
    if (call.kind === "ask") await this.client.callTool("omn_retrieve_memory", { query: call.query, limit: 10, min_relevance: this.#freshness(at, call.query) });
    else {
      const { key, content, shared } = call;
      await this.client.callTool("omn_store_memory", { key, content, metadata: { scope: shared ? "shared" : "private" } });
      await indexed(this.client);
    }
    this.#lastAt = at;
    this.#lastCall = performance.now();
  }

  async rates(): Promise<Rates> {
    const { result } = await this.client.callTool("omn_memory_stats", {});
    return result.structuredContent?.["caches"] as Rates;
  }

  async #listen(open: boolean): Promise<void> {
    await this.#editor?.close();
    if (!open) return;
    this.#editor = new Client({ name: "bench-editor", version: "1" });
    await this.#editor.connect(new StreamableHTTPClientTransport(new URL(this.#url), { requestInit: { headers: { authorization: `Bearer ${this.#apiKey}` } } }));
  }

  /** A bound as low as what is shown by default, and by a trifle another one each time that an answer would have expired. */
  #freshness(at: number, query: string): number {
    const made = this.#made.get(query);
    if (made && at - made.at < cachedAnswerMs) return leastRelevance + made.times * 1e-9;
    const times = (made?.times ?? 0) + 1;
    this.#made.set(query, { at, times });
    return leastRelevance + times * 1e-9;
  }
}
