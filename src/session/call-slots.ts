import { DomainError } from "../domain/errors.ts";

/** So many calls at once; the next ones wait in a short queue, and beyond it they are refused. */
export class CallSlots {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  get isFull(): boolean {
    return this.#running >= this.#atOnce && this.#waiting.length >= this.#maxWaiting;
  }

  /** @throws RATE_LIMIT_EXCEEDED */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) throw tooManyAtOnce();
    if (this.#running < this.#atOnce) this.#running += 1;
    // A call that ends hands its slot on, so nobody overtakes.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

export const busyRetrySeconds = 2;
export const tooManyAtOnceMessage = "Too many calls of this person are running at once.";

const tooManyAtOnce = (): DomainError =>
  new DomainError("RATE_LIMIT_EXCEEDED", tooManyAtOnceMessage, { hint: `Retry after ${busyRetrySeconds} s.`, details: { retry_after: busyRetrySeconds } });
