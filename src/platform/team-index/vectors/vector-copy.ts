import type { VectorKind } from "../../../domain/embedding/vector-index.ts";
import { type ParsedVectorId, parseVectorId } from "../../vectorize/vector-ids.ts";
import { budgetBytes, excess, mostBudgets, oldestOf } from "./eviction.ts";
import { uuidOf, wordsOf } from "./id-lookup.ts";
import { groupsOf, joined } from "./pack.ts";
import { LoadedSpace } from "./loaded-space.ts";
import { VectorClasses } from "./vector-classes.ts";
import { packSize, type SpaceRef, type SpaceRow, VectorTables } from "./vector-tables.ts";

/** A vector that Vectorize was given, or is about to be. */
export interface CopiedVector {
  /** Id in Vectorize. */
  id: string;
  kind: string;
  /** "team", or the user id of the one person who may see it. */
  audience: string;
  teamId: string;
  shard: string;
  version: number;
  /** Unit vector. */
  values: Float32Array;
}

export interface NearQuery {
  /** `markOf` the space. */
  mark: string;
  /** Unit vector. */
  values: Float32Array;
  kinds: VectorKind[];
  /** Only these; anybody's when left out. */
  audiences?: string[];
  /** Leave out what belongs to this team. */
  exceptTeam?: string;
  /** Limit for each kind. */
  limit: number;
}

export interface NearHit {
  kind: VectorKind;
  /** Of the memory, entity or relationship. */
  id: string;
  teamId: string;
  shard: string;
  version: number;
  /** Cosine, of the codes: off by .0007 at 192 dimensions (standard deviation). To compare the best by their exact values changed no figure of the evaluations. */
  similarity: number;
}

export interface Near {
  /** Best first. */
  hits: NearHit[];
  /** The copy holds every vector of the space: Vectorize need not be asked. */
  complete: boolean;
}

export interface VectorCopyOptions {
  /** Whether everything that the truth had of the object's teams was put. */
  isFilled: () => boolean;
  /** Bytes of codes. */
  budget?: number;
}

/** A cosine: the product of two codes may be a little more. */
const bounded = (product: number): number => Math.max(-1, Math.min(1, product));

/**
 * The object's copy of its team's vectors, or of the public ones of its organization: codes, which are in memory for scanning. Vectorize has all vectors; beyond the memory budget it alone has the oldest. Changes belong in the
 * caller's transaction; `forget` drops what is in memory when that was rolled back.
 */
export class VectorCopy {
  readonly #tables: VectorTables;
  readonly #isFilled: () => boolean;
  readonly #budget: number;
  readonly #classes: VectorClasses;
  /** By mark. */
  #spaces: Map<string, SpaceRow>;
  readonly #loaded = new Map<string, LoadedSpace>();
  /** How many vectors there are in a space that is not loaded. */
  readonly #unloaded = new Map<string, number>();
  /** Grows with every removal, so that whoever reads vectors elsewhere meanwhile sees that one may be gone. */
  removals = 0;

  constructor(sql: SqlStorage, { isFilled, budget = budgetBytes }: VectorCopyOptions) {
    this.#tables = new VectorTables(sql);
    this.#isFilled = isFilled;
    this.#budget = budget;
    this.#classes = new VectorClasses(this.#tables);
    this.#spaces = this.#readSpaces();
  }

  /**
   * Answers which were left out because a newer version is held. `fill`: the vectors were read from the truth, where what is held in
   * the same version is no older.
   */
  put(ref: SpaceRef, vectors: CopiedVector[], now: number, { fill = false } = {}): { outdated: string[] } {
    const space = this.#load(this.#spaceOf(ref));
    const outdated: string[] = [];
    for (const { id: name, version, values, ...fields } of vectors) {
      const { kind, id, team } = parseVectorId(name);
      if (values.length !== space.row.dimensions) throw new Error(`The space ${ref.mark} has ${space.row.dimensions} dimensions, not ${values.length}`);
      const classNumber = this.#classes.numberOf({ kind, audience: fields.audience, teamId: fields.teamId, shard: fields.shard, digest: team ?? "" });
      const words = wordsOf(id);
      const before = space.slots.find(this.#classes.familyOf(classNumber), words);
      const held = before === undefined ? -1 : (space.slots.versions[before] as number);
      if (held > version || (fill && held === version)) {
        outdated.push(name);
        continue;
      }
      if (before !== undefined) space.remove([before]);
      space.add({ id: words, classNumber, version, at: Math.floor(now / 1_000) }, values);
    }
    space.pack();
    this.#shrink(now);
    return { outdated };
  }

  /** By their ids in Vectorize. */
  remove(names: readonly string[]): void {
    this.removals += 1;
    for (const [mark, named] of Map.groupBy(names.map(parseVectorId), (name) => name.mark)) {
      const row = this.#spaces.get(mark);
      const space = row && this.#load(row);
      if (space) space.remove([...new Set(named.flatMap((name) => this.#find(space, name) ?? []))]);
    }
  }

  /** The vectors of these memories, up to the versions that are named. */
  removeMemories(teamId: string, memories: readonly { id: string; version?: number }[]): void {
    if (memories.length === 0) return;
    this.removals += 1;
    this.removeVersions(teamId, memories);
  }

  /** The same, of what a fill leaves out by itself. */
  removeVersions(teamId: string, memories: readonly { id: string; version?: number }[]): void {
    for (const { space, slots } of this.#memoriesIn(teamId, memories)) space.remove([...new Set(slots.map(({ slot }) => slot))]);
  }

  /** Of the memories' versions, up to those that are named, the ones that have vectors here. */
  versionsOf(teamId: string, memories: readonly { id: string; version: number }[]): { id: string; version: number }[] {
    if (memories.length === 0) return [];
    return this.#memoriesIn(teamId, memories).flatMap(({ space, slots }) => slots.map(({ id, slot }) => ({ id, version: space.slots.versions[slot] as number })));
  }

  removeTeam(teamId: string): void {
    this.removals += 1;
    for (const space of this.#all()) {
      space.remove(space.slots.where((classNumber) => this.#classes.at(classNumber).teamId === teamId));
    }
  }

  /** The nearest of each kind. What they belong to is for the caller to check: a vector may be older than the truth. */
  near({ mark, values, kinds, audiences, exceptTeam, limit }: NearQuery): Near {
    const row = this.#spaces.get(mark);
    if (!row || row.dimensions !== values.length) return { hits: [], complete: this.complete(mark) };
    const space = this.#load(row);
    const groups = this.#classes.groups(kinds, ({ teamId, audience }) => teamId !== exceptTeam && (!audiences || audiences.includes(audience)));
    const nearest = space.slots.nearest(values, groups, kinds.length, limit).flat();
    const { seqs, classes, versions, ids } = space.slots;
    nearest.sort((a, b) => b.score - a.score || (seqs[b.slot] as number) - (seqs[a.slot] as number));
    const hits = nearest.map(({ slot, score }): NearHit => {
      const { kind, teamId, shard } = this.#classes.at(classes[slot] as number);
      return { kind: kind as VectorKind, id: uuidOf(ids, slot), teamId, shard, version: versions[slot] as number, similarity: bounded(score) };
    });
    return { hits, complete: this.complete(mark) };
  }

  /** Cosines of the team's memories, of those that are held. */
  similarities(mark: string, values: Float32Array, teamId: string, memoryIds: readonly string[]): Map<string, number> {
    const row = this.#spaces.get(mark);
    if (!row || row.dimensions !== values.length) return new Map();
    const space = this.#load(row);
    const families = this.#classes.memoryFamilies(teamId);
    const held = memoryIds.flatMap((id) => {
      const words = wordsOf(id);
      const slot = families.map((family) => space.slots.find(family, words)).find((one) => one !== undefined);
      return slot === undefined ? [] : [{ id, slot }];
    });
    const products = space.slots.products(values, held.map(({ slot }) => slot));
    return new Map(held.map(({ id }, i) => [id, bounded(products[i] as number)]));
  }

  /** Those of the ids in Vectorize that are held, with the time of writing, ms since the epoch. */
  held(names: readonly string[]): { id: string; at: number }[] {
    return names.flatMap((name) => {
      const parsed = parseVectorId(name);
      const row = this.#spaces.get(parsed.mark);
      const space = row && this.#load(row);
      if (!space) return [];
      const slot = this.#find(space, parsed);
      return slot === undefined ? [] : [{ id: name, at: (space.slots.times[slot] as number) * 1_000 }];
    });
  }

  /** All spaces that ever had vectors here: where a removal has to look. */
  spaces(): SpaceRef[] {
    return [...this.#spaces.values()].map(({ mark, dimensions }) => ({ mark, dimensions }));
  }

  complete(mark: string): boolean {
    return !this.isEvicted(mark) && this.#isFilled();
  }

  /** Whether Vectorize has vectors of the space that the budget has no room for. */
  isEvicted(mark: string): boolean {
    return this.#spaces.get(mark)?.evicted === 1;
  }

  get isAnyEvicted(): boolean {
    return [...this.#spaces.values()].some(({ evicted }) => evicted === 1);
  }

  /** Vectors and the memory that their codes take, of all spaces. */
  size(): { vectors: number; bytes: number } {
    const vectors = [...this.#spaces.values()].reduce((sum, row) => sum + this.#count(row), 0);
    return { vectors, bytes: this.#bytes() };
  }

  /** Notes that Vectorize has vectors of the space which are not held, or that it has no such any more. */
  noteEvicted(mark: string, evicted: boolean): void {
    const row = this.#spaces.get(mark);
    if (!row) return;
    row.evicted = evicted ? 1 : 0;
    this.#tables.noteEvicted(row.space, evicted);
  }

  get upkeepDue(): boolean {
    return this.#tables.anyGone();
  }

  /**
   * Writes packs anew without what is gone: all of them to purge, otherwise those of which a quarter is gone; and joins small ones.
   * Each pack in a transaction of its own.
   */
  maintain(atomically: (work: () => void) => void, { purge }: { purge: boolean }): void {
    for (const { space } of this.#spaces.values()) {
      for (const packs of groupsOf(this.#tables.packHeads(space), packSize)) {
        const isDue = packs.length > 1 || packs.some(({ gone, count }) => gone > (purge ? 0 : count / 4));
        if (isDue) atomically(() => this.#rewrite(space, packs));
      }
    }
  }

  /** Drops what is in memory; it is read again when needed. */
  forget(): void {
    this.#loaded.clear();
    this.#unloaded.clear();
    this.#spaces = this.#readSpaces();
    this.#classes.read();
  }

  #memoriesIn(teamId: string, memories: readonly { id: string; version?: number }[]): { space: LoadedSpace; slots: { id: string; slot: number }[] }[] {
    const families = this.#classes.memoryFamilies(teamId);
    return this.#all().map((space) => ({
      space,
      slots: memories.flatMap(({ id, version = Infinity }) => {
        const words = wordsOf(id);
        const found = families.flatMap((family) => space.slots.find(family, words) ?? []);
        return found.filter((slot) => (space.slots.versions[slot] as number) <= version).map((slot) => ({ id, slot }));
      }),
    }));
  }

  #find(space: LoadedSpace, { kind, id, team = "" }: ParsedVectorId): number | undefined {
    const family = this.#classes.familyNamed(kind, team);
    return family === undefined ? undefined : space.slots.find(family, wordsOf(id));
  }

  /** Evicts the oldest beyond the budget. @throws when the young ones alone are far beyond it */
  #shrink(now: number): void {
    for (const space of this.#bytes() > this.#budget ? this.#all() : []) {
      const evicted = oldestOf(space.slots, excess(this.#bytes(), this.#budget, space.row.dimensions), now, (classNumber) => this.#classes.at(classNumber).kind === "memory");
      if (evicted.length === 0) continue;
      space.remove(evicted);
      this.noteEvicted(space.row.mark, true);
    }
    if (this.#bytes() > mostBudgets * this.#budget) throw new Error("Too many vectors were written within minutes; the object takes more when Vectorize shows these");
  }

  #bytes(): number {
    return [...this.#spaces.values()].reduce((sum, row) => sum + this.#count(row) * row.dimensions, 0);
  }

  #count(row: SpaceRow): number {
    const counted = this.#loaded.get(row.mark)?.slots.count ?? this.#unloaded.get(row.mark) ?? this.#tables.count(row.space);
    // A space that is not loaded does not change.
    this.#unloaded.set(row.mark, counted);
    return counted;
  }

  #rewrite(space: number, packs: { pack: number; first: number; last: number }[]): void {
    const gone = this.#tables.gone(space);
    const live = joined(packs.map(({ pack }) => this.#tables.pack(pack)), (seq) => gone.has(seq));
    for (const { pack } of packs) this.#tables.dropPack(pack);
    const [first, last] = [packs[0]?.first ?? 0, packs.at(-1)?.last ?? 0];
    if (live.count > 0) this.#tables.addPack(space, last, live);
    this.#tables.forgetGone(space, first, last);
  }

  #all(): LoadedSpace[] {
    return [...this.#spaces.values()].map((row) => this.#load(row));
  }

  #load(row: SpaceRow): LoadedSpace {
    const known = this.#loaded.get(row.mark);
    if (known) return known;
    const loaded = new LoadedSpace(this.#tables, this.#classes, row);
    this.#loaded.set(row.mark, loaded);
    return loaded;
  }

  #spaceOf(ref: SpaceRef): SpaceRow {
    const known = this.#spaces.get(ref.mark);
    if (known) return known;
    this.#tables.addSpace(ref);
    const added = this.#readSpaces().get(ref.mark) as SpaceRow;
    this.#spaces.set(ref.mark, added);
    return added;
  }

  #readSpaces(): Map<string, SpaceRow> {
    return new Map(this.#tables.spaces().map((row) => [row.mark, row]));
  }
}
