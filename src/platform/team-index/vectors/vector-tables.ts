import type { SlotColumns } from "./pack.ts";

/** A vector space as the ids in Vectorize name it. */
export interface SpaceRef {
  mark: string;
  dimensions: number;
}

export interface SpaceRow extends SpaceRef {
  space: number;
  /** Vectors were left to Vectorize alone. */
  evicted: number;
}

/** What filters tell apart, and what a vector's id says beside the UUID. */
export interface VectorClass {
  kind: string;
  /** "team", or the user id of the one person who may see it. */
  audience: string;
  teamId: string;
  shard: string;
  /** Digest of the team that the id names; "" in ids of the former form. */
  digest: string;
}

/** A vector that is in no pack yet. */
export interface LooseRow {
  [column: string]: SqlStorageValue;
  seq: number;
  id: ArrayBuffer;
  class: number;
  version: number;
  at: number;
  vals: ArrayBuffer;
}

/** Vectors in a pack: packs are read a hundred times as fast as rows, and one write makes a pack (220 kB at 192 dimensions). */
export const packSize = 1_000;
/** Changes of the codes' layout start from new tables. */
const tables = `
  CREATE TABLE IF NOT EXISTS copied_spaces (space INTEGER PRIMARY KEY, mark TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL, evicted INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS vector_classes (class INTEGER PRIMARY KEY, kind TEXT NOT NULL, audience TEXT NOT NULL, team_id TEXT NOT NULL, shard TEXT NOT NULL, digest TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS vector_rows (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, id BLOB NOT NULL, class INTEGER NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL, vals BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS vector_rows_space ON vector_rows (space);
  CREATE TABLE IF NOT EXISTS vector_packs (
    pack INTEGER PRIMARY KEY, space INTEGER NOT NULL, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, count INTEGER NOT NULL,
    ids BLOB NOT NULL, seqs BLOB NOT NULL, classes BLOB NOT NULL, versions BLOB NOT NULL, times BLOB NOT NULL, scales BLOB NOT NULL, codes BLOB NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS vector_packs_place ON vector_packs (space, first_seq, last_seq, count);
  CREATE TABLE IF NOT EXISTS vector_gone (seq INTEGER PRIMARY KEY, space INTEGER NOT NULL);
  DROP TABLE IF EXISTS pending_vectors;
  DROP TABLE IF EXISTS vector_spaces;
`;

const columns = "count, ids, seqs, classes, versions, times, scales, codes";
type PackRow = SlotColumns & Record<string, SqlStorageValue>;

/**
 * The vectors in the object's SQLite. `vector_rows` has each vector with its exact values, which are read until a pack
 * has its codes (emptying them then would write every row twice); `vector_packs` has the codes of a thousand
 * consecutive rows in one row, so that loading is fast; `vector_gone` names packed vectors whose row is deleted, until their pack is
 * written anew.
 */
export class VectorTables {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(tables);
  }

  spaces(): SpaceRow[] {
    return this.#sql.exec<SpaceRow & Record<string, SqlStorageValue>>("SELECT space, mark, dimensions, evicted FROM copied_spaces").toArray();
  }

  addSpace({ mark, dimensions }: SpaceRef): void {
    this.#sql.exec("INSERT INTO copied_spaces (mark, dimensions) VALUES (?, ?)", mark, dimensions);
  }

  noteEvicted(space: number, evicted: boolean): void {
    this.#sql.exec("UPDATE copied_spaces SET evicted = ? WHERE space = ?", evicted ? 1 : 0, space);
  }

  classes(): (VectorClass & { class: number })[] {
    return this.#sql.exec<VectorClass & { class: number } & Record<string, SqlStorageValue>>("SELECT class, kind, audience, team_id AS teamId, shard, digest FROM vector_classes").toArray();
  }

  addClass({ kind, audience, teamId, shard, digest }: VectorClass): number {
    return this.#sql
      .exec<{ class: number }>("INSERT INTO vector_classes (kind, audience, team_id, shard, digest) VALUES (?, ?, ?, ?, ?) RETURNING class", kind, audience, teamId, shard, digest)
      .one().class;
  }

  count(space: number): number {
    return this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM vector_rows WHERE space = ?", space).one().n;
  }

  insert(space: number, { id, classNumber, version, at, values }: { id: Uint32Array; classNumber: number; version: number; at: number; values: Float32Array }): number {
    return this.#sql
      .exec<{ seq: number }>(
        "INSERT INTO vector_rows (space, id, class, version, at, vals) VALUES (?, ?, ?, ?, ?, ?) RETURNING seq",
        space, id.slice().buffer, classNumber, version, at, values.slice().buffer,
      )
      .one().seq;
  }

  /** Deletes rows; `packed` are those of them that a pack holds too. */
  remove(space: number, seqs: readonly number[], packed: readonly number[]): void {
    if (seqs.length === 0) return;
    this.#sql.exec("DELETE FROM vector_rows WHERE seq IN (SELECT value FROM json_each(?))", JSON.stringify(seqs));
    if (packed.length > 0) this.#sql.exec("INSERT INTO vector_gone (seq, space) SELECT value, ? FROM json_each(?)", space, JSON.stringify(packed));
  }

  /** Rows up to here are in packs. */
  packedUpTo(space: number): number {
    return this.#sql.exec<{ seq: number | null }>("SELECT max(last_seq) AS seq FROM vector_packs WHERE space = ?", space).one().seq ?? 0;
  }

  loose(space: number, after: number): Iterable<LooseRow> {
    return this.#sql.exec<LooseRow>("SELECT seq, id, class, version, at, vals FROM vector_rows WHERE space = ? AND seq > ? ORDER BY seq", space, after);
  }

  packs(space: number): Iterable<SlotColumns> {
    return this.#sql.exec<PackRow>(`SELECT ${columns} FROM vector_packs WHERE space = ? ORDER BY first_seq`, space);
  }

  gone(space: number): Set<number> {
    return new Set(this.#sql.exec<{ seq: number }>("SELECT seq FROM vector_gone WHERE space = ?", space).toArray().map(({ seq }) => seq));
  }

  anyGone(): boolean {
    return this.#sql.exec("SELECT 1 FROM vector_gone LIMIT 1").toArray().length > 0;
  }

  addPack(space: number, lastSeq: number, { count, ids, seqs, classes, versions, times, scales, codes }: SlotColumns): void {
    const firstSeq = new Uint32Array(seqs)[0] ?? lastSeq;
    this.#sql.exec(
      `INSERT INTO vector_packs (space, first_seq, last_seq, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      space, firstSeq, lastSeq, count, ids, seqs, classes, versions, times, scales, codes,
    );
  }

  /** Packs in order, with how many of their vectors are gone. */
  packHeads(space: number): { pack: number; first: number; last: number; count: number; gone: number }[] {
    return this.#sql
      .exec<{ pack: number; first: number; last: number; count: number; gone: number }>(
        `SELECT pack, first_seq AS first, last_seq AS last, count, (SELECT count(*) FROM vector_gone g WHERE g.seq BETWEEN first_seq AND last_seq AND g.space = p.space) AS gone
         FROM vector_packs p WHERE space = ? ORDER BY first_seq`, space,
      )
      .toArray();
  }

  pack(pack: number): SlotColumns {
    return this.#sql.exec<PackRow>(`SELECT ${columns} FROM vector_packs WHERE pack = ?`, pack).one();
  }

  dropPack(pack: number): void {
    this.#sql.exec("DELETE FROM vector_packs WHERE pack = ?", pack);
  }

  /** The packs of these rows were written anew. */
  forgetGone(space: number, first: number, last: number): void {
    this.#sql.exec("DELETE FROM vector_gone WHERE space = ? AND seq BETWEEN ? AND ?", space, first, last);
  }
}
