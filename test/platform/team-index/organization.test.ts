import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { forget } from "../../../src/domain/memories/forget.ts";
import { importMemories } from "../../../src/domain/memories/import.ts";
import type { Visibility } from "../../../src/domain/memories/memory.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { TeamSource } from "../../../src/platform/team-index/source.ts";
import { day, deliver, newTeam, now, sisterOf, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;
let sister: Team;
let grace: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  sister = await sisterOf(team);
  grace = sister.owner;
});

/** What Ada finds of it by words, key, id, `search` and `fetch`. */
async function reach(key: string, id: string, words: string): Promise<number[]> {
  const at = now + 2 * day;
  return [
    (await ada.search(words, {}, at)).length,
    (await ada.recall({ key }, at)).length,
    (await ada.recall({ id }, at)).length,
  ];
}

async function remove(who: Person, id: string, mode: "archive" | "erase"): Promise<void> {
  const preview = await forget(who.at(now + day), { ids: [id], mode });
  if (preview.outcome === "preview") await forget(who.at(now + day), { ids: [id], mode, confirm: preview.confirm });
}

describe("public memories of another team of the organization [A13] [S15]", () => {
  test("are found at once, by words, key and id", async () => {
    const { id } = await grace.keep("lunch.menu", "soup of the day is gazpacho", { visibility: "public" });
    expect(await reach("lunch.menu", id, "gazpacho")).toEqual([1, 1, 1]);
  });

  test("through the tools too, named as another team's by nothing but their owner", async () => {
    const stored = await grace.call("omn_store_memory", { key: "lunch.menu", content: "soup of the day is gazpacho", metadata: { scope: "public" } });
    const found = await ada.call("search", { query: "gazpacho" });
    expect(found.structured["results"]).toMatchObject([{ id: stored.structured["memory_id"], title: "lunch.menu" }]);
    expect((await ada.call("fetch", { id: stored.structured["memory_id"] })).structured).toMatchObject({ text: "soup of the day is gazpacho" });
    const refused = await ada.call("omn_update_memory", { id: stored.structured["memory_id"], content: "mine" });
    expect(refused.error?.code).toBe("MEMORY_NOT_FOUND");
  });

  const hidden: [how: string, act: (id: string) => Promise<unknown>][] = [
    ["made private", (id) => revise(grace.at(now + day), { target: { id }, changes: { visibility: "private" } })],
    ["made shared", (id) => revise(grace.at(now + day), { target: { id }, changes: { visibility: "shared" } })],
    ["archived", (id) => remove(grace, id, "archive")],
    ["erased", (id) => remove(grace, id, "erase")],
  ];
  test.each(hidden)("vanish at once when %s, and leave no text in the organization's index", async (_how, act) => {
    const { id } = await grace.keep("lunch.menu", "soup of the day is gazpacho", { visibility: "public" });
    await grace.keep("lunch.menu", "soup of the day is cold gazpacho", { visibility: "public" }, now + 1);
    await act(id);
    expect(await reach("lunch.menu", id, "gazpacho")).toEqual([0, 0, 0]);
    const kept = await runInDurableObject(team.organizationIndex, (_, state) =>
      state.storage.sql.exec("SELECT body FROM docs WHERE archived = 0").toArray(),
    );
    expect(kept).toEqual([]);
  });

  test("do not come back when the news of their publication arrives last", async () => {
    const { id } = await grace.keep("lunch.menu", "soup of the day is gazpacho", { visibility: "public" }, now + 1);
    const [published] = await grace.recall({ id }, now + 1);
    await revise(grace.at(now + day), { target: { id }, changes: { visibility: "private" } });
    await deliver(grace.principal, published ? [published.memory] : []);
    expect(await reach("lunch.menu", id, "gazpacho")).toEqual([0, 0, 0]);
  });

  test.each(["private", "shared"] as Visibility[])("%s ones are never reached", async (visibility) => {
    const { id } = await grace.keep("lunch.menu", "soup of the day is gazpacho", { visibility });
    expect(await reach("lunch.menu", id, "gazpacho")).toEqual([0, 0, 0]);
  });

  test("nor do they cross organizations", async () => {
    const stranger = (await newTeam()).owner;
    const { id } = await stranger.keep("lunch.menu", "soup of the day is gazpacho", { visibility: "public" });
    expect(await reach("lunch.menu", id, "gazpacho")).toEqual([0, 0, 0]);
  });

  test("are all that its index follows, besides what may have been public before", async () => {
    await grace.keep("lunch.menu", "soup of the day is gazpacho", { visibility: "public" });
    await grace.keep("lunch.table", "the table by the window", { visibility: "shared" });
    await grace.keep("lunch.talk", "tell Ada about the gazpacho", {}, now + 1);
    await grace.keep("lunch.talk", "tell Ada about the cold gazpacho", {}, now + 2);
    const { chains, upTo, done } = await new TeamSource(env.SHARD_0, sister.id).changesAfter(0, true);
    expect(chains.map(({ present }) => present.key)).toEqual(["lunch.menu", "lunch.talk"]);
    expect({ upTo, done }).toEqual({ upTo: 4, done: true });
  });

  test("the organization's index is dropped: the next check of the team rebuilds it", async () => {
    const { id } = await grace.keep("lunch.menu", "soup of the day is gazpacho", { visibility: "public" });
    await runInDurableObject(team.organizationIndex, (_, state) => state.storage.deleteAll());
    await evictDurableObject(team.organizationIndex);
    await team.organizationIndex.verify(sister.ref);
    expect(await reach("lunch.menu", id, "gazpacho")).toEqual([1, 1, 1]);
    expect(await team.organizationIndex.verify(sister.ref)).toEqual({ rebuilt: false });
  });
});

describe("statistics of one team never influence another's ranking [S15] [S6]", () => {
  const question = "whale krill harbour";
  const scores = async () => (await ada.recall({ query: question })).map(({ memory, relevance }) => [memory.content, relevance]);

  async function flood(person: Person, visibility: Visibility): Promise<void> {
    for (let part = 0; part < 4; part += 1) {
      const records = Array.from({ length: 500 }, (_, n) => ({ key: `f.${part}.${n}`, content: `whale krill harbour ${n} ${"tide ".repeat(n % 30)}`, visibility }));
      await importMemories(person.at(now), { records, onConflict: "update" });
    }
  }

  test.each([
    ["another team of the organization, shared", async () => grace, "shared"],
    ["another organization, public", async () => (await newTeam()).owner, "public"],
  ] as const)("2,000 memories with the same words in %s", async (_name, who, visibility) => {
    await ada.remember("the whale eats krill");
    await ada.remember("a whale was seen from the harbour", { visibility: "shared" });
    await ada.remember("the harbour is closed on sunday", { visibility: "public" });
    const before = await scores();
    expect(before).toHaveLength(3);

    await flood(await who(), visibility);

    expect(await scores()).toEqual(before);
  });

  test("public ones of the organization join the answer, beside all of one's own", async () => {
    await ada.remember("the whale eats krill");
    await ada.remember("a whale was seen from the harbour", { visibility: "shared" });
    const before = await scores();
    await grace.remember("whale krill harbour", { visibility: "public" });
    const after = await scores();
    expect(after).toHaveLength(3);
    expect(after.map(([content]) => content)).toEqual(expect.arrayContaining([...before.map(([content]) => content), "whale krill harbour"]));
  });
});
