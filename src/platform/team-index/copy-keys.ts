import { everyone } from "./generation.ts";

/**
 * For each audience a random key that encrypts copies of what it was shown (`sealed-copy.ts`). The index replaces the key when
 * an audience loses something it could read. A key is overwritten in its place and stored nowhere else.
 */
export class CopyKeys {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS copy_keys (audience TEXT NOT NULL UNIQUE, key TEXT NOT NULL)");
  }

  /** The keys for what everyone sees and for what this person sees. */
  of(userId: string): string {
    const read = (): string[] =>
      this.#sql.exec<{ key: string }>("SELECT key FROM copy_keys WHERE audience IN (?, ?) ORDER BY audience", everyone, userId).toArray().map(({ key }) => key);
    const known = read();
    if (known.length === 2) return known.join(".");
    this.#sql.exec("INSERT INTO copy_keys (audience, key) SELECT value, hex(randomblob(32)) FROM json_each(?) WHERE true ON CONFLICT DO NOTHING", JSON.stringify([everyone, userId]));
    return read().join(".");
  }

  /** `undefined`: of everybody. */
  replace(audiences: readonly string[] | undefined): void {
    if (audiences === undefined) this.#sql.exec("UPDATE copy_keys SET key = hex(randomblob(32))");
    else if (audiences.length > 0) this.#sql.exec("UPDATE copy_keys SET key = hex(randomblob(32)) WHERE audience IN (SELECT value FROM json_each(?))", JSON.stringify(audiences));
  }
}
