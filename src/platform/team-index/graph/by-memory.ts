/** A memory as the graph in memory knows it. */
export interface MemoryNode {
  id: string;
  expiresAt: number | null;
}

/** The mentions of one name or relationship, by memory. Ids grow with time, so the newest is the last. */
export class ByMemory<M> {
  readonly #memoryOf: (mention: M) => MemoryNode;
  #ascending: M[] = [];
  #isSorted = true;

  constructor(memoryOf: (mention: M) => MemoryNode) {
    this.#memoryOf = memoryOf;
  }

  get size(): number {
    return this.#ascending.length;
  }

  add(mention: M): void {
    const last = this.#ascending.at(-1);
    if (last !== undefined && this.#memoryOf(last).id > this.#memoryOf(mention).id) this.#isSorted = false;
    this.#ascending.push(mention);
  }

  remove(memory: MemoryNode): void {
    const at = this.#ascending.findIndex((mention) => this.#memoryOf(mention) === memory);
    if (at !== -1) this.#ascending.splice(at, 1);
  }

  all(): readonly M[] {
    this.#sort();
    return this.#ascending;
  }

  /** Those that have not expired, the newest first. */
  newest(now: number, limit: number): M[] {
    this.#sort();
    const found: M[] = [];
    for (let at = this.#ascending.length - 1; at >= 0 && found.length < limit; at -= 1) {
      const mention = this.#ascending[at] as M;
      if (isAlive(this.#memoryOf(mention), now)) found.push(mention);
    }
    return found;
  }

  lastExpiry(): number {
    return this.#ascending.reduce((last, mention) => Math.max(last, this.#memoryOf(mention).expiresAt ?? 0), 0);
  }

  #sort(): void {
    if (this.#isSorted) return;
    this.#ascending.sort((a, b) => (this.#memoryOf(a).id < this.#memoryOf(b).id ? -1 : 1));
    this.#isSorted = true;
  }
}

export const isAlive = ({ expiresAt }: { expiresAt: number | null }, now: number): boolean => expiresAt === null || expiresAt > now;

export function addTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

export function removeFrom<T>(map: Map<string, T[]>, key: string, item: T): void {
  const rest = (map.get(key) ?? []).filter((one) => one !== item);
  if (rest.length > 0) map.set(key, rest);
  else map.delete(key);
}
