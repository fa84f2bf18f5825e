const mostKeys = 1_000;

/** What hardly ever changes, and is asked for with every request. What is not there is asked for again each time. */
export class Remembered<T extends object | string> {
  readonly #forMs: number;
  readonly #known = new Map<string, { value: T; until: number }>();

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  async of<Found extends T | undefined>(key: string, now: number, find: () => Promise<Found>): Promise<T | Found> {
    const known = this.#known.get(key);
    if (known && now < known.until) return known.value;
    const value = await find();
    if (value === undefined) return value;
    if (this.#known.size >= mostKeys) this.#known.clear();
    this.#known.set(key, { value, until: now + this.#forMs });
    return value;
  }
}
