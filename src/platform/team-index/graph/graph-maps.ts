import type { EntityType } from "../../../domain/graph/graph.ts";
import { addTo, ByMemory, removeFrom, type MemoryNode } from "./by-memory.ts";
import type { StoredNode, Token } from "./node-table.ts";
import type { LinkRecord, MemoryPack, NameRecord, RelationshipMention, RelationshipRecord } from "./packs.ts";

/**
 * The names or relationships of one home that a word leads to, and the part of each that it makes up. Side by side instead of
 * in pairs: a search looks at hundreds of them. `epoch` and `rarity` serve the search that is going on.
 */
export interface WordList<N> {
  token: string;
  nodes: N[];
  shares: number[];
  epoch: number;
  rarity: number;
}

/** A name or a relationship within one home, with its counts as D1 keeps them. */
abstract class GraphNode<N, M> {
  readonly row: number;
  readonly home: string;
  readonly id: string;
  weight = 0;
  /** Mentions that never expire, and when the last of the others does. */
  lasting = 0;
  until = 0;
  readonly mentions: ByMemory<M>;
  /** The words by which it is found, ordered by token, so that sums over the same words are equal, with its share of each. */
  words: WordList<N>[] = [];
  shares: number[] = [];
  /** The search that saw it last. */
  epoch = 0;

  constructor(row: number, home: string, id: string, memoryOf: (mention: M) => MemoryNode) {
    this.row = row;
    this.home = home;
    this.id = id;
    this.mentions = new ByMemory(memoryOf);
  }

  isAlive(now: number): boolean {
    return this.lasting > 0 || this.until > now;
  }

  add(mention: M, { expiresAt }: MemoryNode, weight: number): void {
    this.mentions.add(mention);
    this.weight += weight;
    if (expiresAt === null) this.lasting += 1;
    else this.until = Math.max(this.until, expiresAt);
  }

  /** Answers whether anything still mentions it. */
  remove(memory: MemoryNode, weight: number): boolean {
    this.mentions.remove(memory);
    this.weight -= weight;
    if (memory.expiresAt === null) this.lasting -= 1;
    else if (this.until <= memory.expiresAt) this.until = this.mentions.lastExpiry();
    return this.mentions.size > 0;
  }
}

export class NameNode extends GraphNode<NameNode, MemoryNode> {
  readonly entity: string;
  readonly norm: string;
  readonly name: string;
  type: EntityType;

  constructor(row: number, [home, entity, norm, name, id, type]: NameRecord) {
    super(row, home, id, (memory) => memory);
    this.entity = entity;
    this.norm = norm;
    this.name = name;
    this.type = type;
  }
}

export interface SaidBy {
  memory: MemoryNode;
  said: RelationshipMention;
}

export class RelationshipNode extends GraphNode<RelationshipNode, SaidBy> {
  readonly source: string;
  readonly target: string;
  readonly type: string;

  constructor(row: number, [home, source, target, id, type]: RelationshipRecord) {
    super(row, home, id, ({ memory }) => memory);
    this.source = source;
    this.target = target;
    this.type = type;
  }
}

/** What the memories of one home say: '' for what the team shares, otherwise one person's private ones. */
export class HomeGraph {
  readonly byEntity = new Map<string, NameNode[]>();
  readonly byNorm = new Map<string, NameNode[]>();
  readonly namesById = new Map<string, NameNode[]>();
  readonly nameWords = new Map<string, WordList<NameNode>>();
  readonly relationshipsById = new Map<string, RelationshipNode[]>();
  readonly relationshipWords = new Map<string, WordList<RelationshipNode>>();
}

interface Worded<N> {
  words: WordList<N>[];
  shares: number[];
}

function addWords<N extends Worded<N>>(lists: Map<string, WordList<N>>, node: N, tokens: readonly Token[]): void {
  const ordered = tokens.toSorted(([a, shareA], [b, shareB]) => (a < b ? -1 : a > b ? 1 : shareA - shareB));
  for (const [token, share] of ordered) {
    let list = lists.get(token);
    if (!list) lists.set(token, (list = { token, nodes: [], shares: [], epoch: 0, rarity: 0 }));
    list.nodes.push(node);
    list.shares.push(share);
  }
  node.words = ordered.map(([token]) => lists.get(token) as WordList<N>);
  node.shares = ordered.map(([, share]) => share);
}

function removeWords<N extends Worded<N>>(lists: Map<string, WordList<N>>, node: N): void {
  for (const list of node.words) {
    const at = list.nodes.indexOf(node);
    list.nodes.splice(at, 1);
    list.shares.splice(at, 1);
    if (list.nodes.length === 0) lists.delete(list.token);
  }
  node.words = [];
  node.shares = [];
}

/**
 * The graph of a team in memory, each home by itself: whoever reads names the homes they may see, so that a row of another
 * person's home is not even met.
 */
export class GraphMaps {
  readonly #homes = new Map<string, HomeGraph>();
  readonly #names = new Map<number, NameNode>();
  readonly #relationships = new Map<number, RelationshipNode>();
  readonly #memories = new Map<string, MemoryNode & { names: NameNode[] }>();
  readonly #links = new Map<string, LinkRecord[]>();

  home(home: string): HomeGraph | undefined {
    return this.#homes.get(home);
  }

  /** The names that a memory mentions, in the order in which they came to be. */
  namesOf(memoryId: string): readonly NameNode[] {
    return this.#memories.get(memoryId)?.names ?? [];
  }

  linksOf(memoryId: string): readonly LinkRecord[] {
    return this.#links.get(memoryId) ?? [];
  }

  putNames(nodes: readonly StoredNode<NameRecord>[]): void {
    for (const { row, record, tokens } of nodes) {
      const known = this.#names.get(row);
      const home = this.#graphOf(record[0]);
      if (known) {
        known.type = record[5];
        removeWords(home.nameWords, known);
        addWords(home.nameWords, known, tokens);
        continue;
      }
      const name = new NameNode(row, record);
      this.#names.set(row, name);
      addTo(home.byEntity, name.entity, name);
      addTo(home.byNorm, name.norm, name);
      addTo(home.namesById, name.id, name);
      addWords(home.nameWords, name, tokens);
    }
  }

  putRelationships(nodes: readonly StoredNode<RelationshipRecord>[]): void {
    for (const { row, record, tokens } of nodes) {
      const home = this.#graphOf(record[0]);
      const known = this.#relationships.get(row);
      const relationship = known ?? new RelationshipNode(row, record);
      if (known) removeWords(home.relationshipWords, known);
      else {
        this.#relationships.set(row, relationship);
        addTo(home.relationshipsById, relationship.id, relationship);
      }
      addWords(home.relationshipWords, relationship, tokens);
    }
  }

  /** What memories contribute that contributed nothing so far; after the names and relationships. */
  add(packs: readonly MemoryPack[]): void {
    for (const [id, , expiresAt, names, relationships] of packs) {
      const memory = { id, expiresAt, names: [] as NameNode[] };
      this.#memories.set(id, memory);
      for (const [row, weight] of names) {
        const name = this.#names.get(row);
        if (!name) continue;
        name.add(memory, memory, weight);
        memory.names.push(name);
      }
      memory.names.sort((a, b) => a.row - b.row);
      for (const said of relationships) this.#relationships.get(said[0])?.add({ memory, said }, memory, said[1]);
    }
  }

  /** What they contributed, as it was added. */
  remove(packs: readonly MemoryPack[]): void {
    for (const [id, , , names, relationships] of packs) {
      const memory = this.#memories.get(id);
      if (!memory) continue;
      this.#memories.delete(id);
      for (const [row, weight] of names) {
        const name = this.#names.get(row);
        if (name && !name.remove(memory, weight)) this.#dropName(name);
      }
      for (const [row, weight] of relationships) {
        const relationship = this.#relationships.get(row);
        if (relationship && !relationship.remove(memory, weight)) this.#dropRelationship(relationship);
      }
    }
  }

  /** These are all the links from and to these memories. */
  putLinks(memoryIds: readonly string[], links: readonly LinkRecord[]): void {
    for (const id of memoryIds) {
      for (const link of this.#links.get(id) ?? []) {
        const other = link[0] === id ? link[1] : link[0];
        const rest = (this.#links.get(other) ?? []).filter((one) => one !== link);
        if (rest.length > 0) this.#links.set(other, rest);
        else this.#links.delete(other);
      }
      this.#links.delete(id);
    }
    for (const link of links) {
      addTo(this.#links, link[0], link);
      addTo(this.#links, link[1], link);
    }
  }

  #graphOf(home: string): HomeGraph {
    const known = this.#homes.get(home);
    if (known) return known;
    const made = new HomeGraph();
    this.#homes.set(home, made);
    return made;
  }

  #dropName(name: NameNode): void {
    const home = this.#graphOf(name.home);
    this.#names.delete(name.row);
    removeFrom(home.byEntity, name.entity, name);
    removeFrom(home.byNorm, name.norm, name);
    removeFrom(home.namesById, name.id, name);
    removeWords(home.nameWords, name);
  }

  #dropRelationship(relationship: RelationshipNode): void {
    const home = this.#graphOf(relationship.home);
    this.#relationships.delete(relationship.row);
    removeFrom(home.relationshipsById, relationship.id, relationship);
    removeWords(home.relationshipWords, relationship);
  }
}
