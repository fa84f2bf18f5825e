/** Values that were read last stay in memory, up to this many bytes, 10,000 vectors of 192 dimensions: those near to one question are near to the next ones. */
const maxBytes = 8 * 2 ** 20;

/** Exact values by row, the one used longest ago out first. */
export class FloatCache {
  readonly #read: (seqs: readonly number[]) => Map<number, Float32Array>;
  readonly #values = new Map<number, Float32Array>();
  #bytes = 0;

  constructor(read: (seqs: readonly number[]) => Map<number, Float32Array>) {
    this.#read = read;
  }

  get(seqs: readonly number[]): Map<number, Float32Array> {
    const found = new Map<number, Float32Array>();
    for (const seq of seqs) {
      const values = this.#values.get(seq);
      if (!values) continue;
      found.set(seq, values);
      // Moves it to the end.
      this.#values.delete(seq);
      this.#values.set(seq, values);
    }
    const missing = seqs.filter((seq) => !found.has(seq));
    if (missing.length === 0) return found;
    for (const [seq, values] of this.#read(missing)) {
      found.set(seq, values);
      this.#values.set(seq, values);
      this.#bytes += values.byteLength;
    }
    for (const seq of this.#values.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.delete(seq);
    }
    return found;
  }

  delete(seq: number): void {
    this.#bytes -= this.#values.get(seq)?.byteLength ?? 0;
    this.#values.delete(seq);
  }

  clear(): void {
    this.#values.clear();
    this.#bytes = 0;
  }
}
