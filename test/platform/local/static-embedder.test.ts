import { createExecutionContext, env } from "cloudflare:test";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { workersAiModel } from "../../../src/platform/ai/workers-ai-models.ts";
import { WorkersAiEmbedder } from "../../../src/platform/ai/workers-ai-embedder.ts";
import { AiEmulator } from "../../../src/platform/local/ai.ts";
import { StaticEmbedder } from "../../../src/platform/local/static-embedder.ts";
import model from "../../../src/platform/local/static-model.bin";
import { staticModel } from "../../../src/platform/local/static-model.ts";

const embedder = new StaticEmbedder(model);
const similarity = (a: string, b: string): number => {
  const other = embedder.embed(b);
  return embedder.embed(a).reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
};

describe("the built-in embedder", () => {
  test("mostly finds the answer that shares no word with the question", () => {
    const pairs = [
      ["where did she go on holiday", "We travelled to Italy last summer"],
      ["what is the dog called", "My puppy goes by Biscuit"],
      ["which database do we use", "Storage runs PostgreSQL with a read replica"],
      ["how do I sign in", "Authentication asks for an email and a password"],
      ["what does he do for work", "His job: teaching chemistry at a school"],
      ["which music does she play", "Her instrument was a violin in an orchestra"],
      ["what did they eat", "Dinner was pizza and a salad"],
      ["is he ill", "The doctor sent my brother to a hospital"],
    ] as const;
    const found = pairs.filter(([question, answer]) => pairs.every(([, other]) => other === answer || similarity(question, answer) > similarity(question, other)));
    // By chance it would be one.
    expect(found.length).toBeGreaterThanOrEqual(6);
  });

  test("knows words by their spelling when it does not know them", () => {
    expect(similarity("zqxflorbnator", "zqxflorbnators")).toBeGreaterThan(similarity("zqxflorbnator", "wuvmikkelhope") + 0.3);
    expect(similarity("deploy zqxflorbnator", "zqxflorbnator was deployed")).toBeGreaterThan(similarity("deploy wuvmikkelhope", "zqxflorbnator was deployed"));
  });

  test("sees the words inside identifiers, whatever their case", () => {
    expect(similarity("getUserPassword", "get user password")).toBeGreaterThan(0.7);
    expect(similarity("USER_PASSWORD", "user password")).toBeCloseTo(1, 5);
  });

  test("makes a unit vector of anything, the same each time", () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.lorem(), fc.constantFrom("", " ", "🧠", "漢字", "\ud800", "!!!", "\n".repeat(1_000)));
    fc.assert(
      fc.property(text, (value) => {
        const vector = embedder.embed(value);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
        expect(embedder.embed(value)).toEqual(vector);
      }),
      { numRuns: 300 },
    );
  });

  test("belongs to the table that its revision names", async () => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", model));
    expect([...digest.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(staticModel.revision);
    expect(embedder.dimensions).toBe(staticModel.dimensions);
  });

  test("refuses a damaged table", () => {
    expect(() => new StaticEmbedder(model.slice(0, -1))).toThrow("damaged");
    expect(() => new StaticEmbedder(new ArrayBuffer(64))).toThrow("damaged");
  });
});

describe("the stand-in of the AI binding", () => {
  const ai = new AiEmulator(createExecutionContext(), env);
  const { name } = staticModel;

  test("serves the embedder of the product", async () => {
    const known = workersAiModel(name);
    if (!known) throw new Error("unknown model");
    const vectors = await new WorkersAiEmbedder(ai, known).embed(["a cat", "a dog"], "passage");
    expect(vectors).toHaveLength(2);
    expect(vectors[0]?.[0]).toBeCloseTo(embedder.embed("a cat")[0] ?? 0, 5);
  });

  test("answers in the form of Workers AI", async () => {
    const { shape, data } = await ai.run(name, { text: "one" });
    expect(shape).toEqual([1, staticModel.dimensions]);
    expect(data).toHaveLength(1);
  });

  test("refuses as Workers AI does", async () => {
    await expect(ai.run("@cf/baai/bge-m3", { text: ["a"] })).rejects.toThrow(/^5007: No such model/);
    await expect(ai.run(name, { text: Array.from({ length: 101 }, () => "a") })).rejects.toThrow(/^5006: /);
    await expect(ai.run(name, { text: [] })).rejects.toThrow(/^5006: /);
    await expect(ai.run(name, { text: [1] })).rejects.toThrow(/^5006: /);
    await expect(ai.run(name, { query: "a" })).rejects.toThrow(/^5006: /);
    expect((await ai.run(name, { text: Array.from({ length: 100 }, () => "a") })).data).toHaveLength(100);
  });
});
