import { describe, expect, test } from "vitest";
import { heldOutPair, heldOutPairs } from "../../../src/domain/embedding/held-out-pairs.ts";
import { measuredScale } from "../../../src/domain/embedding/measured-scales.ts";
import { scaleFrom, similarityOf } from "../../../src/domain/embedding/similarity-scale.ts";
import { staticModel } from "../../../src/platform/local/static-model.ts";
import { SqueezedEmbedder } from "../../support/squeezed-embedder.ts";

const texts = (count: number, words: string) => Array.from({ length: count }, (_, n) => `${words} subject-${n}`);

async function vectors(count: number) {
  const model = new SqueezedEmbedder();
  return { queries: await model.embed(texts(count, "who knows"), "query"), passages: await model.embed(texts(count, "all about"), "passage") };
}

describe("a scale", () => {
  test("puts pairs at 1 and strangers at 0, however squeezed the cosines of the model are", async () => {
    const { queries, passages } = await vectors(40);
    const scale = scaleFrom(queries, passages);
    expect(scale).toMatchObject({ unrelated: expect.closeTo(0.6, 1), related: expect.closeTo(0.9, 1), pairs: 40 });
    const similarity = similarityOf(scale);
    expect(similarity(0.9)).toBeCloseTo(1, 1);
    expect(similarity(0.6)).toBeCloseTo(0, 1);
  });

  test("does not come of few pairs, nor of a model that tells nothing apart", async () => {
    const few = await vectors(15);
    expect(scaleFrom(few.queries, few.passages)).toBeUndefined();
    const { queries, passages } = await vectors(40);
    expect(scaleFrom(queries, [...passages.slice(1), passages[0] as Float32Array])).toBeUndefined();
  });

  test("that nobody knows makes no meaning certain, and keeps the order of the cosines", () => {
    const similarity = similarityOf(undefined);
    const rising = [0, 0.3, 0.6, 0.8, 1].map(similarity);
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    expect(similarity(1)).toBeLessThan(0.51);
    expect(similarity(0.75), "unrelated with some models").toBeLessThan(0.25);
  });

  test("comes with the built-in model as it is now; after another table run scripts/ranker/scale.ts", () => {
    const space = `workers-ai:${staticModel.name}@${staticModel.revision}:${staticModel.dimensions}`;
    expect(measuredScale(space)).toMatchObject({ pairs: expect.any(Number) });
    expect(measuredScale(`${space}#2`)).toEqual(measuredScale(space));
    expect(measuredScale("openai:constructor:4")).toBeUndefined();
  });
});

describe("a held-out pair", () => {
  test("is the first sentence that says something, and the rest", () => {
    expect(heldOutPair({ content: "Dr. Brandt runs the lab. She signs all agreements herself." })).toEqual({ query: "Dr. Brandt runs the lab.", passage: "She signs all agreements herself." });
    expect(heldOutPair({ content: "コンビニ払いは未入金が多いので十月でやめる。代わりに後払いサービスを導入する。" })?.passage).toBe("代わりに後払いサービスを導入する。");
  });

  test("of a single sentence is its summary or key, unless the sentence holds it", () => {
    expect(heldOutPair({ content: "The blue heron nests by the lake.", key: "birds.breeding-places" })).toEqual({ query: "birds breeding places", passage: "The blue heron nests by the lake." });
    expect(heldOutPair({ content: "The blue heron nests by the lake.", summary: "heron nests by the lake" })).toBeUndefined();
    expect(heldOutPair({ content: "The blue heron nests by the lake.", key: "h.1" })).toBeUndefined();
  });

  test("is spread over all texts, and none is there twice", () => {
    const sources = Array.from({ length: 300 }, (_, n) => ({ content: `Sentence ${n} asks here. The rest is number ${n}.` }));
    const pairs = heldOutPairs([...sources, ...sources], 64);
    expect(new Set(pairs.map(({ passage }) => passage)).size).toBe(64);
    expect(pairs.at(-1)?.query).toContain("29");
  });
});
