import { beforeEach, describe, expect, test } from "vitest";
import { exported, recordsOf } from "../support/revert.ts";
import { newTeam, type Person } from "../support/team.ts";

/** The same to the eye: "é" as one character, and as a letter and an accent. */
const [composed, apart] = ["café.menu".normalize("NFC"), "café.menu".normalize("NFD")];

let ada: Person;
beforeEach(async () => {
  ada = (await newTeam()).owner;
});

const answered = async (tool: string, args: Record<string, unknown>): Promise<Record<string, any>> => {
  const { structured, isError, text } = await ada.call(tool, args);
  expect(isError, text).toBe(false);
  return structured;
};
const contents = async (args: Record<string, unknown>, tool = "omn_retrieve_memory"): Promise<string[]> =>
  (await answered(tool, args))["memories"].map(({ content }: { content: string }) => content);
const keys = async (): Promise<unknown[]> => recordsOf(await exported(ada)).map(({ key }) => key).sort();

describe("a key is the same however its accents are written [A1] [B1]", () => {
  test("where it is stored, looked up, listed, changed, imported, linked to and forgotten, in every family", async () => {
    expect(await answered("omn_store_memory", { key: apart, content: "Soup" })).toMatchObject({ outcome: "created", key: composed });
    expect(await answered("omn_store_memory", { key: composed, content: "Soup and salad" })).toMatchObject({ outcome: "updated" });
    for (const key of [composed, apart, `${apart.slice(0, 5)}*`, `*${composed.slice(3)}`]) {
      expect(await contents({ key })).toEqual(["Soup and salad"]);
      expect(await contents({ key }, "omn_list_memories")).toEqual(["Soup and salad"]);
    }
    expect(await answered("omn_update_memory", { key: apart, content: "Bread" })).toMatchObject({ outcome: "updated" });
    expect(await answered("omn_import_memories", { memories: [{ key: apart, content: "Cake" }] })).toMatchObject({ updated: 1 });
    expect(await answered("omn_store_memory", { key: "links", content: "The menu is on the wall.", links: [{ to: apart, type: "references" }] })).toMatchObject({ outcome: "created" });
    expect(await keys()).toEqual([composed, "links"]);
    await answered("write_memory", { key: apart, value: "Tea", scope: "global" });
    expect((await answered("read_memory", { key: composed, scope: "global" }))["memory"]).toMatchObject({ key: composed });
    await answered("omn_forget_memory", { key: apart, confirm: (await answered("omn_forget_memory", { key: apart }))["confirm"] });
    expect(await contents({ key: composed })).toEqual([]);
  });

  test("also where it was stored in the other form before, and the next version has the one form", async () => {
    const { id } = await ada.keep(apart, "Soup");
    for (const key of [composed, apart, `${composed.slice(0, 4)}*`, `${composed.slice(0, 2)}*`, `*${apart.slice(3)}`, "*menu"]) {
      expect(await contents({ key })).toEqual(["Soup"]);
      expect(await contents({ key }, "omn_list_memories")).toEqual(["Soup"]);
    }
    expect(await answered("omn_update_memory", { key: composed, content: "Salad" })).toMatchObject({ outcome: "updated", memory_id: id });
    expect(await answered("omn_import_memories", { memories: [{ key: composed, content: "Bread" }] })).toMatchObject({ updated: 1, memory_ids: [id] });
    expect(await keys()).toEqual([composed]);
    const { id: other } = await ada.keep(apart.replace("menu", "tea"), "Green");
    expect(await answered("omn_store_memory", { key: composed.replace("menu", "tea"), content: "Black" })).toMatchObject({ outcome: "updated", memory_id: other });
    expect(await keys()).toEqual([composed, composed.replace("menu", "tea")]);
    const { id: last } = await ada.keep(apart.replace("menu", "day"), "Monday");
    const key = composed.replace("menu", "day");
    expect((await answered("omn_forget_memory", { key, confirm: (await answered("omn_forget_memory", { key }))["confirm"] }))["memory_ids"]).toEqual([last]);
  });
});
