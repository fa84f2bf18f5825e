import { expect, test } from "vitest";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import { findAmong } from "../../../src/domain/recall/find-terms.ts";
import { estimateTokens } from "../../../src/domain/text/token-count.ts";
import { placesOf, tokensOfMemory, traitsOfMemory, unitsOfMemory, wordsOfMemory } from "../../../src/domain/recall/kept-words.ts";

const memory = (fields: Partial<Memory>): Memory => ({ teamId: "team", id: "m1", version: 1, updatedAt: 1, sensitivity: "normal", content: "", ...fields }) as Memory;
const positionsOf = (one: Memory, term: string): number[] => findAmong(one.content, placesOf(one), new Set([term])).hits.map(({ position }) => position);

test("a memory's words are those of its present version, and of no other team's memory [A11]", () => {
  const [first, second] = ["heron and lake", "lakes by heron"];
  expect(positionsOf(memory({ content: first }), "lake")).toEqual([2]);
  expect(positionsOf(memory({ content: first }), "lake")).toEqual([2]);
  expect(positionsOf(memory({ content: second, version: 2, updatedAt: 2 }), "lake")).toEqual([0]);
  expect(positionsOf(memory({ content: first }), "lake")).toEqual([2]);
  expect(positionsOf(memory({ content: second, teamId: "other" }), "lake")).toEqual([0]);
});

test("a memory's tokens and units are those of its present version, each cut as it is asked for [U5]", () => {
  const [one, two] = [{ content: "A heron stands. It waits." }, { content: "It waits, and a heron.. It", version: 2, updatedAt: 2 }].map(memory) as [Memory, Memory];
  const textsOf = (of: Memory, tokens: number): string[] => unitsOfMemory(of, { tokens, shift: 0 }).map(({ start, end }) => of.content.slice(start, end));
  for (const turn of [1, 2]) {
    expect({ turn, tokens: tokensOfMemory(one) }).toEqual({ turn, tokens: estimateTokens(one.content) });
    expect(textsOf(one, 20)).toEqual(["A heron stands. ", "It waits."]);
    expect(textsOf(one, 3).length).toBeGreaterThan(2);
    expect(textsOf(one, 3).join("")).toBe(one.content);
    expect(tokensOfMemory(two)).toBe(estimateTokens(two.content));
    expect(textsOf(two, 20).join("")).toBe(two.content);
  }
});

test("what was read for one text stays as it is when others are read [A11]", () => {
  const [one, other] = [memory({ id: "a", content: "one two three" }), memory({ id: "b", content: "four five six" })];
  const before = [...wordsOfMemory(one, one.content)];
  wordsOfMemory(other, other.content);
  placesOf(other);
  expect([...wordsOfMemory(one, one.content)]).toEqual(before);
});

test("the words of a secret are not kept", () => {
  const content = "the word heron";
  const secret = memory({ id: "s", sensitivity: "secret", content });
  expect(placesOf(secret)).not.toBe(placesOf(secret));
  expect(placesOf(memory({ id: "n", content }))).toBe(placesOf(memory({ id: "n", content })));
});

test("what ranking reads out of a memory is that of its present version, and of no other team's memory [A11]", () => {
  const asked = { content: "Did Ada see 3 herons last week?", key: "birds.heron" };
  const told = { content: "you saw a stork", key: null, tags: ["lake side"] };
  const of = (fields: Partial<Memory>): unknown => traitsOfMemory(memory({ tags: [], enrichment: null, ...fields }));
  for (const turn of [1, 2]) {
    expect({ turn, ...(of(asked) as object) }).toMatchObject({ turn, names: [["heron"]], opening: "Did", asks: true, tellsTime: true, hasNumber: true, you: 0 });
    expect(of({ ...told, version: 2, updatedAt: 2 })).toMatchObject({ names: [["lake", "side"]], opening: "", asks: false, tellsTime: false, hasNumber: false });
    expect(of({ ...told, teamId: "other" })).toMatchObject({ names: [["lake", "side"]] });
  }
});
