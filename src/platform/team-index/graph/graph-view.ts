import type { Relationship } from "../../../domain/graph/graph.ts";
import type { Near, Scored, SourcedEntity } from "../../../domain/graph/graph-store.ts";
import { maxSourceMemories } from "../../../domain/memories/memory-store.ts";
import { entityFrom, merged, type RelationshipRow, type Statement, type Spelling } from "../../graph-answers.ts";
import { mostSources } from "../../graph-limits.ts";
import type { GraphMaps, HomeGraph, NameNode, RelationshipNode } from "./graph-maps.ts";
import { findByWords, type Ranked } from "./word-search.ts";

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The graph as one person sees it at an instant: what the team shares and what is their own, each as `d1/graph-sql.ts` answers it. */
export class GraphView {
  readonly now: number;
  readonly homes: readonly HomeGraph[];
  readonly #userId: string;
  readonly #canonical = new Map<string, string>();

  constructor(maps: GraphMaps, userId: string, now: number) {
    this.now = now;
    this.#userId = userId;
    this.homes = ["", userId].flatMap((home) => maps.home(home) ?? []);
  }

  sees(home: string): boolean {
    return home === "" || home === this.#userId;
  }

  findEntities(terms: readonly string[], limit: number): Scored<SourcedEntity>[] {
    const ranked = findByWords(this.homes.map(({ nameWords }) => nameWords), terms, limit);
    const alive = ranked.filter(({ node }) => node.isAlive(this.now)).map(({ node, score }) => ({ entity: node.entity, score }));
    return this.#entities(alive, limit, (entity) => (this.#hasAliases(entity) ? this.#newestTelling(entity, maxSourceMemories + 1) : []));
  }

  entitiesNear(near: readonly Near[]): Scored<SourcedEntity>[] {
    const found = near.flatMap(({ id, score }) => this.#alive(this.#names((home) => home.namesById.get(id))).map(({ entity }) => ({ entity, score })));
    return this.#entities(found, found.length, (entity) => this.#newestTelling(entity, mostSources));
  }

  findRelationships(terms: readonly string[], limit: number): Scored<Relationship>[] {
    const ranked = findByWords(this.homes.map(({ relationshipWords }) => relationshipWords), terms, limit);
    return this.#relationships(ranked.filter(({ node }) => node.isAlive(this.now)), limit);
  }

  relationshipsNear(near: readonly Near[]): Scored<Relationship>[] {
    return this.#relationships(near.flatMap(({ id, score }) =>
      this.homes.flatMap((home) => home.relationshipsById.get(id) ?? []).filter((node) => node.isAlive(this.now)).map((node) => ({ node, score }))));
  }

  namesByNorm(norm: string): NameNode[] {
    return this.#names((home) => home.byNorm.get(norm));
  }

  /** Ranked and cut before what is told of each is looked up, which costs more than to find it. */
  #entities(found: readonly { entity: string; score: number }[], limit: number, sources: (entity: string) => string[]): Scored<SourcedEntity>[] {
    const best = new Map<string, number>();
    for (const { entity, score } of found) {
      const main = this.#canonicalOf(entity);
      best.set(main, Math.max(best.get(main) ?? Number.NEGATIVE_INFINITY, score));
    }
    const ranked = [...best].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || compare(a, b)).slice(0, limit);
    return ranked.flatMap(([entity, score]) => {
      const item = entityFrom(entity, this.#spellings(entity));
      return item ? [{ item: { ...item, sourceMemories: sources(entity) }, score }] : [];
    });
  }

  #relationships(found: readonly Ranked<RelationshipNode>[], limit = found.length): Scored<Relationship>[] {
    const chosen = found.toSorted((a, b) => b.score - a.score || b.node.mentions.size - a.node.mentions.size || b.node.row - a.node.row).slice(0, limit);
    return merged(chosen.map(({ node, score }): RelationshipRow => [
      this.#canonicalOf(node.source), this.#canonicalOf(node.target), score, node.id, node.home, node.mentions.size, node.weight, node.type,
      node.mentions.newest(this.now, mostSources).map(({ memory, said: [, , source, target, context, from, to] }): Statement => [memory.id, source, target, context, from, to]),
    ]));
  }

  /** The main name of what goes by a name: `kubernetes` for `k8s`, when a memory that the viewer may see says so. */
  #canonicalOf(name: string): string {
    const known = this.#canonical.get(name);
    if (known !== undefined) return known;
    let best: NameNode | undefined;
    for (const node of this.namesByNorm(name)) {
      if (node.entity === node.norm || !node.isAlive(this.now)) continue;
      if (!best || node.mentions.size > best.mentions.size || (node.mentions.size === best.mentions.size && node.entity < best.entity)) best = node;
    }
    const main = best?.entity ?? name;
    this.#canonical.set(name, main);
    return main;
  }

  /** All living names of an entity: its own, and those of what its aliases were before somebody said whose they are. */
  #namesOf(entity: string): NameNode[] {
    const own = this.#alive(this.#names((home) => home.byEntity.get(entity)));
    const aliases = new Set(own.map(({ norm }) => norm));
    aliases.delete(entity);
    return [...own, ...[...aliases].flatMap((alias) => this.#alive(this.#names((home) => home.byEntity.get(alias))))];
  }

  #spellings(entity: string): Spelling[] {
    return this.#namesOf(entity).map(({ id, home, norm, name, type, mentions, weight }) => [id, home, norm, name, type, mentions.size, weight]);
  }

  #newestTelling(entity: string, most: number): string[] {
    const ids = new Set(this.#namesOf(entity).flatMap(({ mentions }) => mentions.newest(this.now, most).map(({ id }) => id)));
    return [...ids].sort((a, b) => compare(b, a)).slice(0, most);
  }

  #hasAliases(entity: string): boolean {
    return this.#names((home) => home.byEntity.get(entity)).some((node) => node.norm !== entity && node.isAlive(this.now));
  }

  #alive(names: NameNode[]): NameNode[] {
    return names.filter((name) => name.isAlive(this.now));
  }

  #names(of: (home: HomeGraph) => NameNode[] | undefined): NameNode[] {
    return this.homes.flatMap((home) => of(home) ?? []);
  }
}
