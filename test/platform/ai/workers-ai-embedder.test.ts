import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EmbeddingFailure } from "../../../src/domain/embedding/embedder.ts";
import { WorkersAiEmbedder, type AiBinding } from "../../../src/platform/ai/workers-ai-embedder.ts";
import { workersAiModel, type WorkersAiModel } from "../../../src/platform/ai/workers-ai-models.ts";

const model: WorkersAiModel = { name: "@cf/test/four", dimensions: 4, maxBatch: 3, input: (text) => ({ text }) };

/** A binding that gives the answers in turn, the last one from then on; what is an Error is thrown. */
class ScriptedAi implements AiBinding {
  readonly calls: { model: string; input: Record<string, unknown> }[] = [];
  readonly #answers: unknown[];

  constructor(...answers: unknown[]) {
    this.#answers = answers;
  }

  run(name: string, input: Record<string, unknown>): Promise<unknown> {
    this.calls.push({ model: name, input });
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }
}

const good = { shape: [1, 4], data: [[2, 2, 2, 2]] };
const embedder = (ai: AiBinding, deadlineMs?: number): WorkersAiEmbedder => new WorkersAiEmbedder(ai, model, deadlineMs);

async function failure(work: Promise<unknown>): Promise<EmbeddingFailure> {
  const error: unknown = await work.then(() => undefined, (reason: unknown) => reason);
  if (!(error instanceof EmbeddingFailure)) throw new Error(`no EmbeddingFailure but ${String(error)}`);
  return error;
}

describe("the Workers AI binding", () => {
  test("gives unit vectors", async () => {
    const ai = new ScriptedAi(good);
    expect(await embedder(ai).embed(["a"], "passage")).toEqual([new Float32Array([0.5, 0.5, 0.5, 0.5])]);
    expect(ai.calls).toEqual([{ model: "@cf/test/four", input: { text: ["a"] } }]);
  });

  test.each(["AiError: 3040: No more data centers to forward the request to", "429 Too Many Requests", "Internal error; reference = x", "3007: Request timeout"])(
    "is asked again after %s",
    async (message) => {
      const ai = new ScriptedAi(new Error(message), good);
      expect(await embedder(ai).embed(["a"], "passage")).toHaveLength(1);
      expect(ai.calls).toHaveLength(2);
    },
  );

  test("that stays busy is given up at the deadline, for the queue to come back", async () => {
    const start = Date.now();
    expect(await failure(embedder(new ScriptedAi(new Error("3040: busy")), 400).embed(["a"], "passage"))).toMatchObject({ retryable: true });
    expect(Date.now() - start).toBeLessThan(2_000);
  });

  test("that has used up the day's allocation is not pressed", async () => {
    const ai = new ScriptedAi(new Error("3036: You have used up your daily free allocation"));
    expect(await failure(embedder(ai).embed(["a"], "passage"))).toMatchObject({ retryable: true, retryAfter: 3_600_000 });
    expect(ai.calls).toHaveLength(1);
  });

  test("that never answers is left at the deadline, or when the caller leaves", async () => {
    const silent: AiBinding = { run: () => new Promise(() => undefined) };
    expect(await failure(embedder(silent, 100).embed(["a"], "query"))).toMatchObject({ retryable: true, message: expect.stringContaining("100 ms") });
    expect(await failure(embedder(silent).embed(["a"], "query", AbortSignal.timeout(50)))).toMatchObject({ retryable: true });
    const ai = new ScriptedAi(good);
    expect(await failure(embedder(ai).embed(["a"], "query", AbortSignal.abort()))).toMatchObject({ retryable: true });
    expect(ai.calls).toHaveLength(0);
  });

  test.each([
    ["5007: No such model @cf/test/four or task", "EMBEDDINGS_MODEL"],
    ["AiError: 5006: Error: must be a string: the-secret-plan", "refused"],
    ["3006: Request is too large", "refused"],
  ])("that says %s is not asked again, and its words go no further", async (message, hint) => {
    const ai = new ScriptedAi(new Error(message));
    const failed = await failure(embedder(ai).embed(["the-secret-plan"], "passage"));
    expect(failed).toMatchObject({ retryable: false, message: expect.stringContaining(hint) });
    expect(`${failed.stack}${String(failed.cause)}`).not.toContain("the-secret-plan");
    expect(ai.calls).toHaveLength(1);
  });

  test("with a model of another dimension is refused with the setting to change", async () => {
    const failed = await failure(embedder(new ScriptedAi({ shape: [1, 3], data: [[1, 1, 1]] })).embed(["a"], "passage"));
    expect(failed).toMatchObject({ retryable: false, message: expect.stringMatching(/3 dimensions.*4 are configured.*EMBEDDINGS_DIMENSIONS/) });
  });

  test.each([
    [undefined],
    [{ request_id: "queued" }],
    [{ data: [] }],
    [{ data: [[1, 1, 1, 1], [1, 1, 1, 1]] }],
    [{ data: ["text"] }],
    [{ data: [[1, Number.NaN, 1, 1]] }],
    [{ data: [[1, Number.POSITIVE_INFINITY, 1, 1]] }],
    [{ data: [[1, "1", {}, 1]] }],
    [{ data: [[0, 0, 0, 0]] }],
  ])("that answers %j has no vectors", async (answer) => {
    expect(await failure(embedder(new ScriptedAi(answer)).embed(["a"], "passage"))).toMatchObject({ retryable: false });
  });

  test("whatever direction comes back, its length is one", async () => {
    const value = fc.double({ min: -1e3, max: 1e3, noNaN: true });
    const rows = fc.array(fc.tuple(value, value, value, value).filter((row) => Math.hypot(...row) > 1e-3), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (data) => {
        const vectors = await embedder(new ScriptedAi({ data })).embed(data.map(String), "passage");
        expect(vectors).toHaveLength(data.length);
        for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      }),
    );
  });
});

describe("known models", () => {
  test("tell questions from what is stored where the model does", () => {
    const qwen = workersAiModel("@cf/qwen/qwen3-embedding-0.6b");
    expect(qwen).toMatchObject({ dimensions: 1_024, maxBatch: 32 });
    expect(qwen?.input(["a"], "query")).toMatchObject({ queries: ["a"], instruction: expect.any(String) });
    expect(qwen?.input(["a"], "passage")).toEqual({ documents: ["a"] });
    expect(workersAiModel("@cf/google/embeddinggemma-300m")?.input(["a"], "query")).toEqual({ text: ["task: search result | query: a"] });
    expect(workersAiModel("@cf/baai/bge-m3")?.input(["a"], "query")).toMatchObject({ text: ["a"] });
  });
});
