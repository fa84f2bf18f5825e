import { expect, test } from "vitest";
import { day, newTeam } from "../support/team.ts";

const iso = (daysAgo: number): string => new Date(Date.now() - daysAgo * day).toISOString();

test("a question of a time alone lists what happened then and says how it was read, without what all have in common [D5] [U5]", async () => {
  const { owner } = await newTeam();
  for (const n of [1, 2, 3]) await owner.call("omn_store_memory", { content: `Bridge ${n} was painted.`, occurred_at: iso(1) });
  await owner.call("omn_store_memory", { content: `The long story of the bridge. ${"It was cold, and nobody had brought a coat. ".repeat(80)}`, occurred_at: iso(1) });
  const { text, structured } = await owner.call("omn_retrieve_memory", { query: "What did we do yesterday?" });
  expect(text.split("\n")[0]).toBe(`(${iso(1).slice(0, 10)}, newest first)`);
  expect(text).not.toContain("relevance=");
  expect(structured["memories"]).toHaveLength(4);
  expect(structured["advice"]).toContain(`${iso(1).slice(0, 10)}, newest first`);
  expect(structured["memories"].filter(({ truncated }: { truncated?: boolean }) => truncated)).toHaveLength(1);

  const two = await owner.call("omn_retrieve_memory", { query: "What did we do yesterday?", limit: 2 });
  expect(two.text).toContain("2 of 4 found; limit shows more.");
});

test("of a time of which more was stored than is looked through, the answer counts no further [D5]", async () => {
  const { owner } = await newTeam();
  for (let n = 0; n < 63; n += 1) await owner.remember(`Bridge ${n} was painted.`, { occurredAt: Date.now() - day });
  expect((await owner.call("omn_retrieve_memory", { query: "What did we do yesterday?" })).text).toContain("10 of at least 60 found; limit shows more.");
});

test("where nothing happened then, the answer says which days it looked at, and of no time nothing more [D5]", async () => {
  const { owner } = await newTeam();
  await owner.call("omn_store_memory", { content: "Bridge 1 was painted.", occurred_at: iso(40) });
  expect((await owner.call("omn_retrieve_memory", { query: "What did we do yesterday?" })).text).toBe(`No memory found of ${iso(1).slice(0, 10)}.`);
  expect((await owner.call("omn_retrieve_memory", { query: "What's new?" })).text).toMatch(/^\(newest first\)\n<memory id="1"/);
});

test("an answer that was kept says the same, until something new is stored [A3]", async () => {
  const { owner } = await newTeam();
  await owner.call("omn_store_memory", { content: "Bridge 1 was painted." });
  const ask = async (): Promise<string> => (await owner.call("omn_retrieve_memory", { query: "What happened today?" })).text;
  const first = await ask();
  expect(first).toContain("newest first");
  expect(await ask()).toBe(first);
  await owner.call("omn_store_memory", { content: "Bridge 2 was painted." });
  expect(await ask()).toContain("Bridge 2");
});

test("what was replaced since is what happened then all the same, and names what holds now [D5]", async () => {
  const { owner } = await newTeam();
  await owner.call("omn_store_memory", { content: "The billing service runs on PostgreSQL 15.", occurred_at: iso(1) });
  await owner.call("omn_store_memory", { content: "We upgraded the billing service to PostgreSQL 17." });
  const { structured } = await owner.call("omn_retrieve_memory", { query: "What happened yesterday?" });
  expect(structured["memories"]).toMatchObject([{ content: "The billing service runs on PostgreSQL 15.", superseded_by: expect.any(String) }]);
});
