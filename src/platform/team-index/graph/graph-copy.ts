import { nothingFound, type DrawnContribution, type Expanded, type Expansion } from "../../../domain/graph/graph-store.ts";
import type { Viewer } from "../search.ts";
import { ContributionTable } from "./contribution-table.ts";
import { isAlive } from "./by-memory.ts";
import { GraphMaps } from "./graph-maps.ts";
import { GraphView } from "./graph-view.ts";
import { LinkTable, type GraphLink } from "./link-table.ts";
import type { MemoryRow, MemoryRows, PresentVersions } from "./memory-rows.ts";
import { NodeTable, type NewNode } from "./node-table.ts";
import { namesOf, packOf, relationshipsOf, type MemoryPack, type NameRecord, type RelationshipRecord } from "./packs.ts";
import { ties, walk, type SeenMemory } from "./walk.ts";

/** More mentions than these take more than 64 MB in memory, of 128 that several objects share: such a team asks D1. */
export const maxMentions = 300_000;
/** D1 stores so many contributions in a transaction; the copy takes them in the same portions, so that its rows get the same order. */
const batch = 32;

export type GraphState = "absent" | "filling" | "complete" | "too-large";

/** What a memory contributes, with rows that the copy knows. */
export interface FilledPack {
  version: number;
  pack: MemoryPack;
}

/**
 * A team's graph in the team object: the truth is in D1, the object's SQLite holds what it needs to answer, and maps in
 * memory answer. The maps are read from SQLite when the graph is first asked, and follow every change from then on.
 *
 * All changes happen within the caller's transaction; when that is taken back, the caller calls `forget`.
 */
export class GraphCopy {
  readonly #sql: SqlStorage;
  readonly #versions: PresentVersions;
  readonly #names: NodeTable<NameRecord>;
  readonly #relationships: NodeTable<RelationshipRecord>;
  readonly #contributions: ContributionTable;
  readonly #links: LinkTable;
  #maps: GraphMaps | undefined;
  /** As stored; read when first needed. */
  #state: GraphState | undefined;
  #mentions: number | undefined;

  /** After the tables of the index are there: the state of the graph is in `meta`, and ends with it. */
  constructor(sql: SqlStorage, versions: PresentVersions) {
    this.#sql = sql;
    this.#versions = versions;
    this.#names = new NodeTable(sql, "graph_names");
    this.#relationships = new NodeTable(sql, "graph_relationships");
    this.#contributions = new ContributionTable(sql);
    this.#links = new LinkTable(sql);
    // The index was dropped, or the object while it read the graph.
    if (this.state === "filling" || (this.state === "absent" && this.#names.totals().nodes > 0)) this.clear();
  }

  /** Only a complete graph may be asked. */
  get state(): GraphState {
    if (this.#state) return this.#state;
    const [row] = this.#sql.exec<{ value: string }>("SELECT value FROM meta WHERE name = 'graph'").toArray();
    this.#state = (row?.value as GraphState | undefined) ?? "absent";
    return this.#state;
  }

  /** The same answers as `D1GraphStore.expand`. `rows` are the memories of the object. */
  expand({ userId }: Viewer, now: number, { entities, relationships, near, walk: wanted, ties: tied }: Expansion, rows: MemoryRows): Expanded {
    const maps = this.#loaded();
    const view = new GraphView(maps, userId, now);
    const seen = seenBy(rows, userId, now);
    const found = nothingFound();
    if (entities) found.entities = view.findEntities(entities.terms, entities.limit);
    if (relationships) found.relationships = view.findRelationships(relationships.terms, relationships.limit);
    if (near) found.near = { entities: view.entitiesNear(near.entities), relationships: view.relationshipsNear(near.relationships) };
    if (wanted) found.walked = walk(maps, view, seen, wanted.memoryIds, wanted.limits);
    if (tied) found.ties = ties(maps, seen, tied.memoryIds, tied.limit);
    return found;
  }

  /**
   * What memories contribute, in place of what they contributed before. Left out is what an older version than the present
   * one contributed, and what is gone: whoever draws that version sees to it.
   */
  put(contributions: readonly DrawnContribution[]): void {
    if (!this.#isKept) return;
    for (let from = 0; from < contributions.length; from += batch) this.#putBatch(contributions.slice(from, from + batch));
    this.#checkSize();
  }

  /**
   * After memories changed or went in the object's `docs`: withdraws what earlier versions contributed, and the links drawn from
   * them, as triggers do in D1 (migration `graph_triggers`).
   */
  withdrawOutdated(memoryIds: readonly string[]): void {
    if (!this.#isKept || memoryIds.length === 0) return;
    const present = this.#versions.versionsOf(memoryIds);
    const contributed = this.#contributions.versionsOf(memoryIds);
    const gone = memoryIds.filter((id) => !present.has(id));
    this.#withdraw([...contributed].flatMap(([id, version]) => (version < (present.get(id) ?? Number.POSITIVE_INFINITY) ? id : [])));
    if (gone.length > 0) this.#links.removeOf(gone);
    const areOutdated = present.size > 0 && this.#links.removeOutdated(present);
    if (gone.length > 0 || areOutdated) this.#maps?.putLinks(memoryIds, this.#links.of(memoryIds));
  }

  /** All that these memories contribute, and all their links. */
  remove(memoryIds: readonly string[]): void {
    if (!this.#isKept) return;
    this.#withdraw(memoryIds);
    this.#links.removeOf(memoryIds);
    this.#maps?.putLinks(memoryIds, []);
  }

  /** These are all the links from and to the memories, as D1 has them. */
  putLinks(memoryIds: readonly string[], links: readonly GraphLink[]): void {
    if (!this.#isKept) return;
    this.#links.removeOf(memoryIds);
    this.fillLinks(links);
    this.#maps?.putLinks(memoryIds, this.#links.of(memoryIds));
  }

  /** Drops everything; `state` says why. */
  clear(state: Exclude<GraphState, "complete"> = "absent"): void {
    for (const table of [this.#names, this.#relationships, this.#contributions, this.#links]) table.clear();
    this.#setState(state);
    this.forget();
  }

  /** Drops what is in memory: the transaction in which it changed was taken back. */
  forget(): void {
    this.#maps = undefined;
    this.#state = undefined;
    this.#mentions = undefined;
  }

  /** Names read from D1 under their numbers there, before what mentions them. Answers the numbers that they have here. */
  fillNames(nodes: readonly NewNode<NameRecord>[], rowOf: (index: number) => number): number[] {
    return this.#names.resolve(nodes, rowOf).rows;
  }

  fillRelationships(nodes: readonly NewNode<RelationshipRecord>[], rowOf: (index: number) => number): number[] {
    return this.#relationships.resolve(nodes, rowOf).rows;
  }

  /** What memories contribute of which the copy has nothing yet. */
  fillContributions(packs: readonly FilledPack[]): void {
    const ids = packs.map(({ pack }) => pack[0]);
    const present = this.#versions.versionsOf(ids);
    const known = this.#contributions.versionsOf(ids);
    this.#insert(packs.filter(({ version, pack: [id] }) => !known.has(id) && version >= (present.get(id) ?? Number.POSITIVE_INFINITY)));
    this.#checkSize();
  }

  /** A drawn link ends with the version of either end, every link with the memory. */
  fillLinks(links: readonly GraphLink[]): void {
    const present = this.#versions.versionsOf([...new Set(links.flatMap(({ source, target }) => [source, target]))]);
    const holds = (id: string, version: number, origin: string): boolean => present.has(id) && (origin === "explicit" || version >= (present.get(id) as number));
    this.#links.put(links.filter(({ source, target, origin, sourceVersion, targetVersion }) => holds(source, sourceVersion, origin) && holds(target, targetVersion, origin)));
  }

  /** Everything has been read. */
  complete(): void {
    this.#names.removeEmpty();
    this.#relationships.removeEmpty();
    this.#setState("complete");
  }

  /** For comparison with D1. */
  totals(): { names: number; nameMentions: number; relationships: number; relationshipMentions: number; links: number; linksCreated: number; linkStrength: number } {
    const [names, relationships, links] = [this.#names.totals(), this.#relationships.totals(), this.#links.totals()];
    return {
      names: names.nodes, nameMentions: names.mentions, relationships: relationships.nodes, relationshipMentions: relationships.mentions,
      links: links.links, linksCreated: links.created, linkStrength: links.strength,
    };
  }

  get #isKept(): boolean {
    const { state } = this;
    return state === "filling" || state === "complete";
  }

  #setState(state: GraphState): void {
    this.#sql.exec("INSERT INTO meta (name, value) VALUES ('graph', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", state);
    this.#state = state;
  }

  #loaded(): GraphMaps {
    if (this.#maps) return this.#maps;
    const maps = new GraphMaps();
    maps.putNames(this.#names.all());
    maps.putRelationships(this.#relationships.all());
    maps.add(this.#contributions.all());
    maps.putLinks([], this.#links.all());
    this.#maps = maps;
    return maps;
  }

  #putBatch(contributions: readonly DrawnContribution[]): void {
    const ids = contributions.map(({ memoryId }) => memoryId);
    const present = this.#versions.versionsOf(ids);
    const known = this.#contributions.versionsOf(ids);
    const taken = contributions.filter(({ memoryId, version }) => version >= (present.get(memoryId) ?? Number.POSITIVE_INFINITY) && version >= (known.get(memoryId) ?? 0));
    this.#withdraw(taken.map(({ memoryId }) => memoryId));
    const names = this.#names.resolve(taken.flatMap(namesOf));
    const relationships = this.#relationships.resolve(taken.flatMap(relationshipsOf));
    this.#maps?.putNames(names.changed);
    this.#maps?.putRelationships(relationships.changed);
    let [name, relationship] = [0, 0];
    this.#insert(taken.map((contribution) => {
      const nameRows = names.rows.slice(name, (name += contribution.entities.length));
      const relationshipRows = relationships.rows.slice(relationship, (relationship += contribution.relationships.length));
      return { version: contribution.version, pack: packOf(contribution, nameRows, relationshipRows) };
    }));
  }

  /** Memories that say nothing are not noted. */
  #insert(packs: readonly FilledPack[]): void {
    const telling = packs.filter(({ pack: [, , , names, relationships] }) => names.length + relationships.length > 0);
    this.#contributions.insert(telling);
    this.#count(telling.map(({ pack }) => pack), 1);
    this.#maps?.add(telling.map(({ pack }) => pack));
  }

  #withdraw(memoryIds: readonly string[]): void {
    const packs = this.#contributions.remove(memoryIds);
    this.#count(packs, -1);
    this.#maps?.remove(packs);
  }

  #count(packs: readonly MemoryPack[], by: 1 | -1): void {
    const [names, relationships] = [new Map<number, number>(), new Map<number, number>()];
    for (const [, , , named, said] of packs) {
      for (const [row] of named) names.set(row, (names.get(row) ?? 0) + by);
      for (const [row] of said) relationships.set(row, (relationships.get(row) ?? 0) + by);
    }
    this.#mentions = this.#counted() + by * packs.reduce((sum, [, , , named, said]) => sum + named.length + said.length, 0);
    // While the graph is read, a name may wait for the memories that mention it.
    const options = { keepEmpty: this.state === "filling" };
    this.#names.count(names, options);
    this.#relationships.count(relationships, options);
  }

  #checkSize(): void {
    if (this.#counted() > maxMentions) this.clear("too-large");
  }

  #counted(): number {
    this.#mentions ??= this.#names.totals().mentions + this.#relationships.totals().mentions;
    return this.#mentions;
  }
}

/** Each memory is read once for an answer. */
function seenBy(rows: MemoryRows, userId: string, now: number): SeenMemory {
  const known = new Map<string, MemoryRow | undefined>();
  return (id) => {
    if (!known.has(id)) {
      const row = rows.get(id);
      const isSeen = row && (row.home === "" || row.home === userId) && row.archivedAt === null && isAlive(row, now);
      known.set(id, isSeen ? row : undefined);
    }
    return known.get(id);
  };
}
