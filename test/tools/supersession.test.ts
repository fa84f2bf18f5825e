import { describe, expect, test } from "vitest";
import { send } from "../http/raw.ts";
import { newTeam, type Person } from "../support/team.ts";

const earlier = "The billing service runs on PostgreSQL 15.";
const later = "We upgraded the billing service to PostgreSQL 17.";

test("what one stored plainly is superseded by what one says plainly later, and recall has the present one first", async () => {
  const { owner } = await newTeam();
  await owner.call("omn_store_memory", { content: earlier });
  const stored = await owner.call("omn_store_memory", { content: later });
  expect(stored.text).toContain('relation="supersedes"');
  const { structured } = await owner.call("omn_retrieve_memory", { query: "Which PostgreSQL does the billing service run on?" });
  expect((structured["memories"] as { content: string }[]).map(({ content }) => content)).toEqual([later, earlier]);
  expect((structured["memories"] as object[])[1]).toHaveProperty("superseded_by", stored.structured["memory_id"]);
});

test("a briefing says the present one alone", async () => {
  const { owner } = await newTeam();
  await owner.call("write_memory", { key: "project.database", value: earlier });
  await owner.call("write_memory", { key: "project.database.now", value: later });
  const { text } = await owner.call("smart_resume");
  expect(text).toContain(later);
  expect(text).not.toContain(earlier);
});

test("what others see is superseded by a consolidation that somebody confirms", async () => {
  const { owner } = await newTeam();
  await owner.call("omn_store_memory", { content: earlier, metadata: { scope: "shared" } });
  await owner.call("omn_store_memory", { content: later, metadata: { scope: "shared" } });
  const preview = await owner.call("omn_consolidate", {});
  expect(preview.structured).toMatchObject({ count: 1, would_settle: [{ decision: "supersede", gone: { preview: earlier }, kept: { preview: later } }] });
});

const instant = (inMs: number): string => new Date(Date.now() + inMs).toISOString();

test("what ends earlier, or does not hold yet, replaces nothing by itself: it is named, and a briefing goes on with what holds [C3]", async () => {
  const { owner } = await newTeam();
  await owner.call("write_memory", { key: "project.database", value: earlier });
  const brief = await owner.call("write_memory", { key: "project.database.now", value: later, ttl: 3_600 });
  expect(brief.text).toContain("supersede");
  expect(brief.text).not.toContain("marked as superseded");
  const planned = await owner.call("omn_store_memory", { content: "We upgraded the billing service to PostgreSQL 18.", namespace: "project:default", valid_from: instant(9_000_000) });
  expect(planned.text).not.toContain("marked as superseded");
  expect((await owner.call("smart_resume")).text).toContain(earlier);
});

test("a consolidation merges nothing into what ends earlier, nor into what does not hold yet [C3]", async () => {
  const { owner } = await newTeam();
  const lasting = "The importer validates the CSV files of the bank.";
  await owner.call("mnemosyne_remember", { content: lasting, allow_duplicate: true });
  const passing = await owner.call("mnemosyne_remember", { content: `${lasting} It runs at night.`, expires_at: instant(3_600_000), allow_duplicate: true });
  expect(passing.isError, passing.text).toBe(false);
  await owner.call("omn_store_memory", { content: earlier });
  const planned = await owner.call("omn_store_memory", { content: later, valid_from: instant(9_000_000) });
  expect(planned.isError, planned.text).toBe(false);
  expect((await owner.call("omn_consolidate", {})).structured).toMatchObject({ would_settle: [] });
});

describe("a link that says that one memory supersedes another [C4] [D5]", () => {
  const old = "We chose PostgreSQL 15 for the ledger service.";
  const present = "The ledger service uses PostgreSQL 17.";
  const question = { query: "Which database does the ledger service use?" };
  const stored = async (who: Person, content: string, more: object = {}): Promise<string> => (await who.call("omn_store_memory", { content, allow_duplicate: true, ...more })).structured["memory_id"] as string;
  const found = async (who: Person): Promise<[content: string, by: unknown][]> =>
    ((await who.call("omn_retrieve_memory", question)).structured["memories"] as { content: string; superseded_by?: string }[]).map(({ content, superseded_by }) => [content, superseded_by]);

  test("has what it leads from first in every family, also after the other one is changed; taken away, both stand again", async () => {
    const { owner } = await newTeam();
    const first = await stored(owner, old);
    const second = (await owner.call("mnemosyne_remember", { content: present, links: [{ target_id: first, link_type: "Supersedes" }] })).structured["memory_id"] as string;
    await owner.call("mnemosyne_update", { memory_id: first, add_tags: ["old"] });
    expect(await found(owner)).toEqual([[present, undefined], [old, second]]);
    for (const [tool, args] of [["mnemosyne_recall", question], ["memory_search", question], ["search", question]] as const) {
      const { text } = await owner.call(tool, args);
      expect(text, tool).toContain("PostgreSQL 17");
      expect(text.indexOf("PostgreSQL 17"), tool).toBeLessThan(text.includes("PostgreSQL 15") ? text.indexOf("PostgreSQL 15") : Infinity);
    }
    await owner.call("mnemosyne_update", { memory_id: second, remove_links: [{ target_id: first, link_type: "Supersedes" }] });
    expect((await owner.call("omn_retrieve_memory", { id: first })).structured["memories"]).toMatchObject([{ content: old }]);
    expect((await owner.call("omn_retrieve_memory", { id: first })).text).not.toContain("superseded");
  });

  test("marks nothing for others who do not see what takes its place, nothing that others see where a team reviews changes, and no secret", async () => {
    const team = await newTeam();
    const [owner, member] = [team.owner, await team.join()];
    const [shared, secret] = [await stored(owner, old, { metadata: { scope: "shared" } }), await stored(member, "The ledger password is heron-7.", { metadata: { sensitivity: "secret" } })];
    await stored(member, present, { links: [{ to: shared, type: "supersedes" }] });
    expect((await found(owner)).map(([content, by]) => [content, by])).toEqual([[old, undefined]]);
    const seen = await stored(member, `${present} For all.`, { metadata: { scope: "shared" }, links: [{ to: secret, type: "supersedes" }] });
    expect((await member.call("omn_retrieve_memory", { id: secret })).text).toContain("heron-7");
    await send({ token: owner.token, method: "PUT", path: `/v1/teams/${team.id}/review`, body: { required: true } });
    await member.call("omn_update_memory", { id: seen, links: [{ to: shared, type: "supersedes" }] });
    expect((await owner.call("omn_retrieve_memory", { id: shared })).structured["memories"][0]).not.toHaveProperty("superseded_by");
  });
});
