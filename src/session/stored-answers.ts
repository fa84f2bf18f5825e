/** Which answers of this person lie in L2: nobody else puts any there, so that a look-up that would find nothing is spared. */
export class StoredAnswers {
  readonly #sql: SqlStorage;
  readonly #known: Set<string>;

  /** `now`: ms since the epoch. */
  constructor(sql: SqlStorage, now: number) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS stored_answer (hash TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID");
    sql.exec("DELETE FROM stored_answer WHERE until <= ?", now);
    this.#known = new Set(sql.exec<{ hash: string }>("SELECT hash FROM stored_answer").toArray().map(({ hash }) => hash));
  }

  has(hash: string): boolean {
    return this.#known.has(hash);
  }

  add(hash: string, until: number): void {
    if (this.#known.has(hash)) return;
    this.#known.add(hash);
    this.#sql.exec("INSERT OR IGNORE INTO stored_answer (hash, until) VALUES (?, ?)", hash, until);
  }

  remove(hash: string): void {
    if (this.#known.delete(hash)) this.#sql.exec("DELETE FROM stored_answer WHERE hash = ?", hash);
  }

  clear(): void {
    if (this.#known.size === 0) return;
    this.#known.clear();
    this.#sql.exec("DELETE FROM stored_answer");
  }
}
