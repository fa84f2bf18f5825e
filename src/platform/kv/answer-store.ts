import type { AnswerStore } from "../../domain/recall/cache/recall-cache.ts";
import { tryWithTimeout } from "../../domain/timeout.ts";

type Report = (event: string, error: unknown) => void;

/** A search takes a few milliseconds: what KV has not said by then is not worth waiting for. */
const readMs = 50;

/** Seconds; KV takes no less. */
const leastTtl = 60;

/** Kept answers in Workers KV. Keys change with every write, so nothing is ever invalidated: it expires. */
export class KvAnswerStore implements AnswerStore {
  readonly #kv: KVNamespace;
  readonly #report: Report;

  constructor(kv: KVNamespace, report: Report) {
    this.#kv = kv;
    this.#report = report;
  }

  async get(key: string): Promise<string | undefined> {
    try {
      return (await tryWithTimeout(readMs, this.#kv.get(key, "text"))) ?? undefined;
    } catch (error) {
      this.#report("answers.get", error);
      return undefined;
    }
  }

  async put(key: string, text: string, until: number): Promise<void> {
    const expirationTtl = Math.max(leastTtl, Math.ceil((until - Date.now()) / 1_000));
    try {
      await this.#kv.put(key, text, { expirationTtl });
    } catch (error) {
      this.#report("answers.put", error);
    }
  }
}
