import type { EntityType } from "../../../domain/graph/graph.ts";
import type { DrawnContribution } from "../../../domain/graph/graph-store.ts";
import type { NewNode } from "./node-table.ts";

/** The forms in which the graph is stored in the object: arrays, since there may be hundreds of thousands of them. */

export type NameRecord = [home: string, entity: string, norm: string, name: string, id: string, type: EntityType];
export type RelationshipRecord = [home: string, source: string, target: string, id: string, type: string];

export type NameMention = [row: number, weight: number];
export type RelationshipMention = [row: number, weight: number, source: string, target: string, context: string | null, validFrom: number | null, validTo: number | null];

/** What the present version of one memory contributes. */
export type MemoryPack = [memoryId: string, home: string, expiresAt: number | null, names: NameMention[], relationships: RelationshipMention[]];

export type LinkRecord = [source: string, target: string, type: string, strength: number, createdAt: number];

export const nameKey = (home: string, entity: string, name: string): string => JSON.stringify([home, entity, name]);
export const relationshipKey = (home: string, source: string, type: string, target: string): string => JSON.stringify([home, source, type, target]);

/** Whole numbers add up the same in any order. */
export const weightOf = (confidence: number): number => Math.round(1_000 * confidence);

export const namesOf = ({ home, entities }: DrawnContribution): NewNode<NameRecord>[] =>
  entities.map(({ entity, norm, name, id, type, tokens }) => ({ key: nameKey(home, entity, name), record: [home, entity, norm, name, id, type as EntityType], tokens }));

export const relationshipsOf = ({ home, relationships }: DrawnContribution): NewNode<RelationshipRecord>[] =>
  relationships.map(({ source, target, id, type, tokens }) => ({ key: relationshipKey(home, source, type, target), record: [home, source, target, id, type], tokens }));

/** The rows are those of its names and relationships, in their order; a thing named twice is mentioned once. */
export function packOf({ memoryId, home, expiresAt, entities, relationships }: DrawnContribution, nameRows: number[], relationshipRows: number[]): MemoryPack {
  const names = entities.map(({ confidence }, i): NameMention => [nameRows[i] as number, weightOf(confidence)]);
  const said = relationships.map(({ confidence, sourceName, targetName, context, validFrom, validTo }, i): RelationshipMention => [
    relationshipRows[i] as number, weightOf(confidence), sourceName, targetName, context, validFrom, validTo,
  ]);
  return [memoryId, home, expiresAt, firstOfRow(names), firstOfRow(said)];
}

function firstOfRow<M extends [row: number, ...rest: unknown[]]>(mentions: M[]): M[] {
  const seen = new Set<number>();
  return mentions.filter(([row]) => !seen.has(row) && seen.add(row));
}
