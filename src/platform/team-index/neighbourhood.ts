/**
 * Whether other teams of the organization have anything public, as the object of a team knows it: the organization's object tells
 * it of the first (`othersPublish`), so that nobody asks there in vain. It stays known when the last goes: then asking finds nothing.
 */
export class Neighbourhood {
  readonly #sql: SqlStorage;
  /** Undefined as long as the organization's object was not asked. */
  #others: boolean | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS neighbourhood (others INTEGER NOT NULL)");
    const row = sql.exec<{ others: number }>("SELECT max(others) AS others FROM neighbourhood HAVING count(*) > 0").toArray()[0];
    this.#others = row && row.others === 1;
  }

  get others(): boolean {
    return this.#others ?? true;
  }

  /** Asks once. Without an answer the organization's object is asked with every query, and the next call tries again. */
  async ensure(ask: () => Promise<boolean>): Promise<void> {
    if (this.#others !== undefined) return;
    const others = await ask().catch(() => undefined);
    // It may have been told meanwhile.
    if (others !== undefined && this.#others === undefined) this.#note(others);
  }

  publish(): void {
    this.#note(true);
  }

  #note(others: boolean): void {
    this.#others = others;
    this.#sql.exec("DELETE FROM neighbourhood");
    this.#sql.exec("INSERT INTO neighbourhood (others) VALUES (?)", others ? 1 : 0);
  }
}
