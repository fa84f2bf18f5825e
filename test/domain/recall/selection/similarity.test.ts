import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { featureNames, featuresOf } from "../../../../src/domain/recall/ranking/features.ts";
import { queryTerms } from "../../../../src/domain/text/query-terms.ts";
import { embeddingText } from "../../../../src/domain/indexing/embedding-text.ts";
import { recall } from "../../../../src/domain/recall/recall.ts";
import { revise } from "../../../../src/domain/memories/revise.ts";
import type { Memory } from "../../../../src/domain/memories/memory.ts";
import { rendering } from "../../../support/rendering.ts";
import { Jobs, vectorOf } from "../../../support/indexing.ts";
import { newTeam, now, services, type Person, type Team } from "../../../support/team.ts";
import { nearestAre } from "../../../support/nearest.ts";

let team: Team;
let ada: Person;
let jobs: Jobs;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  jobs = new Jobs(team, now);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const vectorOfMemory = (memory: Memory): Float32Array => vectorOf(embeddingText(memory));
const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);

/** Asks with this vector, of which the vector index knows no neighbours. */
const ask = async (who: Person, query: string, values: Float32Array, space = jobs.embedder.space) => {
  // The object reads from D1 what the jobs made.
  await team.index.verify(team.ref);
  nearestAre(() => [], { space, values });
  return recall(who.at(now), { query, limit: 10, minRelevance: 0, receipt: true, rendering });
};

const hydrated = (who: Person, ids: string[], space = jobs.embedder.space) =>
  services.memories.hydrate(who.principal, now, ids, { space, ids });

describe("what words bring is weighed by its meaning, too, however many others are nearer [D5]", () => {
  test("of two that say the same words, the nearer one comes first; the receipt says how near", async () => {
    const memories = [(await ada.remember("heron lake morning")).memory, (await ada.remember("heron lake evening")).memory];
    await jobs.run(team);
    for (const memory of memories) {
      const { items, receipt } = await ask(ada, "heron lake", vectorOfMemory(memory));
      expect(items[0]?.memory.id).toBe(memory.id);
      expect(receipt?.hits[0]?.legs["memory_vector"]).toMatchObject({ rank: 1, score: expect.closeTo(1, 2) });
      // It comes from the codes, which are coarse at so few dimensions, and is a cosine all the same.
      expect(receipt?.hits[0]?.legs["memory_vector"]?.score).toBeLessThanOrEqual(1);
    }
  });

  test("what has no vector yet stands between what is near and what is far", async () => {
    const memories = [];
    for (const time of ["morning", "evening", "midday"]) memories.push((await ada.remember(`heron lake ${time}`, { importance: 1 })).memory);
    await jobs.run(team);
    const fresh = (await ada.remember("heron lake midnight", { importance: 0.5 })).memory;
    const [near] = memories as [Memory];
    const far = memories.toSorted((a, b) => dot(vectorOfMemory(a), vectorOfMemory(near)) - dot(vectorOfMemory(b), vectorOfMemory(near)))[0] as Memory;
    const [first] = (await ask(ada, "heron lake", vectorOfMemory(near))).items.map(({ memory }) => memory.id);
    expect(first).toBe(near.id);
    const evidence = { ownTerms: 3, allTerms: 3, contextTerms: 0 };
    const found = [{ memory: near, evidence, vector: { rank: 1, score: 0.9 } }, { memory: far, evidence, vector: { rank: 2, score: 0.1 } }, { memory: fresh, evidence }];
    const rows = featuresOf({ text: "heron lake", terms: queryTerms("heron lake"), weights: [1, 1], rarest: 1 }, found, { similarityOf: (cosine) => cosine, now });
    const [nearest = 0, farthest = 0, unknown = 0] = rows.map((row) => row[featureNames.indexOf("similarity")]);
    expect(unknown).toBeLessThan(nearest);
    expect(unknown).toBeGreaterThan(farthest);
  });

  test("vectors of another space say nothing", async () => {
    const { memory } = await ada.remember("heron lake morning");
    await jobs.run(team);
    const { receipt } = await ask(ada, "heron lake", vectorOfMemory(memory), "test:b:4");
    expect(receipt?.hits).toMatchObject([{ id: memory.id }]);
    expect(receipt?.hits[0]?.legs["memory_vector"]).toBeUndefined();
  });
});

describe("vectors that come with memories [S6]", () => {
  test("are of what the caller may see, and of what was asked for", async () => {
    const grace = await team.join();
    const own = (await ada.remember("a private heron")).memory;
    const shared = (await ada.remember("a shared heron", { visibility: "shared" })).memory;
    await jobs.run(team);
    const ids = [own.id, shared.id];
    expect([...(await hydrated(ada, ids)).vectors]).toEqual(expect.arrayContaining([[own.id, vectorOfMemory(own)], [shared.id, vectorOfMemory(shared)]]));
    expect([...(await hydrated(grace, ids)).vectors.keys()]).toEqual([shared.id]);
    expect((await services.memories.hydrate(ada.principal, now, ids, { space: jobs.embedder.space, ids: [own.id] })).vectors.size).toBe(1);
    expect((await services.memories.hydrate(ada.principal, now, ids)).vectors.size).toBe(0);
    expect((await hydrated((await newTeam()).owner, ids)).vectors.size).toBe(0);
  });

  test("a memory that became secret has none, before its old vector is gone [E3]", async () => {
    const { memory } = await ada.remember("the gate is green");
    await jobs.run(team);
    expect((await hydrated(ada, [memory.id])).vectors.size).toBe(1);
    await revise(ada.at(now), { target: { id: memory.id }, expectedVersion: 1, changes: { sensitivity: "secret" } });
    const { memories, vectors } = await hydrated(ada, [memory.id]);
    expect(memories.map(({ id }) => id)).toEqual([memory.id]);
    expect(vectors.size).toBe(0);
  });
});
