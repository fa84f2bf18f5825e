import { added, type CallReading, noPrevention, type Prevention } from "../domain/metrics/prevention.ts";
import type { PreventionRow, PreventionStore } from "../domain/metrics/prevention-store.ts";
import type { Principal } from "../domain/tenancy/principal.ts";

/** How long calls are gathered: a write for each would cost more than the call. */
const gatherMs = 5_000;

interface Noted {
  operation: string;
  reading: CallReading;
  answer: () => string;
}

/**
 * Gathers what the calls of the object's person prevented, counts it behind the answers, and adds it to the roll-ups. What is lost
 * when the object dies within the seconds between is a statistic, never a memory. Whoever reads here reads what they just did, too.
 */
export class PreventionLog implements PreventionStore {
  readonly #store: PreventionStore;
  readonly #report: (error: unknown) => void;
  #noted: Noted[] = [];
  #flushing: Promise<void> | undefined;

  constructor(store: PreventionStore, report: (error: unknown) => void) {
    this.#store = store;
    this.#report = report;
  }

  note(principal: Principal, noted: Noted): void {
    this.#noted.push(noted);
    if (this.#noted.length > 1) return;
    setTimeout(() => void this.#flush(principal), gatherMs);
  }

  add(...args: Parameters<PreventionStore["add"]>): Promise<void> {
    return this.#store.add(...args);
  }

  async read(...args: Parameters<PreventionStore["read"]>): Promise<PreventionRow[]> {
    await this.#flush(args[0]);
    return this.#store.read(...args);
  }

  async totals(principal: Principal): Promise<PreventionRow[]> {
    await this.#flush(principal);
    return this.#store.totals(principal);
  }

  async #flush(principal: Principal): Promise<void> {
    await this.#flushing;
    const noted = this.#noted;
    this.#noted = [];
    const sums = new Map<string, Prevention>();
    for (const { operation, reading, answer } of noted) {
      const measured = reading.measure(answer());
      if (measured) sums.set(operation, added(sums.get(operation) ?? noPrevention, measured));
    }
    if (sums.size === 0) return;
    this.#flushing = this.#store.add(principal, Date.now(), sums).catch(this.#report);
    await this.#flushing;
  }
}
