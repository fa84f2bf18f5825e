import { readSegments, type Segment } from "./segment.ts";
import type { TermBag } from "./term-bag.ts";
import { UnmergedDocuments } from "./unmerged.ts";

/** The documents that one audience sees, and their statistics as a whole. */
export interface Partition {
  name: string;
  documents: number;
  /** Sum of the weighted lengths. */
  length: number;
  /** Documents that are gone but still in segments. */
  dead: number;
  segments: Segment[];
  /** Segments that a merge in the background reads. */
  merging: Set<Segment>;
  unmerged: UnmergedDocuments;
}

/** Of the documents in its segments the share that is not gone: about as many of a term's postings count, whatever was merged so far. */
export function livingShare({ documents, dead, unmerged }: Partition): number {
  const living = documents - unmerged.size;
  return dead === 0 ? 1 : living / (living + dead);
}

export const partitionTables = `
  CREATE TABLE parts (part TEXT PRIMARY KEY, documents INTEGER NOT NULL, length REAL NOT NULL, dead INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE fresh (slot INTEGER PRIMARY KEY, part TEXT NOT NULL, length INTEGER NOT NULL, terms TEXT NOT NULL);
  CREATE INDEX fresh_part ON fresh (part);
`;

export function readPartition(sql: SqlStorage, name: string): Partition {
  const row = sql.exec<{ documents: number; length: number; dead: number }>("SELECT documents, length, dead FROM parts WHERE part = ?", name).toArray()[0];
  const rows = sql.exec<{ slot: number; length: number; terms: string }>("SELECT slot, length, terms FROM fresh WHERE part = ?", name).toArray();
  const unmerged = new UnmergedDocuments();
  for (const { slot, length, terms } of rows) unmerged.add(slot, { length, terms: pairs(JSON.parse(terms) as (string | number)[]) });
  return { name, ...(row ?? { documents: 0, length: 0, dead: 0 }), segments: readSegments(sql, name), merging: new Set(), unmerged };
}

export function saveStatistics(sql: SqlStorage, { name, documents, length, dead }: Partition): void {
  sql.exec("INSERT OR REPLACE INTO parts (part, documents, length, dead) VALUES (?, ?, ?, ?)", name, documents, length, dead);
}

export function saveUnmerged(sql: SqlStorage, { name }: Partition, slot: number, bag: TermBag): void {
  sql.exec("INSERT INTO fresh (slot, part, length, terms) VALUES (?, ?, ?, ?)", slot, name, bag.length, JSON.stringify([...bag.terms].flat()));
}

function* byTwo(flat: (string | number)[]): Generator<[string, number]> {
  for (let i = 0; i + 1 < flat.length; i += 2) yield [flat[i] as string, flat[i + 1] as number];
}
const pairs = (flat: (string | number)[]): Map<string, number> => new Map(byTwo(flat));
