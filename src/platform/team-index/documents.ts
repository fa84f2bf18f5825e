import { indexText } from "../../domain/search/query-terms.ts";
import type { IndexDocument } from "./document.ts";

interface DocRow {
  [column: string]: SqlStorageValue;
  doc: number;
  team_id: string;
  namespace: string;
  visibility: string;
  owner_id: string;
  content: string;
  label: string;
  moment: string;
  position: number;
  alias: number;
}

/** Only conversations have an order in which a neighbour says what a memory is about. */
const isThread = (namespace: string): boolean => namespace.startsWith("thread:") || namespace.startsWith("session:");

const breadth: Record<string, number> = { private: 0, shared: 1, public: 2 };

/** Text of a neighbour may only help find a memory if all who see the memory see the neighbour too. */
const mayLend = (lender: DocRow, borrower: DocRow): boolean =>
  (breadth[lender.visibility] as number) >= (breadth[borrower.visibility] as number) &&
  (lender.visibility !== "private" || lender.owner_id === borrower.owner_id);

/** Writes documents into the object's tables, and refreshes the neighbour columns of those beside them. */
export class Documents {
  readonly #sql: SqlStorage;
  readonly #keepPast: boolean;

  constructor(sql: SqlStorage, options: { keepPast: boolean }) {
    this.#sql = sql;
    this.#keepPast = options.keepPast;
  }

  /** Versions may come in any order: a late one takes its place in the past and does not turn back time. */
  put(documents: IndexDocument[]): void {
    const touched = new Map<number, DocRow>();
    for (const document of documents) this.#putOne(document, touched);
    for (const row of touched.values()) this.#index(row);
  }

  remove(teamId: string, memoryIds: string[]): void {
    const touched = new Map<number, DocRow>();
    for (const memoryId of memoryIds) {
      const rows = this.#rows("team_id = ? AND memory_id = ?", teamId, memoryId);
      for (const row of rows) {
        this.#sql.exec(`DELETE FROM ${row["until_at"] === null ? "now_fts" : "past_fts"} WHERE rowid = ?`, row.doc);
        this.#sql.exec("DELETE FROM docs WHERE doc = ?", row.doc);
        touched.delete(row.doc);
        for (const neighbour of this.#around(row)) touched.set(neighbour.doc, neighbour);
      }
    }
    for (const row of touched.values()) this.#index(row);
  }

  /** A version that was superseded before the index heard of it: searchable in the past only. */
  putPast(document: IndexDocument, untilAt: number): void {
    if (!this.#keepPast) return;
    const doc = this.#insert(document, untilAt);
    if (doc !== undefined && !document.archived) this.#indexPast(doc, document);
  }

  #putOne(document: IndexDocument, touched: Map<number, DocRow>): void {
    const { teamId, memoryId, version } = document;
    const [newer] = this.#rows("team_id = ? AND memory_id = ? AND version >= ? ORDER BY version LIMIT 1", teamId, memoryId, version);
    const [older] = this.#rows("team_id = ? AND memory_id = ? AND version < ? ORDER BY version DESC LIMIT 1", teamId, memoryId, version);
    if (newer) {
      if (newer["version"] === version) return;
      if (older) this.#sql.exec("UPDATE docs SET until_at = ? WHERE doc = ?", document.updatedAt, older.doc);
      this.putPast(document, newer["from_at"] as number);
      return;
    }
    if (older && older["until_at"] === null) {
      this.#retire(older, document.updatedAt);
      touched.delete(older.doc);
      for (const neighbour of this.#around(older)) touched.set(neighbour.doc, neighbour);
    }
    const doc = this.#insert(document, null);
    if (doc === undefined || document.archived) return;
    const [row] = this.#rows("doc = ?", doc);
    for (const neighbour of [row as DocRow, ...this.#around(row as DocRow)]) touched.set(neighbour.doc, neighbour);
  }

  #insert(document: IndexDocument, untilAt: number | null): number | undefined {
    const row = this.#sql
      .exec<{ doc: number }>(
        `INSERT INTO docs (team_id, memory_id, version, alias, from_at, until_at, key, content, label, moment, namespace, visibility,
           owner_id, author_id, type, importance, tags, position, updated_at, expires_at, archived)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING doc`,
        document.teamId, document.memoryId, document.version, document.alias, document.updatedAt, untilAt, document.key,
        document.content, document.label, document.moment, document.namespace, document.visibility, document.ownerId,
        document.authorId, document.type, document.importance, JSON.stringify(document.tags), document.position,
        document.updatedAt, document.expiresAt, document.archived ? 1 : 0,
      )
      .toArray()[0];
    return row?.doc;
  }

  /** The present version becomes a past one. */
  #retire(row: DocRow, untilAt: number): void {
    this.#sql.exec("DELETE FROM now_fts WHERE rowid = ?", row.doc);
    if (!this.#keepPast) {
      this.#sql.exec("DELETE FROM docs WHERE doc = ?", row.doc);
      return;
    }
    this.#sql.exec("UPDATE docs SET until_at = ? WHERE doc = ?", untilAt, row.doc);
    if (row["archived"] !== 1) this.#indexPast(row.doc, row);
  }

  #indexPast(doc: number, text: { content: string; label: string; moment: string }): void {
    this.#sql.exec(
      "INSERT INTO past_fts (rowid, content, label, near, far, moment) VALUES (?, ?, ?, '', '', ?)",
      doc, indexText(text.content), indexText(text.label), indexText(text.moment),
    );
  }

  #index(row: DocRow): void {
    const lent = (neighbours: (DocRow | undefined)[]): string =>
      neighbours.flatMap((neighbour) => (neighbour && mayLend(neighbour, row) ? indexText(neighbour.content) : [])).join(" ");
    const before = isThread(row.namespace) ? this.#beside(row, "<", "DESC") : [];
    const after = isThread(row.namespace) ? this.#beside(row, ">", "ASC") : [];
    this.#sql.exec("DELETE FROM now_fts WHERE rowid = ?", row.doc);
    this.#sql.exec(
      "INSERT INTO now_fts (rowid, content, label, near, far, moment) VALUES (?, ?, ?, ?, ?, ?)",
      row.doc, indexText(row.content), indexText(row.label), lent([before[0], after[0]]), lent([before[1], after[1]]), indexText(row.moment),
    );
  }

  /** The two memories before and the two after in the same thread. */
  #around(row: DocRow): DocRow[] {
    return isThread(row.namespace) ? [...this.#beside(row, "<", "DESC"), ...this.#beside(row, ">", "ASC")] : [];
  }

  #beside(row: DocRow, comparison: "<" | ">", order: "ASC" | "DESC"): DocRow[] {
    return this.#sql
      .exec<DocRow>(
        `SELECT * FROM docs WHERE team_id = ? AND namespace = ? AND until_at IS NULL AND archived = 0
         AND (position, alias) ${comparison} (?, ?) ORDER BY position ${order}, alias ${order} LIMIT 2`,
        row.team_id, row.namespace, row.position, row.alias,
      )
      .toArray();
  }

  #rows(condition: string, ...parameters: (string | number)[]): DocRow[] {
    return this.#sql.exec<DocRow>(`SELECT * FROM docs WHERE ${condition}`, ...parameters).toArray();
  }
}
