import { PackedVectors } from "./packed-vectors.ts";
import { Quantiser } from "./quantiser.ts";
import { compileFilter, indexedPart, type IndexedType } from "./vectorize-filter.ts";
import type { Metadata, StoredVector } from "./vectorize-limits.ts";

/** Vectors are kept in packs of so many, so that a namespace is read in few rows and a single write rewrites little. */
const packSize = 64;

/** Bytes of namespaces held in memory, next to the one that is asked: half of what an object may use. */
const memoryBudget = 64 * 2 ** 20;

const tables = `
  CREATE TABLE IF NOT EXISTS metadata_indexes (name TEXT PRIMARY KEY, type TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS namespaces (ns INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS classes (class INTEGER PRIMARY KEY, indexed TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS vectors (id TEXT PRIMARY KEY, ns INTEGER NOT NULL, slot INTEGER NOT NULL, norm REAL NOT NULL, metadata TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS packs (ns INTEGER NOT NULL, pack INTEGER NOT NULL, ids TEXT NOT NULL, classes BLOB NOT NULL, scales BLOB NOT NULL, codes BLOB NOT NULL, PRIMARY KEY (ns, pack));
`;

type Place = { id: string; ns: number; slot: number; norm: number; metadata: string | null };

export interface Match {
  id: string;
  score: number;
  namespace: string;
  /** The values that the metadata indexes hold. */
  indexed: Metadata;
}

/**
 * The processed contents of a Vectorize index, in SQLite: packs of quantised vectors by namespace, read when first asked for.
 */
export class VectorStore {
  readonly #sql: SqlStorage;
  readonly #quantiser: Quantiser;
  readonly #dimensions: number;
  readonly #indexes = new Map<string, IndexedType>();
  readonly #namespaces = new Map<string, number>();
  readonly #classes = new Map<string, number>();
  readonly #indexed: Record<string, string | number | boolean>[] = [];
  /** The one used last comes last. */
  readonly #loaded = new Map<number, PackedVectors>();

  constructor(sql: SqlStorage, dimensions: number, indexes: Readonly<Record<string, IndexedType>>) {
    this.#sql = sql;
    this.#dimensions = dimensions;
    this.#quantiser = new Quantiser(dimensions);
    sql.exec(tables);
    for (const [name, type] of Object.entries(indexes)) sql.exec("INSERT INTO metadata_indexes VALUES (?, ?) ON CONFLICT DO NOTHING", name, type);
    for (const { name, type } of sql.exec<{ name: string; type: string }>("SELECT name, type FROM metadata_indexes")) this.#indexes.set(name, type as IndexedType);
    for (const { ns, name } of sql.exec<{ ns: number; name: string }>("SELECT ns, name FROM namespaces")) this.#namespaces.set(name, ns);
    for (const row of sql.exec<{ class: number; indexed: string }>("SELECT class, indexed FROM classes")) this.#learn(row.class, row.indexed);
  }

  get count(): number {
    return this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM vectors").one().n;
  }

  get indexes(): ReadonlyMap<string, IndexedType> {
    return this.#indexes;
  }

  /** Within a transaction of the caller, who drops this object when it fails. */
  put(vectors: StoredVector[], replace: boolean): void {
    const touched = new Map<number, Set<number>>();
    for (const { id, values, namespace = "", metadata } of vectors) {
      const before = this.#place(id);
      if (before && !replace) continue;
      const ns = this.#namespace(namespace);
      if (before && before.ns !== ns) this.#take(before, touched);
      const classNumber = this.#classOf(metadata);
      const packed = this.#load(ns);
      let slot = before?.slot;
      if (before?.ns === ns) packed.set(before.slot, values, classNumber);
      else slot = packed.add(id, values, classNumber);
      this.#sql.exec(
        "INSERT INTO vectors (id, ns, slot, norm, metadata) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET ns = excluded.ns, slot = excluded.slot, norm = excluded.norm, metadata = excluded.metadata",
        id, ns, slot as number, norm(values), metadata === undefined ? null : JSON.stringify(metadata),
      );
      touch(touched, ns, slot as number);
    }
    this.#write(touched);
  }

  remove(ids: string[]): void {
    const touched = new Map<number, Set<number>>();
    for (const id of ids) {
      const place = this.#place(id);
      if (!place) continue;
      this.#take(place, touched);
      this.#sql.exec("DELETE FROM vectors WHERE id = ?", id);
    }
    this.#write(touched);
  }

  search(values: ArrayLike<number>, options: { namespace: string | undefined; filter: VectorizeVectorMetadataFilter | undefined; topK: number }): Match[] {
    const allowed = new Uint8Array(this.#indexed.length);
    const passes = compileFilter(options.filter ?? {}, this.#indexes);
    for (const [number, indexed] of this.#indexed.entries()) if (indexed && passes(indexed)) allowed[number] = 1;
    const { namespace: only } = options;
    const matches = [...this.#namespaces].filter(([name]) => only === undefined || name === only).flatMap(([name, ns]) => {
      const packed = this.#load(ns);
      return packed.search(values, allowed, options.topK).map(({ item, score }): Match => ({
        id: packed.ids[item] as string, score, namespace: name, indexed: this.#indexed[packed.classes[item] as number] ?? {},
      }));
    });
    return matches.sort((a, b) => b.score - a.score).slice(0, options.topK);
  }

  get(id: string): (Required<Omit<StoredVector, "metadata">> & { metadata: Metadata | undefined }) | undefined {
    const place = this.#place(id);
    if (!place) return undefined;
    const { name } = this.#sql.exec<{ name: string }>("SELECT name FROM namespaces WHERE ns = ?", place.ns).one();
    const values = this.#load(place.ns).valuesAt(place.slot, this.#dimensions).map((value) => value * place.norm);
    return { id, namespace: name, values, metadata: place.metadata === null ? undefined : (JSON.parse(place.metadata) as Metadata) };
  }

  #place(id: string): Place | undefined {
    return this.#sql.exec<Place>("SELECT id, ns, slot, norm, metadata FROM vectors WHERE id = ?", id).toArray()[0];
  }

  #take({ ns, slot }: Place, touched: Map<number, Set<number>>): void {
    this.#load(ns).remove(slot);
    touch(touched, ns, slot);
  }

  #namespace(name: string): number {
    const known = this.#namespaces.get(name);
    if (known !== undefined) return known;
    const added = this.#sql.exec<{ ns: number }>("INSERT INTO namespaces (name) VALUES (?) RETURNING ns", name).one().ns;
    this.#namespaces.set(name, added);
    return added;
  }

  #classOf(metadata: Metadata | undefined): number {
    const indexed = JSON.stringify(indexedPart(metadata, this.#indexes));
    const known = this.#classes.get(indexed);
    if (known !== undefined) return known;
    const added = this.#sql.exec<{ class: number }>("INSERT INTO classes (indexed) VALUES (?) RETURNING class", indexed).one().class;
    this.#learn(added, indexed);
    return added;
  }

  #learn(number: number, indexed: string): void {
    this.#classes.set(indexed, number);
    this.#indexed[number] = JSON.parse(indexed) as Record<string, string>;
  }

  #load(ns: number): PackedVectors {
    const packed = this.#loaded.get(ns) ?? this.#read(ns);
    this.#loaded.delete(ns);
    this.#loaded.set(ns, packed);
    let bytes = [...this.#loaded.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [other, { bytes: freed }] of this.#loaded) {
      if (bytes <= memoryBudget || other === ns) break;
      this.#loaded.delete(other);
      bytes -= freed;
    }
    return packed;
  }

  #read(ns: number): PackedVectors {
    const { width } = this.#quantiser;
    const packs = this.#sql.exec<{ n: number }>("SELECT coalesce(max(pack) + 1, 0) AS n FROM packs WHERE ns = ?", ns).one().n;
    const packed = new PackedVectors(this.#quantiser, Math.max(1, packs) * packSize);
    for (const row of this.#sql.exec<{ pack: number; ids: string; classes: ArrayBuffer; scales: ArrayBuffer; codes: ArrayBuffer }>("SELECT * FROM packs WHERE ns = ?", ns)) {
      for (const [at, id] of (JSON.parse(row.ids) as string[]).entries()) packed.ids[row.pack * packSize + at] = id;
      packed.classes.set(new Uint32Array(row.classes), row.pack * packSize);
      packed.scales.set(new Float32Array(row.scales), row.pack * packSize);
      packed.codes.set(new Int16Array(row.codes), row.pack * packSize * width);
    }
    packed.adopt(packs * packSize);
    return packed;
  }

  #write(touched: Map<number, Set<number>>): void {
    const { width } = this.#quantiser;
    for (const [ns, packs] of touched) {
      const packed = this.#load(ns);
      for (const pack of packs) {
        const [from, to] = [pack * packSize, Math.min((pack + 1) * packSize, packed.length)];
        this.#sql.exec(
          "INSERT OR REPLACE INTO packs (ns, pack, ids, classes, scales, codes) VALUES (?, ?, ?, ?, ?, ?)",
          ns, pack, JSON.stringify(packed.ids.slice(from, to)), packed.classes.slice(from, to).buffer, packed.scales.slice(from, to).buffer, packed.codes.slice(from * width, to * width).buffer,
        );
      }
    }
  }
}

function touch(touched: Map<number, Set<number>>, ns: number, slot: number): void {
  const packs = touched.get(ns) ?? new Set();
  packs.add(Math.floor(slot / packSize));
  touched.set(ns, packs);
}

function norm(values: ArrayLike<number>): number {
  let square = 0;
  for (let at = 0; at < values.length; at += 1) square += (values[at] as number) ** 2;
  return Math.sqrt(square);
}
