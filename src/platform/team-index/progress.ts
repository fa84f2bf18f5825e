import type { TeamShard } from "./source.ts";

interface Source extends TeamShard {
  applied: number;
}

/**
 * How far the index has followed each team: `applied` is the last sequence number below which nothing is
 * missing. Numbers that arrive out of order wait in `ahead` until the gap before them closes.
 *
 * What is asked with every call is in memory; whoever takes a transaction back calls `forget`.
 */
export class Progress {
  readonly #sql: SqlStorage;
  #sources: Map<string, Source> | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  applied(teamId: string): number {
    return this.#known().get(teamId)?.applied ?? 0;
  }

  shardOf(teamId: string): string | undefined {
    return this.#known().get(teamId)?.shard;
  }

  teams(): TeamShard[] {
    return [...this.#known().values()];
  }

  know(teamId: string, shard: string): void {
    if (this.#known().has(teamId)) return;
    this.#sql.exec("INSERT INTO sources (team_id, shard, applied) VALUES (?, ?, 0)", teamId, shard);
    this.forget();
  }

  /** Everything up to `seq` is in. */
  reach(teamId: string, seq: number): void {
    if (seq > this.applied(teamId)) this.#setApplied(teamId, seq);
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

  /** The team is to be read from the beginning again. */
  restart(teamId: string): void {
    this.#setApplied(teamId, 0);
    this.#sql.exec("DELETE FROM ahead WHERE team_id = ?", teamId);
  }

  remove(teamId: string): void {
    this.#sql.exec("DELETE FROM sources WHERE team_id = ?", teamId);
    this.#sql.exec("DELETE FROM ahead WHERE team_id = ?", teamId);
    this.forget();
  }

  /** Drops what is in memory; it is read again when needed. */
  forget(): void {
    this.#sources = undefined;
  }

  #known(): Map<string, Source> {
    this.#sources ??= new Map(
      this.#sql.exec<Source & Record<string, SqlStorageValue>>("SELECT team_id AS teamId, shard, applied FROM sources").toArray().map((source) => [source.teamId, source]));
    return this.#sources;
  }

  #setApplied(teamId: string, applied: number): void {
    this.#sql.exec("UPDATE sources SET applied = ? WHERE team_id = ?", applied, teamId);
    const source = this.#known().get(teamId);
    if (source) source.applied = applied;
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
      this.#setApplied(teamId, applied);
      this.#sql.exec("DELETE FROM ahead WHERE team_id = ? AND seq <= ?", teamId, applied);
    }
  }
}
