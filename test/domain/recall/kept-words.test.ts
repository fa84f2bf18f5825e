import { expect, test } from "vitest";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import { findAmong } from "../../../src/domain/recall/find-terms.ts";
import { placesOf, wordsOfMemory } from "../../../src/domain/recall/kept-words.ts";

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
