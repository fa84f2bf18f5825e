import { fromShortJson } from "../../domain/memories/memory-fields.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { RecallFound } from "../../domain/memories/memory-store.ts";
import { shareOf } from "../../domain/recall/ranking/word-match.ts";
import type { LikenessAnswer, LikenessQuery, MemoryPlace, SearchAnswer, SearchQuery } from "../../domain/recall/retrievers/text-retriever.ts";
import { leastCandidates } from "../../domain/recall/weights.ts";
import { foundInOrder, noText, retrieve, textQueryOf, type Retrieval, type RetrievalRequest } from "../../domain/recall/retrieve.ts";
import type { QueryExpander } from "../../domain/recall/retrievers/query-expansion.ts";
import type { Semantic } from "../../domain/recall/retrievers/vector-retriever.ts";
import type { GraphStore } from "../../domain/graph/graph-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { GraphCopy } from "./graph/graph-copy.ts";
import type { MemoryRows } from "./graph/memory-rows.ts";
import type { PresentRows } from "./present-rows.ts";
import type { Rows } from "./rows.ts";
import type { TeamShard } from "./source.ts";
import { documentsIn, searchDocuments, type IndexMatch, type IndexQuery, type Viewer } from "./search.ts";
import type { TextIndex } from "../text-index/text-index.ts";
import { markOf } from "../vectorize/vector-ids.ts";
import type { Unembedded } from "./vectors/unembedded.ts";
import type { VectorCopy } from "./vectors/vector-copy.ts";

export interface RecallParts {
  sql: SqlStorage;
  text: TextIndex;
  present: PresentRows;
  rows: Rows;
  vectors: VectorCopy;
  unembedded: Unembedded;
  semantic: Semantic;
  expander: QueryExpander | undefined;
  /** Asked while the object has no complete copy of the graph. */
  graph: Pick<GraphStore, "expand">;
  graphCopy(team: TeamShard): GraphCopy | undefined;
  memoryRows: MemoryRows;
  report(event: string, error: unknown): void;
}

interface FoundState {
  generation: string;
  /** Whether other teams of the organization have anything public. */
  others: boolean;
}

/** A query answered from one object: all legs and the rows. */
export class ObjectRecall {
  readonly #parts: RecallParts;

  constructor(parts: RecallParts) {
    this.#parts = parts;
  }

  /** What the principal finds in their own team, as `decodeFound` reads it; `state` is that of the moment when it began. */
  async own(principal: Principal, now: number, request: RetrievalRequest, state: FoundState): Promise<string> {
    const { rows, vectors, unembedded, semantic, expander, graph, graphCopy, memoryRows, report, ...searched } = this.#parts;
    const viewer = { userId: principal.userId, teamId: principal.teamId };
    const found = await retrieve<string>({
      async text(query): Promise<SearchAnswer> {
        if (query.happened) return foundInOrder(documentsIn(searched.sql, { viewer, now, filter: query.filter, limit: query.limit, span: query.happened }));
        if (query.terms.length === 0) return noText;
        const { hits, ...match } = searchDocuments(searched, indexQueryOf(query, viewer, now, { othersOnly: false }));
        return { ...match, hits: hits.map(({ id, score, ownTerms, contextTerms }) => ({ id, score, ownTerms, contextTerms })) };
      },
      expander,
      nearest: (question, options) => semantic.nearest(principal, now, question, { ...options, others: state.others, passages: () => unembedded.passages(now, (ids) => rows.present(viewer, now, ids)) }),
      async expand(asked) {
        const copy = graphCopy(principal);
        return copy ? copy.expand(viewer, now, asked, memoryRows) : graph.expand(principal, now, asked);
      },
      async rows(ids, compared) {
        const similarities = compared ? vectors.similarities(await markOf(compared.query.space), compared.query.values, viewer.teamId, compared.ids) : [];
        return { rows: rows.present(viewer, now, ids), similarities: [...similarities] };
      },
    }, request, report);
    return encodeFound(found, state);
  }

  /** What is like a text among the principal's own team's memories, as `decodeAlike` reads it. */
  alike(principal: Principal, now: number, { terms, share }: LikenessQuery, { key = null, namespace = "" }: MemoryPlace): string {
    const { rows, sql, ...searched } = this.#parts;
    const viewer = { userId: principal.userId, teamId: principal.teamId };
    const { hits, weights, rarest } = searchDocuments({ sql, ...searched }, { viewer, now, terms, share, withContext: false, filter: {}, limit: leastCandidates, asOf: undefined, othersOnly: false });
    const named = key === null ? [] : sql.exec<{ id: string }>("SELECT memory_id AS id FROM docs WHERE key = ? AND until_at IS NULL AND archived = 0 AND team_id = ? AND namespace = ?", key, principal.teamId, namespace).toArray();
    const asked = { weights: weights.map((weight) => Math.min(weight, rarest)) };
    const alike = new Set([...hits.filter(({ ownTerms }) => shareOf(asked, ownTerms) >= share), ...named].map(({ id }) => id));
    return `{"rows":[${[...rows.present(viewer, now, [...alike]).values()].join(",")}],"weights":${JSON.stringify(asked.weights)}}`;
  }

  /** What the principal finds of other teams' public memories, in the object of the organization. */
  others(principal: Principal, now: number, request: RetrievalRequest): IndexMatch {
    const viewer = { userId: principal.userId, teamId: principal.teamId };
    return searchDocuments(this.#parts, indexQueryOf(textQueryOf(request), viewer, now, { othersOnly: true }));
  }
}

const indexQueryOf = ({ neighbours, terms, filter, limit, asOf }: SearchQuery, viewer: Viewer, now: number, { othersOnly }: Pick<IndexQuery, "othersOnly">): IndexQuery => ({
  terms, filter, limit, viewer, now, withContext: neighbours, asOf, othersOnly,
});

/** One JSON text: the rows are stored as JSON and are put in as they are. Structured clone of the same takes twice as long. */
const encodeFound = ({ rows, ...found }: Retrieval<string>, state: FoundState): string =>
  `{"rows":[${[...rows.values()].join(",")}],"found":${JSON.stringify({ ...found, ...state })}}`;

export function decodeAlike(encoded: string): LikenessAnswer {
  const { rows, weights } = JSON.parse(encoded) as LikenessAnswer;
  return { rows: rows.map(fromShortJson), weights };
}

export type OwnFound = Omit<RecallFound, "withoutOthers" | "generation"> & FoundState;

export function decodeFound(encoded: string): OwnFound {
  const { rows, found } = JSON.parse(encoded) as { rows: Memory[]; found: Omit<OwnFound, "rows"> };
  return { ...found, rows: new Map(rows.map((memory) => [memory.id, fromShortJson(memory)])) };
}
