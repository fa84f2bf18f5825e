import { runInDurableObject, env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { exactLimit, PackedVectors } from "../../../src/platform/local/packed-vectors.ts";
import { Quantiser } from "../../../src/platform/local/quantiser.ts";
import { VectorStore } from "../../../src/platform/local/vector-store.ts";
import { clusters } from "./clusters.ts";

const everything = new Uint8Array([0, 1]);

function exact(vectors: Float32Array[], query: Float32Array, limit: number): number[] {
  const cosine = vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (query[at] as number), 0));
  return [...cosine.keys()].sort((a, b) => (cosine[b] as number) - (cosine[a] as number)).slice(0, limit);
}

function recall(vectors: Float32Array[], queries: Float32Array[]): number {
  const packed = new PackedVectors(new Quantiser(queries[0]?.length ?? 0));
  for (const vector of vectors) packed.add("", vector, 1);
  const shares = queries.map((query) => {
    const found = new Set(packed.search(query, everything, 10).map(({ item }) => item));
    return exact(vectors, query, 10).filter((item) => found.has(item)).length / 10;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

describe("search", () => {
  test.each([100, 256, 384])("is exact while the vectors of %d dimensions are few", (dimensions) => {
    const sample = clusters({ dimensions, clusters: 50 });
    expect(recall(sample(exactLimit / 2), sample(10))).toBe(1);
  });

  test("finds at least 97 of the 100 nearest of many", { timeout: 60_000 }, () => {
    const sample = clusters({ dimensions: 256, clusters: 200 });
    expect(recall(sample(30_000), sample(20))).toBeGreaterThanOrEqual(0.97);
  });

  test("is exact among the few of a class, however many others there are", () => {
    const sample = clusters({ dimensions: 256, clusters: 50 });
    const packed = new PackedVectors(new Quantiser(256));
    for (const vector of sample(exactLimit * 3)) packed.add("other", vector, 1);
    const few = sample(200);
    const slots = few.map((vector) => packed.add("one", vector, 2));
    for (const query of sample(10)) {
      const found = packed.search(query, new Uint8Array([0, 0, 1]), 10).map(({ item }) => slots.indexOf(item));
      expect(found).toEqual(exact(few, query, 10));
    }
  });

  test("never finds what was removed or is not allowed, among few and many", () => {
    const sample = clusters({ dimensions: 64, clusters: 10 });
    const packed = new PackedVectors(new Quantiser(64));
    const [query] = sample(1) as [Float32Array];
    // Which vector a slot holds: what was removed makes room for another one.
    const holder = new Map<number, number>();
    for (const [at, vector] of sample(exactLimit * 2).entries()) {
      const slot = packed.add("", vector, 1 + (at % 2));
      holder.set(slot, at);
      if (at % 4 === 0) packed.remove(slot);
      if (at !== 1_000 && at < exactLimit * 2 - 1) continue;
      const found = packed.search(query, new Uint8Array([0, 1, 0]), 50).map(({ item }) => holder.get(item) as number);
      expect(found).toHaveLength(50);
      expect(found.filter((one) => one % 4 !== 2)).toEqual([]);
    }
  });
});

test("a store that is opened again answers the same, with free places filled", async () => {
  await runInDurableObject(env.TEAM_INDEX.getByName(`team:${crypto.randomUUID()}`), (_, { storage }) => {
    const open = (): VectorStore => new VectorStore(storage.sql, 16, { kind: "string" });
    const sample = clusters({ dimensions: 16, clusters: 5 });
    const vectors = sample(300).map((values, n) => ({ id: `v${n}`, namespace: n % 3 === 0 ? "a" : "b", values, metadata: { kind: n % 2 === 0 ? "even" : "odd" } }));
    const [query] = sample(1) as [Float32Array];
    const look = (store: VectorStore) => store.search(query, { namespace: "a", filter: { kind: "even" }, topK: 20 }).map(({ id, score }) => [id, score]);
    const store = open();
    store.put(vectors, true);
    store.remove(vectors.slice(0, 120).map(({ id }) => id));
    store.put(vectors.slice(0, 60), true);
    expect(look(open())).toEqual(look(store));
    expect(look(store).length).toBe(20);
    expect(open().count).toBe(240);
    const kept = Array.from(open().get("v0")?.values ?? []);
    expect(kept).toEqual([...(vectors[0]?.values ?? [])].map((value) => expect.closeTo(value, 3)));
  });
});

test("only vectors upserted after a metadata index was made are found by it", async () => {
  await runInDurableObject(env.TEAM_INDEX.getByName(`team:${crypto.randomUUID()}`), (_, { storage }) => {
    const values = [1, 0, 0, 0];
    const early = new VectorStore(storage.sql, 4, {});
    early.put([{ id: "early", values, metadata: { kind: "memory" } }], true);
    const later = new VectorStore(storage.sql, 4, { kind: "string" });
    later.put([{ id: "late", values, metadata: { kind: "memory" } }], true);
    const found = later.search(values, { namespace: undefined, filter: { kind: "memory" }, topK: 5 }).map(({ id }) => id);
    expect(found).toEqual(["late"]);
  });
});
