import type { Candidate } from "./candidate.ts";
import { addsFacts, textSignature, type TextSignature } from "./novelty.ts";
import { containment, PairOverlap, wordPairs } from "./overlap.ts";

interface Contents {
  pairs: Int32Array;
  distinct: ReadonlySet<number>;
  signature: TextSignature;
}

/** The candidates kept so far. What their overlap proposes as a repeat is compared in full, and nothing else. */
export class NearDuplicateIndex<C extends Candidate> {
  readonly #threshold: number;
  readonly #places: ReadonlyMap<C, number>;
  readonly #overlap: PairOverlap;
  readonly #kept: C[] = [];
  readonly #contents = new Map<C, Contents>();

  /** Of all candidates that it will be asked about. */
  constructor(candidates: readonly C[], threshold: number) {
    this.#threshold = threshold;
    this.#places = new Map(candidates.map((candidate, place) => [candidate, place]));
    this.#overlap = new PairOverlap(candidates, threshold);
  }

  kept(): C[] {
    return [...this.#kept];
  }

  add(candidate: C): void {
    this.#kept.push(candidate);
  }

  replace(old: C, candidate: C): void {
    this.#kept[this.#kept.indexOf(old)] = candidate;
  }

  /** The first of its own kind, or memory, that says all of the candidate. */
  findDuplicateOf(candidate: C): C | undefined {
    const part = this.#placeOf(candidate);
    return this.#kept.find(
      (holder) =>
        this.#overlap.mayHold(this.#placeOf(holder), part) && (holder.kind === candidate.kind || holder.kind === "memory") && this.covers(holder, candidate),
    );
  }

  /** Whether `holder` says all that `candidate` does. */
  covers(holder: C, candidate: C): boolean {
    if (holder.text === candidate.text) return true;
    const [held, said] = [this.#contentsOf(holder), this.#contentsOf(candidate)];
    return containment(said.pairs, held.distinct) >= this.#threshold && !addsFacts(said.signature, held.signature);
  }

  #placeOf(candidate: C): number {
    return this.#places.get(candidate) as number;
  }

  #contentsOf(candidate: C): Contents {
    const known = this.#contents.get(candidate) ?? contentsOf(candidate);
    this.#contents.set(candidate, known);
    return known;
  }
}

function contentsOf(candidate: Candidate): Contents {
  const pairs = wordPairs(candidate);
  let signature: TextSignature | undefined;
  return { pairs, distinct: new Set(pairs), get signature() { return (signature ??= textSignature(candidate.text)); } };
}
