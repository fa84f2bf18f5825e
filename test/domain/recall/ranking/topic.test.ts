import { describe, expect, test } from "vitest";
import { topicOf } from "../../../../src/domain/memories/memory.ts";
import { recall } from "../../../../src/domain/recall/recall.ts";
import { rendering } from "../../../support/rendering.ts";
import { newTeam, now, type Person } from "../../../support/team.ts";

const ask = async (who: Person, query: string): Promise<string[]> => {
  const { items } = await recall(who.at(now), { query, mode: "text", limit: 100, minRelevance: 0, rendering });
  return items.map(({ memory }) => memory.content);
};

describe("a question that names a project or a person [D5]", () => {
  const own = "The database is PostgreSQL, version 17, backups at night";
  const other = "Orders and users come from the shop-api and are kept in a database of their own";

  test("is answered from what belongs there before what only mentions the name", async () => {
    const { owner } = await newTeam();
    await owner.remember(own, { namespace: "project:shop-api" });
    await owner.remember(other, { namespace: "project:dashboard" });
    expect(await ask(owner, "database version, backups and users of the shop-api")).toEqual([own, other]);
    expect((await ask(owner, "where do orders of the shop-api come from"))[0]).toBe(other);
  });

  test("as if it said the name, which it seldom does", async () => {
    const { owner } = await newTeam();
    await owner.remember("The database is PostgreSQL", { namespace: "project:shop-api" });
    await owner.remember("The version of the shop-api is shown", { namespace: "project:dashboard" });
    expect((await ask(owner, "database version of the shop-api"))[0]).toBe("The database is PostgreSQL");
  });

  test("but not when it says half of the name, or none", async () => {
    const { owner } = await newTeam();
    await owner.remember(own, { namespace: "project:shop-api" });
    await owner.remember(`${other}, a database`, { namespace: "project:dashboard" });
    for (const query of ["database of the shop", "orders database"]) expect((await ask(owner, query))[0], query).toBe(`${other}, a database`);
  });

  test.each([
    ["project:shop-api", "shop-api"], ["user:ada", "ada"], ["session:shop-api/12", "shop-api"],
    ["session:12", ""], ["thread:shop-api", ""], ["global", ""], ["project:team/shop", "team/shop"],
  ])("%s is about %j", (namespace, topic) => {
    expect(topicOf(namespace)).toBe(topic);
  });
});
