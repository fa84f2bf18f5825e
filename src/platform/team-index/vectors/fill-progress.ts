/** How far the copy of a team's vectors has been read from the truth. */
export interface FillCursor {
  /** Spaces that come before it, by name, are done. */
  space: string;
  /** Kinds that are done in it, and the id below which the next page begins. */
  kinds: number;
  below: string;
}

/** Above every UUID in lower case. */
const aboveAll = "g";

/** For each team how far its vectors were copied from the truth, so that the object knows whether it has all of them. */
export class FillProgress {
  readonly #sql: SqlStorage;
  readonly #filled = new Set<string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS vector_fills (
      team_id TEXT PRIMARY KEY, done INTEGER NOT NULL DEFAULT 0, space TEXT NOT NULL DEFAULT '', kinds INTEGER NOT NULL DEFAULT 0, below TEXT NOT NULL DEFAULT '${aboveAll}'
    ) WITHOUT ROWID`);
    this.forget();
  }

  isFilled(teamId: string): boolean {
    return this.#filled.has(teamId);
  }

  cursor(teamId: string): FillCursor {
    const row = this.#sql.exec<FillCursor & Record<string, SqlStorageValue>>("SELECT space, kinds, below FROM vector_fills WHERE team_id = ?", teamId).toArray()[0];
    return row ?? { space: "", kinds: 0, below: aboveAll };
  }

  reach(teamId: string, { space, kinds, below }: FillCursor): void {
    this.#sql.exec(
      `INSERT INTO vector_fills (team_id, space, kinds, below) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (team_id) DO UPDATE SET space = ?2, kinds = ?3, below = ?4`,
      teamId, space, kinds, below,
    );
  }

  finish(teamId: string): void {
    this.#sql.exec("INSERT INTO vector_fills (team_id, done) VALUES (?, 1) ON CONFLICT (team_id) DO UPDATE SET done = 1", teamId);
    this.#filled.add(teamId);
  }

  /** The team is to be read from the beginning again; what is held stays. */
  restart(teamId: string): void {
    this.#sql.exec("DELETE FROM vector_fills WHERE team_id = ?", teamId);
    this.#filled.delete(teamId);
  }

  /** Reads anew what is in memory, after a transaction was rolled back. */
  forget(): void {
    this.#filled.clear();
    for (const { teamId } of this.#sql.exec<{ teamId: string }>("SELECT team_id AS teamId FROM vector_fills WHERE done = 1")) this.#filled.add(teamId);
  }
}

export const firstBelow = aboveAll;
