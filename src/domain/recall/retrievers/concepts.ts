import type { Entity, Relationship } from "../../graph/graph.ts";
import type { Expanded, NearConcepts, Scored } from "../../graph/graph-store.ts";
import type { Memory } from "../../memories/memory.ts";
import { maxSourceMemories } from "../../memories/memory-store.ts";
import type { AliasMatch } from "./alias-matching.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Leg } from "../presentation/receipt.ts";
import type { VectorHit } from "../../embedding/vector-index.ts";
import { mostNear, nearEnough, sourceWeights } from "../weights.ts";

/** How a memory came by way of the graph. */
export interface GraphHit {
  leg: Leg;
  rank: number;
  score: number;
}

/** Entities and relationships that are near the question, nearest first; their score is the similarity. */
export function nearConceptsOf(hits: VectorHit[]): NearConcepts {
  const best = Math.max(0, ...hits.map(({ similarity }) => similarity));
  const ofKind = (kind: VectorHit["kind"]): NearConcepts["entities"] =>
    hits
      .filter((hit) => hit.kind === kind && best > 0 && hit.similarity >= nearEnough * best)
      .slice(0, mostNear)
      .map(({ id, similarity }) => ({ id, score: similarity }));
  return { entities: ofKind("entity"), relationships: ofKind("relationship") };
}

/** Entities and relationships that match, by word or by meaning, as candidates beside the memories that mention them. */
export function conceptsOf({ entities, relationships, near }: Expanded, memories: Iterable<Memory>): Candidate[] {
  const texts = [...memories].map(({ id, content }) => ({ id, text: content.toLowerCase() }));
  const tellersOf = (names: string[]): string[] => {
    const lower = names.map((name) => name.toLowerCase());
    return texts.filter(({ text }) => lower.some((name) => text.includes(name))).map(({ id }) => id);
  };
  const found = [
    ...relative(entities).map(({ item, score }) => entityCandidate(item, tellersOf([item.name, ...item.aliases]), score)),
    ...relative(near.entities).map(({ item, score }) => entityCandidate(item, item.sourceMemories, score)),
    ...[...relative(relationships), ...relative(near.relationships)].map(({ item, score }) => relationshipCandidate(item, score)),
  ];
  const best = new Map<string, Candidate>();
  for (const candidate of found) {
    const other = best.get(candidate.id);
    const sources = [...new Set([...(other?.sources ?? []), ...(candidate.sources ?? [])])];
    best.set(candidate.id, { ...candidate, score: Math.max(candidate.score, other?.score ?? 0), sources });
  }
  return [...best.values()];
}

/** The memories to which words and ties of the graph lead, strongest first; scores are 0–1. */
export const graphHitsOf = ({ relationships, walked }: Expanded, aliasMatches: AliasMatch[]): Map<string, GraphHit> =>
  strongest([
    ...aliasMatches.map(({ entity, score }) => ({ leg: "entity_text" as const, ids: entity.sourceMemories, score: sourceWeights.entity * score })).filter(({ ids }) => ids.length <= maxSourceMemories),
    ...relative(relationships).map(({ item, score }) => ({ leg: "relationship_text" as const, ids: item.sourceMemories, score: sourceWeights.relationship * score })),
    ...walked.map(({ memoryId, strength }) => ({ leg: "graph" as const, ids: [memoryId], score: strength })),
  ]);

/** The memories that mention entities and relationships near the question, nearest first; scores are similarities, weighed. */
export const nearHitsOf = ({ near }: Expanded): Map<string, GraphHit> =>
  strongest([
    ...near.entities.map(({ item, score }) => ({ leg: "entity_vector" as const, ids: item.sourceMemories, score: sourceWeights.entity * score })),
    ...near.relationships.map(({ item, score }) => ({ leg: "relationship_vector" as const, ids: item.sourceMemories, score: sourceWeights.relationship * score })),
  ].filter(({ ids }) => ids.length <= maxSourceMemories));

/** Each memory once, with the leg that says most for it. */
function strongest(candidates: { leg: Leg; ids: string[]; score: number }[]): Map<string, GraphHit> {
  const hits = new Map<string, GraphHit>();
  for (const { leg, ids, score } of candidates.sort((a, b) => b.score - a.score)) {
    for (const id of ids) if (!hits.has(id)) hits.set(id, { leg, rank: hits.size + 1, score });
  }
  return hits;
}

/** Scores as shares of the best. */
function relative<T>(ranked: Scored<T>[]): Scored<T>[] {
  const best = ranked[0]?.score ?? 1;
  return ranked.map(({ item, score }) => ({ item, score: score / best }));
}

const entityCandidate = ({ id, name, aliases }: Entity, sources: string[], score: number): Candidate => ({
  kind: "entity", id, text: [name, ...aliases].join(", "), score: sourceWeights.entity * score, at: 0, sources,
});

const relationshipCandidate = ({ id, source, type, target, temporalContext, sourceMemories }: Relationship, score: number): Candidate => ({
  kind: "relationship", id, text: [source, type.replaceAll("_", " "), target, temporalContext ?? ""].filter(Boolean).join(" "),
  score: sourceWeights.relationship * score, at: 0, sources: sourceMemories,
});
