/** The audience of what the whole team sees; a private memory's audience is its owner's id (`homeOf`). */
export const everyone = "";

const nowMs = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

const bumpFor = (row: "NEW" | "OLD"): string => `
  INSERT INTO generations (audience, number) VALUES (iif(${row}.visibility = 'private', ${row}.owner_id, '${everyone}'), ${nowMs})
  ON CONFLICT (audience) DO UPDATE SET number = max(number + 1, excluded.number);`;

/**
 * For each audience a number that grows with every change of what it may find. Triggers count, so that no way of changing
 * the index can forget to, and always in the transaction of the change. A number for each owner, because what somebody
 * writes for themselves neither makes the answers of others stale nor is theirs to notice.
 *
 * Numbers start from the clock: an index that was dropped and made anew never repeats one. The table has no part in the
 * layout of the index, and survives a change of it.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS generations (audience TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO generations (audience, number) VALUES ('${everyone}', ${nowMs}) ON CONFLICT DO NOTHING;
  CREATE TRIGGER IF NOT EXISTS docs_inserted AFTER INSERT ON docs BEGIN ${bumpFor("NEW")} END;
  CREATE TRIGGER IF NOT EXISTS docs_retired AFTER UPDATE OF until_at ON docs BEGIN ${bumpFor("OLD")} END;
  CREATE TRIGGER IF NOT EXISTS docs_deleted AFTER DELETE ON docs BEGIN ${bumpFor("OLD")} END;
`;

export class Generations {
  readonly #sql: SqlStorage;

  /** After the tables of the index are there. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(schema);
  }

  /** Equal to an earlier answer only if nothing changed in between that this person may find. */
  of(userId: string): string {
    const rows = this.#sql.exec<{ audience: string; number: number }>(
      "SELECT audience, number FROM generations WHERE audience IN (?, ?) ORDER BY audience", everyone, userId);
    return rows.toArray().map(({ number }) => number).join(".");
  }

  bump(audiences: readonly string[]): void {
    for (const audience of audiences) {
      this.#sql.exec(
        `INSERT INTO generations (audience, number) VALUES (?, ${nowMs}) ON CONFLICT (audience) DO UPDATE SET number = max(number + 1, excluded.number)`,
        audience,
      );
    }
  }
}
