import type { TermBag } from "./term-bag.ts";

/** Documents that are in no segment yet, with an inverted index, so that a question looks at those only that match. */
export class UnmergedDocuments {
  readonly #bags = new Map<number, TermBag>();
  /** Packed frequencies by document, for each term. */
  readonly #postings = new Map<string, Map<number, number>>();

  get size(): number {
    return this.#bags.size;
  }

  add(slot: number, bag: TermBag): void {
    this.#bags.set(slot, bag);
    for (const [term, packed] of bag.terms) {
      const holding = this.#postings.get(term);
      if (holding) holding.set(slot, packed);
      else this.#postings.set(term, new Map([[slot, packed]]));
    }
  }

  /** Whether it was here. */
  delete(slot: number): boolean {
    const bag = this.#bags.get(slot);
    if (!bag) return false;
    this.#bags.delete(slot);
    for (const term of bag.terms.keys()) {
      const holding = this.#postings.get(term);
      holding?.delete(slot);
      if (holding?.size === 0) this.#postings.delete(term);
    }
    return true;
  }

  clear(): void {
    this.#bags.clear();
    this.#postings.clear();
  }

  get(slot: number): TermBag | undefined {
    return this.#bags.get(slot);
  }

  slots(): IterableIterator<number> {
    return this.#bags.keys();
  }

  terms(): IterableIterator<string> {
    return this.#postings.keys();
  }

  /** The documents that hold the term, with its packed frequency in each. */
  holding(term: string): ReadonlyMap<number, number> | undefined {
    return this.#postings.get(term);
  }
}
