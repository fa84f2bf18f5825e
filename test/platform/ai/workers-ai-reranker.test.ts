import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { servicesOf } from "../../../src/app.ts";
import { RerankFailure } from "../../../src/domain/recall/ranking/rerank.ts";
import { rerankerOf, WorkersAiReranker } from "../../../src/platform/ai/workers-ai-reranker.ts";

const never = new AbortController().signal;
const ask = (model: string, texts: string[], signal = never): Promise<number[]> => new WorkersAiReranker(env.RERANKER, model).score("herons by the lake", texts, signal);

const failure = async (work: Promise<unknown>): Promise<Error> => {
  const error: unknown = await work.then(() => undefined, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(RerankFailure);
  return error as Error;
};

describe("a reranking model of Workers AI [D5]", () => {
  test("scores the texts, in their order", async () => {
    const scores = await ask("@cf/baai/bge-reranker-base", ["a stork", "herons by the lake", "herons"]);
    expect(scores).toHaveLength(3);
    expect(scores[1]).toBeGreaterThan(scores[2] as number);
    expect(scores[2]).toBeGreaterThan(scores[0] as number);
  });

  test("is not asked about nothing", async () => {
    expect(await ask("test/busy", [])).toEqual([]);
  });

  test.each(["test/busy", "test/limited", "test/unknown"])("that refuses (%s) fails, and its words go no further", async (model) => {
    const { message, stack, cause } = await failure(ask(model, ["the password is swordfish"]));
    expect(`${message}${stack}${String(cause)}`).not.toContain("swordfish");
    expect(message).toContain(model);
  });

  test.each(["incomplete", "twice", "beyond", "empty", "text", "nameless", "infinite"])("that answers in another shape (%s) fails, and names the setting", async (shape) => {
    expect((await failure(ask(`test/${shape}`, ["a heron", "a stork"]))).message).toContain("RERANK_MODEL");
  });

  test("that failed, or was too late, is left alone for a while", async () => {
    const calls: string[] = [];
    const counted = (model: string) =>
      new WorkersAiReranker({ run: (name, input) => (calls.push(name), env.RERANKER.run(name, input)) }, model);
    const busy = counted("test/busy");
    for (let n = 0; n < 3; n += 1) await failure(busy.score("herons", ["a heron"], never));
    expect(calls).toEqual(["test/busy"]);

    const slow = counted("test/slow");
    const late = new AbortController();
    const first = slow.score("herons", ["a heron"], late.signal);
    late.abort();
    await failure(slow.score("herons", ["a heron"], never));
    expect(calls).toEqual(["test/busy", "test/slow"]);
    expect(await first, "what comes late is of no harm").toHaveLength(1);
  });
});

describe("RERANK_MODEL", () => {
  const rerankModel = "@cf/baai/bge-reranker-base";

  test("a deployment asks one where Workers AI is bound, unless it is off; one machine has none", () => {
    expect(rerankerOf({ rerankModel: undefined, production: true }, env.RERANKER)).toBeInstanceOf(WorkersAiReranker);
    expect(rerankerOf({ rerankModel: undefined, production: true }, undefined)).toBeUndefined();
    expect(rerankerOf({ rerankModel: "off", production: true }, env.RERANKER)).toBeUndefined();
    expect(rerankerOf({ rerankModel: undefined, production: false }, env.RERANKER)).toBeUndefined();
  });

  test("a model that is named is asked, and must be there", () => {
    expect(rerankerOf({ rerankModel, production: false }, env.RERANKER)).toBeInstanceOf(WorkersAiReranker);
    expect(() => rerankerOf({ rerankModel, production: false }, undefined)).toThrow(/cannot start.*binding AI/);
    expect(servicesOf(env).reranker).toBeUndefined();
    expect(servicesOf({ ...env, RERANK_MODEL: "@cf/baai/bge-reranker-base" } as Env).reranker).toBeInstanceOf(WorkersAiReranker);
  });
});
