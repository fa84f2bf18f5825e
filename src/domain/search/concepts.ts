import type { Expanded } from "../graph/ports.ts";
import type { Memory } from "../memories/memory.ts";
import type { Candidate } from "./candidate.ts";

/** Unified Search Design, hierarchical weights: memories 1.0, extracted concepts .8, derived connections .7. */
const sourceWeights = { entity: 0.8, relationship: 0.7 } as const;

/** Entities and relationships that match, as candidates beside the memories that tell them. */
export function conceptsOf({ entities, relationships }: Expanded, memories: Iterable<Memory>): Candidate[] {
  const texts = [...memories].map(({ id, content }) => ({ id, text: content.toLowerCase() }));
  const tellersOf = (names: string[]): string[] => {
    const lower = names.map((name) => name.toLowerCase());
    return texts.filter(({ text }) => lower.some((name) => text.includes(name))).map(({ id }) => id);
  };
  const bestEntity = entities[0]?.score ?? 1;
  const bestRelationship = relationships[0]?.score ?? 1;
  return [
    ...entities.map(({ item, score }): Candidate => ({
      kind: "entity", id: item.id, text: [item.name, ...item.aliases].join(", "), score: (sourceWeights.entity * score) / bestEntity, at: 0,
      sources: tellersOf([item.name, ...item.aliases]),
    })),
    ...relationships.map(({ item, score }): Candidate => ({
      kind: "relationship", id: item.id, text: [item.source, item.type.replaceAll("_", " "), item.target, item.temporalContext ?? ""].filter(Boolean).join(" "),
      score: (sourceWeights.relationship * score) / bestRelationship, at: 0, sources: item.sourceMemories,
    })),
  ];
}

/** The memories to which the graph leads, with what that says for each, 0–1. */
export function drawnBy({ relationships, walked }: Expanded): Map<string, number> {
  const drawn = new Map<string, number>();
  const best = relationships[0]?.score ?? 1;
  const draw = (id: string, score: number): void => void drawn.set(id, Math.max(score, drawn.get(id) ?? 0));
  for (const { item, score } of relationships) for (const id of item.sourceMemories) draw(id, (sourceWeights.relationship * score) / best);
  for (const { memoryId, strength } of walked) draw(memoryId, strength);
  return drawn;
}
