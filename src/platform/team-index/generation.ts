import type { HomeChange } from "../../domain/ports.ts";

/** The audience of what the whole team sees; a private memory's audience is its owner's id (`homeOf`). */
export const everyone = "";

/** Stands for all memories, where what changed is not known. */
const anything = "";
/** Of more changes than these it is not told which memories they are of: whoever keeps answers asks anew. */
const mostChanges = 100;

const nowMs = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

const bump = (audience: string): string => `
  INSERT INTO generations (audience, number) VALUES (${audience}, ${nowMs})
  ON CONFLICT (audience) DO UPDATE SET number = max(number + 1, excluded.number)`;

const note = (audience: string, memoryId: string, from = "generations"): string => `
  INSERT OR REPLACE INTO changes (audience, memory_id, number)
  SELECT audience, ${memoryId}, number FROM ${from} WHERE audience = ${audience}`;

function changeOf(row: "NEW" | "OLD"): string {
  const audience = `iif(${row}.visibility = 'private', ${row}.owner_id, '${everyone}')`;
  return `BEGIN ${bump(audience)}; ${note(audience, `${row}.memory_id`)}; END`;
}

/**
 * For each audience a number that grows with every change of what it may find, and the memories that changed, each with the
 * number of its latest change. Triggers count, so that no way of changing the index can forget to, and always in the
 * transaction of the change; a row whose neighbours lend it other words counts as changed (`slot`). A number for each owner,
 * because what somebody writes for themselves neither makes the answers of others stale nor is theirs to notice.
 *
 * Numbers start from the clock: an index that was dropped and made anew never repeats one. The tables have no part in the
 * layout of the index, and survive a change of it.
 */
const tables = `
  CREATE TABLE IF NOT EXISTS generations (audience TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS changes (audience TEXT NOT NULL, memory_id TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (audience, memory_id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS changes_number ON changes (audience, number);
`;
const triggers = `
  CREATE TRIGGER docs_inserted AFTER INSERT ON docs ${changeOf("NEW")};
  CREATE TRIGGER docs_retired AFTER UPDATE OF until_at ON docs ${changeOf("OLD")};
  CREATE TRIGGER docs_indexed AFTER UPDATE OF slot ON docs WHEN NEW.slot IS NOT NULL ${changeOf("NEW")};
  CREATE TRIGGER docs_deleted AFTER DELETE ON docs ${changeOf("OLD")};
`;

export class Generations {
  readonly #sql: SqlStorage;

  /** After the tables of the index are there. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(tables);
    const isCounted = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'docs_indexed'").toArray().length > 0;
    if (isCounted) return;
    sql.exec("DROP TRIGGER IF EXISTS docs_inserted; DROP TRIGGER IF EXISTS docs_retired; DROP TRIGGER IF EXISTS docs_deleted");
    sql.exec(triggers);
    // The documents are new, or were put away with the triggers: nobody knows what of them was kept in answers.
    this.bump();
  }

  /** Equal to an earlier answer only if nothing changed in between that this person may find. */
  of(userId: string): string {
    const rows = this.#sql.exec<{ audience: string; number: number }>(
      "SELECT audience, number FROM generations WHERE audience IN (?, ?) ORDER BY audience", everyone, userId);
    return rows.toArray().map(({ number }) => number).join(".");
  }

  /** The memories that changed for this person since the generation; undefined when that is not known, or too many. */
  changedSince(userId: string, generation: string): string[] | undefined {
    const [shared = 0, own = 0] = generation.split(".").map(Number);
    const rows = this.#sql
      .exec<{ id: string }>(
        `SELECT DISTINCT memory_id AS id FROM changes WHERE audience = ? AND number > ? OR audience = ? AND number > ? LIMIT ${mostChanges + 1}`,
        everyone, shared, userId, own,
      )
      .toArray();
    return rows.length > mostChanges || rows.some(({ id }) => id === anything) ? undefined : rows.map(({ id }) => id);
  }

  /** For changes that are not in the tables of the index; without an argument anything may be another for everybody. */
  bump(changes: readonly HomeChange[] = [{ home: everyone, memoryId: anything }]): void {
    for (const [home, ofHome] of Map.groupBy(changes, (change) => change.home)) {
      this.move([home]);
      this.#sql.exec(note("?1", "value", "generations CROSS JOIN json_each(?2)"), home, JSON.stringify(ofHome.map(({ memoryId }) => memoryId)));
    }
  }

  /** For a change that concerns no memory by itself, such as the vector of a name. */
  move(homes: readonly string[]): void {
    for (const home of new Set(homes)) this.#sql.exec(bump("?1"), home);
  }

  /** Nobody keeps an answer from before this instant (ms since the epoch; numbers are no smaller than the clock was). */
  forgetBefore(instant: number): void {
    this.#sql.exec("DELETE FROM changes WHERE audience IN (SELECT audience FROM generations) AND number < ?", instant);
  }
}
