import * as z from "zod";
import type { Basis } from "../domain/search/basis.ts";

/** An answer that lies in L2. */
export interface StoredAnswer {
  /** Its key there. */
  key: string;
  /** ms since the epoch. */
  until: number;
  basis: Basis | undefined;
}

const storedBasis = z.object({ terms: z.array(z.string()), ids: z.array(z.string()), documents: z.number() });

/**
 * Which answers of this person lie in L2, by the hash of what was asked: nobody else puts any there, so that a look-up that
 * would find nothing is spared. They are known to hold up to one generation of the indexes, which is stored with them.
 */
export class StoredAnswers {
  readonly #sql: SqlStorage;
  readonly #known: Map<string, StoredAnswer>;

  /** `now`: ms since the epoch. */
  constructor(sql: SqlStorage, now: number) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS kept_answer (hash TEXT PRIMARY KEY, key TEXT NOT NULL, until INTEGER NOT NULL, basis TEXT) WITHOUT ROWID");
    sql.exec("CREATE TABLE IF NOT EXISTS kept_generation (generation TEXT PRIMARY KEY) WITHOUT ROWID");
    sql.exec("DELETE FROM kept_answer WHERE until <= ?", now);
    const rows = sql.exec<{ hash: string; key: string; until: number; basis: string | null }>("SELECT hash, key, until, basis FROM kept_answer").toArray();
    this.#known = new Map(rows.map(({ hash, key, until, basis }) => [hash, { key, until, basis: basis === null ? undefined : storedBasis.parse(JSON.parse(basis)) }]));
  }

  /** Up to which all of them are known to hold; undefined when there are none. */
  get generation(): string | undefined {
    if (this.#known.size === 0) return undefined;
    return this.#sql.exec<{ generation: string }>("SELECT generation FROM kept_generation").toArray()[0]?.generation;
  }

  get(hash: string): StoredAnswer | undefined {
    return this.#known.get(hash);
  }

  /** `generation`: for which it holds, and all others do. */
  add(hash: string, answer: StoredAnswer, generation: string): void {
    if (this.#known.size === 0) this.#note(generation);
    this.#known.set(hash, answer);
    const { key, until, basis } = answer;
    this.#sql.exec("INSERT OR REPLACE INTO kept_answer (hash, key, until, basis) VALUES (?, ?, ?, ?)", hash, key, until, basis ? JSON.stringify(basis) : null);
  }

  remove(hash: string): void {
    if (this.#known.delete(hash)) this.#sql.exec("DELETE FROM kept_answer WHERE hash = ?", hash);
  }

  /** The others are known to hold up to this generation. */
  follow(generation: string, isOutdated: (answer: StoredAnswer) => boolean): void {
    if (this.#known.size === 0) return;
    for (const [hash, answer] of this.#known) if (isOutdated(answer)) this.remove(hash);
    if (this.#known.size > 0) this.#note(generation);
  }

  clear(): void {
    for (const hash of this.#known.keys()) this.remove(hash);
  }

  #note(generation: string): void {
    this.#sql.exec("DELETE FROM kept_generation");
    this.#sql.exec("INSERT INTO kept_generation (generation) VALUES (?)", generation);
  }
}
