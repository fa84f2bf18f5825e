/** An answer that lies in L2. */
export interface StoredAnswer {
  /** Its key there. */
  key: string;
  /** ms since the epoch. */
  until: number;
  /** The state of the indexes for which it holds. */
  generation: string;
}

/**
 * Which answers of this person lie in L2, by the hash of the question: nobody else puts any there, so that a look-up that would
 * find nothing is spared. Those of an earlier generation are dropped with the next that is added.
 */
export class StoredAnswers {
  readonly #sql: SqlStorage;
  readonly #known: Map<string, StoredAnswer>;

  /** `now`: ms since the epoch. */
  constructor(sql: SqlStorage, now: number) {
    this.#sql = sql;
    // Its predecessors had other columns, the first one under the name that the last one had.
    sql.exec("DROP TABLE IF EXISTS kept_answer; DROP TABLE IF EXISTS kept_generation; DROP TABLE IF EXISTS stored_answer");
    sql.exec("CREATE TABLE IF NOT EXISTS l2_answer (hash TEXT PRIMARY KEY, key TEXT NOT NULL, until INTEGER NOT NULL, generation TEXT NOT NULL) WITHOUT ROWID");
    sql.exec("DELETE FROM l2_answer WHERE until <= ?", now);
    const rows = sql.exec<{ hash: string; key: string; until: number; generation: string }>("SELECT hash, key, until, generation FROM l2_answer").toArray();
    this.#known = new Map(rows.map(({ hash, ...answer }) => [hash, answer]));
  }

  get size(): number {
    return this.#known.size;
  }

  get(hash: string): StoredAnswer | undefined {
    return this.#known.get(hash);
  }

  add(hash: string, answer: StoredAnswer): void {
    for (const [other, { generation }] of this.#known) if (generation !== answer.generation) this.remove(other);
    this.#known.set(hash, answer);
    const { key, until, generation } = answer;
    this.#sql.exec("INSERT OR REPLACE INTO l2_answer (hash, key, until, generation) VALUES (?, ?, ?, ?)", hash, key, until, generation);
  }

  remove(hash: string): void {
    if (this.#known.delete(hash)) this.#sql.exec("DELETE FROM l2_answer WHERE hash = ?", hash);
  }

  clear(): void {
    for (const hash of this.#known.keys()) this.remove(hash);
  }
}
