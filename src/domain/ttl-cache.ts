const mostKeys = 1_000;

/** Keeps values that hardly ever change and that every request needs. A missing value is not cached. */
export class TtlCache<T extends object | string> {
  readonly #forMs: number;
  readonly #known = new Map<string, { value: T; until: number }>();

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  delete(key: string): void {
    this.#known.delete(key);
  }

  async get<Result extends T | undefined>(key: string, now: number, find: () => Promise<Result>): Promise<T | Result> {
    const known = this.#known.get(key);
    if (known && now < known.until) return known.value;
    const value = await find();
    if (value !== undefined) this.#keep(key, value, now);
    return value;
  }

  /** Values of several keys; `find` is called once for all that are not cached. */
  async getAll(keys: readonly string[], now: number, find: (unknown: string[]) => Promise<ReadonlyMap<string, T>>): Promise<Map<string, T>> {
    const found = new Map<string, T>();
    const unknown = new Set<string>();
    for (const key of keys) {
      const known = this.#known.get(key);
      if (known && now < known.until) found.set(key, known.value);
      else unknown.add(key);
    }
    if (unknown.size === 0) return found;
    for (const [key, value] of await find([...unknown])) {
      this.#keep(key, value, now);
      found.set(key, value);
    }
    return found;
  }

  #keep(key: string, value: T, now: number): void {
    if (this.#known.size >= mostKeys) this.#known.clear();
    this.#known.set(key, { value, until: now + this.#forMs });
  }
}
