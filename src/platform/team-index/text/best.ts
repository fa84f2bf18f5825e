/** Keeps the `size` best of what it is offered: a binary heap with the least of them on top. */
export class Best {
  readonly #size: number;
  readonly #scores: Float64Array;
  readonly #items: Uint32Array;
  #count = 0;

  constructor(size: number) {
    this.#size = size;
    this.#scores = new Float64Array(size);
    this.#items = new Uint32Array(size);
  }

  /** What a score must exceed to be kept. */
  get bar(): number {
    return this.#count < this.#size ? 0 : (this.#scores[0] as number);
  }

  get full(): boolean {
    return this.#count === this.#size;
  }

  offer(item: number, score: number): void {
    if (this.#count < this.#size) {
      this.#rise(this.#count, item, score);
      this.#count += 1;
    } else if (score > (this.#scores[0] as number)) {
      this.#sink(item, score);
    }
  }

  /** Best first; of equal scores the newer item. */
  ranked(): { item: number; score: number }[] {
    const all = Array.from({ length: this.#count }, (_, i) => ({ item: this.#items[i] as number, score: this.#scores[i] as number }));
    return all.sort((a, b) => b.score - a.score || b.item - a.item);
  }

  #rise(from: number, item: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#scores[parent] as number) <= score) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#set(at, item, score);
  }

  #sink(item: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#count) break;
      if (child + 1 < this.#count && (this.#scores[child + 1] as number) < (this.#scores[child] as number)) child += 1;
      if ((this.#scores[child] as number) >= score) break;
      this.#move(child, at);
      at = child;
    }
    this.#set(at, item, score);
  }

  #move(from: number, to: number): void {
    this.#scores[to] = this.#scores[from] as number;
    this.#items[to] = this.#items[from] as number;
  }

  #set(at: number, item: number, score: number): void {
    this.#scores[at] = score;
    this.#items[at] = item;
  }
}
