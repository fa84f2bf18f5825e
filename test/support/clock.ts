import { vi } from "vitest";

const dayMs = 86_400_000;

/** The clock that tests share with the running Worker and its objects. D1, KV and timers have their own. `vi.restoreAllMocks()` sets it right again. */
export class Clock {
  #ahead = 0;

  constructor() {
    const real = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => real() + this.#ahead);
  }

  /** It is the next noon and goes on from there, so that the day does not end within a test; ahead, since KV refuses what has expired by its own clock. */
  static atNoon(): Clock {
    const clock = new Clock();
    clock.forward((1.5 * dayMs - (Date.now() % dayMs)) % dayMs);
    return clock;
  }

  /** Instead of waiting. */
  forward(ms: number): void {
    this.#ahead += ms;
  }
}
