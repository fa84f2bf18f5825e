import type { CommittedChange } from "./applying.ts";
import type { TeamShard } from "./source.ts";

/** Changes wait so long for others with which they share a transaction, ms. */
const delayMs = 10;
/** Whoever reads next applies what waits: so many documents take about 30 ms. */
const mostWaiting = 64;

/** A change of so many documents is applied before it is acknowledged. */
export const isSmall = (documents: number): boolean => documents <= mostWaiting;

interface Host {
  /** Into the tables, in one transaction. */
  apply(team: TeamShard, changes: readonly CommittedChange[]): void;
  /** After each attempt, with its error. The object may lack what could not be applied. */
  applied(team: TeamShard, error: unknown): void;
  /** Goes on after the answer. */
  later(work: Promise<unknown>): void;
}

/**
 * Changes of a team that D1 has committed and the object has acknowledged, on their way into its tables. D1 has them for good, so
 * an object that dies before they are applied reads them from there when it starts. While they wait, nothing may read the tables,
 * compare them with D1 or change them: `drain` comes first.
 */
export class AcknowledgedChanges {
  readonly #host: Host;
  #team: TeamShard | undefined;
  #waiting: CommittedChange[] = [];
  #afterwards: (() => void)[] = [];
  #isScheduled = false;

  constructor(host: Host) {
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Not while the team is being read from D1, which expects that the tables stay as they are. */
  add(team: TeamShard, change: CommittedChange): void {
    this.#team = team;
    this.#waiting.push(change);
    if (this.#waiting.reduce((sum, { documents }) => sum + documents.length, 0) > mostWaiting) return this.drain();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#host.later(scheduler.wait(delayMs).then(() => {
      this.#isScheduled = false;
      this.drain();
    }));
  }

  /** Runs the work when all that waits now is applied: what it writes goes into the storage with that. */
  whenApplied(work: () => void): void {
    if (this.isEmpty) work();
    else this.#afterwards.push(work);
  }

  hasKey(key: string): boolean {
    return this.#waiting.some(({ documents }) => documents.some((document) => document.key === key));
  }

  /** Applies all that waits. */
  drain(): void {
    const [team, changes] = [this.#team, this.#waiting];
    if (!team || changes.length === 0) return;
    const afterwards = this.#afterwards;
    [this.#waiting, this.#afterwards] = [[], []];
    let failure: unknown;
    try {
      this.#host.apply(team, changes);
    } catch (error) {
      failure = error;
    }
    this.#host.applied(team, failure);
    for (const work of afterwards) work();
  }
}

/** Has each method of a class and the one that it extends begin with draining. */
export function drainFirst<T extends object>(prototypes: readonly T[], changesOf: (object: T) => AcknowledgedChanges, { except }: { except: readonly string[] }): void {
  for (const prototype of prototypes) {
    for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(prototype) as Record<string, PropertyDescriptor>)) {
      if (name === "constructor" || except.includes(name)) continue;
      Object.defineProperty(prototype, name, {
        value(this: T, ...args: unknown[]): unknown {
          changesOf(this).drain();
          return (method as (...args: unknown[]) => unknown).apply(this, args);
        },
      });
    }
  }
}
