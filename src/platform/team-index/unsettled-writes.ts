/** D1 ends a query after 30 s: what it has not committed by then, it never commits. */
const settledAfterMs = 35_000;

const table = "CREATE TABLE IF NOT EXISTS unsettled_writes (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_ids TEXT NOT NULL, until INTEGER NOT NULL)";

interface UnsettledWrite {
  memoryIds: readonly string[];
  /** From then on D1 does not commit it any more, ms since the epoch. */
  until: number;
  /** `running`: D1 has not answered yet. `unknown`: it may have committed, or may do so yet. `ended`: it may have committed. */
  state: "running" | "unknown" | "ended";
}

/**
 * Writes that D1 may have committed while the object does not hold them. Those that take something from readers are noted
 * before D1 commits, and hide their memories until they are settled; others are noted once their outcome is unknown. The notes
 * are durable: an object that starts knows what its predecessor left open. The table has no part in the layout of the index,
 * and survives a change of it.
 */
export class UnsettledWrites {
  readonly #sql: SqlStorage;
  readonly #writes = new Map<number, UnsettledWrite>();
  readonly #shown: (memoryIds: readonly string[]) => void;
  #hidden: ReadonlySet<string> = new Set();

  /** `shown`: these memories are hidden no more, so an answer that was kept meanwhile is old. */
  constructor(sql: SqlStorage, shown: (memoryIds: readonly string[]) => void) {
    this.#sql = sql;
    this.#shown = shown;
    sql.exec(table);
    for (const { id, memory_ids, until } of sql.exec<{ id: number; memory_ids: string; until: number }>("SELECT id, memory_ids, until FROM unsettled_writes")) {
      this.#writes.set(id, { memoryIds: JSON.parse(memory_ids) as string[], until, state: "unknown" });
    }
    this.#hide();
  }

  /** Hides the memories until the write is settled. */
  begin(memoryIds: readonly string[], now: number): number {
    return this.#note(memoryIds, now, "running");
  }

  /** Nobody knows whether the write was or will be committed; `id` where it was noted before. Answers its id. */
  doubt(id: number | undefined, now: number): number {
    const noted = id === undefined ? undefined : this.#writes.get(id);
    if (id === undefined || !noted) return this.#note([], now, "unknown");
    noted.state = "unknown";
    return id;
  }

  /** D1 has answered, or will do nothing any more: the next comparison shows the outcome. */
  end(id: number): void {
    const noted = this.#writes.get(id);
    if (noted) noted.state = "ended";
  }

  /** The object holds what D1 has. */
  settle(ids: readonly number[]): void {
    if (ids.length === 0) return;
    this.#sql.exec("DELETE FROM unsettled_writes WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
    const memoryIds = ids.flatMap((id) => this.#writes.get(id)?.memoryIds ?? []);
    for (const id of ids) this.#writes.delete(id);
    this.#hide();
    this.#shown(memoryIds.filter((id) => !this.#hidden.has(id)));
  }

  /** Those that a comparison with D1 settles when it begins now. */
  ended(now: number): number[] {
    return [...this.#writes].filter(([, { state, until }]) => state === "ended" || (state === "unknown" && until <= now)).map(([id]) => id);
  }

  /** Whether the object may lack something that D1 has committed. */
  isDoubtful(): boolean {
    for (const { state } of this.#writes.values()) if (state !== "running") return true;
    return false;
  }

  hides(memoryId: string): boolean {
    return this.#hidden.has(memoryId);
  }

  #note(memoryIds: readonly string[], now: number, state: UnsettledWrite["state"]): number {
    const until = now + settledAfterMs;
    const { id } = this.#sql.exec<{ id: number }>("INSERT INTO unsettled_writes (memory_ids, until) VALUES (?, ?) RETURNING id", JSON.stringify(memoryIds), until).one();
    this.#writes.set(id, { memoryIds, until, state });
    this.#hide();
    return id;
  }

  #hide(): void {
    this.#hidden = new Set([...this.#writes.values()].flatMap(({ memoryIds }) => memoryIds));
  }
}
