import { beforeEach, describe, expect, test } from "vitest";
import { exported, recordsOf, reverted } from "../support/revert.ts";
import { newTeam, type Person, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

interface Operation {
  id: string;
  event: string;
  memory: string;
}

const add = async (text: string, args: Record<string, unknown> = {}, who = ada) => {
  const { structured, isError, text: shown } = await who.call("memory_add", { messages: [{ role: "user", name: "Anna", content: text }], ...args });
  expect(isError, shown).toBe(false);
  return { data: structured["data"] as Operation[], metadata: structured["metadata"] as Record<string, any>, text: shown };
};
const told = async (text: string, args?: Record<string, unknown>) => (await add(text, args)).data.map(({ event, memory }) => `${event} ${memory}`);
/** What stands, without the conversations. */
const facts = async () => recordsOf(await exported(ada)).flatMap(({ archived_at, key, content }) => (archived_at !== null || key?.startsWith("messages.") ? [] : content)).sort();
const records = async () => recordsOf(await exported(ada)).filter(({ key }) => key?.startsWith("messages."));

describe("the same messages again say what holds now [D2]", () => {
  test("a value that was changed is changed back, as often as that is said, and each conversation is kept once", async () => {
    expect(await told("My favourite colour is red.")).toEqual(["ADD Anna's favourite colour is red."]);
    for (const colour of ["blue", "red", "blue", "red"]) {
      expect(await told(`My favourite colour is ${colour}.`)).toEqual([`UPDATE Anna's favourite colour is ${colour}.`]);
      expect(await facts()).toEqual([`Anna's favourite colour is ${colour}.`]);
    }
    expect(await records()).toHaveLength(2);
  });

  test("what was ended and holds again is added again, and can be ended again", async () => {
    for (let i = 0; i < 2; i += 1) {
      expect(await told("I drink coffee.")).toEqual(["ADD Anna drinks coffee."]);
      expect(await told("I no longer drink coffee.")).toEqual([expect.stringMatching(/^DELETE /)]);
      expect(await facts()).toEqual([]);
    }
  });

  test("an end that is said again ends nothing else and becomes no fact, while what it ended stays away", async () => {
    const { data: [first] } = await add("I work at Initech.");
    await add("I no longer work at Initech.");
    const before = await exported(ada);
    expect(await add("I no longer work at Initech.")).toMatchObject({ data: [{ id: first?.id, event: "NONE" }], metadata: { repeated: true, operations_performed: 0 } });
    expect(await exported(ada)).toBe(before);
    await ada.call("omn_update_memory", { id: first?.id, archived: false });
    expect(await told("I no longer work at Initech.")).toEqual([expect.stringMatching(/^DELETE /)]);
  });

  test.each([
    ["memory_delete", async (id: string) => ada.call("memory_delete", { memory_id: id })],
    ["memory_delete_all", async () => {
      const { structured } = await ada.call("memory_delete_all", { user_id: "anna" });
      return ada.call("memory_delete_all", { user_id: "anna", confirm: (structured["data"] as { confirm: string }).confirm });
    }],
    ["a revert", async (_id: string, request: string) => reverted(ada, { request })],
    ["a change by hand", async (id: string) => ada.call("memory_update", { memory_id: id, data: "Nothing is known of the pets." })],
  ])("what %s took is stored when it is said again", async (_how, take) => {
    const { data: [first], metadata } = await add("My sister lives in Oslo.", { user_id: "anna" });
    await take(first?.id ?? "", metadata["request_id"]);
    expect(await facts()).not.toContain("Anna's sister lives in Oslo.");
    expect(await told("My sister lives in Oslo.", { user_id: "anna" })).toEqual(["ADD Anna's sister lives in Oslo."]);
    expect(await facts()).toContain("Anna's sister lives in Oslo.");
  });

  test("what is there already changes nothing, not even in the record", async () => {
    const { data: [first] } = await add("I live in Berlin. I speak Norwegian.");
    const before = await exported(ada);
    expect(await add("I live in Berlin. I speak Norwegian.")).toMatchObject({ data: [{ id: first?.id, event: "NONE" }, { event: "NONE" }], metadata: { repeated: true, operations_performed: 0 } });
    expect(await exported(ada)).toBe(before);
  });

  test("a key is answered with what its own call did, whatever the same messages did since", async () => {
    const first = await add("My favourite colour is red.", { idempotency_key: "first" });
    await add("My favourite colour is blue.");
    const second = await add("My favourite colour is red.", { idempotency_key: "second" });
    const before = await exported(ada);
    for (const [key, { data: [done] }] of [["first", first], ["second", second]] as const) {
      expect(await add("My favourite colour is red.", { idempotency_key: key })).toMatchObject({ data: [{ id: done?.id, event: done?.event }], metadata: { repeated: true } });
    }
    expect([first, second].map(({ data }) => data[0]?.event)).toEqual(["ADD", "UPDATE"]);
    expect(await exported(ada)).toBe(before);
  });
});
