import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import type { Embedders } from "../../../src/domain/embedding/embedder.ts";
import { embeddersOf } from "../../../src/platform/ai/embedders.ts";

const AI = { run: () => Promise.reject(new Error("not asked")) };
const embedders = (vars: Record<string, string>, bindings: Parameters<typeof embeddersOf>[1] = { AI }): Embedders =>
  embeddersOf(parseConfig({ ENVIRONMENT: "local", ...vars }).embeddings, bindings);

const openAi = { EMBEDDINGS: "openai", EMBEDDINGS_URL: "http://127.0.0.1:11434/v1", EMBEDDINGS_MODEL: "nomic-embed-text", EMBEDDINGS_DIMENSIONS: "768" };

describe("configured embedders", () => {
  test("are bge-m3 on Workers AI when nothing is said", () => {
    expect(embedders({}).current).toMatchObject({ space: "workers-ai:@cf/baai/bge-m3:1024", dimensions: 1_024, maxBatch: 100 });
    expect(embedders({ EMBEDDINGS_MODEL: " ", EMBEDDINGS_URL: "" }).current.dimensions).toBe(1_024);
  });

  test("may be any model whose dimension is given", () => {
    expect(embedders({ EMBEDDINGS_MODEL: "@cf/other/model", EMBEDDINGS_DIMENSIONS: "512" }).current.space).toBe("workers-ai:@cf/other/model:512");
    expect(embedders(openAi).current).toMatchObject({ space: "openai:nomic-embed-text:768", maxBatch: 64 });
    expect(embedders({ ...openAi, EMBEDDINGS_BATCH: "8" }).current.maxBatch).toBe(8);
  });

  test("name the static model with its revision, so that another table is another space", () => {
    expect(embedders({ EMBEDDINGS_MODEL: "@omnimemory/static" }).current.space).toMatch(/^workers-ai:@omnimemory\/static@[0-9a-f]{12}:\d+$/);
  });

  test.each<[string, Record<string, string>, string]>([
    ["a provider nobody knows", { EMBEDDINGS: "magic" }, "EMBEDDINGS"],
    ["a model without its dimension", { EMBEDDINGS_MODEL: "@cf/other/model" }, "EMBEDDINGS_DIMENSIONS"],
    ["a dimension the model does not have", { EMBEDDINGS_DIMENSIONS: "768" }, "1024 dimensions"],
    ["more dimensions than Vectorize stores", { ...openAi, EMBEDDINGS_DIMENSIONS: "3072" }, "EMBEDDINGS_DIMENSIONS"],
    ["no whole number", { ...openAi, EMBEDDINGS_BATCH: "many" }, "EMBEDDINGS_BATCH"],
    ["an endpoint without a URL", { ...openAi, EMBEDDINGS_URL: "" }, "EMBEDDINGS_URL"],
    ["a URL that is none", { ...openAi, EMBEDDINGS_URL: "localhost" }, "EMBEDDINGS_URL"],
    ["a URL of another kind", { ...openAi, EMBEDDINGS_URL: "file:///etc/passwd" }, "EMBEDDINGS_URL"],
  ])("do not start with %s", (_, vars, hint) => {
    expect(() => embedders(vars)).toThrow(hint);
  });

  test("do not start without the binding they need", () => {
    expect(() => embedders({}, {})).toThrow("binding AI");
    expect(embedders(openAi, {}).current.dimensions).toBe(768);
  });

  test("answer in the spaces of before, of the other provider too, as long as it can be asked", () => {
    const both = embedders({ ...openAi });
    expect(both.bySpace(both.current.space)).toBe(both.current);
    for (const space of ["workers-ai:@cf/baai/bge-m3:1024", "openai:mxbai-embed-large:1024", "workers-ai:@cf/other/model:512"]) {
      expect(both.bySpace(space)?.space).toBe(space);
      expect(both.bySpace(space)).toBe(both.bySpace(space));
    }
    expect(embedders({}).bySpace("openai:nomic-embed-text:768")).toBeUndefined();
    expect(embedders(openAi, {}).bySpace("workers-ai:@cf/baai/bge-m3:1024")).toBeUndefined();
  });

  test.each(["", "vectors", "workers-ai:@cf/baai/bge-m3:768", "workers-ai:@omnimemory/static@000000000000:256", "openai::3", "other:model:3"])(
    "know no space %j",
    (space) => {
      expect(embedders(openAi).bySpace(space)).toBeUndefined();
    },
  );
});
