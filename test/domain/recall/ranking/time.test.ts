import { expect, test } from "vitest";
import { certain } from "../../../../src/domain/recall/weights.ts";
import { recall } from "../../../../src/domain/recall/recall.ts";
import { day, newTeam, now } from "../../../support/team.ts";

const repaired = async (question: string, daysAgo: readonly number[]): Promise<string[]> => {
  const { owner } = await newTeam();
  for (const [i, ago] of daysAgo.entries()) await owner.remember(`We repaired the ${["pump", "crane", "gate", "lift"][i]} in the harbour`, { occurredAt: now - ago * day });
  const { items } = await recall(owner.at(now), { query: question, limit: 10 });
  return items.map(({ memory }) => memory.content);
};

test("what happened at another time than the question names is not shown beside what happened then [D5]", async () => {
  expect(await repaired("what did we repair in the harbour yesterday", [1, 9, 20])).toEqual(["We repaired the pump in the harbour"]);
});

test("all that happened at that time is shown [D5]", async () => {
  expect((await repaired("what did we repair in the harbour yesterday", [1, 1.01, 9, 20])).toSorted()).toEqual(["We repaired the crane in the harbour", "We repaired the pump in the harbour"]);
});

test("where nothing happened then, or no time is named, nothing is left out for its time [D5]", async () => {
  expect(await repaired("what did we repair in the harbour", [1, 9, 20])).toHaveLength(3);
  expect(await repaired("what did we repair in the harbour yesterday", [9, 20])).toHaveLength(1);
});

test.each([["Was haben wir im März im Hafen repariert?", "Im Hafen haben wir die Pumpe repariert"], ["What did we repair in the harbour in March?", "We repaired the pump in the harbour"]])("a note of that time needs no word that says so: %s [D5]", async (question, note) => {
  const { owner } = await newTeam();
  const at = Date.UTC(2031, 2, 12);
  await owner.remember(note, { occurredAt: at });
  const { items } = await recall(owner.at(at + 60 * day), { query: question, mode: "text", limit: 10 });
  expect(items.map(({ relevance }) => relevance)).toEqual([expect.closeTo(certain, 5)]);
});
