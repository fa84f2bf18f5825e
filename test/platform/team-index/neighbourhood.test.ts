import { beforeEach, describe, expect, test } from "vitest";
import { newTeam, sisterOf, type Team } from "../../support/team.ts";

let team: Team;
let sister: Team;

beforeEach(async () => {
  team = await newTeam();
  sister = await sisterOf(team);
});

const found = async (): Promise<string[]> => (await team.owner.call("omn_retrieve_memory", { query: "lighthouse", mode: "text" })).structured["memories"].map(({ content }: { content: string }) => content);

async function erased(key: string): Promise<void> {
  const { confirm } = (await sister.owner.call("omn_forget_memory", { key, mode: "erase" })).structured;
  await sister.owner.call("omn_forget_memory", { key, mode: "erase", confirm });
}

const published = (key: string, content: string) => sister.owner.call("omn_store_memory", { key, content, metadata: { scope: "public" } });

describe("what other teams of the organization publish [A11]", () => {
  test("is found by a team that nobody asked anything before the first of it was erased again", async () => {
    await published("first", "The lighthouse is white");
    await erased("first");
    expect(await found()).toEqual([]);
    await published("second", "The lighthouse is red");
    expect(await found()).toEqual(["The lighthouse is red"]);
  });

  test("is found by a team that was told of it while it asked", async () => {
    // Nobody has asked the team's object yet: the answer that nobody publishes comes after what it was told.
    await team.index.othersPublish();
    expect((await team.index.state(team.owner.principal)).others).toBe(true);
  });
});
