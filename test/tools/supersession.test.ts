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
