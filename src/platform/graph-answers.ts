import type { Entity, EntityType, Relationship } from "../domain/graph/graph.ts";
import type { Scored } from "../domain/graph/graph-store.ts";

/** From rows of the graph to answers: the same for the rows in D1 and for the copy in the team object. */

/** One spelling of an entity in one home: id, home, normal name, name, type, mentions, weight. */
export type Spelling = [id: string, home: string, norm: string, name: string, type: EntityType, mentions: number, weight: number];
/** What one memory says of a relationship. */
export type Statement = [memoryId: string, source: string, target: string, context: string | null, validFrom: number | null, validTo: number | null];
/** A relationship in one home, its ends under their main names. */
export type RelationshipRow = [
  source: string, target: string, score: number, id: string, home: string, mentions: number, weight: number, type: string, statements: Statement[],
];

const bySpelling = (a: Spelling, b: Spelling): number => b[5] - a[5] || compare(a[3], b[3]) || compare(a[1], b[1]) || compare(a[0], b[0]);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The spelling used most is the name; if the entity has ids under several visibility keys, the team's is shown. */
export function entityFrom(entity: string, rows: readonly Spelling[]): Entity | undefined {
  const spellings = [...rows].sort(bySpelling);
  const main = spellings.filter(([, , norm]) => norm === entity);
  const [best] = main;
  if (!best) return undefined;
  const sum = (rows: Spelling[], column: 5 | 6): number => rows.reduce((total, row) => total + row[column], 0);
  // A spelling with an id of its own is another entity, which a memory equated with this one.
  const counted = spellings.filter(([id, , norm]) => norm === entity || !main.some(([other]) => other === id));
  return {
    id: (main.find(([, home]) => home === "") ?? best)[0],
    name: best[3],
    type: best[4],
    aliases: [...new Map(spellings.filter(([, , norm]) => norm !== entity).map(([, , norm, name]) => [norm, name])).values()],
    confidence: mean(sum(counted, 6), sum(counted, 5)),
    mentions: sum(counted, 5),
  };
}

/** Weights are in thousandths. */
const mean = (weight: number, mentions: number): number => Math.round(weight / mentions) / 1_000;

/** One of each, though it may exist under two visibility keys and several names. */
export function merged(rows: readonly RelationshipRow[]): Scored<Relationship>[] {
  const groups = Map.groupBy(rows, ([source, target, , , , , , type]) => JSON.stringify([source, type, target]));
  return [...groups.values()].flatMap((group) => {
    const statements = group.flatMap((row) => row[8]).sort((a, b) => compare(b[0], a[0]));
    const [newest] = statements;
    if (!newest) return [];
    const [, , , id, , , , type] = group.find((row) => row[4] === "") ?? (group[0] as RelationshipRow);
    const dated = statements.find((statement) => statement[3] !== null) ?? newest;
    const mentions = group.reduce((sum, row) => sum + row[5], 0);
    return [
      {
        score: Math.max(...group.map((row) => row[2])),
        item: {
          id,
          source: newest[1],
          type,
          target: newest[2],
          temporalContext: dated[3],
          validFrom: dated[4],
          validTo: dated[5],
          confidence: mean(group.reduce((sum, row) => sum + row[6], 0), mentions),
          sourceMemories: [...new Set(statements.map(([memoryId]) => memoryId))],
        },
      },
    ];
  });
}
