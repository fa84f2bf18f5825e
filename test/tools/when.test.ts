import { beforeAll, describe, expect, test } from "vitest";
import { newTeam, type Person } from "../support/team.ts";

let ada: Person;
const keys = (answer: { structured: Record<string, any> }): string[] => answer.structured["memories"].map(({ key }: { key: string }) => key).sort();

describe("when it happened: occurred_after and occurred_before", () => {
  beforeAll(async () => {
    ada = (await newTeam()).owner;
    for (const [key, occurred_at] of Object.entries({ april: "2026-04-30T23:59:59.999Z", first: "2026-05-01", last: "2026-05-31T23:59:59Z", june: "2026-06-01" })) {
      await ada.call("omn_store_memory", { key, content: `The lighthouse keeper wrote ${key}.`, occurred_at });
    }
    await ada.call("omn_store_memory", { key: "undated", content: "The lighthouse keeper wrote today." });
  });

  const may = { occurred_after: "2026-05-01", occurred_before: "2026-06-01T00:00:00Z" };
  const rows: [string, Record<string, string>, string[]][] = [
    ["from the first instant of a day", { occurred_after: "2026-05-01" }, ["first", "june", "last", "undated"]],
    ["until just before one", { occurred_before: "2026-05-01" }, ["april"]],
    ["both", may, ["first", "last"]],
    ["an offset is minded", { occurred_after: "2026-05-01T01:00:00+02:00", occurred_before: "2026-05-01T02:00:00.001+02:00" }, ["april", "first"]],
    ["without a date it is when it was stored", { occurred_after: new Date(Date.now() - 3_600_000).toISOString() }, ["undated"]],
  ];

  test.each(rows)("%s, by question, by key, alone, in lists and in exports", async (_name, filters, expected) => {
    expect(keys(await ada.call("omn_retrieve_memory", { query: "lighthouse keeper", filters, min_relevance: 0, without: ["dedupe"] }))).toEqual(expected);
    expect(keys(await ada.call("omn_retrieve_memory", { key: "*", filters }))).toEqual(expected);
    expect(keys(await ada.call("omn_retrieve_memory", { filters }))).toEqual(expected);
    expect(keys(await ada.call("omn_list_memories", { filters }))).toEqual(expected);
    const { structured } = await ada.call("omn_export_memories", { filters });
    expect(structured["count"]).toBe(expected.length);
    expect(structured["data"].trim().split("\n").map((line: string) => JSON.parse(line).key).sort()).toEqual(expected);
  });

  test("what a client says in metadata is the instant as well; what is none stays an entry of its own [A1]", async () => {
    const { owner } = await newTeam();
    for (const [key, occurred_at] of Object.entries({ march: "2026-03-03", vague: "in spring" })) await owner.call("omn_store_memory", { key, content: `The keeper wrote ${key}.`, metadata: { occurred_at, place: "tower" } });
    await owner.call("omn_update_memory", { key: "march", metadata: { occurred_at: "2026-03-04" } });
    const { structured } = await owner.call("omn_list_memories", { filters: { occurred_before: "2026-04-01" } });
    expect(structured["memories"]).toMatchObject([{ key: "march", occurred_at: "2026-03-04T00:00:00.000Z", metadata: { place: "tower" } }]);
    expect(structured["memories"][0].metadata).not.toHaveProperty("occurred_at");
    expect((await owner.call("omn_retrieve_memory", { key: "vague" })).structured["memories"]).toMatchObject([{ metadata: { occurred_at: "in spring", place: "tower" } }]);
  });

  test("an empty stretch and what is no date are refused, with what would be right", async () => {
    const empty = await ada.call("omn_list_memories", { filters: { occurred_after: "2026-06-01", occurred_before: "2026-05-01" } });
    expect(empty.error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("earlier than occurred_before") });
    const vague = await ada.call("omn_list_memories", { filters: { occurred_after: "last week" } });
    expect(vague.error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("2026-01-31") });
  });
});

describe("what was true when: valid_at", () => {
  beforeAll(async () => {
    ada = (await newTeam()).owner;
    for (const [key, fields] of Object.entries({
      always: {}, old: { valid_to: "2026-05-01" }, middle: { valid_from: "2026-05-01", valid_to: "2026-06-01" }, present: { valid_from: "2026-06-01" },
    })) {
      await ada.call("omn_store_memory", { key, content: `The harbour office is in house ${key}.`, ...fields });
    }
  });

  test.each([
    ["2026-04-30T23:59:59.999Z", ["always", "old"]],
    ["2026-05-01", ["always", "middle"]],
    ["2026-05-31T23:59:59.999Z", ["always", "middle"]],
    ["2026-06-01", ["always", "present"]],
  ])("at %s, by question, by key, alone and in lists", async (valid_at, expected) => {
    expect(keys(await ada.call("omn_retrieve_memory", { query: "harbour office", valid_at, min_relevance: 0, without: ["dedupe"] }))).toEqual(expected);
    expect(keys(await ada.call("omn_retrieve_memory", { key: "*", valid_at }))).toEqual(expected);
    expect(keys(await ada.call("omn_retrieve_memory", { valid_at }))).toEqual(expected);
    expect(keys(await ada.call("omn_list_memories", { valid_at }))).toEqual(expected);
  });

  test("the bounds are shown, changed, exported and imported", async () => {
    await ada.call("omn_store_memory", { key: "lease", content: "The lease of the pier", valid_from: "2026-01-01" });
    expect((await ada.call("omn_update_memory", { key: "lease", valid_to: "2026-12-31" })).structured["outcome"]).toBe("updated");
    const [lease] = (await ada.call("omn_retrieve_memory", { key: "lease" })).structured["memories"];
    expect(lease).toMatchObject({ valid_from: "2026-01-01T00:00:00.000Z", valid_to: "2026-12-31T00:00:00.000Z" });
    const { structured } = await ada.call("omn_export_memories", {});
    const other = (await newTeam()).owner;
    await other.call("omn_import_memories", { data: structured["data"], sha256: structured["sha256"], count: structured["count"] });
    expect(keys(await other.call("omn_list_memories", { valid_at: "2026-12-31" }))).toEqual(["always", "present"]);
    expect(keys(await other.call("omn_list_memories", { valid_at: "2026-12-30" }))).toEqual(["always", "lease", "present"]);
    await ada.call("omn_update_memory", { key: "lease", valid_to: null });
    expect(keys(await ada.call("omn_retrieve_memory", { key: "lease", valid_at: "2030-01-01" }))).toEqual(["lease"]);
  });

  test("what holds only later says from when, and so does what is looked up", async () => {
    await ada.call("omn_store_memory", { key: "fee", content: "The mooring fee is 99 euros.", valid_from: "2999-01-01" });
    expect((await ada.call("omn_retrieve_memory", { query: "mooring fee" })).text).toContain('valid_from="2999-01-01"');
    expect((await ada.call("omn_retrieve_memory", { key: "present" })).text).toContain('valid_from="2026-06-01"');
    expect((await ada.call("omn_retrieve_memory", { query: "harbour office in house present" })).text).not.toContain("valid_from");
  });

  test("bounds between which nothing lies are refused, and so is valid_at with an id", async () => {
    const bounds = { valid_from: "2026-05-01", valid_to: "2026-05-01" };
    expect((await ada.call("omn_store_memory", { key: "never", content: "x", ...bounds })).error?.message).toContain("valid_to is not later");
    expect((await ada.call("omn_update_memory", { key: "present", valid_to: "2020-01-01" })).error?.message).toContain("valid_to is not later");
    const { structured } = await ada.call("omn_retrieve_memory", { key: "always" });
    expect((await ada.call("omn_retrieve_memory", { id: structured["memories"][0].memory_id, valid_at: "2026-05-01" })).error?.message).toContain("valid_at");
  });

  test("with as_of: what was held for true then", async () => {
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await ada.call("omn_update_memory", { key: "present", content: "The harbour office moves in June.", valid_from: "2026-07-01" });
    const asked = { key: "present", valid_at: "2026-06-15" };
    expect(keys(await ada.call("omn_retrieve_memory", asked))).toEqual([]);
    expect(keys(await ada.call("omn_retrieve_memory", { ...asked, as_of: before }))).toEqual(["present"]);
  });
});

describe("metadata that means the expiry [B2]", () => {
  test.each(["ttl", "ttl_seconds", "expires", "expires_in", "expires_at", "expiration"])("%s is refused, and the answer says what to say instead", async (name) => {
    const { error } = await ada.call("omn_store_memory", { content: "The lighthouse is closed for repairs.", metadata: { [name]: 3600 } });
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringMatching(new RegExp(`\\b${name} .*say expiry`)) });
  });

  test("other names are entries of one's own", async () => {
    const { structured } = await ada.call("omn_store_memory", { content: "The zone file has short lifetimes.", metadata: { dns_ttl: 300 } });
    expect((await ada.call("omn_retrieve_memory", { id: structured["memory_id"] })).structured["memories"][0].metadata).toMatchObject({ dns_ttl: 300 });
  });
});

test("the last instant of the last year comes back from an export whatever its offset, and so does the first of the first [B2]", async () => {
  const { owner } = await newTeam();
  for (const [key, expiry] of Object.entries({ west: "9999-12-31T23:59:59-05:00", here: "9999-12-31T23:59:59Z" })) await owner.call("omn_store_memory", { key, content: `The lease of pier ${key} never ends.`, metadata: { expiry } });
  await owner.call("omn_store_memory", { key: "east", content: "The quay was begun when years were.", occurred_at: "0000-01-01T00:00:00+02:00" });
  const { data } = (await owner.call("omn_export_memories", { format: "ndjson" })).structured as { data: string };
  const records = data.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(Object.fromEntries(records.map(({ key, expires_at, occurred_at }) => [key, expires_at ?? occurred_at]))).toEqual({ west: "9999-12-31T23:59:59.999Z", here: "9999-12-31T23:59:59.000Z", east: "0000-01-01T00:00:00.000Z" });
  expect((await (await newTeam()).owner.call("omn_import_memories", { data, format: "ndjson" })).structured).toMatchObject({ created: 3 });
});
