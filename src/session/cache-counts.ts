import type { CacheRates } from "../domain/recall/cache/recall-cache.ts";
import { coalesce } from "./coalesce.ts";

type Level = "l1" | "l2";
const names = ["l1.hits", "l1.misses", "l2.hits", "l2.misses", "tokens"] as const;
type Name = (typeof names)[number];

/** How often what was kept could be used, since this person's object was first made. Of nobody else's reading. */
export class CacheCounts {
  readonly #sql: SqlStorage;
  readonly #counts: Record<Name, number>;
  readonly #save = coalesce(() => this.#write());

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS cache_count (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID");
    const stored = new Map(sql.exec<{ name: string; count: number }>("SELECT name, count FROM cache_count").toArray().map(({ name, count }) => [name, count]));
    this.#counts = Object.fromEntries(names.map((name) => [name, stored.get(name) ?? 0])) as Record<Name, number>;
  }

  hit(level: Level, tokens: number): void {
    this.#counts[`${level}.hits`] += 1;
    this.#counts.tokens += tokens;
    this.#save();
  }

  miss(level: Level): void {
    this.#counts[`${level}.misses`] += 1;
    this.#save();
  }

  rates(): CacheRates {
    const level = (name: Level) => ({ hits: this.#counts[`${name}.hits`], misses: this.#counts[`${name}.misses`] });
    return { l1: level("l1"), l2: level("l2"), tokens: this.#counts.tokens };
  }

  #write(): void {
    this.#sql.exec(
      "INSERT INTO cache_count (name, count) SELECT key, value FROM json_each(?) WHERE true ON CONFLICT (name) DO UPDATE SET count = excluded.count",
      JSON.stringify(this.#counts),
    );
  }
}
