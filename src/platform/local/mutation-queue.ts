import type { VectorStore } from "./vector-store.ts";
import type { Metadata, StoredVector } from "./vectorize-limits.ts";

const tables = `
  CREATE TABLE IF NOT EXISTS mutations (seq INTEGER PRIMARY KEY, mutation_id TEXT NOT NULL, kind TEXT NOT NULL, due_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS queued (seq INTEGER NOT NULL, n INTEGER NOT NULL, id TEXT NOT NULL, namespace TEXT, metadata TEXT, vals BLOB NOT NULL, PRIMARY KEY (seq, n)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS processed (one INTEGER PRIMARY KEY CHECK (one = 1), mutation_id TEXT NOT NULL, at INTEGER NOT NULL);
`;

interface Mutation {
  mutationId: string;
  kind: "insert" | "upsert" | "delete";
  dueAt: number;
}

/** Changes that were accepted and are not yet seen; processed in their order, each as a whole. */
export class MutationQueue {
  readonly #sql: SqlStorage;
  /** When the first one is due, so that a query need not look. */
  #nextDue: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(tables);
    this.#nextDue = this.#firstDue();
  }

  get processed(): { mutationId: string; at: number } {
    const [row] = this.#sql.exec<{ mutationId: string; at: number }>("SELECT mutation_id AS mutationId, at FROM processed").toArray();
    return row ?? { mutationId: "", at: 0 };
  }

  add({ mutationId, kind, dueAt }: Mutation, vectors: StoredVector[]): void {
    const { seq } = this.#sql
      .exec<{ seq: number }>("INSERT INTO mutations (mutation_id, kind, due_at) VALUES (?, ?, ?) RETURNING seq", mutationId, kind, dueAt)
      .one();
    for (const [n, { id, namespace, metadata, values }] of vectors.entries()) {
      this.#sql.exec(
        "INSERT INTO queued (seq, n, id, namespace, metadata, vals) VALUES (?, ?, ?, ?, ?, ?)",
        seq, n, id, namespace ?? null, metadata === undefined ? null : JSON.stringify(metadata), Float32Array.from(values).buffer,
      );
    }
    this.#nextDue = Math.min(this.#nextDue, dueAt);
  }

  isDue(now: number): boolean {
    return this.#nextDue <= now;
  }

  process(now: number, store: VectorStore): void {
    while (this.isDue(now)) {
      const { seq, mutation_id, kind } = this.#sql
        .exec<{ seq: number; mutation_id: string; kind: Mutation["kind"] }>("SELECT seq, mutation_id, kind FROM mutations ORDER BY seq LIMIT 1")
        .one();
      const vectors = this.#queued(seq);
      if (kind === "delete") store.remove(vectors.map(({ id }) => id));
      else store.put(vectors, kind === "upsert");
      this.#sql.exec("DELETE FROM queued WHERE seq = ?", seq);
      this.#sql.exec("DELETE FROM mutations WHERE seq = ?", seq);
      this.#sql.exec("INSERT OR REPLACE INTO processed (one, mutation_id, at) VALUES (1, ?, ?)", mutation_id, now);
      this.#nextDue = this.#firstDue();
    }
  }

  #queued(seq: number): StoredVector[] {
    const rows = this.#sql.exec<{ id: string; namespace: string | null; metadata: string | null; vals: ArrayBuffer }>(
      "SELECT id, namespace, metadata, vals FROM queued WHERE seq = ? ORDER BY n", seq,
    );
    return rows.toArray().map(({ id, namespace, metadata, vals }) => ({
      id,
      values: new Float32Array(vals),
      ...(namespace === null ? {} : { namespace }),
      ...(metadata === null ? {} : { metadata: JSON.parse(metadata) as Metadata }),
    }));
  }

  /** The oldest one's turn comes first, even if a later one with less delay is due before it. */
  #firstDue(): number {
    const [first] = this.#sql.exec<{ due_at: number }>("SELECT due_at FROM mutations ORDER BY seq LIMIT 1").toArray();
    return first?.due_at ?? Number.POSITIVE_INFINITY;
  }
}
