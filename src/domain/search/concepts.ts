import type { Entity, Relationship } from "../graph/graph.ts";
import type { Expanded, Near, Scored } from "../graph/ports.ts";
import type { Memory } from "../memories/memory.ts";
import type { Candidate } from "./candidate.ts";
import type { VectorHit } from "./vector-index.ts";

/** Unified Search Design, hierarchical weights: memories 1.0, extracted concepts .8, derived connections .7. */
const sourceWeights = { entity: 0.8, relationship: 0.7 } as const;

/** Something is always nearest. What is not about as near as the best that there is, is near to nothing. */
const nearEnough = 0.8;
/** Of each kind. Some are dropped by the truth: vectors may be late. */
const mostNear = 8;

/** A name that more memories share leads to none of them. */
const mostSharing = 5;

/** Entities and relationships that are near the question; their score is 1 where nothing is nearer, not even a memory. */
export function nearOf(hits: VectorHit[]): { entities: Near[]; relationships: Near[] } {
  const best = Math.max(0, ...hits.map(({ similarity }) => similarity));
  const ofKind = (kind: VectorHit["kind"]): Near[] =>
    hits
      .filter((hit) => hit.kind === kind && best > 0 && hit.similarity >= nearEnough * best)
      .slice(0, mostNear)
      .map(({ id, similarity }) => ({ id, score: similarity / best }));
  return { entities: ofKind("entity"), relationships: ofKind("relationship") };
}

/** Entities and relationships that match, by word or by meaning, as candidates beside the memories that tell them. */
export function conceptsOf({ entities, relationships, near }: Expanded, memories: Iterable<Memory>): Candidate[] {
  const texts = [...memories].map(({ id, content }) => ({ id, text: content.toLowerCase() }));
  const tellersOf = (names: string[]): string[] => {
    const lower = names.map((name) => name.toLowerCase());
    return texts.filter(({ text }) => lower.some((name) => text.includes(name))).map(({ id }) => id);
  };
  const found = [
    ...relative(entities).map(({ item, score }) => entityCandidate(item, tellersOf([item.name, ...item.aliases]), score)),
    ...near.entities.map(({ item, score }) => entityCandidate(item, item.sourceMemories, score)),
    ...[...relative(relationships), ...near.relationships].map(({ item, score }) => relationshipCandidate(item, score)),
  ];
  const best = new Map<string, Candidate>();
  for (const candidate of found) {
    const other = best.get(candidate.id);
    const sources = [...new Set([...(other?.sources ?? []), ...(candidate.sources ?? [])])];
    best.set(candidate.id, { ...candidate, score: Math.max(candidate.score, other?.score ?? 0), sources });
  }
  return [...best.values()];
}

/** The memories to which the graph leads, with what that says for each, 0–1. */
export function drawnBy({ relationships, near, walked }: Expanded): Map<string, number> {
  const drawn = new Map<string, number>();
  const draw = (ids: string[], score: number): void => {
    for (const id of ids) drawn.set(id, Math.max(score, drawn.get(id) ?? 0));
  };
  for (const { item, score } of [...relative(relationships), ...near.relationships]) draw(item.sourceMemories, sourceWeights.relationship * score);
  for (const { item, score } of near.entities) if (item.mentions <= mostSharing) draw(item.sourceMemories, sourceWeights.entity * score);
  for (const { memoryId, strength } of walked) draw([memoryId], strength);
  return drawn;
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
