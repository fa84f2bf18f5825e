import { expect, test } from "vitest";
import { recall } from "../../../../src/domain/recall/recall.ts";
import { day, newTeam, now } from "../../../support/team.ts";

const repaired = async (question: string, daysAgo: readonly number[]): Promise<string[]> => {
  const { owner } = await newTeam();
  for (const ago of daysAgo) await owner.remember(`We repaired the ${["pump", "crane", "gate", "lift", "hoist"][daysAgo.indexOf(ago)]} in the harbour`, { occurredAt: now - ago * day });
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
