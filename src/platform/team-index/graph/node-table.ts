import { jsonArrays } from "../../d1/memory-sql.ts";

/** A word by which a name or relationship is found, and the part of the name that it is. */
export type Token = [token: string, share: number];

/** A name or a relationship as it is stored; `record` says what it is, its type last. */
export interface StoredNode<R> {
  row: number;
  record: R;
  tokens: Token[];
}

export interface NewNode<R> {
  /** The same thing in the same home has the same key. */
  key: string;
  record: R;
  tokens: Token[];
}

export interface Resolved<R> {
  /** Of each node that was asked for, in order. */
  rows: number[];
  /** Those that were made, or have another record or more tokens now. */
  changed: StoredNode<R>[];
}

/**
 * Rows read from D1 keep their numbers, and those made here get higher ones: a higher row is newer, which decides where
 * scores are equal, as it does in D1.
 */
const firstOwnRow = 2 ** 40;

/** Names or relationships in the object's SQLite, each once however many memories mention it. */
export class NodeTable<R extends unknown[]> {
  readonly #sql: SqlStorage;
  readonly #table: string;

  constructor(sql: SqlStorage, table: "graph_names" | "graph_relationships") {
    this.#sql = sql;
    this.#table = table;
    sql.exec(`CREATE TABLE IF NOT EXISTS ${table} (
      row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, record TEXT NOT NULL, tokens TEXT NOT NULL, mentions INTEGER NOT NULL DEFAULT 0)`);
  }

  /** Finds or makes the nodes. What memories say last of the type holds; tokens add up. */
  resolve(nodes: readonly NewNode<R>[], rowOf?: (index: number) => number): Resolved<R> {
    const known = this.#known(nodes);
    const changed = new Map<number, StoredNode<R> & { key: string }>();
    let next = rowOf ? 0 : Math.max(firstOwnRow, this.#lastRow() + 1);
    const rows = nodes.map(({ key, record, tokens }, i) => {
      const node = known.get(key);
      if (!node) {
        const made = { key, row: rowOf ? rowOf(i) : next++, record, tokens };
        known.set(key, made);
        changed.set(made.row, made);
        return made.row;
      }
      const more = tokens.filter(([token, share]) => !node.tokens.some(([known, part]) => known === token && part === share));
      if (more.length > 0 || node.record.at(-1) !== record.at(-1)) {
        const renewed = { ...node, record: [...node.record.slice(0, -1), record.at(-1)] as R, tokens: [...node.tokens, ...more] };
        known.set(key, renewed);
        changed.set(node.row, renewed);
      }
      return node.row;
    });
    this.#write([...changed.values()]);
    return { rows, changed: [...changed.values()] };
  }

  /** Adds to the counts of mentions; answers the rows that nothing mentions any more, which are gone unless they are kept. */
  count(deltas: ReadonlyMap<number, number>, { keepEmpty }: { keepEmpty: boolean }): void {
    if (deltas.size === 0) return;
    const json = JSON.stringify([...deltas]);
    this.#sql.exec(
      `UPDATE ${this.#table} SET mentions = mentions + j.delta FROM (SELECT value ->> 0 AS id, value ->> 1 AS delta FROM json_each(?)) j WHERE row = j.id`, json);
    if (!keepEmpty) this.#sql.exec(`DELETE FROM ${this.#table} WHERE row IN (SELECT value ->> 0 FROM json_each(?)) AND mentions <= 0`, json);
  }

  removeEmpty(): void {
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE mentions <= 0`);
  }

  /** How many there are, and the mentions of all of them. */
  totals(): { nodes: number; mentions: number } {
    return this.#sql.exec<{ nodes: number; mentions: number }>(`SELECT count(*) AS nodes, coalesce(sum(mentions), 0) AS mentions FROM ${this.#table}`).one();
  }

  all(): StoredNode<R>[] {
    const json = `'[' || row || ',' || record || ',' || tokens || ']'`;
    return readPacked<[number, R, Token[]]>(this.#sql, this.#table, json, "row").map(([row, record, tokens]) => ({ row, record, tokens }));
  }

  clear(): void {
    this.#sql.exec(`DELETE FROM ${this.#table}`);
  }

  #lastRow(): number {
    return this.#sql.exec<{ row: number | null }>(`SELECT max(row) AS row FROM ${this.#table}`).one().row ?? 0;
  }

  #known(nodes: readonly NewNode<R>[]): Map<string, StoredNode<R> & { key: string }> {
    const known = new Map<string, StoredNode<R> & { key: string }>();
    for (const keys of jsonArrays([...new Set(nodes.map(({ key }) => key))].map((key) => ({ key })))) {
      const found = this.#sql.exec<{ key: string; row: number; record: string; tokens: string }>(
        `SELECT t.key, t.row, t.record, t.tokens FROM json_each(?) j CROSS JOIN ${this.#table} t ON t.key = j.value ->> '$.key'`, keys);
      for (const { key, row, record, tokens } of found) known.set(key, { key, row, record: JSON.parse(record) as R, tokens: JSON.parse(tokens) as Token[] });
    }
    return known;
  }

  #write(nodes: (StoredNode<R> & { key: string })[]): void {
    for (const json of jsonArrays(nodes.map(({ key, row, record, tokens }) => ({ key, row, record: JSON.stringify(record), tokens: JSON.stringify(tokens) })))) {
      this.#sql.exec(
        `INSERT INTO ${this.#table} (row, key, record, tokens)
           SELECT value ->> '$.row', value ->> '$.key', value ->> '$.record', value ->> '$.tokens' FROM json_each(?) WHERE true
           ON CONFLICT (row) DO UPDATE SET record = excluded.record, tokens = excluded.tokens`,
        json,
      );
    }
  }
}

/** Bytes of the JSON that is read at once; SQLite has 2 MB for a value. */
const packBytes = 500_000;

/** All rows of a table as JSON, many to a value: row by row, 100,000 of them take more than a second. */
export function readPacked<T>(sql: SqlStorage, table: string, json: string, order: string): T[] {
  const packs = sql.exec<{ pack: string }>(
    `SELECT group_concat(json, ',') AS pack FROM (
       SELECT json, sum(octet_length(json)) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) / ${packBytes} AS pack FROM (SELECT ${json} AS json, ${order} AS place FROM ${table})
     ) GROUP BY pack`,
  );
  const rows: T[] = [];
  for (const { pack } of packs) for (const row of JSON.parse(`[${pack}]`) as T[]) rows.push(row);
  return rows;
}
