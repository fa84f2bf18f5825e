import { setTimeout as sleep } from "node:timers/promises";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { BenchClient } from "../bench/client.ts";

export interface Hit {
  id: string;
  key: string | undefined;
  relevance: number;
}

export interface Recall {
  hits: Hit[];
  /** The hits are leads: nothing is certain. */
  uncertain: boolean;
  ms: number;
  /** Of the answer's text, as a model reads it (o200k). */
  tokens: number;
  /** Which legs brought what, when it was asked for. */
  receipt: unknown;
}

export type Arguments = Record<string, unknown>;

const importBatch = 200;
const indexingLimitMs = 600_000;
const pollMs = 250;

/** What one team remembers, through the tools that its clients have. */
export class Memories {
  readonly #client: BenchClient;

  constructor(client: BenchClient) {
    this.#client = client;
  }

  /** The ids, in the order of the records. */
  async store(records: readonly Arguments[]): Promise<string[]> {
    const ids: string[] = [];
    for (let start = 0; start < records.length; start += importBatch) {
      const memories = records.slice(start, start + importBatch);
      const { created, quarantined = 0, memory_ids } = await this.#call("omn_import_memories", { memories });
      // What the write guard keeps back is not found, which counts against recall.
      if (Number(created) + Number(quarantined) !== memories.length) throw new Error(`${String(created)} created of ${memories.length}`);
      ids.push(...(memory_ids as string[]));
    }
    return ids;
  }

  /** As a client does it: preview, then the same with the token of the preview. */
  async forget(ids: readonly string[], mode: "archive" | "erase"): Promise<void> {
    const { confirm } = await this.#call("omn_forget_memory", { ids, mode });
    const { count } = await this.#call("omn_forget_memory", { ids, mode, confirm });
    if (count !== ids.length) throw new Error(`${String(count)} forgotten of ${ids.length}`);
  }

  async update(id: string, changes: Arguments): Promise<void> {
    await this.#call("omn_update_memory", { id, ...changes });
  }

  /** Stores one note as a client does that gives it no key. The outcome. */
  async say(content: string, idempotencyKey: string | undefined): Promise<string> {
    const { outcome, replayed } = await this.#call("omn_store_memory", { content, ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }) });
    return replayed === true ? "replayed" : String(outcome);
  }

  /** The texts that a question brings, best first. */
  async read(query: string): Promise<string[]> {
    const { memories } = await this.#call("omn_retrieve_memory", { query, limit: 3 });
    return (memories as { content: string; truncated?: boolean }[]).filter(({ truncated }) => !truncated).map(({ content }) => content);
  }

  /** What all memories say that are not archived. */
  async contents(): Promise<string[]> {
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { data, next_cursor } = await this.#call("omn_export_memories", { limit: 1_000, include_history: false, ...(cursor === undefined ? {} : { cursor }) });
      const records = String(data).split("\n").filter(Boolean).map((line) => JSON.parse(line) as { content: string; archived_at: string | null });
      found.push(...records.filter(({ archived_at }) => archived_at === null).map(({ content }) => content));
      if (next_cursor === undefined) return found;
      cursor = String(next_cursor);
    }
  }

  /** The briefing of a project, as a model reads it. */
  async resume(project: string): Promise<{ text: string; ms: number }> {
    const { ms, result } = await this.#client.callTool("smart_resume", { project_path: project });
    return { ms, text: result.content?.map(({ text }) => text ?? "").join("\n") ?? "" };
  }

  async recall(args: Arguments): Promise<Recall> {
    const { ms, result } = await this.#client.callTool("omn_retrieve_memory", args);
    const answer = result.structuredContent ?? {};
    const found = answer["memories"] as { memory_id: string; key?: string; relevance_score?: number }[];
    return {
      hits: found.map(({ memory_id, key, relevance_score }) => ({ id: memory_id, key, relevance: relevance_score ?? 0 })),
      uncertain: answer["uncertain"] === true,
      ms,
      tokens: countTokens(result.content?.map(({ text }) => text ?? "").join("\n") ?? ""),
      receipt: answer["receipt"],
    };
  }

  /** Whether the server knows these arguments at all. */
  async takes(args: Arguments): Promise<boolean> {
    return this.recall({ query: "probe", limit: 1, ...args }).then(
      () => true,
      (error: Error) => {
        if (error.message.includes("VALIDATION_ERROR")) return false;
        throw error;
      },
    );
  }

  /** Until every memory has its vector, where the server tells of vectors. */
  async settled(): Promise<{ failed: number }> {
    const deadline = performance.now() + indexingLimitMs;
    for (;;) {
      const { vectors, graph } = (await this.#call("omn_memory_stats", {})) as { vectors?: { waiting?: number; failed?: number }; graph?: { waiting: number } };
      if (!vectors?.waiting && !graph?.waiting) return { failed: vectors?.failed ?? 0 };
      if (performance.now() > deadline) throw new Error(`${vectors?.waiting} memories still wait for their vectors, ${graph?.waiting} for the graph, after ${indexingLimitMs / 60_000} minutes`);
      await sleep(pollMs);
    }
  }

  async #call(name: string, args: Arguments): Promise<Arguments> {
    return (await this.#client.callTool(name, args)).result.structuredContent ?? {};
  }
}
