import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { recall, type RecallInput, type RecallOutcome } from "../../../../src/domain/recall/recall.ts";
import type { Memory } from "../../../../src/domain/memories/memory.ts";
import { blend, rerankable, type Reranker } from "../../../../src/domain/recall/ranking/rerank.ts";
import { rerankDepth } from "../../../../src/domain/recall/weights.ts";
import type { Question } from "../../../../src/domain/recall/ranking/relevance.ts";
import { WorkersAiReranker } from "../../../../src/platform/ai/workers-ai-reranker.ts";
import { rendering } from "../../../support/rendering.ts";
import { newTeam, now, type Person, type Team } from "../../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const model = (name = "@cf/baai/bge-reranker-base"): Reranker => new WorkersAiReranker(env.RERANKER, name);
const ask = (who: Person, query: string, reranker: Reranker | undefined, input: Partial<RecallInput> = {}): Promise<RecallOutcome> =>
  recall({ ...who.at(now), reranker }, { query, limit: 100, minRelevance: 0, receipt: true, rendering, ...input });
const contents = ({ items }: RecallOutcome): string[] => items.map(({ memory }) => memory.content);
const relevances = ({ items }: RecallOutcome) => new Map(items.map(({ memory, relevance }) => [memory.id, relevance]));

const liked = "A heron was seen: the model likes this";
const plain = "heron heron heron by the water";

describe("a search with a reranking model [D5]", () => {
  test("answers in the order of both, before the cut-off, and says what the model thought", async () => {
    await ada.remember(liked);
    await ada.remember(plain);
    expect(contents(await ask(ada, "heron", undefined))).toEqual([plain, liked]);
    const answer = await ask(ada, "heron", model());
    expect(contents(answer)).toEqual([liked, plain]);
    expect(answer.degraded).toEqual([]);
    expect(answer.receipt?.legs.rerank).toMatchObject({ status: "ok", candidates: 2 });
    expect(answer.receipt?.hits[0]?.legs.rerank).toMatchObject({ rank: 1 });
    for (const { score, parts } of answer.receipt?.hits ?? []) expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 2);
    expect(contents(await ask(ada, "heron", model(), { limit: 1 }))).toEqual([liked]);
  });

  test("leaves relevance as it was calibrated [U1]", async () => {
    for (const text of [liked, plain, "a heron and the model hates this", "storks"]) await ada.remember(text);
    expect(relevances(await ask(ada, "heron", model()))).toEqual(relevances(await ask(ada, "heron", undefined)));
  });

  test("does without it when told to, and says that it was off", async () => {
    await ada.remember(liked);
    await ada.remember(plain);
    const answer = await ask(ada, "heron", model(), { without: ["rerank"] });
    expect(contents(answer)).toEqual([plain, liked]);
    expect(answer.degraded).toEqual([]);
    expect(answer.receipt?.legs.rerank).toMatchObject({ status: "off" });
    expect((await ask(ada, "heron", undefined)).receipt?.legs.rerank).toBeUndefined();
  });

  test.each([
    ["busy", "down"], ["limited", "down"], ["slow", "late"], ["incomplete", "down"], ["text", "down"], ["infinite", "down"],
  ])("answers without a model that is %s, in time, and says so", async (day, how) => {
    await ada.remember(liked);
    await ada.remember(plain);
    let isDone = false;
    const broken = model(`test/${day}`);
    const watched: Reranker = { score: (...asked) => broken.score(...asked).finally(() => (isDone = true)) };
    const answer = await ask(ada, "heron", watched);
    expect(isDone, "nobody waits for a slow one").toBe(how === "down");
    expect(contents(answer)).toEqual([plain, liked]);
    expect(answer.degraded).toEqual([`reranking is ${how}: answered from text and vectors`]);
    expect(answer.receipt?.legs.rerank?.status).toBe(how === "late" ? "timeout" : "failed");
  });

  test("cannot throw out what the question calls by its name", async () => {
    await ada.keep("deploy.rollback", "How it is done; the model hates this");
    for (let n = 0; n < 12; n += 1) await ada.remember(`A deploy and its rollback, number ${n}: the model likes this`);
    const answer = await ask(ada, "deploy rollback", model(), { limit: 3, without: ["dedupe", "diversity"] });
    expect(answer.items[0]?.memory.key).toBe("deploy.rollback");
  });

  test("shows the model what the caller may see, no secrets, and of long texts the part that was asked for [S6]", async () => {
    const grace = await team.join();
    await ada.remember("Ada's own heron, private");
    await ada.remember("a shared heron", { visibility: "shared" });
    await grace.keep("heron.password", "It is swordfish", { sensitivity: "secret" });
    await grace.keep("birds", `${"Nothing of interest happened that day. ".repeat(200)}\nThe heron came back at dawn.`);
    const read: string[] = [];
    const reading: Reranker = {
      score: (_question, texts) => {
        read.push(...texts);
        return Promise.resolve(texts.map((_, i) => i));
      },
    };
    const answer = await ask(grace, "heron", reading);
    expect(answer.items.map(({ memory }) => memory.key)).toContain("heron.password");
    expect(read.sort()).toEqual([expect.stringMatching(/^a shared heron$/), expect.stringMatching(/^birds\n.*heron came back at dawn/s)]);
    expect(Math.max(...read.map(({ length }) => length))).toBeLessThan(2_500);
  });
});

const question: Question = { text: "deploy rollback", terms: ["deploy", "rollback"].map((word) => ({ word, term: word })), weights: [1, 1], rarest: 1 };
const ranked = fc
  .array(fc.record({ score: fc.double({ min: 0, max: 1.3, noNaN: true }), isNamed: fc.boolean(), isSecret: fc.boolean(), opinion: fc.double({ min: -20, max: 20, noNaN: true }) }), { minLength: 2, maxLength: 60, size: "max" })
  .map((entries) =>
    entries
      .map(({ score, isNamed, isSecret, opinion }, i) => ({
        memory: { id: `m${i}`, key: isNamed ? "rollback" : null, tags: [], sensitivity: isSecret ? "secret" : "normal" } as unknown as Memory,
        relevance: 0.5, score, opinion, trace: { id: `m${i}`, score, parts: { text: score }, legs: {}, matched: [] },
      }))
      .sort((a, b) => b.score - a.score),
  );

describe("blending, whatever the model says [D5]", () => {
  test("loses nothing, keeps relevance, leaves the depths below, and nothing with its full name falls behind", () => {
    fc.assert(
      fc.property(ranked, (before) => {
        const read = rerankable(before);
        fc.pre(read.length > 0);
        const opinions = new Map(before.map(({ memory, opinion }) => [memory.id, opinion]));
        const after = blend(question, before, read, read.map(({ memory }) => opinions.get(memory.id) as number));
        const ids = (list: { memory: Memory }[]): string[] => list.map(({ memory }) => memory.id);
        expect(ids(after).sort()).toEqual(ids(before).sort());
        expect(new Set(ids(after.slice(rerankDepth)))).toEqual(new Set(ids(before.slice(rerankDepth))));
        expect(after.every(({ relevance }) => relevance === 0.5)).toBe(true);
        const place = (list: { memory: Memory }[], id: string): number => ids(list).indexOf(id);
        for (const { memory } of before.slice(0, rerankDepth)) if (memory.key === "rollback") expect(place(after, memory.id)).toBeLessThanOrEqual(place(before, memory.id));
        for (const { score, trace } of after) {
          expect(trace.score).toBe(score);
          expect(Object.values(trace.parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 9);
        }
      }),
      { numRuns: 300 },
    );
  });
});
