import { cosine } from "../../domain/search/unit-vector.ts";
import { TopK } from "../top-k.ts";

/** A vector space as the ids in Vectorize name it. */
export interface SpaceRef {
  mark: string;
  dimensions: number;
}

/** A vector that Vectorize was given, or is about to be. */
export interface PendingVector {
  /** Id in Vectorize. */
  id: string;
  namespace: string;
  kind: string;
  /** "team", or the user id of the one person who may see it. */
  audience: string;
  teamId: string;
  shard: string;
  version: number;
  /** Unit vector. */
  values: Float32Array;
}

export interface PendingQuery {
  namespace: string;
  values: Float32Array;
  kinds: string[];
  /** Only these; anybody's when left out. */
  audiences?: string[];
  /** Leave out what belongs to this team. */
  exceptTeam?: string;
  /** Of each kind. */
  limit: number;
}

export interface PendingHit {
  id: string;
  similarity: number;
  teamId: string;
  shard: string;
}

/**
 * So much may wait: 16,384 vectors of 256 dimensions, 4,096 of 1,024. A scan takes 0.2 ms for each MiB, and the object's
 * memory is shared with full text. Beyond it entities and relationships go, then the oldest memories, which have had the most time to become visible.
 */
const maxBytes = 16 * 2 ** 20;

const tables = `
  CREATE TABLE IF NOT EXISTS pending_vectors (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, namespace TEXT NOT NULL, kind TEXT NOT NULL, audience TEXT NOT NULL,
    team_id TEXT NOT NULL, shard TEXT NOT NULL, version INTEGER NOT NULL, vals BLOB NOT NULL
  );
  CREATE TABLE IF NOT EXISTS vector_spaces (mark TEXT PRIMARY KEY, dimensions INTEGER NOT NULL) WITHOUT ROWID;
`;

/** Vectors that Vectorize may not show yet, compared one by one, so that what was just written is found by meaning too. */
export class PendingVectors {
  readonly #sql: SqlStorage;
  /** By id, oldest first; read from the table when first needed. */
  #cache: Map<string, PendingVector> | undefined;
  #bytes = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(tables);
  }

  /** Answers how many wait now, and which were left out because a newer version waits already. */
  put({ mark, dimensions }: SpaceRef, vectors: PendingVector[]): { waiting: number; outdated: string[] } {
    const cache = this.#all();
    const outdated: string[] = [];
    this.#sql.exec("INSERT INTO vector_spaces (mark, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING", mark, dimensions);
    for (const vector of vectors) {
      if ((cache.get(vector.id)?.version ?? 0) > vector.version) {
        outdated.push(vector.id);
        continue;
      }
      this.#drop(vector.id);
      const { id, namespace, kind, audience, teamId, shard, version, values } = vector;
      this.#sql.exec(
        "INSERT INTO pending_vectors (id, namespace, kind, audience, team_id, shard, version, vals) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        id, namespace, kind, audience, teamId, shard, version, values.slice().buffer,
      );
      cache.set(id, vector);
      this.#bytes += values.byteLength;
    }
    this.#shrink();
    return { waiting: cache.size, outdated };
  }

  any(): boolean {
    return this.#all().size > 0;
  }

  /** Names are several to a memory, and may be missed sooner. */
  #shrink(): void {
    for (const isMemory of [false, true]) {
      for (const { id, kind } of this.#all().values()) {
        if (this.#bytes <= maxBytes) return;
        if ((kind === "memory") === isMemory) this.#drop(id);
      }
    }
  }

  /** All spaces that ever had vectors here: where a removal has to look. */
  spaces(): SpaceRef[] {
    return this.#sql.exec<{ mark: string; dimensions: number }>("SELECT mark, dimensions FROM vector_spaces").toArray();
  }

  remove(ids: string[]): void {
    for (const id of ids) this.#drop(id);
  }

  /** The nearest that the viewer may see, and how many wait at all. */
  scan({ namespace, values, kinds, audiences, exceptTeam, limit }: PendingQuery): { hits: PendingHit[]; waiting: number } {
    const waiting = [...this.#all().values()];
    const best = new Map(kinds.map((kind) => [kind, new TopK(limit)]));
    for (let at = 0; at < waiting.length; at += 1) {
      const vector = waiting[at] as PendingVector;
      const ofKind = best.get(vector.kind);
      if (!ofKind || vector.namespace !== namespace || vector.teamId === exceptTeam) continue;
      if (audiences && !audiences.includes(vector.audience)) continue;
      ofKind.offer(at, cosine(vector.values, values));
    }
    const hits = [...best.values()].flatMap((ofKind) => ofKind.best()).map(({ item, score }) => {
      const { id, teamId, shard } = waiting[item] as PendingVector;
      return { id, teamId, shard, similarity: score };
    });
    return { hits, waiting: waiting.length };
  }

  /** Those of the ids that wait: what Vectorize shows of them is out of date. */
  waitingAmong(ids: string[]): string[] {
    const cache = this.#all();
    return ids.filter((id) => cache.has(id));
  }

  /** The oldest after the one named, for asking whether Vectorize shows them by now. */
  oldest(limit: number, after = 0): { seq: number; id: string; version: number; dimensions: number }[] {
    return this.#sql
      .exec<{ seq: number; id: string; version: number; dimensions: number }>(
        "SELECT seq, id, version, length(vals) / 4 AS dimensions FROM pending_vectors WHERE seq > ? ORDER BY seq LIMIT ?", after, limit,
      )
      .toArray();
  }

  /** Seen in Vectorize in this version: a newer one that came meanwhile goes on waiting. */
  visible(seen: { id: string; version: number }[]): void {
    for (const { id, version } of seen) {
      if (this.#all().get(id)?.version === version) this.#drop(id);
    }
  }

  #drop(id: string): void {
    const cache = this.#all();
    const vector = cache.get(id);
    if (!vector) return;
    this.#sql.exec("DELETE FROM pending_vectors WHERE id = ?", id);
    cache.delete(id);
    this.#bytes -= vector.values.byteLength;
  }

  #all(): Map<string, PendingVector> {
    if (this.#cache) return this.#cache;
    const rows = this.#sql
      .exec<Omit<PendingVector, "values"> & { vals: ArrayBuffer }>(
        "SELECT id, namespace, kind, audience, team_id AS teamId, shard, version, vals FROM pending_vectors ORDER BY seq",
      )
      .toArray();
    this.#cache = new Map(rows.map(({ vals, ...vector }) => [vector.id, { ...vector, values: new Float32Array(vals) }]));
    this.#bytes = rows.reduce((sum, { vals }) => sum + vals.byteLength, 0);
    return this.#cache;
  }
}
