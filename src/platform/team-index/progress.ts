/**
 * How far the index has followed each team: `applied` is the last sequence number below which nothing is
 * missing. Numbers that arrive out of order wait in `ahead` until the gap before them closes.
 */
export class Progress {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  applied(teamId: string): number {
    return this.#sql.exec<{ applied: number }>("SELECT applied FROM sources WHERE team_id = ?", teamId).toArray()[0]?.applied ?? 0;
  }

  shardOf(teamId: string): string | undefined {
    return this.#sql.exec<{ shard: string }>("SELECT shard FROM sources WHERE team_id = ?", teamId).toArray()[0]?.shard;
  }

  teams(): { team_id: string; shard: string }[] {
    return this.#sql.exec<{ team_id: string; shard: string }>("SELECT team_id, shard FROM sources").toArray();
  }

  /** Every search says it: a statement that writes nothing costs twice what one costs that reads. */
  know(teamId: string, shard: string): void {
    if (this.shardOf(teamId) !== undefined) return;
    this.#sql.exec("INSERT INTO sources (team_id, shard, applied) VALUES (?, ?, 0)", teamId, shard);
  }

  /** Everything up to `seq` is in. */
  reach(teamId: string, seq: number): void {
    this.#sql.exec("UPDATE sources SET applied = max(applied, ?) WHERE team_id = ?", seq, teamId);
    this.#close(teamId);
  }

  /** The consecutive numbers `first … last` are in. */
  mark(teamId: string, first: number, last: number): void {
    const applied = this.applied(teamId);
    if (first <= applied + 1) {
      if (last > applied) this.reach(teamId, last);
      return;
    }
    for (let seq = first; seq <= last; seq += 1) {
      this.#sql.exec("INSERT INTO ahead (team_id, seq) VALUES (?, ?) ON CONFLICT DO NOTHING", teamId, seq);
    }
  }

  forget(teamId: string): void {
    this.#sql.exec("UPDATE sources SET applied = 0 WHERE team_id = ?", teamId);
    this.#sql.exec("DELETE FROM ahead WHERE team_id = ?", teamId);
  }

  remove(teamId: string): void {
    this.#sql.exec("DELETE FROM sources WHERE team_id = ?", teamId);
    this.#sql.exec("DELETE FROM ahead WHERE team_id = ?", teamId);
  }

  #close(teamId: string): void {
    let applied = this.applied(teamId);
    this.#sql.exec("DELETE FROM ahead WHERE team_id = ? AND seq <= ?", teamId, applied);
    const waiting = this.#sql.exec<{ seq: number }>("SELECT seq FROM ahead WHERE team_id = ? ORDER BY seq", teamId);
    const start = applied;
    for (const { seq } of waiting) {
      if (seq !== applied + 1) break;
      applied = seq;
    }
    if (applied > start) {
      this.#sql.exec("UPDATE sources SET applied = ? WHERE team_id = ?", applied, teamId);
      this.#sql.exec("DELETE FROM ahead WHERE team_id = ? AND seq <= ?", teamId, applied);
    }
  }
}
