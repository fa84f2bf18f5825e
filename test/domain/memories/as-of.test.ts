import { beforeEach, describe, expect, test } from "vitest";
import { archiveOne } from "../../../src/domain/memories/forget.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { day, hour, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const later = now + 10 * day;
const contents = async (who: Person, asked: object): Promise<string[]> => (await who.recall(asked, later)).map(({ memory }) => memory.content);

describe("look-ups as of an instant [U13] [A1]", () => {
  test("by key, pattern, id, alias and filters answer the version of that time", async () => {
    const { id, alias } = await ada.keep("plan.a", "one", { tags: ["t"], importance: 0.1 });
    await ada.keep("plan.a", "two", { importance: 0.9 }, now + day);
    for (const asked of [{ key: "plan.a" }, { key: "plan.*" }, { id }, { id: alias }, { filter: { tags: ["t"] } }]) {
      expect(await contents(ada, asked), JSON.stringify(asked)).toEqual(["two"]);
      expect(await contents(ada, { ...asked, asOf: now + hour }), JSON.stringify(asked)).toEqual(["one"]);
      expect(await contents(ada, { ...asked, asOf: now - 1 }), JSON.stringify(asked)).toEqual([]);
    }
    const [found] = await ada.recall({ id, asOf: now + hour }, later);
    expect(found?.memory).toMatchObject({ content: "one", version: 1, importance: 0.1 });
  });

  test("a memory that was archived since is answered as of before, and not as of after", async () => {
    const memory = await ada.keep("plan.a", "one", { tags: ["t"] });
    await archiveOne(ada.at(now + day), memory);
    for (const asked of [{ key: "plan.a" }, { key: "plan.*" }, { id: memory.id }, { id: memory.alias }, { filter: { tags: ["t"] } }, { query: "one" }]) {
      expect(await contents(ada, asked), JSON.stringify(asked)).toEqual([]);
      expect(await contents(ada, { ...asked, asOf: now + hour }), JSON.stringify(asked)).toEqual(["one"]);
      expect(await contents(ada, { ...asked, asOf: now + 2 * day }), JSON.stringify(asked)).toEqual([]);
    }
  });

  test("a key that changed hands answers the memory that had it then", async () => {
    const { id } = await ada.keep("plan", "the old plan");
    await revise(ada.at(now + day), { target: { id }, changes: { key: "plan.old" } });
    await ada.keep("plan", "the new plan", {}, now + 2 * day);
    expect(await contents(ada, { key: "plan" })).toEqual(["the new plan"]);
    expect(await contents(ada, { key: "plan", asOf: now + 3 * day })).toEqual(["the new plan"]);
    expect(await contents(ada, { key: "plan", asOf: now + hour })).toEqual(["the old plan"]);
    expect(await contents(ada, { key: "plan.old", asOf: now + hour })).toEqual([]);
    expect(await contents(ada, { key: "pl*", asOf: now + hour })).toEqual(["the old plan"]);
    expect(await contents(ada, { key: "plan", asOf: now + day + hour })).toEqual([]);
  });

  test("what was private then stays its owner's, and what is private now is nobody else's [S6]", async () => {
    const grace = await team.join();
    const { id } = await ada.keep("k", "my secret");
    await revise(ada.at(now + day), { target: { id }, changes: { content: "for all", visibility: "shared" } });
    await revise(ada.at(now + 2 * day), { target: { id }, changes: { content: "mine again", visibility: "private" } });
    for (const asOf of [now + hour, now + day + hour, now + 3 * day]) expect(await contents(grace, { id, asOf }), `${asOf}`).toEqual([]);
    expect(await contents(ada, { id, asOf: now + hour })).toEqual(["my secret"]);
    expect(await contents(ada, { key: "k", asOf: now + day + hour })).toEqual(["for all"]);
  });

  test("through the tool: a date is the beginning of its day", async () => {
    await ada.keep("k", "one", {}, Date.UTC(2026, 0, 1, 12));
    await ada.keep("k", "two", {}, Date.UTC(2026, 0, 2, 12));
    const ask = async (as_of: string) => (await ada.call("omn_retrieve_memory", { key: "k", as_of })).structured["memories"].map((memory: { content: string }) => memory.content);
    expect(await ask("2026-01-01")).toEqual([]);
    expect(await ask("2026-01-02")).toEqual(["one"]);
    expect(await ask("2026-01-02T12:00:00Z")).toEqual(["two"]);
    expect(await ask("2026-01-02T12:30:00+01:00")).toEqual(["one"]);
  });
});
