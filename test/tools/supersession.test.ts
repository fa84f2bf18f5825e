import { expect, test } from "vitest";
import { newTeam } from "../support/team.ts";

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
