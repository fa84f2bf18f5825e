import { isInThread, type Memory, visibilities, type Visibility } from "../../domain/memories/memory.ts";
import { fromShortJson } from "../../domain/memories/memory-fields.ts";
import { statementKey } from "../../domain/memories/same-statement.ts";
import { type DocumentHead, type IndexDocument, indexedWords, sinceOf } from "./document.ts";
import { memoryAnalyzer } from "./memory-text.ts";
import { mergedWords, type Merged, survivorsOf } from "./merged.ts";
import type { PresentRows } from "./present-rows.ts";
import type { Statement } from "./statements.ts";
import type { FieldTexts, TermBag } from "../text-index/term-bag.ts";
import type { TextIndex } from "../text-index/text-index.ts";

/** More would be copies of each other. */
const mostSaying = 3;

interface DocRow extends Merged {
  [column: string]: SqlStorageValue;
  doc: number;
  version: number;
  namespace: string;
  position: number;
  alias: number;
  until_at: number | null;
  archived: number;
  slot: number | null;
  part: string | null;
  length: number | null;
  body: string;
}

/** Those who see a row: everybody, the team, or its owner. */
type Audience = Pick<DocRow, "visibility" | "owner_id">;
type NewestRow = { version: number; visibility: string; owner_id: string; secret: number };

/** The part of the text index in which a row is: its audience, in the present or the past. */
export const partitionOf = (moment: "now" | "past", audience: string): string => `${moment}:${audience}`;
/** `visibilities` go from few to many. */
const reach = (visibility: string): number => visibilities.indexOf(visibility as Visibility);
const audienceOf = ({ visibility, owner_id }: Audience): string => (visibility === "private" ? owner_id : "");

/**
 * Writes documents into the object's tables, and refreshes the neighbour columns of those beside them. Other teams look only
 * for the present of what is public: an organization's index holds nothing else.
 */
export class Documents {
  readonly #sql: SqlStorage;
  readonly #text: TextIndex;
  readonly #present: PresentRows;
  readonly #publicOnly: boolean;
  readonly #analyzer = memoryAnalyzer();
  /** Ids of the memories that changed or went since they were last asked for. */
  #touched = new Set<string>();

  constructor(sql: SqlStorage, text: TextIndex, present: PresentRows, options: { publicOnly: boolean }) {
    this.#sql = sql;
    this.#text = text;
    this.#present = present;
    this.#publicOnly = options.publicOnly;
  }

  /** Versions may come in any order: a late one takes its place in the past and does not turn back time. */
  put(teamId: string, documents: IndexDocument[]): void {
    const touched = new Map<number, DocRow>();
    for (const { memoryId } of documents) this.#touched.add(memoryId);
    const holds = ({ visibility }: IndexDocument): boolean => !this.#publicOnly || visibility === "public";
    for (const document of documents.filter(holds)) this.#putOne(document, touched);
    this.#indexAll(touched);
    this.remove(teamId, documents.filter((document) => !holds(document)).map(({ memoryId }) => memoryId));
  }

  remove(teamId: string, memoryIds: string[]): void {
    const touched = new Map<number, DocRow>();
    for (const memoryId of memoryIds) {
      this.#touched.add(memoryId);
      const rows = this.#rows("team_id = ? AND memory_id = ?", teamId, memoryId);
      for (const row of rows) {
        this.#unindex(row);
        this.#sql.exec("DELETE FROM docs WHERE doc = ?", row.doc);
        this.#sql.exec("DELETE FROM accesses WHERE team_id = ? AND memory_id = ?", teamId, memoryId);
        touched.delete(row.doc);
        for (const other of this.#affectedBy(row)) touched.set(other.doc, other);
      }
    }
    this.#indexAll(touched);
  }

  takeTouched(): string[] {
    const touched = [...this.#touched];
    this.#touched = new Set();
    return touched;
  }

  removeTeam(teamId: string): void {
    const indexed = this.#sql.exec<{ slot: number; part: string; length: number }>("SELECT slot, part, length FROM docs WHERE team_id = ? AND slot IS NOT NULL", teamId);
    this.#text.remove(indexed.toArray());
    this.#present.clear();
    this.#sql.exec("DELETE FROM docs WHERE team_id = ?", teamId);
    this.#sql.exec("DELETE FROM accesses WHERE team_id = ?", teamId);
  }

  /**
   * Ids of the memories of which the index has words that became secret, or lacks those that are none any more: they cannot
   * be applied one version at a time.
   */
  sensitivityChanged(documents: DocumentHead[]): string[] {
    const sensitivityChanged = documents.filter(({ teamId, memoryId, secret }) => {
      const newest = this.#newest(teamId, memoryId);
      return newest !== undefined && (newest.secret === 1) !== secret;
    });
    return [...new Set(sensitivityChanged.map(({ memoryId }) => memoryId))];
  }

  /** The memories that become secret or reach fewer people once the documents are applied, and who could read them. */
  narrowed(documents: DocumentHead[]): { memoryIds: string[]; audiences: string[] } {
    const lost = documents.flatMap((document) => {
      const newest = document.version === 1 ? undefined : this.#newest(document.teamId, document.memoryId);
      const isLess = newest && newest.version < document.version
        && ((document.secret && newest.secret === 0) || reach(document.visibility) < reach(newest.visibility));
      return isLess ? [{ memoryId: document.memoryId, audience: audienceOf(newest) }] : [];
    });
    return { memoryIds: lost.map(({ memoryId }) => memoryId), audiences: [...new Set(lost.map(({ audience }) => audience))] };
  }

  /** Whether one of these new versions cannot be: there is one with its number already, or another memory has its key. */
  isTaken(teamId: string, documents: DocumentHead[]): boolean {
    const own = JSON.stringify(documents.map(({ memoryId }) => memoryId));
    return documents.some(({ memoryId, version, key, namespace, visibility, ownerId, archived }) => {
      if (version > 1 && (this.#newest(teamId, memoryId)?.version ?? 0) >= version) return true;
      if (key === null || archived) return false;
      // As `visibilityKeyOf`: each person's private memories are one space of keys, those of the team another.
      return this.#sql.exec(
        `SELECT 1 FROM docs WHERE key = ?1 AND until_at IS NULL AND archived = 0 AND team_id = ?2 AND namespace = ?3
           AND iif(?4 = 'private', visibility = 'private' AND owner_id = ?5, visibility <> 'private') AND memory_id NOT IN (SELECT value FROM json_each(?6)) LIMIT 1`,
        key, teamId, namespace, visibility, ownerId, own,
      ).toArray().length > 0;
    });
  }

  /** Present memories of the same readers and namespace that state the same, oldest first. */
  saying({ key, memoryId, teamId, namespace, visibility, ownerId }: Statement, now: number): string[] {
    const rows = this.#sql.exec<{ id: string }>(
      `SELECT memory_id AS id FROM docs INDEXED BY docs_said WHERE said = ?1 AND until_at IS NULL AND archived = 0 AND team_id = ?2 AND namespace = ?3 AND visibility = ?4
         AND (visibility <> 'private' OR owner_id = ?5) AND memory_id <> ?6 AND (expires_at IS NULL OR expires_at > ?7) ORDER BY memory_id LIMIT ${mostSaying} + 0`,
      key, teamId, namespace, visibility, ownerId, memoryId, now,
    );
    return rows.toArray().map(({ id }) => id);
  }

  /** Who could read these memories; undefined when the index does not know one of them. */
  readersOf(teamId: string, memoryIds: string[]): string[] | undefined {
    return memoryIds.every((memoryId) => this.holds(teamId, memoryId)) ? this.knownReadersOf(teamId, memoryIds) : undefined;
  }

  /** The same, of those that the index knows. */
  knownReadersOf(teamId: string, memoryIds: readonly string[]): string[] {
    return [...new Set(memoryIds.flatMap((memoryId) => this.#newest(teamId, memoryId) ?? []).map(audienceOf))];
  }

  holds(teamId: string, memoryId: string): boolean {
    return this.#newest(teamId, memoryId) !== undefined;
  }

  /** A version that was superseded before the index heard of it: searchable in the past only. */
  putPast(document: IndexDocument, untilAt: number): void {
    if (this.#publicOnly) return;
    const row = this.#insert(document, untilAt);
    if (row && !document.archived) this.#indexPast(row);
  }

  #putOne(document: IndexDocument, touched: Map<number, DocRow>): void {
    const { older, newer } = this.#beside(document);
    if (newer) {
      if (newer.version === document.version) return;
      if (older) this.#sql.exec("UPDATE docs SET until_at = ? WHERE doc = ?", sinceOf(document), older.doc);
      this.putPast(document, newer["from_at"] as number);
      return;
    }
    if (older && older["until_at"] === null) {
      this.#retire(older, sinceOf(document));
      touched.delete(older.doc);
      for (const other of this.#affectedBy(older)) touched.set(other.doc, other);
    }
    const row = this.#insert(document, null);
    if (!row) return;
    for (const other of document.archived ? survivorsOf(this.#sql, row) : [row, ...this.#around(row)]) touched.set(other.doc, other);
  }

  /** The versions next to this one, or this very one as the newer. */
  #beside({ teamId, memoryId, version }: IndexDocument): { older: DocRow | undefined; newer: DocRow | undefined } {
    const rows = this.#rows(
      `doc IN (
         (SELECT doc FROM docs WHERE team_id = ?1 AND memory_id = ?2 AND version >= ?3 ORDER BY version LIMIT 1),
         (SELECT doc FROM docs WHERE team_id = ?1 AND memory_id = ?2 AND version < ?3 ORDER BY version DESC LIMIT 1))`,
      teamId, memoryId, version,
    );
    const isOlder = (row: DocRow): boolean => row.version < version;
    return { older: rows.find(isOlder), newer: rows.find((row) => !isOlder(row)) };
  }

  #insert(document: IndexDocument, untilAt: number | null): DocRow | undefined {
    if (untilAt === null) this.#sql.exec("DELETE FROM accesses WHERE team_id = ? AND memory_id = ?", document.teamId, document.memoryId);
    return this.#sql
      .exec<DocRow>(
        `INSERT INTO docs (team_id, memory_id, version, alias, from_at, until_at, key, namespace, visibility,
           owner_id, author_id, type, importance, tags, position, updated_at, expires_at, archived, secret, said, merged_into, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING *`,
        document.teamId, document.memoryId, document.version, document.alias, sinceOf(document), untilAt, document.key,
        document.namespace, document.visibility, document.ownerId,
        document.authorId, document.type, document.importance, JSON.stringify(document.tags), document.position,
        document.updatedAt, document.expiresAt, document.archived ? 1 : 0, document.secret ? 1 : 0,
        untilAt === null ? this.#statementOf(document) : null, document.mergedInto, document.body,
      )
      .toArray()[0];
  }

  #statementOf({ archived, secret, body }: IndexDocument): string | null {
    return archived || secret || this.#publicOnly ? null : (statementKey(fromShortJson(JSON.parse(body) as Memory)) ?? null);
  }

  /** The present version becomes a past one. */
  #retire(row: DocRow, untilAt: number): void {
    this.#unindex(row);
    if (this.#publicOnly) {
      this.#sql.exec("DELETE FROM docs WHERE doc = ?", row.doc);
      return;
    }
    this.#sql.exec("UPDATE docs SET until_at = ? WHERE doc = ?", untilAt, row.doc);
    if (row.archived !== 1) this.#indexPast(row);
  }

  #indexPast(row: DocRow): void {
    this.#text.put([this.#entry(row, "past", {}, this.#firstOfSlots(1))]);
  }

  /** Indexes the rows with their present context. */
  #indexAll(rows: ReadonlyMap<number, DocRow>): void {
    if (rows.size === 0) return;
    let slot = this.#firstOfSlots(rows.size);
    const entries = [...rows.values()].map((row) => {
      const before = isInThread(row) ? this.#contextNeighbours(row, row, "<") : [];
      const after = isInThread(row) ? this.#contextNeighbours(row, row, ">") : [];
      const context = (at: 0 | 1): string[] => [before[at], after[at]].flatMap((neighbour) => (neighbour ? indexedWords(neighbour.body).content : []));
      this.#unindex(row);
      return this.#entry(row, "now", { near: context(0), far: context(1), merged: this.#publicOnly ? [] : mergedWords(this.#sql, row) }, slot++);
    });
    this.#text.put(entries);
  }

  /** Takes so many slots in a row; none is ever used twice. */
  #firstOfSlots(count: number): number {
    const { last } = this.#sql.exec<{ last: number }>("UPDATE slots SET last = last + ? RETURNING last", count).one();
    return last - count + 1;
  }

  #entry(row: DocRow, when: "now" | "past", beside: FieldTexts<"near" | "far" | "merged">, slot: number): { part: string; slot: number; bag: TermBag } {
    const partition = partitionOf(when, audienceOf(row));
    const bag = this.#analyzer.bagOf({ ...indexedWords(row.body), ...beside });
    this.#sql.exec("UPDATE docs SET slot = ?, part = ?, length = ? WHERE doc = ?", slot, partition, bag.length, row.doc);
    return { part: partition, slot, bag };
  }

  /** The row's entry in the text index; read anew, since it may have been indexed since the row was. */
  #unindex({ doc }: DocRow): void {
    const { slot, part: partition, length } = this.#sql.exec<{ slot: number | null; part: string; length: number }>("SELECT slot, part, length FROM docs WHERE doc = ?", doc).one();
    if (slot === null) return;
    this.#text.remove([{ slot, part: partition, length }]);
    this.#present.drop(slot);
    this.#sql.exec("UPDATE docs SET slot = NULL WHERE doc = ?", doc);
  }

  /** The rows that are found by words of this one. */
  #affectedBy(row: DocRow): DocRow[] {
    return [...this.#around(row), ...survivorsOf(this.#sql, row)];
  }

  /** The rows whose context this one is in: for each audience the two before and the two after it. */
  #around(row: DocRow): DocRow[] {
    if (!isInThread(row)) return [];
    return this.#dependents(row).flatMap((audience) => [...this.#contextNeighbours(row, audience, "<"), ...this.#contextNeighbours(row, audience, ">")]);
  }

  /** Who may find something by this row's text: those who see it, each audience among whom there are rows of its own. */
  #dependents(row: DocRow): Audience[] {
    if (row.visibility === "private") return [row];
    const owners = this.#sql.exec<{ owner_id: string }>(
      "SELECT DISTINCT owner_id FROM docs WHERE team_id = ? AND namespace = ? AND until_at IS NULL AND archived = 0 AND visibility = 'private'",
      row.team_id, row.namespace,
    );
    const privately = owners.toArray().map(({ owner_id }) => ({ visibility: "private", owner_id }));
    return [...privately, ...(row.visibility === "public" ? ["public", "shared"] : ["shared"]).map((visibility) => ({ visibility, owner_id: "" }))];
  }

  /**
   * The two nearest in the thread that all of an audience see. The others are passed over as if they were not there: text
   * that helps to find a memory, or stands in the way of what would help, must be known to all who see the memory.
   */
  #contextNeighbours(row: DocRow, audience: Audience, comparison: "<" | ">"): DocRow[] {
    const order = comparison === "<" ? "DESC" : "ASC";
    return this.#sql
      .exec<DocRow>(
        `SELECT * FROM docs WHERE team_id = ?1 AND namespace = ?2 AND until_at IS NULL AND archived = 0
         AND (position, alias) ${comparison} (?3, ?4)
         AND (visibility = 'public' OR visibility = 'shared' AND ?5 <> 'public' OR visibility = 'private' AND ?5 = 'private' AND owner_id = ?6)
         ORDER BY position ${order}, alias ${order} LIMIT 2`,
        row.team_id, row.namespace, row.position, row.alias, audience.visibility, audience.owner_id,
      )
      .toArray();
  }

  /** Without its body, which may be long: every write asks. */
  #newest(teamId: string, memoryId: string): NewestRow | undefined {
    return this.#sql
      .exec<NewestRow>("SELECT version, visibility, owner_id, secret FROM docs WHERE team_id = ? AND memory_id = ? ORDER BY version DESC LIMIT 1", teamId, memoryId)
      .toArray()[0];
  }

  #rows(condition: string, ...parameters: (string | number)[]): DocRow[] {
    return this.#sql.exec<DocRow>(`SELECT * FROM docs WHERE ${condition}`, ...parameters).toArray();
  }
}
