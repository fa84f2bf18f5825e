import { BenchClient } from "../bench/client.ts";
import type { Ledger, StoreCall } from "./durability-ledger.ts";

/** The connection broke: whether the call was carried out, nobody was told. */
const broken = new Set(["ECONNRESET", "ECONNREFUSED", "EPIPE", "ECONNABORTED"]);
const isBroken = (error: unknown): boolean => broken.has((error as NodeJS.ErrnoException).code ?? "");

export type Random = () => number;

/** Mulberry32: small, and the same everywhere. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const boards = ["board.today", "board.decisions", "board.questions"];

/** One AI tool at work: writes until the server dies under it, and notes what it was told. */
export class Writer {
  readonly #client: BenchClient;
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #round: number;
  readonly #name: string;
  #count = 0;
  /** Its own memories that it may still change. */
  readonly #own: string[] = [];

  constructor(access: { url: string; apiKey: string }, ledger: Ledger, random: Random, round: number, name: string) {
    this.#client = new BenchClient(access.url, access.apiKey);
    this.#ledger = ledger;
    this.#random = random;
    this.#round = round;
    this.#name = `${name}.r${round}`;
  }

  /** Answers how many calls were acknowledged. */
  async work(): Promise<number> {
    for (let done = 0; ; done += 1) {
      try {
        await this.#step();
      } catch (error) {
        this.#client.close();
        if (isBroken(error)) return done;
        throw error;
      }
    }
  }

  async #call(tool: string, args: Record<string, unknown>): Promise<Record<string, any>> {
    return (await this.#client.callTool(tool, args)).result.structuredContent ?? {};
  }

  #step(): Promise<void> {
    const dice = this.#random();
    const mine = this.#own[Math.floor(this.#random() * this.#own.length)];
    if (dice < 0.3 || mine === undefined) return this.#store();
    if (dice < 0.5) return this.#post();
    if (dice < 0.6) return this.#import();
    if (dice < 0.8) return this.#update(mine);
    return this.#forget(mine, dice < 0.9 ? "archive" : "erase");
  }

  /** A text that its first word alone finds, of any length up to a few pages. */
  #text(): string {
    this.#count += 1;
    const word = `w${this.#name}n${this.#count}x${Math.floor(this.#random() * 2 ** 32).toString(36)}`.replaceAll(".", "");
    return `${word} ${"what was decided about the harbour wall; ".repeat(Math.floor(this.#random() ** 4 * 200))}`.trim();
  }

  async #store(): Promise<void> {
    const content = this.#text();
    const call: StoreCall = { key: `${this.#name}.${this.#count}`, content, idempotency_key: `${this.#name}.${this.#count}` };
    this.#ledger.stores.push(call);
    const { memory_id: id } = await this.#call("omn_store_memory", call);
    this.#ledger.stores = this.#ledger.stores.filter((other) => other !== call);
    this.#ledger.created(id, call.key, content, this.#round);
    this.#own.push(id);
  }

  async #post(): Promise<void> {
    const content = this.#text();
    const key = boards[Math.floor(this.#random() * boards.length)] as string;
    const call: StoreCall = { key, content, idempotency_key: `${this.#name}.${this.#count}` };
    this.#ledger.board(key).unanswered.add(content);
    this.#ledger.stores.push(call);
    const { version } = await this.#call("omn_store_memory", call);
    this.#ledger.stores = this.#ledger.stores.filter((other) => other !== call);
    this.#ledger.posted(key, version, content);
  }

  async #import(): Promise<void> {
    const records = Array.from({ length: 1 + Math.floor(this.#random() * 8) }, () => ({ content: this.#text(), key: `${this.#name}.${this.#count}` }));
    this.#ledger.imports.push(records);
    const { memory_ids: ids } = await this.#call("omn_import_memories", { memories: records });
    this.#ledger.imports = this.#ledger.imports.filter((other) => other !== records);
    for (const [i, { key, content }] of records.entries()) {
      this.#ledger.created(ids[i], key, content, this.#round);
      this.#own.push(ids[i]);
    }
  }

  async #update(id: string): Promise<void> {
    const entry = this.#entry(id);
    const content = this.#text();
    entry.unanswered = { state: "live", versions: [...entry.versions, content] };
    const { version } = await this.#call("omn_update_memory", { id, content });
    if (version !== entry.versions.length + 1) throw new Error(`${entry.key}: version ${version} after ${entry.versions.length}`);
    this.#answered(id);
  }

  async #forget(id: string, mode: "archive" | "erase"): Promise<void> {
    const entry = this.#entry(id);
    const { confirm } = await this.#call("omn_forget_memory", { id, mode });
    this.#own.splice(this.#own.indexOf(id), 1);
    entry.unanswered =
      mode === "erase" ? { state: "erased", versions: entry.versions } : { state: "archived", versions: [...entry.versions, entry.versions.at(-1) as string] };
    const { outcome } = await this.#call("omn_forget_memory", { id, mode, confirm });
    if (outcome !== `${mode}d`) throw new Error(`${entry.key}: ${outcome} instead of ${mode}d`);
    this.#answered(id);
  }

  #entry(id: string) {
    const entry = this.#ledger.entries.get(id);
    if (!entry) throw new Error(`no memory ${id}`);
    entry.round = this.#round;
    return entry;
  }

  #answered(id: string): void {
    const entry = this.#entry(id);
    Object.assign(entry, entry.unanswered);
    delete entry.unanswered;
  }
}
