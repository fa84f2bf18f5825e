import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";

const index = env.VECTORIZE_SMALL;
const values = [1, 0, 0, 0, 0, 0, 0, 0];
const vector = (fields: Partial<VectorizeVector> = {}): VectorizeVector => ({ id: crypto.randomUUID(), values, ...fields });
const many = (count: number): VectorizeVector[] => Array.from({ length: count }, () => vector());
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `none-${n}`);
const ask = (options: VectorizeQueryOptions) => (): Promise<unknown> => index.query(values, options);
const write = (...vectors: VectorizeVector[]) => (): Promise<unknown> => index.upsert(vectors);
/** JSON of `{"kind":{"$in":["…"]}}` with so many bytes. */
const filterOf = (bytes: number): VectorizeVectorMetadataFilter => ({ kind: { $in: ["x".repeat(bytes - `{"kind":{"$in":[""]}}`.length)] } });

const rows: [what: string, allowed: () => Promise<unknown>, refused: () => Promise<unknown>, message: RegExp][] = [
  ["vectors in one call", () => index.upsert(many(1_000)), () => index.upsert(many(1_001)), /too many vectors/],
  ["vectors in one insert", () => index.insert(many(1_000)), () => index.insert(many(1_001)), /too many vectors/],
  ["dimensions written", write(vector()), write(vector({ values: [1, 0] })), /expected 8 dimensions, and got 2/],
  ["dimensions asked for", ask({}), () => index.query([1, 0], {}), /expected 8 dimensions, and got 2/],
  ["numbers", write(vector()), write(vector({ values: [Number.NaN, ...values.slice(1)] })), /not a number/],
  ["bytes of an id", write(vector({ id: "é".repeat(32) })), write(vector({ id: `${"é".repeat(32)}x` })), /vector id .* 1 to 64 bytes/],
  ["an id at all", write(vector({ id: "x" })), write(vector({ id: "" })), /vector id/],
  ["bytes of a namespace", write(vector({ namespace: "n".repeat(64) })), write(vector({ namespace: "n".repeat(65) })), /namespace .* 1 to 64 bytes/],
  ["bytes of metadata", write(vector({ metadata: { a: "x".repeat(10_232) } })), write(vector({ metadata: { a: "x".repeat(10_233) } })), /10241 bytes, at most 10240/],
  ["results", ask({ topK: 100 }), ask({ topK: 101 }), /topK is 101, must be from 1 to 100/],
  ["results with indexed metadata", ask({ topK: 100, returnMetadata: "indexed" }), ask({ topK: 0, returnMetadata: "indexed" }), /topK is 0/],
  ["results with values", ask({ topK: 50, returnValues: true }), ask({ topK: 51, returnValues: true }), /from 1 to 50 with values/],
  ["results with metadata", ask({ topK: 50, returnMetadata: "all" }), ask({ topK: 51, returnMetadata: "all" }), /from 1 to 50 with values/],
  ["bytes of a filter", ask({ filter: filterOf(2_047) }), ask({ filter: filterOf(2_048) }), /filter has 2048 bytes/],
  ["fields of a filter", ask({ filter: { kind: "memory" } }), ask({ filter: { version: 1 } }), /no metadata index on "version"/],
  ["operators", ask({ filter: { kind: { $nin: ["x"] } } }), ask({ filter: { kind: { $like: "x" } } as never }), /unknown operator \$like/],
  ["ids read in one call", () => index.getByIds(ids(20)), () => index.getByIds(ids(21)), /max id count is 20, got 21/],
  ["ids deleted in one call", () => index.deleteByIds(ids(100)), () => index.deleteByIds(ids(101)), /max id count is 100, got 101/],
];

test.each(rows)("the limit of %s", async (_what, allowed, refused, message) => {
  await expect((async () => void (await allowed()))()).resolves.toBeUndefined();
  await expect((async () => void (await refused()))()).rejects.toThrow(message);
});

describe("filters", () => {
  const namespace = crypto.randomUUID();
  const cases: [filter: VectorizeVectorMetadataFilter, found: string[]][] = [
    [{}, ["ada", "bob", "none"]],
    [{ audience: "ada" }, ["ada"]],
    [{ audience: { $eq: "ada" } }, ["ada"]],
    [{ audience: { $ne: "ada" } }, ["bob"]],
    [{ audience: { $in: ["ada", "bob"] } }, ["ada", "bob"]],
    [{ audience: { $nin: ["ada"] } }, ["bob"]],
    [{ audience: { $lt: "bob" } }, ["ada"]],
    [{ audience: { $lte: "bob" } }, ["ada", "bob"]],
    [{ audience: { $gt: "ada" } }, ["bob"]],
    [{ audience: { $gte: "ada", $lt: "b" } }, ["ada"]],
    [{ audience: { $in: ["ada", "bob"] }, kind: "memory" }, ["ada"]],
    [{ audience: 1 }, []],
  ];
  test.each(cases)("%j", async (filter, found) => {
    await index.upsert([
      vector({ id: `${namespace}ada`, namespace, metadata: { audience: "ada", kind: "memory" } }),
      vector({ id: `${namespace}bob`, namespace, metadata: { audience: "bob", kind: "entity" } }),
      vector({ id: `${namespace}none`, namespace }),
    ]);
    const { matches } = await index.query(values, { namespace, filter });
    expect(matches.map(({ id }) => id.replace(namespace, "")).sort()).toEqual(found);
  });

  test("text is told apart by its first 64 bytes", async () => {
    const long = "x".repeat(64);
    await index.upsert([vector({ id: long, namespace, metadata: { audience: `${long}1` } })]);
    expect((await index.query(values, { namespace, filter: { audience: `${long}2` } })).matches).toHaveLength(1);
  });
});

describe("what comes back", () => {
  const namespace = crypto.randomUUID();
  const id = `${namespace}-one`;
  const metadata = { audience: "ada", kind: "memory", version: 3 };

  test("as much as was asked for, and of a vector that is there already only with upsert another one", async () => {
    await index.upsert([vector({ id, namespace, metadata, values: [3, 4, 0, 0, 0, 0, 0, 0] })]);
    await index.insert([vector({ id, namespace })]);
    const one = async (options: VectorizeQueryOptions) => (await index.query(values, { namespace, ...options })).matches[0];
    expect(await one({})).toEqual({ id, namespace, score: expect.closeTo(0.6, 4) });
    expect(await one({ returnMetadata: "indexed" })).toMatchObject({ metadata: { audience: "ada", kind: "memory" } });
    expect((await one({ returnMetadata: "indexed" }))?.metadata).not.toHaveProperty("version");
    expect(await one({ returnMetadata: "all" })).toMatchObject({ metadata });
    expect(Array.from((await one({ returnValues: true }))?.values ?? [])).toEqual([3, 4, 0, 0, 0, 0, 0, 0].map((value) => expect.closeTo(value, 3)));
    expect(await index.getByIds([id, "none"])).toMatchObject([{ id, namespace, metadata }]);
    expect((await index.queryById(id, { namespace })).matches).toMatchObject([{ id, score: expect.closeTo(1, 4) }]);
    expect((await index.describe()).dimensions).toBe(8);
  });

  test("a vector moves when it is given another namespace, and is gone when it is deleted", async () => {
    const elsewhere = crypto.randomUUID();
    await index.upsert([vector({ id, namespace: elsewhere })]);
    expect((await index.query(values, { namespace })).matches).toEqual([]);
    expect((await index.query(values, { namespace: elsewhere })).matches).toHaveLength(1);
    await index.deleteByIds([id]);
    expect((await index.query(values, { namespace: elsewhere })).matches).toEqual([]);
  });

  test("changes show in their order once the delay has passed", async () => {
    const slow = env.VECTORIZE_SLOW;
    const before = (await slow.describe()).processedUpToMutation;
    await slow.upsert([vector({ id, namespace })]);
    const { mutationId } = await slow.deleteByIds([id]);
    await slow.upsert([vector({ id: `${id}2`, namespace })]);
    expect((await slow.describe()).processedUpToMutation).toBe(before);
    expect((await slow.query(values, { namespace })).matches).toEqual([]);
    await expect.poll(async () => (await slow.query(values, { namespace })).matches.map((match) => match.id)).toEqual([`${id}2`]);
    expect((await slow.describe()).processedUpToMutation).not.toBe(mutationId);
  });
});
