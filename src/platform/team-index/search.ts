import { conditionsOf } from "../../domain/memories/memory-filters.ts";
import type { MemoryFilter, PublicPlace } from "../../domain/memories/memory-store.ts";
import type { Span } from "../../domain/text/time-calendar.ts";
import { compileKeyPattern } from "../d1/key-pattern.ts";
import { filterSql } from "../filter-sql.ts";
import { isVisible } from "../visibility-sql.ts";
import { partitionOf } from "./documents.ts";
import { docColumns } from "./filter-columns.ts";
import { happened } from "./schema.ts";
import { mayFind, type PresentRows } from "./present-rows.ts";
import type { TextIndex } from "../text-index/text-index.ts";

export interface Viewer {
  userId: string;
  teamId: string;
}

export interface IndexQuery {
  viewer: Viewer;
  now: number;
  /** Distinct terms, at least one matches. */
  terms: string[];
  /** Whether context terms count. */
  withContext: boolean;
  /** Of what the terms weigh, what a document holds at least. */
  share?: number;
  filter: MemoryFilter;
  limit: number;
  asOf: number | undefined;
  /** Leave out the viewer's own team: the organization's index is asked for the others only. */
  othersOnly: boolean;
}

/** A look-up in the past; the present is looked up in the truth. */
export interface PastQuery extends Pick<IndexQuery, "viewer" | "filter" | "limit"> {
  at: number;
  /** With `*` for any characters. */
  key: string | undefined;
}

export interface HappenedQuery extends Pick<IndexQuery, "viewer" | "filter" | "now" | "limit"> {
  span: Span;
}

export interface IndexHit {
  id: string;
  teamId: string;
  shard: string;
  score: number;
  /** Bits of the terms that its own text holds, and of those that only its context holds. */
  ownTerms: number;
  contextTerms: number;
}

export interface IndexMatch {
  /** Best first. */
  hits: IndexHit[];
  /** Inverse document frequency of each term among what the viewer may see. */
  weights: number[];
  /** The terms as they were looked up. */
  terms: string[];
  /** Inverse document frequency of a term that just one document holds. */
  rarest: number;
}

/** Documents that were current at the instant and fit key and filter; one's own first, then the newest. */
export function documentsAt(sql: SqlStorage, { viewer, filter, limit, at, key }: PastQuery): string[] {
  const pattern = key === undefined ? undefined : compileKeyPattern(key);
  const { conditions, parameters } = allowed({ viewer, filter, now: at, othersOnly: false }, at);
  const rows = sql.exec<{ id: string; key: string | null }>(
    `SELECT d.memory_id AS id, d.key AS key FROM docs d
     WHERE d.from_at <= ?1 AND (d.until_at IS NULL OR d.until_at > ?1) AND d.archived = 0 AND ${conditions.join(" AND ")}
     ORDER BY d.visibility = 'private' DESC, d.from_at DESC, d.doc DESC`,
    ...parameters,
  );
  const ids: string[] = [];
  for (const { key: found, id } of rows) {
    if (pattern && (found === null || !pattern.matches(found))) continue;
    if (ids.push(id) === limit) break;
  }
  return ids;
}

/** Present documents of what happened in a span and fits the filter, the newest first; turns of talks follow after all else. */
export function documentsIn(sql: SqlStorage, { viewer, filter, now, limit, span }: HappenedQuery): string[] {
  const { conditions, parameters } = allowed({ viewer, filter, now, othersOnly: false }, undefined);
  const [from, to, most] = [span.from, span.to, limit].map((value) => parameters.push(value));
  const found = (kind: string): string[] =>
    sql.exec<{ id: string }>(
      `SELECT d.memory_id AS id FROM docs d INDEXED BY docs_happened
       WHERE d.until_at IS NULL AND d.archived = 0 AND ${conditions.join(" AND ")} AND ${happened} >= ?${from} AND ${happened} < ?${to} AND ${kind}
       ORDER BY ${happened} DESC, d.alias DESC LIMIT ?${most}`,
      ...parameters,
    ).toArray().map(({ id }) => id);
  const notes = found(`NOT ${isTurn}`);
  return notes.length < limit ? [...notes, ...found(isTurn)].slice(0, limit) : notes;
}

/** As `isInThread`. */
const isTurn = "(d.namespace GLOB 'thread:*' OR d.namespace GLOB 'session:*')";

/** Present public memories of other teams with this key or id. */
export function publicPlaces(sql: SqlStorage, viewerTeamId: string, now: number, by: { key: string } | { id: string }): PublicPlace[] {
  const [column, value] = "key" in by ? ["d.key", by.key] : ["d.memory_id", by.id];
  return sql
    .exec<{ id: string; teamId: string; shard: string }>(
      `SELECT d.memory_id AS id, d.team_id AS teamId, s.shard AS shard FROM docs d JOIN sources s ON s.team_id = d.team_id
       WHERE ${column} = ? AND d.until_at IS NULL AND d.archived = 0 AND d.visibility = 'public' AND d.team_id <> ?
       AND (d.expires_at IS NULL OR d.expires_at > ?) LIMIT 50`,
      value as string, viewerTeamId, now,
    )
    .toArray();
}

/**
 * Conditions for documents that the viewer may see and the filter accepts. ?1 is the instant or unused, ?2 is for the caller.
 */
export function allowed(query: Pick<IndexQuery, "viewer" | "now" | "filter" | "othersOnly">, asOf: number | undefined): { conditions: string[]; parameters: SqlStorageValue[] } {
  // Numbered parameters, since the conditions vary.
  const parameters: SqlStorageValue[] = [asOf ?? null, null, query.viewer.teamId, query.viewer.userId, asOf ?? query.now];
  const conditions = [
    isVisible("d", "?4"),
    query.othersOnly ? "d.team_id <> ?3" : "d.team_id = ?3",
    "(d.expires_at IS NULL OR d.expires_at > ?5)",
    // A memory that another person has since made private is theirs alone, its past included: it takes no place among the
    // candidates.
    ...(asOf === undefined ? [] : [`EXISTS (SELECT 1 FROM docs p WHERE p.team_id = d.team_id AND p.memory_id = d.memory_id AND p.until_at IS NULL
      AND ${isVisible("p", "?4")})`]),
  ];
  for (const { sql, parameter } of filterSql(query.filter, docColumns)) {
    parameters.push(parameter);
    conditions.push(sql.replace("?", `?${parameters.length}`));
  }
  return { conditions, parameters };
}

/** Most matches pass, unless a filter asks for few of them. */
const spare = 16;

interface Place {
  id: string;
  teamId: string;
  shard: string;
}

/** Where documents are searched. */
interface Searched {
  sql: SqlStorage;
  text: TextIndex;
  present: PresentRows;
}

/**
 * The best documents for any of the terms. What matches is tried in rank order until `limit` have passed the conditions,
 * so what the viewer may not see never takes a place among the candidates. What was current at an instant may be so still:
 * present and past are one ranking, in which a word is as rare as in both together.
 */
export function searchDocuments(searched: Searched, query: IndexQuery): IndexMatch {
  const { text, present } = searched;
  const moments = query.asOf === undefined ? (["now"] as const) : (["now", "past"] as const);
  const passing = query.asOf === undefined && conditionsOf(query.filter).length === 0 ? passingRows(searched, query) : passingSql(searched, query);
  const partitions = moments.flatMap((moment) => [partitionOf(moment, ""), partitionOf(moment, query.viewer.userId)]);
  const alive = query.asOf === undefined ? (slots: number[]) => present.bySlot(slots) : undefined;
  for (let size = query.limit + spare; ; size *= 8) {
    const { hits, weights, terms, rarest, all } = text.search(partitions, query.terms, size, { ...query, alive });
    const places = passing(hits.map(({ slot }) => slot));
    const passed = hits.flatMap(({ slot, ...hit }) => {
      const place = places.get(slot);
      return place ? [{ id: place.id, teamId: place.teamId, shard: place.shard, ...hit }] : [];
    });
    if (all || passed.length >= query.limit) return { hits: passed.slice(0, query.limit), weights, terms, rarest };
  }
}

/** Which slots pass, without SQL for what is in memory: no filter asks for more. */
const passingRows = ({ present }: Searched, query: IndexQuery) => (slots: number[]): Map<number, Place> => {
  const rows = present.bySlot(slots);
  for (const [slot, row] of rows) if (!mayFind(query, row)) rows.delete(slot);
  return rows;
};

function passingSql({ sql }: Searched, query: IndexQuery): (slots: number[]) => Map<number, Place> {
  const condition = query.asOf === undefined ? "d.until_at IS NULL" : "d.from_at <= ?1 AND (d.until_at IS NULL OR d.until_at > ?1)";
  const { conditions, parameters } = allowed(query, query.asOf);
  const select = `SELECT d.slot AS slot, d.memory_id AS id, d.team_id AS teamId, s.shard AS shard
    FROM json_each(?2) j CROSS JOIN docs d ON d.slot = j.value CROSS JOIN sources s ON s.team_id = d.team_id
    WHERE ${[condition, ...conditions].join(" AND ")}`;
  return (slots) => {
    parameters[1] = JSON.stringify(slots);
    return new Map(sql.exec<{ slot: number; id: string; teamId: string; shard: string }>(select, ...parameters).toArray().map(({ slot, ...place }) => [slot, place]));
  };
}
