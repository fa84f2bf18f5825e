import type { MemoryFilter, MemoryName } from "../../domain/memories/memory-store.ts";
import { mayFind, type PresentRows } from "./present-rows.ts";
import { allowed, type Viewer } from "./search.ts";

/** The most that one name finds: a key may live in several namespaces. */
const maxNamed = 100;

/** Memories as the object holds them, as JSON: nobody on the way to the session needs to look inside. */
export class Rows {
  readonly #sql: SqlStorage;
  readonly #present: PresentRows;
  readonly #hides: (memoryId: string) => boolean;

  /** `hides`: memories that a write is about to take from readers. */
  constructor(sql: SqlStorage, present: PresentRows, hides: (memoryId: string) => boolean) {
    this.#sql = sql;
    this.#present = present;
    this.#hides = hides;
  }

  /** Present, unexpired memories that the viewer may see, by id. */
  present(viewer: Viewer, now: number, ids: string[]): Map<string, string> {
    const found = new Map<string, string>();
    const present = this.#present.ofTeam(viewer.teamId, ids);
    for (const id of ids) {
      const one = present.get(id);
      if (one && mayFind({ viewer, now, othersOnly: false }, one.row) && !this.#hides(id)) found.set(id, one.body);
    }
    return found;
  }

  /** With the readings counted since. By id archived memories too, by key one's own first and then the newest, as D1 orders them. */
  named(viewer: Viewer, now: number, name: MemoryName): string[] {
    const filter: MemoryFilter = "key" in name ? name.filter : {};
    const { conditions, parameters } = allowed({ viewer, now, filter, othersOnly: false }, undefined);
    parameters[1] = "key" in name ? name.key : name.id;
    const condition = "key" in name ? "d.key = ?2 AND d.archived = 0" : typeof name.id === "number" ? "d.alias = ?2" : "d.memory_id = ?2";
    const rows = this.#sql.exec<{ id: string; body: string }>(
      `SELECT d.memory_id AS id, iif(a.count IS NULL, d.body, json_set(d.body, '$.accessCount', d.body ->> '$.accessCount' + a.count, '$.accessedAt', a.at)) AS body
       FROM docs d LEFT JOIN accesses a ON a.team_id = d.team_id AND a.memory_id = d.memory_id
       WHERE ${condition} AND d.until_at IS NULL AND ${conditions.join(" AND ")}
       ORDER BY d.visibility = 'private' DESC, d.updated_at DESC, d.namespace DESC LIMIT ${maxNamed}`,
      ...parameters,
    );
    return rows.toArray().flatMap(({ id, body }) => (this.#hides(id) ? [] : [body]));
  }

  /** Counts readings; a new version of a memory brings its count along. */
  accessed(teamId: string, now: number, ids: string[]): void {
    const counts: Record<string, number> = {};
    for (const id of ids) counts[id] = (counts[id] ?? 0) + 1;
    this.#sql.exec(
      `INSERT INTO accesses (team_id, memory_id, count, at) SELECT ?, key, value, ? FROM json_each(?) WHERE true
       ON CONFLICT (team_id, memory_id) DO UPDATE SET count = count + excluded.count, at = excluded.at`,
      teamId, now, JSON.stringify(counts),
    );
  }
}
