import type { LinkType, MemoryLink } from "../../../domain/graph/graph.ts";
import { jsonArrays } from "../../d1/memory-sql.ts";
import { readPacked } from "./node-table.ts";
import type { LinkRecord } from "./packs.ts";

/** A link as D1 has it, with the versions of the memories at its ends at that time: a drawn link ends with either version. */
export interface GraphLink {
  source: string;
  target: string;
  type: LinkType;
  strength: number;
  createdAt: number;
  origin: MemoryLink["origin"];
  sourceVersion: number;
  targetVersion: number;
}

const touching = "source_id IN (SELECT value FROM json_each(?1)) OR target_id IN (SELECT value FROM json_each(?1))";

/** Links between memories, in the object's SQLite. */
export class LinkTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS graph_links (
        source_id TEXT NOT NULL, target_id TEXT NOT NULL, type TEXT NOT NULL, strength REAL NOT NULL, created_at INTEGER NOT NULL,
        origin TEXT NOT NULL, source_version INTEGER NOT NULL, target_version INTEGER NOT NULL, PRIMARY KEY (source_id, target_id, type)
      ) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS graph_links_target ON graph_links (target_id)`);
  }

  put(links: readonly GraphLink[]): void {
    for (const json of jsonArrays(links.map((link) => ({ ...link })))) {
      this.#sql.exec(
        `INSERT INTO graph_links (source_id, target_id, type, strength, created_at, origin, source_version, target_version)
           SELECT value ->> '$.source', value ->> '$.target', value ->> '$.type', value ->> '$.strength', value ->> '$.createdAt',
             value ->> '$.origin', value ->> '$.sourceVersion', value ->> '$.targetVersion' FROM json_each(?) WHERE true
           ON CONFLICT DO UPDATE SET strength = excluded.strength, created_at = excluded.created_at, origin = excluded.origin,
             source_version = excluded.source_version, target_version = excluded.target_version`,
        json,
      );
    }
  }

  /** All from and to these memories. */
  removeOf(memoryIds: readonly string[]): void {
    this.#sql.exec(`DELETE FROM graph_links WHERE ${touching}`, JSON.stringify(memoryIds));
  }

  /** Drawn ones whose end has a newer version than the one given with its id. Answers whether there were any. */
  removeOutdated(present: ReadonlyMap<string, number>): boolean {
    const newer = (end: string): string => `SELECT l.source_id, l.target_id, l.type FROM json_each(?1) j
      CROSS JOIN graph_links l ON l.${end}_id = j.value ->> 0 AND l.origin = 'drawn' AND l.${end}_version < j.value ->> 1`;
    return this.#sql.exec(
      `DELETE FROM graph_links WHERE (source_id, target_id, type) IN (${newer("source")} UNION ALL ${newer("target")}) RETURNING 1`,
      JSON.stringify([...present]),
    ).toArray().length > 0;
  }

  /** Whether any lead from or to these memories. */
  touches(memoryIds: readonly string[]): boolean {
    return this.#sql.exec(`SELECT 1 FROM graph_links WHERE ${touching} LIMIT 1`, JSON.stringify(memoryIds)).toArray().length > 0;
  }

  totals(): { links: number; created: number; strength: number } {
    return this.#sql
      .exec<{ links: number; created: number; strength: number }>(
        "SELECT count(*) AS links, coalesce(sum(created_at % 1000000), 0) AS created, CAST(coalesce(sum(round(1000000 * strength)), 0) AS INTEGER) AS strength FROM graph_links")
      .one();
  }

  of(memoryIds: readonly string[]): LinkRecord[] {
    const rows = this.#sql.exec<{ source_id: string; target_id: string; type: string; strength: number; created_at: number }>(
      `SELECT source_id, target_id, type, strength, created_at FROM graph_links WHERE ${touching}`, JSON.stringify(memoryIds));
    return rows.toArray().map((row) => [row.source_id, row.target_id, row.type, row.strength, row.created_at]);
  }

  all(): LinkRecord[] {
    // JSON of SQLite has 15 digits of a number, which are not all.
    const rows = readPacked<[string, string, string, string, number]>(this.#sql, "graph_links", "json_array(source_id, target_id, type, printf('%!.17g', strength), created_at)", "source_id");
    return rows.map(([source, target, type, strength, createdAt]) => [source, target, type, Number(strength), createdAt]);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM graph_links");
  }
}
