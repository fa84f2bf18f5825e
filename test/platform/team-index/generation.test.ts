import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { ensureSchema } from "../../../src/platform/team-index/schema.ts";
import { indexed, minute, newTeam, now, services, sisterOf, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;
let grace: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  grace = await team.join();
});

/** A busy machine may be too late for the caller, who is then told nothing, and asks again. */
async function generationOf({ principal }: Person): Promise<string> {
  for (;;) {
    const state = await services.index.state(principal);
    if (state) return state.generation;
  }
}

/** Who is told of a change by the generation: everybody whose answers it makes stale, and nobody else. Vectors of earlier changes have landed. */
async function movedBy(change: () => Promise<unknown>, people: readonly Person[] = [ada, grace]): Promise<boolean[]> {
  await indexed(ada.principal);
  const before = await Promise.all(people.map(generationOf));
  await change();
  const after = await Promise.all(people.map(generationOf));
  return after.map((generation, i) => generation !== before[i]);
}

describe("the generation of a team [A11] [S15]", () => {
  test("moves for those who may find what changed", async () => {
    expect(await movedBy(() => ada.keep("p", "one"))).toEqual([true, false]);
    expect(await movedBy(() => ada.keep("p", "two", {}, now + minute))).toEqual([true, false]);
    expect(await movedBy(() => ada.keep("s", "one", { visibility: "shared" }))).toEqual([true, true]);
    expect(await movedBy(() => grace.keep("s", "two", { visibility: "shared" }, now + minute))).toEqual([true, true]);
    expect(await movedBy(() => ada.call("omn_update_memory", { key: "s", metadata: { scope: "private" } }))).toEqual([true, true]);
    expect(await movedBy(() => ada.call("omn_update_memory", { key: "s", metadata: { tags: ["x"] } }))).toEqual([true, false]);
    const sister = await sisterOf(team);
    expect(await movedBy(() => sister.owner.keep("s", "one", { visibility: "shared" }))).toEqual([false, false]);
    expect(await movedBy(() => sister.owner.keep("p", "one", { visibility: "public" }))).toEqual([true, true]);
  });

  test("stays when nothing changed, also through an eviction of the object", async () => {
    await ada.keep("s", "one", { visibility: "shared" });
    expect(await movedBy(() => ada.search("one"))).toEqual([false, false]);
    expect(await movedBy(() => ada.keep("s", "one", { visibility: "shared" }))).toEqual([false, false]);
    expect(await movedBy(() => team.index.verify(team.ref))).toEqual([false, false]);
    expect(await movedBy(() => evictDurableObject(team.index))).toEqual([false, false]);
  });

  test("moves for everybody, or for some, when told so", async () => {
    expect(await movedBy(() => team.index.bump())).toEqual([true, true]);
    expect(await movedBy(() => team.index.bump([{ visibilityKey: ada.id, memoryId: "m" }]))).toEqual([true, false]);
  });

  test("is never one that was, even after the index was dropped, or laid out anew", async () => {
    const seen: (string | undefined)[] = [];
    const noteNew = async (): Promise<void> => {
      const generation = (await services.index.state(ada.principal))?.generation;
      expect([undefined, ...seen]).not.toContain(generation);
      seen.push(generation);
    };
    await noteNew();
    for (let n = 0; n < 3; n += 1) {
      await ada.keep(`k${n}`, "text");
      await noteNew();
    }
    await runInDurableObject(team.index, (_, { storage }) => {
      storage.sql.exec("UPDATE meta SET value = 'older' WHERE name = 'layout'");
      ensureSchema(storage);
    });
    await evictDurableObject(team.index);
    await team.index.catchUp(team.ref, 3);
    await noteNew();
    await runInDurableObject(team.index, (_, { storage }) => storage.deleteAll());
    await evictDurableObject(team.index);
    // It has read everything before it tells.
    await noteNew();
    await team.index.rebuild(team.ref);
    await noteNew();
  });

  test("cannot be told while the index is out of reach, and is not waited for", async () => {
    await runInDurableObject(team.index, (_, { storage }) => storage.sql.exec("ALTER TABLE generations RENAME TO lost"));
    expect(await services.index.state(ada.principal)).toBeUndefined();
  });
});
