/** The `k` best of what is offered, in a binary heap whose root is the worst of them. */
export class TopK {
  readonly #items: Int32Array;
  readonly #scores: Float64Array;
  #size = 0;

  constructor(k: number) {
    this.#items = new Int32Array(k);
    this.#scores = new Float64Array(k);
  }

  offer(item: number, score: number): void {
    const scores = this.#scores;
    if (this.#size < scores.length) {
      this.#rise(this.#size, item, score);
      this.#size += 1;
    } else if (score > (scores[0] as number)) {
      this.#sink(item, score);
    }
  }

  /** Best first. */
  best(): { item: number; score: number }[] {
    const found = Array.from({ length: this.#size }, (_, at) => ({ item: this.#items[at] as number, score: this.#scores[at] as number }));
    return found.sort((a, b) => b.score - a.score);
  }

  /** In no order. */
  items(): Int32Array {
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
