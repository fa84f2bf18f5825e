import { sha256Hex } from "../domain/hash.ts";
import { openCopy, sealCopy } from "../domain/secrets/sealed-copy.ts";
import type { RecallOutcome } from "../domain/memories/recall.ts";
import { keptShape, parseKept, type KeptAnswer } from "../domain/memories/kept-answer.ts";
import type { IndexState } from "../domain/ports.ts";
import { type Basis, outdatedBy } from "../domain/search/basis.ts";
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
  until: number;
  outcome: RecallOutcome;
  /** Counted when it is asked for again: most never are. */
  tokens: number | undefined;
  /** Where it lies in L2, or would. */
  hash: string;
  key: string;
  basis: Basis | undefined;
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
  #generation: string | undefined;

  constructor(options: SessionCacheOptions) {
    this.#options = options;
    this.#generation = options.stored.generation;
  }

  get generation(): string | undefined {
    return this.#generation;
  }

  rates(): CacheRates {
    return this.#options.counts.rates();
  }

  /** The person has left. */
  drop(): void {
    this.#l1.clear();
    this.#options.stored.clear();
  }

  async lookUp(principal: Principal, now: number, question: string, state: IndexState, since: string | undefined): Promise<CacheLookup> {
    const { answers, counts, stored } = this.#options;
    const { generation, copyKey } = state;
    const isCurrent = this.#follow(state, since);
    const asked = JSON.stringify([principal.userId, [...principal.scopes].sort(), question]);
    const held = isCurrent ? this.#l1.get(asked) : undefined;
    if (held && held.until > now) {
      held.tokens ??= tokensOf(held.outcome);
      counts.hit("l1", held.tokens);
      if (!held.shared) this.#share(held, held.tokens, copyKey);
      return { level: "l1", outcome: held.outcome };
    }
    counts.miss("l1");

    const hash = await sha256Hex(asked);
    const entry = isCurrent ? stored.get(hash) : undefined;
    const sealed = entry && (await answers.get(entry.key));
    const found = sealed && (await openCopy(copyKey, entry.key, sealed));
    const kept = found === undefined ? undefined : parseKept(found);
    if (entry && kept && kept.until > now) {
      counts.hit("l2", kept.tokens);
      this.#hold(generation, asked, { ...kept, hash, key: entry.key, basis: entry.basis, shared: true });
      return { level: "l2", outcome: kept.outcome };
    }
    if (entry) stored.remove(hash);
    counts.miss("l2");
    return {
      level: "miss",
      keep: ({ basis, ...outcome }, until) => {
        const key = `r${keptShape}:${principal.teamId}:${principal.userId}:${generation}:${hash}`;
        if (until > now) this.#hold(generation, asked, { until, outcome, tokens: undefined, hash, key, basis, shared: false });
      },
    };
  }

  /** Lets go of what may hold no longer. False when that cannot be told, since another call has followed to another state meanwhile. */
  #follow(state: IndexState, since: string | undefined): boolean {
    const { generation } = state;
    if (generation === this.#generation) return true;
    if (since !== this.#generation) return false;
    const mayDiffer = outdatedBy(state);
    const isOutdated = ({ basis }: { basis: Basis | undefined }): boolean => !basis || mayDiffer(basis);
    this.#l1.deleteIf(isOutdated);
    this.#options.stored.follow(generation, isOutdated);
    this.#generation = generation;
    return true;
  }

  #share(held: Held, tokens: number, copyKey: string): void {
    held.shared = true;
    const { until, outcome, hash, key, basis } = held;
    const answer: KeptAnswer = { until, tokens, outcome };
    this.#options.stored.add(hash, { key, until, basis }, this.#generation as string);
    this.#options.later(sealCopy(copyKey, key, JSON.stringify(answer)).then((sealed) => this.#options.answers.put(key, sealed, until)));
  }

  /** Unless something changed since it was asked for: whether that concerns it was not looked into. */
  #hold(generation: string, asked: string, held: Held): void {
    const size = sizeOf(held.outcome) + bytesPerCharacter * (asked.length + JSON.stringify(held.basis ?? null).length);
    if (generation === this.#generation && size <= largestAnswer) this.#l1.set(asked, held, size);
  }
}

const sizeOf = ({ items }: RecallOutcome): number =>
  items.reduce((sum, { memory }) => sum + bytesPerMemory + bytesPerCharacter * (memory.content.length + (memory.summary?.length ?? 0)), 0);

const tokensOf = ({ items }: RecallOutcome): number => items.reduce((sum, { memory }) => sum + estimateTokens(memory.content), 0);
