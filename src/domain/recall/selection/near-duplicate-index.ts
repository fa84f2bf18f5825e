import type { Candidate } from "./candidate.ts";
import { addsFacts, textSignature, type TextSignature } from "./novelty.ts";
import { containment } from "./overlap.ts";

interface Contents {
  pairs: ReadonlySet<number>;
  signature: TextSignature;
}

/**
 * The candidates kept so far, and which of them hold a word pair: an inverted index in flat arrays, for it is filled and asked
 * 15,000 times for 100 candidates of 1 KB. A bucket may mix pairs; what it proposes is compared in full. A pair that one
 * candidate alone holds is in nobody else's text: it is not kept, and a candidate of mostly such pairs repeats nothing, so that
 * of long texts hardly any is looked up at all.
 */
export class NearDuplicateIndex<C extends Candidate> {
  readonly #pairsOf: ReadonlyMap<C, Uint32Array>;
  readonly #threshold: number;
  readonly #kept: C[] = [];
  readonly #contents = new Map<C, Contents>();
  /** For each bucket its newest entry, plus one; for each entry its slot and the entry before, plus one. */
  readonly #heads: Int32Array;
  readonly #slots: Int32Array;
  readonly #before: Int32Array;
  /** Of each candidate the pairs that others may hold as well. */
  readonly #commonOf: ReadonlyMap<C, Uint32Array>;
  #entries = 0;

  constructor(pairsOf: ReadonlyMap<C, Uint32Array>, threshold: number) {
    this.#pairsOf = pairsOf;
    this.#threshold = threshold;
    let pairs = 0;
    for (const { length } of pairsOf.values()) pairs += length;
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(2 * pairs + 2)));
    this.#commonOf = commonPairs(pairsOf, this.#heads.length - 1, threshold);
    let common = 0;
    for (const { length } of this.#commonOf.values()) common += length;
    this.#slots = new Int32Array(common);
    this.#before = new Int32Array(common);
  }

  kept(): C[] {
    return [...this.#kept];
  }

  add(candidate: C): void {
    this.#kept.push(candidate);
    this.#enter(candidate, this.#kept.length - 1);
  }

  replace(old: C, candidate: C): void {
    const slot = this.#kept.indexOf(old);
    this.#kept[slot] = candidate;
    this.#enter(candidate, slot);
  }

  /** The first of its own kind, or memory, that says all of the candidate. */
  findDuplicateOf(candidate: C): C | undefined {
    const least = this.#threshold * (this.#pairsOf.get(candidate) as Uint32Array).length;
    const pairs = this.#commonOf.get(candidate) as Uint32Array;
    if (pairs.length < least) return undefined;
    const [heads, slots, before] = [this.#heads, this.#slots, this.#before];
    const shared = new Uint32Array(this.#kept.length);
    const mask = heads.length - 1;
    for (let i = 0; i < pairs.length; i += 1) {
      for (let entry = heads[(pairs[i] as number) & mask] as number; entry > 0; entry = before[entry - 1] as number) {
        const slot = slots[entry - 1] as number;
        shared[slot] = (shared[slot] as number) + 1;
      }
    }
    return this.#kept.find(
      (holder, slot) =>
        (shared[slot] as number) >= least &&
        (holder.kind === candidate.kind || holder.kind === "memory") &&
        this.covers(holder, candidate),
    );
  }

  /** Whether `holder` says all that `candidate` does. */
  covers(holder: C, candidate: C): boolean {
    if (holder.text === candidate.text) return true;
    const [held, said] = [this.#contentsOf(holder), this.#contentsOf(candidate)];
    return !addsFacts(said.signature, held.signature) && containment(this.#pairsOf.get(candidate) as Uint32Array, held.pairs) >= this.#threshold;
  }

  #contentsOf(candidate: C): Contents {
    const known = this.#contents.get(candidate) ?? { pairs: new Set(this.#pairsOf.get(candidate)), signature: textSignature(candidate.text) };
    this.#contents.set(candidate, known);
    return known;
  }

  #enter(candidate: C, slot: number): void {
    const [heads, slots, before, pairs] = [this.#heads, this.#slots, this.#before, this.#commonOf.get(candidate) as Uint32Array];
    const mask = heads.length - 1;
    for (let i = 0; i < pairs.length; i += 1) {
      const bucket = (pairs[i] as number) & mask;
      const newest = heads[bucket] as number;
      // A slot counts once per bucket, so that a text that repeats itself costs no more.
      if (newest > 0 && slots[newest - 1] === slot) continue;
      slots[this.#entries] = slot;
      before[this.#entries] = newest;
      this.#entries += 1;
      heads[bucket] = this.#entries;
    }
  }
}

const noPairs = new Uint32Array();

/** Of each candidate the pairs whose bucket another one has a pair in, too; none at all where nobody has enough of them to be a repeat. */
function commonPairs<C>(pairsOf: ReadonlyMap<C, Uint32Array>, mask: number, threshold: number): ReadonlyMap<C, Uint32Array> {
  /** By bucket the one candidate with a pair in it, plus one; `several` when there are more. */
  const owners = new Int32Array(mask + 1);
  const several = -1;
  let candidate = 0;
  for (const pairs of pairsOf.values()) {
    candidate += 1;
    for (let i = 0; i < pairs.length; i += 1) {
      const bucket = (pairs[i] as number) & mask;
      const owner = owners[bucket] as number;
      if (owner !== candidate) owners[bucket] = owner === 0 ? candidate : several;
    }
  }
  const counts = [...pairsOf.values()].map((pairs) => {
    let common = 0;
    for (let i = 0; i < pairs.length; i += 1) if (owners[(pairs[i] as number) & mask] === several) common += 1;
    return common;
  });
  const mayRepeat = [...pairsOf.values()].some((pairs, i) => pairs.length > 0 && (counts[i] as number) >= threshold * pairs.length);
  return new Map([...pairsOf].map(([key, pairs], candidate) => {
    if (!mayRepeat) return [key, noPairs];
    const common = new Uint32Array(counts[candidate] as number);
    for (let i = 0, n = 0; i < pairs.length; i += 1) if (owners[(pairs[i] as number) & mask] === several) common[n++] = pairs[i] as number;
    return [key, common];
  }));
}
