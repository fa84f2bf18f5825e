import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundleWorker } from "../../src/launcher/bundle.ts";
import { EmbeddingEndpoint, refusal, vectorsOf } from "./support/embedding-endpoint.ts";
import { json, silence } from "./support/scripted-endpoint.ts";
import type { EmbedAnswer, EmbedCall } from "./support/embedding-worker.ts";

/** The embedder as it ships, in workerd, against a server of OpenAI's form on a socket. */
let worker: Miniflare;
let endpoint: EmbeddingEndpoint;
let url: string;
let model = 0;

beforeAll(async () => {
  const modules = await bundleWorker(fileURLToPath(new URL("./support/embedding-worker.ts", import.meta.url)));
  worker = new Miniflare(
    convertV4MiniflareOptions({ modules, compatibilityDate: "2026-10-20", compatibilityFlags: ["nodejs_compat"], cf: false }),
  );
  await worker.ready;
});
afterAll(() => worker.dispose());

beforeEach(async () => {
  model += 1;
  endpoint = new EmbeddingEndpoint();
  url = await endpoint.start();
});
afterEach(() => endpoint.stop());

async function embed(texts: string[], { options = {}, ...rest }: { options?: Partial<EmbedCall["options"]>; kind?: "query"; leaveAfter?: number } = {}): Promise<EmbedAnswer> {
  const call: EmbedCall = { kind: "passage", ...rest, texts, options: { url, model: `model-${model}`, dimensions: 4, maxBatch: 3, ...options } };
  const response = await worker.dispatchFetch("http://worker/", { method: "POST", body: JSON.stringify(call) });
  return (await response.json()) as EmbedAnswer;
}

async function failure(...args: Parameters<typeof embed>): Promise<Extract<EmbedAnswer, { failure: unknown }>["failure"]> {
  const answer = await embed(...args);
  if (!("failure" in answer)) throw new Error("vectors came back");
  return answer.failure;
}

const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
  const start = performance.now();
  return [await work, performance.now() - start];
};

describe("an endpoint of OpenAI's form", () => {
  test("gives unit vectors in the order of the texts, also when it answers in another", async () => {
    const answer = await embed(["t7", "t1"], { options: { apiKey: "key-1" } });
    if (!("vectors" in answer)) throw new Error("no vectors");
    const [first = [], second = []] = answer.vectors;
    expect(second).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect((first[0] ?? 0) / (first[1] ?? 0)).toBeCloseTo(7, 5);
    expect(Math.hypot(...first)).toBeCloseTo(1, 6);
    expect(endpoint.seen).toMatchObject([{ path: "/v1/embeddings", authorization: "Bearer key-1", body: { input: ["t7", "t1"] } }]);
    expect(endpoint.seen[0]?.body).not.toHaveProperty("dimensions");
  });

  test("is asked for a batch in one request, and without a key when there is none", async () => {
    expect(await embed(["t1", "t2", "t3"])).toHaveProperty("vectors.length", 3);
    expect(await embed([])).toEqual({ vectors: [] });
    expect(endpoint.seen).toHaveLength(1);
    expect(endpoint.seen[0]?.authorization).toBeUndefined();
  });

  test("sees the text in the form its model was trained on", async () => {
    await embed(["t1"], { kind: "query", options: { model: "nomic-embed-text" } });
    await embed(["t1"], { options: { model: "nomic-embed-text" } });
    expect(endpoint.seen.map(({ body }) => body.input[0])).toEqual(["search_query: t1", "search_document: t1"]);
  });

  test("is asked again after 429, when it said, and after a fault", async () => {
    endpoint.script.push(refusal(429, { "retry-after": "1" }), refusal(503));
    const [answer, ms] = await timed(embed(["t1"]));
    expect(answer).toHaveProperty("vectors");
    expect(endpoint.seen).toHaveLength(3);
    expect(ms).toBeGreaterThanOrEqual(1_000);
  });

  test("that wants more time than there is fails at once and hands the time on", async () => {
    endpoint.usual = refusal(429, { "retry-after": "3600" });
    // Nothing but the deadline: no pause.
    expect(await failure(["t1"], { options: { deadlineMs: 7_000 } })).toMatchObject({ name: "EmbeddingFailure", retryable: true, retryAfter: 3_600_000, timers: [7_000] });
    expect(endpoint.seen).toHaveLength(1);
  });

  test("that stays silent is left at the deadline, or when the caller leaves", async () => {
    endpoint.usual = silence;
    expect(await failure(["t1"], { options: { deadlineMs: 300 } })).toMatchObject({ retryable: true, message: expect.stringContaining("300 ms"), timers: [300] });
    model += 1;
    expect(await failure(["t1"], { leaveAfter: 200 })).toMatchObject({ retryable: true, message: expect.stringContaining("caller"), timers: [expect.any(Number)] });
  });

  test("that cannot be reached is tried again later", async () => {
    await endpoint.stop();
    expect(await failure(["t1"], { options: { deadlineMs: 500 } })).toMatchObject({ retryable: true });
    await endpoint.start();
  });

  test("with vectors of a smaller dimension is refused with the setting to change", async () => {
    endpoint.usual = vectorsOf(3);
    const failed = await failure(["t1"]);
    expect(failed).toMatchObject({ retryable: false, message: expect.stringMatching(/3 dimensions.*4 are configured.*EMBEDDINGS_DIMENSIONS to 3/) });
    expect(endpoint.seen).toHaveLength(1);
  });

  test("with longer vectors is asked to shorten them, from then on at once", async () => {
    endpoint.usual = vectorsOf(8);
    expect(await embed(["t1"])).toEqual({ vectors: [[0.5, 0.5, 0.5, 0.5]] });
    await embed(["t1"]);
    expect(endpoint.seen.map(({ body }) => body.dimensions)).toEqual([undefined, 4, 4]);
  });

  test("with longer vectors that it cannot shorten is refused with the setting to change", async () => {
    endpoint.script.push(vectorsOf(8), refusal(400));
    expect(await failure(["t1"])).toMatchObject({ retryable: false, message: expect.stringContaining("EMBEDDINGS_DIMENSIONS to 8") });
  });

  test.each([
    ["no JSON", "<html>welcome</html>"],
    ["no list", { data: "x" }],
    ["a list of something else", { data: [{ embedding: "AACAPw==" }] }],
    ["numbers that are none", { data: [{ embedding: [1, null, 1, 1] }] }],
    ["too large numbers", '{"data":[{"embedding":[1e400,1,1,1]}]}'],
    ["no direction", { data: [{ embedding: [0, 0, 0, 0] }] }],
    ["too few vectors", { data: [] }],
    ["too many vectors", { data: [{ embedding: [1, 1, 1, 1] }, { embedding: [1, 1, 1, 1] }] }],
    ["a vector for a text that was not sent", { data: [{ index: 4_000_000, embedding: [1, 1, 1, 1] }] }],
  ])("that answers with %s is not asked again", async (_, body) => {
    endpoint.usual = (response) => json(response, 200, body);
    expect(await failure(["t1"])).toMatchObject({ retryable: false });
    expect(endpoint.seen).toHaveLength(1);
  });

  test.each([
    [401, "EMBEDDINGS_API_KEY"],
    [403, "EMBEDDINGS_API_KEY"],
    [404, "EMBEDDINGS_MODEL"],
    [400, "too long"],
  ])("that refuses with %i is not asked again, and the message says what to look at", async (status, hint) => {
    endpoint.usual = refusal(status);
    expect(await failure(["t1"], { options: { apiKey: "secret-key" } })).toMatchObject({ retryable: false, message: expect.stringContaining(hint) });
    expect(endpoint.seen).toHaveLength(1);
  });

  test.each([400, 500])("never has a text or the key repeated in a failure (%i)", async (status) => {
    endpoint.usual = refusal(status);
    const { report } = await failure(["t1 the-secret-plan"], { options: { apiKey: "secret-key", deadlineMs: 400 } });
    expect(report).not.toMatch(/the-secret-plan|secret-key/);
  });
});
