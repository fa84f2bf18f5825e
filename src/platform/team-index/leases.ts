import { within } from "../../domain/within.ts";

/**
 * How long a session object may go on believing the state that an index told it, ms. A change waits that long for a session that
 * cannot be told: less than its writer waits for the index.
 */
export const leaseMs = 1_500;
/** Taken off by those who believe: a clock stands still while an object computes. */
export const leaseMargin = 250;
/** For so long ahead it is noted that there may be leases; a row written for each would cost more than they save. */
const notedAhead = 8_000;

interface Lease {
  userId: string;
  generation: string;
  /** ms since the epoch. */
  until: number;
}

export interface LeaseOptions {
  generationOf(userId: string): string;
  /** Answers when the session believes no longer. */
  tell(session: string): Promise<void>;
}

/**
 * Which sessions believe what they were told, so that a change is acknowledged after they know that it is another state (leases:
 * Gray and Cheriton 1989). Kept in memory; an object that starts while those of its predecessor may last lets them run out first.
 */
export class Leases {
  readonly #sql: SqlStorage;
  readonly #options: LeaseOptions;
  readonly #held = new Map<string, Lease>();
  /** Until then sessions may believe what a predecessor of this object said. */
  readonly #inherited: number;
  #notedUntil: number;

  /** `now`: ms since the epoch. */
  constructor(sql: SqlStorage, now: number, options: LeaseOptions) {
    this.#sql = sql;
    this.#options = options;
    sql.exec("CREATE TABLE IF NOT EXISTS leased (until INTEGER PRIMARY KEY)");
    this.#notedUntil = sql.exec<{ until: number | null }>("SELECT max(until) AS until FROM leased").one().until ?? 0;
    this.#inherited = Math.min(this.#notedUntil, now + leaseMs);
  }

  /** The session may believe for `leaseMs` that this is the generation of this person. */
  grant(session: string, userId: string, generation: string, now: number): void {
    const until = now + leaseMs;
    this.#held.set(session, { userId, generation, until });
    if (until <= this.#notedUntil) return;
    this.#notedUntil = until + notedAhead;
    this.#sql.exec("DELETE FROM leased");
    this.#sql.exec("INSERT INTO leased (until) VALUES (?)", this.#notedUntil);
  }

  /** After a change, and before it is acknowledged: nobody believes in an earlier state when this has ended. */
  async end(now: number): Promise<void> {
    const ended = [...this.#held].filter(([, { userId, generation, until }]) => until <= now || generation !== this.#options.generationOf(userId));
    for (const [session] of ended) this.#held.delete(session);
    const telling = ended.filter(([, { until }]) => until > now).map(([session, { until }]) => this.#told(session, until - now));
    const running = this.#inherited > now ? scheduler.wait(this.#inherited - now) : undefined;
    await Promise.all([...telling, running]);
  }

  /** One that cannot be told believes until its lease ends, `remaining` ms from now. */
  async #told(session: string, remaining: number): Promise<void> {
    try {
      await within(remaining, this.#options.tell(session));
    } catch {
      await scheduler.wait(remaining);
    }
  }
}
