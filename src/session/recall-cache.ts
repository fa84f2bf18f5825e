import { sha256Hex } from "../domain/hash.ts";
import { keptMs } from "../domain/memories/recall-cached.ts";
import { keptShape, parseKept, type KeptAnswer } from "../domain/memories/kept-answer.ts";
import type { AnswerStore, CacheLookup, CacheRates, RecallCache } from "../domain/search/recall-cache.ts";
import { estimateTokens } from "../domain/search/tokens.ts";
import type { Principal } from "../domain/tenancy/principal.ts";
import type { CacheCounts } from "./cache-counts.ts";
import { LruMap } from "./lru-map.ts";
import type { StoredAnswers } from "./stored-answers.ts";

/** A session object shares 128 MB with others in its isolate; 4 MB are some 200 answers of ten memories. */
const l1Bytes = 4 * 1024 * 1024;
/** In bytes. Few answers are larger, and those would push out many others. */
const largestAnswer = 512 * 1024;
/** V8 keeps Latin text in one byte a character, other text in two. */
const bytesPerCharacter = 2;
/** The fields of a memory beside its text. */
const bytesPerMemory = 1_500;

export interface SessionCacheOptions {
  answers: AnswerStore;
  stored: StoredAnswers;
  counts: CacheCounts;
  /** Goes on after the answer. */
  later(work: Promise<void>): void;
}

interface Held {
  answer: KeptAnswer;
  key: string;
  /** Whether it went to L2. */
  shared: boolean;
}

/**
 * L1 in the person's session object, L2 behind it, for when the object was evicted. Both hold answers of this person only.
 * An answer goes to L2 when it is asked for again: most never are, and writing each would cost more than all reading does.
 */
export class SessionRecallCache implements RecallCache {
  readonly #options: SessionCacheOptions;
  readonly #l1 = new LruMap<Held>(l1Bytes);
  /** Of everything in L1. */
  #generation = "";

  constructor(options: SessionCacheOptions) {
    this.#options = options;
  }

  rates(): CacheRates {
    return this.#options.counts.rates();
  }

  /** The person has just written. The generation says so as well; this frees the memory at once. */
  drop(): void {
    this.#l1.clear();
    this.#options.stored.clear();
  }

  async lookUp(principal: Principal, now: number, question: string, generation: string): Promise<CacheLookup> {
    const { answers, counts, stored } = this.#options;
    if (generation !== this.#generation) {
      if (this.#generation !== "") this.drop();
      this.#generation = generation;
    }
    const asked = JSON.stringify([principal.userId, [...principal.scopes].sort(), question]);
    const held = this.#l1.get(asked);
    if (held && held.answer.until > now) {
      counts.hit("l1", tokensOf(held.answer));
      if (!held.shared) this.#share(held);
      return { level: "l1", outcome: held.answer.outcome };
    }
    counts.miss("l1");

    const key = await keyOf(principal, generation, asked);
    const found = stored.has(key) ? await answers.get(key) : undefined;
    const kept = found === undefined ? undefined : parseKept(found);
    if (kept && kept.until > now) {
      counts.hit("l2", tokensOf(kept));
      this.#hold(generation, asked, { answer: kept, key, shared: true });
      return { level: "l2", outcome: kept.outcome };
    }
    stored.remove(key);
    counts.miss("l2");
    return {
      level: "miss",
      keep: (outcome, until) => {
        if (until > now) this.#hold(generation, asked, { answer: { until, outcome }, key, shared: false });
      },
    };
  }

  #share(held: Held): void {
    held.shared = true;
    this.#options.stored.add(held.key, held.answer.until);
    this.#options.later(this.#options.answers.put(held.key, JSON.stringify(held.answer), Math.ceil(keptMs / 1000)));
  }

  /** Unless something changed since it was asked for: then nobody will ask for it again. */
  #hold(generation: string, asked: string, held: Held): void {
    const size = sizeOf(held.answer) + asked.length * bytesPerCharacter;
    if (generation === this.#generation && size <= largestAnswer) this.#l1.set(asked, held, size);
  }
}

const keyOf = async (principal: Principal, generation: string, asked: string): Promise<string> =>
  `r${keptShape}:${principal.teamId}:${principal.userId}:${generation}:${await sha256Hex(asked)}`;

const sizeOf = ({ outcome }: KeptAnswer): number =>
  outcome.items.reduce((sum, { memory }) => sum + bytesPerMemory + bytesPerCharacter * (memory.content.length + (memory.summary?.length ?? 0)), 0);

const tokens = new WeakMap<KeptAnswer, number>();

/** Counted once, when the answer is first of use. */
function tokensOf(answer: KeptAnswer): number {
  const known = tokens.get(answer) ?? answer.outcome.items.reduce((sum, { memory }) => sum + estimateTokens(memory.content), 0);
  tokens.set(answer, known);
  return known;
}
