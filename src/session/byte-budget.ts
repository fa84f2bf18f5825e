import { RequestRefused } from "../http/request-refused.ts";

/** How often a waiting body looks whether it is its turn. A promise of one request must not wait for a timer of another. */
const lookEveryMs = 25;
const maxWaiting = 32;
const retryAfterSeconds = 5;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** So many bytes of large bodies at once; the next one waits its turn for a short time. */
export class ByteBudget {
  readonly #bytes: number;
  readonly #waitMs: number;
  readonly #queue: object[] = [];
  #taken = 0;

  constructor(bytes: number, waitMs: number) {
    this.#bytes = bytes;
    this.#waitMs = waitMs;
  }

  /** @throws RequestRefused when its turn does not come */
  async take(bytes: number): Promise<void> {
    if (this.#queue.length >= maxWaiting) throw busy();
    const ticket = {};
    this.#queue.push(ticket);
    try {
      for (let waited = 0; !this.#fits(ticket, bytes); waited += lookEveryMs) {
        if (waited >= this.#waitMs) throw busy();
        await pause(lookEveryMs);
      }
      this.#taken += bytes;
    } finally {
      this.#queue.splice(this.#queue.indexOf(ticket), 1);
    }
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }

  #fits(ticket: object, bytes: number): boolean {
    return this.#queue[0] === ticket && this.#taken + bytes <= this.#bytes;
  }
}

const busy = (): RequestRefused =>
  new RequestRefused(429, `Other large requests are being worked on. Retry after ${retryAfterSeconds} s, or send fewer at once.`, retryAfterSeconds);

/**
 * The bytes that one body takes of several budgets, from when it is read until the last call that came in it is answered: the
 * parsed body outlives the request where the answer goes over another stream.
 */
export class BodyLease {
  readonly #budgets: readonly ByteBudget[];
  readonly #given: (() => void)[] = [];
  /** The request itself, and each call that works with its body. */
  #holders = 1;

  constructor(budgets: readonly ByteBudget[]) {
    this.#budgets = budgets;
  }

  async take(bytes: number): Promise<void> {
    for (const budget of this.#budgets) {
      await budget.take(bytes);
      this.#given.push(() => budget.give(bytes));
      // The request was given up while it waited.
      if (this.#holders === 0) this.#giveBack();
    }
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#holders += 1;
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** The request is answered. The protocol layer hands calls on a moment after it took them, and they hold the body from then on. */
  releaseSoon(): void {
    if (this.#given.length === 0) this.release();
    else setTimeout(() => this.release());
  }

  /** At once: outside an object no timer outlives the answer. */
  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#giveBack();
  }

  #giveBack(): void {
    for (const give of this.#given.splice(0)) give();
  }
}
