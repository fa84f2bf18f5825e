import type { VisibilityChange } from "../../domain/recall/cache/index-state.ts";

/** The audience of what the whole team sees; a private memory's audience is its owner's id (`visibilityKeyOf`). */
export const everyone = "";

const nowMs = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

const bump = (audience: string): string => `
  INSERT INTO generations (audience, number) VALUES (${audience}, ${nowMs})
  ON CONFLICT (audience) DO UPDATE SET number = max(number + 1, excluded.number)`;

const changeOf = (row: "NEW" | "OLD"): string => `BEGIN ${bump(`iif(${row}.visibility = 'private', ${row}.owner_id, '${everyone}')`)}; END`;

/**
 * For each audience a number that grows with every change of what it may find. Triggers count, so that no way of changing the
 * index can forget to, and always in the transaction of the change; a row whose context changed counts as
 * changed (`slot`). A number for each owner, because what somebody writes for themselves neither makes the answers of others
 * stale nor is theirs to notice.
 *
 * Numbers start from the clock: an index that was dropped and made anew never repeats one. The table has no part in the layout
 * of the index, and survives a change of it.
 */
const tables = `
  CREATE TABLE IF NOT EXISTS generations (audience TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
  DROP TABLE IF EXISTS changes;
  DROP TABLE IF EXISTS leased;
`;
const names = ["docs_inserted", "docs_retired", "docs_indexed", "docs_deleted"];
const triggers = `
  CREATE TRIGGER docs_inserted AFTER INSERT ON docs ${changeOf("NEW")};
  CREATE TRIGGER docs_retired AFTER UPDATE OF until_at ON docs ${changeOf("OLD")};
  CREATE TRIGGER docs_indexed AFTER UPDATE OF slot ON docs WHEN NEW.slot IS NOT NULL ${changeOf("NEW")};
  CREATE TRIGGER docs_deleted AFTER DELETE ON docs ${changeOf("OLD")};
`;

/** People whose number is remembered. */
const mostKnown = 1_000;

export class Generations {
  readonly #sql: SqlStorage;
  readonly #known = new Map<string, string>();

  /** After the tables of the index are there. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(tables);
    const isCounted = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'docs_indexed' AND sql NOT GLOB '*INTO changes*'").toArray().length > 0;
    if (isCounted) return;
    for (const name of names) sql.exec(`DROP TRIGGER IF EXISTS ${name}`);
    sql.exec(triggers);
    // The documents are new, or were put away with the triggers: nobody knows what of them was kept in answers.
    this.bump();
  }

  /** Equal to an earlier answer only if nothing changed in between that this person may find. */
  of(userId: string): string {
    const known = this.#known.get(userId);
    if (known !== undefined) return known;
    const rows = this.#sql.exec<{ number: number }>("SELECT number FROM generations WHERE audience IN (?, ?) ORDER BY audience", everyone, userId);
    const generation = rows.toArray().map(({ number }) => number).join(".");
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(userId, generation);
    return generation;
  }

  /** After every transaction that may have changed documents: the numbers are read anew. */
  forget(): void {
    this.#known.clear();
  }

  /** For changes that are not in the tables of the index, such as links; without an argument anything may be another for everybody. */
  bump(changes: readonly Pick<VisibilityChange, "visibilityKey">[] = [{ visibilityKey: everyone }]): void {
    this.forget();
    for (const visibilityKey of new Set(changes.map((change) => change.visibilityKey))) this.#sql.exec(bump("?1"), visibilityKey);
  }
}
