import { jsonArrays } from "../../d1/memory-sql.ts";
import { readPacked } from "./node-table.ts";
import type { MemoryPack } from "./packs.ts";

export interface StoredPack {
  version: number;
  pack: MemoryPack;
}

/** What each memory contributes to the graph, in the object's SQLite. */
export class ContributionTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS graph_contributions (memory_id TEXT PRIMARY KEY, version INTEGER NOT NULL, pack TEXT NOT NULL)");
  }

  /** Of the memories that have any, the version that contributed. */
  versionsOf(memoryIds: readonly string[]): Map<string, number> {
    const rows = this.#sql.exec<{ id: string; version: number }>(
      "SELECT c.memory_id AS id, c.version AS version FROM json_each(?) j CROSS JOIN graph_contributions c ON c.memory_id = j.value", JSON.stringify(memoryIds));
    return new Map(rows.toArray().map(({ id, version }) => [id, version]));
  }

  insert(packs: readonly StoredPack[]): void {
    for (const json of jsonArrays(packs.map(({ version, pack }) => ({ id: pack[0], version, pack: JSON.stringify(pack) })))) {
      this.#sql.exec(
        "INSERT INTO graph_contributions (memory_id, version, pack) SELECT value ->> '$.id', value ->> '$.version', value ->> '$.pack' FROM json_each(?)", json);
    }
  }

  /** Answers what they contributed. */
  remove(memoryIds: readonly string[]): MemoryPack[] {
    if (memoryIds.length === 0) return [];
    const rows = this.#sql.exec<{ pack: string }>(
      "DELETE FROM graph_contributions WHERE memory_id IN (SELECT value FROM json_each(?)) RETURNING pack", JSON.stringify(memoryIds));
    return rows.toArray().map(({ pack }) => JSON.parse(pack) as MemoryPack);
  }

  all(): MemoryPack[] {
    return readPacked<MemoryPack>(this.#sql, "graph_contributions", "pack", "memory_id");
  }

  clear(): void {
    this.#sql.exec("DELETE FROM graph_contributions");
  }
}
