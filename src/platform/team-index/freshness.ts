import { withTimeout } from "../../domain/timeout.ts";
import type { Following } from "./following.ts";
import type { TeamShard } from "./source.ts";
import type { UnsettledWrites } from "./unsettled-writes.ts";

/** D1 answers the comparison within this time, or the caller does without the object, ms. */
const comparisonMs = 2_000;
/** How long a call waits until the object has read what it missed; D1 answers meanwhile, ms. */
const readingMs = 5_000;
/** How often the object compares itself behind its answers, ms. */
const behindMs = 2_000;
/** A comparison that nobody waits for is made at most so often, ms. */
const pauseMs = 1_000;

interface FreshnessOptions {
  following: Following;
  unsettled: UnsettledWrites;
  /** The team's newest sequence number in D1. */
  newestSeq(team: TeamShard): Promise<number>;
  /** Goes on after the answer. */
  later(work: Promise<unknown>): void;
}

/**
 * Compares the object with D1 where it may lack a change: at its start, after a gap in the sequence, while it is being
 * rebuilt, and while the outcome of a write is unknown. Otherwise the object knows all changes, because they are made through it.
 */
export class Freshness {
  readonly #options: FreshnessOptions;
  /** How often something spoke against the object: its start, and each gap. */
  #doubts = 1;
  /** So many of them a comparison has answered. */
  #answered = 0;
  #comparison: Promise<void> | undefined;
  #comparedAt = 0;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** Before the object answers. @throws when it may lack a change and D1 cannot be asked in time */
  async ensure(team: TeamShard): Promise<void> {
    if (!this.#isNeeded(team)) return this.#behind(team);
    // One that is under way may have asked D1 before the write that is in doubt.
    if (this.#comparison) await withTimeout(readingMs, this.#comparison.catch(() => undefined));
    if (!this.#isNeeded(team)) return;
    await withTimeout(readingMs, this.#comparison ?? this.#start(team));
  }

  /** What somebody else wrote to D1, such as the object of an earlier deployment, shows although no write of this object met it. */
  #behind(team: TeamShard): void {
    if (Date.now() - this.#comparedAt < behindMs || this.#comparison) return;
    this.#comparedAt = Date.now();
    this.#options.later(this.#start(team));
  }

  #start(team: TeamShard): Promise<void> {
    this.#comparison = this.#compare(team).finally(() => (this.#comparison = undefined));
    return this.#comparison;
  }

  /** Somebody else has changed the team: the next answer waits for a comparison. */
  invalidate(): void {
    this.#doubts += 1;
  }

  /** Compares though nothing speaks against the object, at most once a second. */
  async refresh(team: TeamShard): Promise<void> {
    if (Date.now() - this.#comparedAt < pauseMs) return;
    this.invalidate();
    await this.ensure(team);
  }

  #isNeeded(team: TeamShard): boolean {
    return this.#answered < this.#doubts || this.#options.unsettled.isDoubtful() || this.#options.following.isIncomplete(team);
  }

  async #compare(team: TeamShard): Promise<void> {
    const { following, unsettled, newestSeq } = this.#options;
    const [doubts, ended] = [this.#doubts, unsettled.ended(Date.now())];
    try {
      await following.catchUp(team, await withTimeout(comparisonMs, newestSeq(team)));
    } catch (error) {
      this.invalidate();
      throw error;
    }
    this.#answered = doubts;
    unsettled.settle(ended);
    this.#comparedAt = Date.now();
  }
}
