import { expect, test } from "vitest";
import { recall } from "../../../../src/domain/recall/recall.ts";
import { newTeam, now, type Person } from "../../../support/team.ts";

const isCertain = async (who: Person, query: string): Promise<boolean> => {
  const { items, uncertain } = await recall(who.at(now), { query, limit: 10 });
  expect(items.length).toBeLessThanOrEqual(uncertain ? 2 : 10);
  return items.length > 0 && !uncertain;
};
const found = async (who: Person, query: string, minRelevance?: number): Promise<string[]> =>
  (await recall(who.at(now), { query, limit: 10, ...(minRelevance === undefined ? {} : { minRelevance }) })).items.map(({ memory }) => memory.content);

const birds = ["heron", "stork", "crane", "egret", "bittern", "spoonbill"];
const places = ["lake", "river", "marsh", "coast"];
const question = "which insurance policy covers flood damage of the observatory near the lake";

async function watchers(count: number): Promise<Person> {
  const { owner } = await newTeam();
  const sightings = birds.flatMap((bird) => places.map((place) => `A ${bird} was seen at the ${place}`));
  for (const content of sightings.slice(0, count)) await owner.remember(content);
  return owner;
}

test("where nothing says more of a question than a common word, at most two leads come back, marked as such, unless all that matches is asked for [D5]", async () => {
  const ada = await watchers(24);
  expect(await isCertain(ada, question)).toBe(false);
  expect((await found(ada, question, 0)).length).toBeGreaterThan(0);
});

test("a good part of the question is enough", async () => {
  const ada = await watchers(24);
  await ada.remember("The observatory opens at nine");
  expect(await found(ada, "when does the observatory open")).toContain("The observatory opens at nine");
  expect((await found(ada, "herons of the lake")).length).toBeGreaterThan(0);
});

test("words from all over a long text are no answer, those of one passage are", async () => {
  const ada = await watchers(24);
  const topics = ["herring", "schema", "lantern", "conventions", "ferry", "graphql", "anchor", "tide"];
  const chapters = topics.map((topic) => `${topic} is the matter of this chapter. ${Array.from({ length: 40 }, (_, n) => `It says ${n} things of the sea and of ships.`).join(" ")}`);
  const book = (await ada.remember(chapters.join("\n\n"), { key: "book" })).memory;
  expect(await isCertain(ada, "graphql schema conventions of the observatory")).toBe(false);
  expect(await found(ada, "what is the matter of ferry")).toEqual([book.content]);
  const bound = (await ada.remember(`Graphql schema conventions of the observatory. ${chapters[0]} ${chapters[2]}`, { key: "other" })).memory;
  expect((await found(ada, "graphql schema conventions of the observatory"))[0]).toBe(bound.content);
  expect(await isCertain(ada, "graphql schema conventions of the observatory")).toBe(true);
});
