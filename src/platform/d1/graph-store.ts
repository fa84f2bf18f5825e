import type { Entity, LinkType, MemoryLink, Relationship } from "../../domain/graph/graph.ts";
import { nothingFound, type Expanded, type Expansion, type GraphStats, type GraphStore, type Near, type NewLink, type Scored, type SourcedEntity, type Step, type Tie, type Walked, type WalkLimits } from "../../domain/graph/graph-store.ts";
import { graphStageName } from "../../domain/graph/stage.ts";
import { graphVectorStageName } from "../../domain/indexing/vector-stage.ts";
import { defaultQuota, type TeamQuota } from "../../domain/memories/quota.ts";
import type { MemoryFilter, WriteContext } from "../../domain/memories/memory-store.ts";
import { WriteConflict } from "../../domain/memories/write-conflict.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { entityFrom, merged, type RelationshipRow, type Statement, type Spelling } from "../graph-answers.ts";
import { filterSql } from "../filter-sql.ts";
import { maxBreadth, maxDepth, maxWalked } from "../graph-limits.ts";
import * as statements from "./graph-sql.ts";
import { columns } from "./memory-conditions.ts";
import { auditMemories } from "./memory-audit.ts";
import { QuotaGuard } from "./quota-guard.ts";
import type { ShardOf } from "./shard-of.ts";

type Cell = string | number | null;
/** As D1 answers it, with lists in JSON. */
type InJson<T extends unknown[]> = { [K in keyof T]: T[K] extends unknown[] ? string : T[K] };

export class D1GraphStore implements GraphStore {
  readonly #shardOf: ShardOf;

  readonly #quota: QuotaGuard;

  constructor(shardOf: ShardOf, quota: TeamQuota = defaultQuota) {
    this.#shardOf = shardOf;
    this.#quota = new QuotaGuard(quota);
  }

  async entitiesOf(principal: Principal, now: number, memoryIds: string[]): Promise<Map<string, Entity[]>> {
    const rows = await this.#rows<[string, string, string]>(statements.entitiesOf, principal, now, JSON.stringify(memoryIds));
    const byMemory = new Map<string, Entity[]>();
    for (const [name, memories, spellings] of rows) {
      const entity = entityFrom(name, spellingsIn(spellings));
      for (const id of entity ? (JSON.parse(memories) as string[]) : []) byMemory.set(id, [...(byMemory.get(id) ?? []), entity as Entity]);
    }
    return byMemory;
  }

  async memoriesOf(principal: Principal, now: number, entityIds: string[], limit: number): Promise<string[]> {
    const rows = await this.#rows<[string]>(statements.memoriesOf, principal, now, JSON.stringify(entityIds), limit);
    return rows.map(([id]) => id);
  }

  async relationshipsOf(principal: Principal, now: number, memoryIds: string[], limit: number): Promise<Relationship[]> {
    const rows = await this.#rows<InJson<RelationshipRow>>(statements.relationshipsOf, principal, now, JSON.stringify(memoryIds), limit);
    return merged(rows.map(relationshipIn)).map(({ item }) => item);
  }

  async walk(principal: Principal, now: number, memoryIds: string[], limits: WalkLimits, within: MemoryFilter = {}): Promise<Walked[]> {
    const conditions = filterSql(within, columns);
    const cells = [...walkFrom(memoryIds, limits), ...conditions.map(({ parameter }) => parameter)];
    return (await this.#rows<WalkRow>(statements.walk(conditions.map(({ sql }) => sql)), principal, now, ...cells)).map(walkedFrom);
  }

  async stats(principal: Principal, now: number): Promise<GraphStats> {
    const [[entities, relationships, waiting] = [0, 0, 0]] = await this.#rows<[number, number, number]>(statements.stats, principal, now, graphStageName, graphVectorStageName);
    return { entities, relationships, waiting };
  }

  async expand(principal: Principal, now: number, { entities, relationships, near, walk, ties }: Expansion): Promise<Expanded> {
    const found = nothingFound();
    const asked: { statement: string; cells: Cell[]; take: (rows: Cell[][]) => void }[] = [
      ...(entities
        ? [{ statement: statements.findEntities, cells: [JSON.stringify(entities.terms), entities.limit], take: (rows: Cell[][]) => void (found.entities = sourcedFrom(rows as [...EntityRow, string][])) }]
        : []),
      ...(relationships
        ? [{ statement: statements.findRelationships, cells: [JSON.stringify(relationships.terms), relationships.limit], take: (rows: Cell[][]) => void (found.relationships = merged((rows as InJson<RelationshipRow>[]).map(relationshipIn))) }]
        : []),
      ...named(near?.entities, statements.entitiesNear, (rows: Cell[][]) => void (found.near.entities = sourcedFrom(rows as [...EntityRow, string][]))),
      ...named(near?.relationships, statements.relationshipsNear, (rows: Cell[][]) => void (found.near.relationships = merged((rows as InJson<RelationshipRow>[]).map(relationshipIn)))),
      ...(walk ? [{ statement: statements.walk([]), cells: walkFrom(walk.memoryIds, walk.limits), take: (rows: Cell[][]) => void (found.walked = (rows as WalkRow[]).map(walkedFrom)) }] : []),
      ...(ties ? [{ statement: statements.ties, cells: [JSON.stringify(ties.memoryIds), ties.limit], take: (rows: Cell[][]) => void (found.ties = (rows as TieRow[]).map(tieFrom)) }] : []),
    ];
    if (asked.length === 0) return found;
    const d1 = this.#shardOf(principal.shard);
    const answers = await d1.batch<Record<string, Cell>>(
      asked.map(({ statement, cells }) => d1.prepare(statement).bind(principal.teamId, principal.userId, now, ...cells)),
    );
    for (const [i, { results }] of answers.entries()) asked[i]?.take(results.map((row) => Object.values(row)));
    return found;
  }

  async links(principal: Principal, now: number, memoryIds: string[]): Promise<MemoryLink[]> {
    const rows = await this.#rows<[string, string, LinkType, number, string, MemoryLink["origin"], MemoryLink["madeBy"], string | null, number]>(statements.links, principal, now, JSON.stringify(memoryIds));
    return rows.map(([source, target, type, strength, reason, origin, madeBy, createdBy, createdAt]) => ({ source, target, type, strength, reason, origin, madeBy, createdBy, createdAt }));
  }

  async link(principal: Principal, write: WriteContext, links: NewLink[]): Promise<void> {
    const d1 = this.#shardOf(principal.shard);
    try {
      await d1.batch([
        d1.prepare(statements.insertLinks).bind(principal.teamId, principal.userId, write.now, JSON.stringify(links)),
        auditMemories(d1, principal, write, { action: "link", memoryId: links[0]?.source, count: links.length }),
        this.#quota.statement(d1, principal.teamId, 0),
      ]);
    } catch (error) {
      const text = error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : "";
      throw /NOT NULL constraint failed: memory_links\.(?:source|target)_id/.test(text) ? new WriteConflict() : await this.#quota.explained(d1, principal.teamId, error);
    }
  }

  async unlink(principal: Principal, write: WriteContext, links: { source: string; target: string; type?: LinkType }[]): Promise<number> {
    const d1 = this.#shardOf(principal.shard);
    const [removed] = await d1.batch([
      d1.prepare(statements.deleteLinks).bind(principal.teamId, principal.userId, write.now, JSON.stringify(links)),
      auditMemories(d1, principal, write, { action: "unlink", memoryId: links[0]?.source, count: links.length }),
    ]);
    // Not `meta.changes`, which counts what triggers change as well.
    return removed?.results.length ?? 0;
  }

  async findEntities(principal: Principal, now: number, terms: string[], limit: number): Promise<Scored<Entity>[]> {
    return entitiesFrom(await this.#rows<EntityRow>(statements.findEntities, principal, now, JSON.stringify(terms), limit));
  }

  async findRelationships(principal: Principal, now: number, terms: string[], limit: number): Promise<Scored<Relationship>[]> {
    const rows = await this.#rows<InJson<RelationshipRow>>(statements.findRelationships, principal, now, JSON.stringify(terms), limit);
    return merged(rows.map(relationshipIn));
  }

  async #rows<Row extends Cell[]>(statement: string, principal: Principal, now: number, ...rest: Cell[]): Promise<Row[]> {
    return this.#shardOf(principal.shard).prepare(statement).bind(principal.teamId, principal.userId, now, ...rest).raw<Row>();
  }
}

type EntityRow = [name: string, score: number, spellings: string];
type WalkRow = [memoryId: string, distance: number, strength: number, path: string];
type TieRow = [source: string, target: string, type: LinkType, strength: number, id: string, key: string | null, content: string, quarantined: number, updatedBy: string, expiresAt: number | null];

const walkFrom = (memoryIds: string[], limits: WalkLimits): Cell[] => [
  JSON.stringify(memoryIds),
  Math.min(limits.breadth, maxBreadth),
  Math.min(limits.depth, maxDepth),
  Math.min(limits.limit, maxWalked),
];

const walkedFrom = ([memoryId, distance, strength, path]: WalkRow): Walked => ({ memoryId, distance, strength, path: pathFrom(path) });

const tieFrom = ([source, target, type, strength, id, key, content, quarantined, updatedBy, expiresAt]: TieRow): Tie => ({
  source, target, type, strength, other: { id, key, content, quarantined: quarantined === 1, updatedBy, expiresAt },
});

const entitiesFrom = (rows: EntityRow[]): Scored<Entity>[] =>
  rows.flatMap(([name, score, spellings]) => {
    const item = entityFrom(name, spellingsIn(spellings));
    return item ? [{ item, score }] : [];
  });

const sourcedFrom = (rows: [...EntityRow, string][]): Scored<SourcedEntity>[] =>
  rows.flatMap(([name, score, spellings, memories]) => {
    const item = entityFrom(name, spellingsIn(spellings));
    return item ? [{ item: { ...item, sourceMemories: JSON.parse(memories) as string[] }, score }] : [];
  });

const named = (near: Near[] | undefined, statement: string, take: (rows: Cell[][]) => void) => (near && near.length > 0 ? [{ statement, cells: [JSON.stringify(near)], take }] : []);

const spellingsIn = (json: string): Spelling[] => JSON.parse(json) as Spelling[];

const relationshipIn = ([source, target, score, id, visibilityKey, mentions, weight, type, statements]: InJson<RelationshipRow>): RelationshipRow => [
  source, target, score, id, visibilityKey, mentions, weight, type, JSON.parse(statements) as Statement[],
];

function pathFrom(json: string): Step[] {
  return (JSON.parse(json) as [string, "entity" | "link", string][]).flatMap(([memoryId, kind, name]) =>
    kind === undefined ? [] : [{ memoryId, via: kind === "link" ? { kind, type: name as LinkType } : { kind, name } }],
  );
}
