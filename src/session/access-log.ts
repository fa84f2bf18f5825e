import type { Principal } from "../domain/tenancy/principal.ts";

/** How long reads are gathered before they are counted: a write for each read would cost more than the read. */
const gatherMs = 1_000;

/**
 * Gathers which memories were read. What is lost when the object dies within the second is a statistic, never a
 * memory.
 */
export class AccessLog {
  readonly #count: (principal: Principal, ids: string[]) => Promise<void>;
  #pending: string[] = [];
  #scheduled = false;

  constructor(count: (principal: Principal, ids: string[]) => Promise<void>) {
    this.#count = count;
  }

  note(principal: Principal, ids: string[]): void {
    if (ids.length === 0) return;
    this.#pending.push(...ids);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => {
      const read = this.#pending;
      this.#pending = [];
      this.#scheduled = false;
      void this.#count(principal, read);
    }, gatherMs);
  }
}
