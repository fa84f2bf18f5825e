import { sha256Hex } from "../domain/hash.ts";
import { openCopy, sealCopy } from "../domain/secrets/sealed-copy.ts";
import type { RecallOutcome } from "../domain/recall/recall.ts";
import { cachedAnswerShape, parseCachedAnswer, type CachedAnswer } from "../domain/recall/cache/cached-answer.ts";
import type { IndexState } from "../domain/recall/cache/index-state.ts";
import type { AnswerStore, CacheRates, CurrentAnswer, RecallCache } from "../domain/recall/cache/recall-cache.ts";
import { estimateTokens } from "../domain/text/token-count.ts";
import type { Principal } from "../domain/tenancy/principal.ts";
import type { CacheCounts } from "./cache-counts.ts";
import { LruMap } from "../domain/lru-map.ts";
import type { StoredAnswer, StoredAnswers } from "./stored-answers.ts";

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
  generation: string;
  /** ms since the epoch. */
  until: number;
  outcome: RecallOutcome;
  /** Counted when it is asked for again: most never are. */
  tokens: number | undefined;
  /** Whether it went to L2. */
  shared: boolean;
}

/**
 * L1 in the person's session object, L2 behind it, for when the object was evicted. Both hold answers of this person only.
 * What lies in L2 is sealed, so that nobody can read it once anything that its person could see was erased or withdrawn.
 * An answer goes to L2 when it is asked for again: most never are, and writing each would cost more than all reading does.
 */
export class SessionRecallCache implements RecallCache {
  readonly #options: SessionCacheOptions;
  readonly #l1 = new LruMap<Held>(l1Bytes);

  constructor(options: SessionCacheOptions) {
    this.#options = options;
  }

  rates(): CacheRates {
    return this.#options.counts.rates();
  }

  /** The person has left. */
  drop(): void {
    this.#l1.clear();
    this.#options.stored.clear();
  }

  async get(principal: Principal, now: number, question: string, state: () => Promise<IndexState | undefined>): Promise<{ level: "l1" | "l2"; outcome: RecallOutcome } | undefined> {
    const { counts, stored } = this.#options;
    const asked = askedBy(principal, question);
    const held = this.#l1.get(asked);
    let current = held && (await state());
    if (held && held.generation === current?.generation && held.until > now) {
      held.tokens ??= tokensOf(held.outcome);
      counts.hit("l1", held.tokens);
      if (!held.shared) {
        held.shared = true;
        this.#share(principal, await sha256Hex(asked), held, current.copyKey);
      }
      return { level: "l1", outcome: held.outcome };
    }
    counts.miss("l1");
    const hash = stored.size > 0 ? await sha256Hex(asked) : "";
    const entry = stored.get(hash);
    if (entry && !held) current = await state();
    const kept = entry && current && (await this.#fromL2(entry, current, now));
    if (kept) {
      counts.hit("l2", kept.tokens);
      this.#hold(asked, { ...kept, generation: entry.generation, shared: true });
      return { level: "l2", outcome: kept.outcome };
    }
    if (entry) stored.remove(hash);
    counts.miss("l2");
    return undefined;
  }

  put(principal: Principal, now: number, question: string, answer: CurrentAnswer): void {
    if (answer.until > now) this.#hold(askedBy(principal, question), { ...answer, tokens: undefined, shared: false });
  }

  async #fromL2({ key, generation }: StoredAnswer, { generation: current, copyKey }: IndexState, now: number): Promise<CachedAnswer | undefined> {
    if (generation !== current) return undefined;
    const sealed = await this.#options.answers.get(key);
    const text = sealed && (await openCopy(copyKey, key, sealed));
    const kept = text ? parseCachedAnswer(text) : undefined;
    return kept && kept.until > now ? kept : undefined;
  }

  #share({ teamId, userId }: Principal, hash: string, held: Held, copyKey: string): void {
    const { generation, until, outcome, tokens = 0 } = held;
    const key = `r${cachedAnswerShape}:${teamId}:${userId}:${generation}:${hash}`;
    const answer: CachedAnswer = { until, tokens, outcome };
    this.#options.stored.add(hash, { key, until, generation });
    this.#options.later(sealCopy(copyKey, key, JSON.stringify(answer)).then((sealed) => this.#options.answers.put(key, sealed, until)));
  }

  #hold(asked: string, held: Held): void {
    const size = sizeOf(held.outcome) + bytesPerCharacter * asked.length;
    if (size <= largestAnswer) this.#l1.set(asked, held, size);
  }
}

const askedBy = ({ userId, scopes }: Principal, question: string): string => JSON.stringify([userId, [...scopes].sort(), question]);

const sizeOf = ({ items }: RecallOutcome): number =>
  items.reduce((sum, { memory }) => sum + bytesPerMemory + bytesPerCharacter * (memory.content.length + (memory.summary?.length ?? 0)), 0);

const tokensOf = ({ items }: RecallOutcome): number => items.reduce((sum, { memory }) => sum + estimateTokens(memory.content), 0);
