/** The `k` best of what is offered, in a binary heap whose root is the worst of them. */
export class TopK {
  readonly #items: Uint32Array;
  readonly #scores: Float64Array;
  readonly #floor: number;
  #size = 0;

  /** A caller that reads the floor first keeps scores above it only. */
  constructor(k: number, floor = -Infinity) {
    this.#items = new Uint32Array(k);
    this.#scores = new Float64Array(k);
    this.#floor = floor;
  }

  get full(): boolean {
    return this.#size === this.#scores.length;
  }

  /** The score that the next one must exceed to be kept. */
  get bar(): number {
    return this.full ? (this.#scores[0] as number) : this.#floor;
  }

  offer(item: number, score: number): void {
    if (!this.full) {
      this.#rise(this.#size, item, score);
      this.#size += 1;
    } else if (score > (this.#scores[0] as number)) {
      this.#sink(item, score);
    }
  }

  /** Best first; of equal scores the higher item. */
  best(): { item: number; score: number }[] {
    const found = Array.from(this.items(), (item, at) => ({ item, score: this.#scores[at] as number }));
    return found.sort((a, b) => b.score - a.score || b.item - a.item);
  }

  /** In no order. */
  items(): Uint32Array {
    return this.#items.subarray(0, this.#size);
  }

  #rise(from: number, item: number, score: number): void {
    let at = from;
    for (let parent = (at - 1) >> 1; at > 0 && (this.#scores[parent] as number) > score; parent = (at - 1) >> 1) {
      this.#move(parent, at);
      at = parent;
    }
    this.#items[at] = item;
    this.#scores[at] = score;
  }

  #sink(item: number, score: number): void {
    let at = 0;
    for (let child = 1; child < this.#size; child = 2 * at + 1) {
      if (child + 1 < this.#size && (this.#scores[child + 1] as number) < (this.#scores[child] as number)) child += 1;
      if ((this.#scores[child] as number) >= score) break;
      this.#move(child, at);
      at = child;
    }
    this.#items[at] = item;
    this.#scores[at] = score;
  }

  #move(from: number, to: number): void {
    this.#items[to] = this.#items[from] as number;
    this.#scores[to] = this.#scores[from] as number;
  }
}
