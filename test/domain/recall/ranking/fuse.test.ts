import { expect, test } from "vitest";
import type { Memory } from "../../../../src/domain/memories/memory.ts";
import { fuse } from "../../../../src/domain/recall/ranking/fuse.ts";
import { day, newTeam } from "../../../support/team.ts";

test("two that words and meaning bring alike are both as relevant, however close the similarities [D5]", async () => {
  const { owner } = await newTeam();
  const memories: Memory[] = [];
  for (const port of [3000, 4000]) memories.push((await owner.remember(`the API listens on port ${port}`)).memory);
  const question = { text: "API port", terms: [{ word: "api", term: "api" }, { word: "port", term: "port" }], weights: [2, 2], rarest: 4 };
  const relevances = (similarities: number[]): number[] => {
    const found = memories.map((memory, i) => ({
      memory, evidence: { ownTerms: 0b11, contextTerms: 0 }, text: { rank: i + 1, score: 4 }, vector: { rank: i + 1, score: similarities[i] as number },
    }));
    return fuse(question, found, { vectorWeight: 0.15, halfLife: day }).map(({ relevance }) => relevance);
  };
  const [first = 0, second = 0] = relevances([0.733, 0.731]);
  expect(first - second).toBeLessThan(0.01);
  const [near = 0, far = 0] = relevances([0.733, 0.331]);
  expect(near - far).toBeGreaterThan(0.05);
});
