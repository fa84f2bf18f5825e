import { within } from "../../domain/within.ts";
import type { TeamRef } from "./source.ts";

/** Writes go through the object: what somebody else wrote to D1, such as the object of an earlier deployment, shows after this, ms. */
const compareEveryMs = 2_000;
/** How long the first answer of an object waits until it has read what it missed, ms; meanwhile D1 answers. */
const startMs = 5_000;

interface FreshnessOptions {
  /** The team's newest sequence number in D1. */
  seqOf(team: TeamRef): Promise<number>;
  catchUp(team: TeamRef, seq: number): Promise<unknown>;
  /** Goes on after the answer. */
  later(work: Promise<unknown>): void;
}

/** Compares what the object has applied with D1's sequence number: before its first answer, and then behind answers. */
export class Freshness {
  readonly #options: FreshnessOptions;
  readonly #comparedAt = new Map<string, number>();
  readonly #comparing = new Map<string, Promise<void>>();

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** @throws when the object has not compared itself with D1 yet and cannot in time */
  async ensure(team: TeamRef): Promise<void> {
    const comparedAt = this.#comparedAt.get(team.teamId);
    if (comparedAt !== undefined) {
      if (Date.now() - comparedAt >= compareEveryMs) this.#options.later(this.#compare(team));
      return;
    }
    const done = await within(startMs, this.#compare(team).then(() => true));
    if (!done) throw new Error("The team's object is still reading what it missed");
  }

  #compare(team: TeamRef): Promise<void> {
    const running = this.#comparing.get(team.teamId);
    if (running) return running;
    const comparing = this.#run(team).finally(() => this.#comparing.delete(team.teamId));
    this.#comparing.set(team.teamId, comparing);
    return comparing;
  }

  async #run(team: TeamRef): Promise<void> {
    const startedAt = Date.now();
    if (this.#comparedAt.has(team.teamId)) this.#comparedAt.set(team.teamId, startedAt);
    await this.#options.catchUp(team, await this.#options.seqOf(team));
    this.#comparedAt.set(team.teamId, startedAt);
  }
}
