import { expect, test } from "vitest";
import { exported, undone } from "../support/revert.ts";
import { newTeam, services, type Person } from "../support/team.ts";

const older = "Two reviewers approve each migration of the ledger";
const plain = "2 reviewers approve each migration of the ledger.";

/** An import: a store would settle what it can by itself. */
async function noted(who: Person, notes: readonly Record<string, unknown>[]): Promise<string[]> {
  const memories = notes.map((note, i) => ({ occurred_at: new Date(Date.UTC(2026, 0, 5 + i)).toISOString(), ...note }));
  const { structured, text } = await who.call("omn_import_memories", { memories });
  expect(structured["memory_ids"], text).toHaveLength(notes.length);
  return structured["memory_ids"] as string[];
}
const asked = (who: Person, query: string, more: Record<string, unknown> = {}) => who.call("omn_retrieve_memory", { query, min_relevance: 0, mode: "text", ...more });
const idsOf = (answer: Awaited<ReturnType<typeof asked>>): string[] => (answer.structured["memories"] as { memory_id: string }[]).map(({ memory_id: id }) => id);
const historyOf = (who: Person, id: string) => services.memories.history(who.principal, Date.now(), [id]).then((chains) => chains.get(id) ?? []);

test("what a run merges is found by the wording that gave way, shown as it stands, until the run is undone byte for byte [C3] [S15]", async () => {
  const { owner } = await newTeam();
  const [gone, kept] = await noted(owner, [{ content: older, key: "reviewers.migration" }, { content: plain, key: "ledger.migration" }, { content: "The office in Graz closes at five." }]) as [string, string];
  const before = await exported(owner, { include_history: true });
  expect(idsOf(await asked(owner, "two"))).toEqual([gone]);

  const preview = await owner.call("omn_consolidate", {});
  expect(preview.structured["would_settle"], preview.text).toMatchObject([{ decision: "merge", gone: { memory_id: gone }, kept: { memory_id: kept } }]);
  const { structured: { run } } = await owner.call("omn_consolidate", { confirm: preview.structured["confirm"] });
  const answer = await asked(owner, "two");
  expect(idsOf(answer)).toEqual([kept]);
  expect(answer.structured["memories"]).toMatchObject([{ content: plain }]);
  expect(`${answer.text}${JSON.stringify(answer.structured)}`).not.toContain("Two reviewers");
  expect(idsOf(await asked(owner, "two", { as_of: new Date((await historyOf(owner, gone))[0]?.at ?? 0).toISOString() })), "before, it was its own").toEqual([gone]);
  expect((await historyOf(owner, kept)).map(({ state }) => state.content)).toEqual([plain, plain]);
  const after = await exported(owner, { include_history: true });

  await undone(owner, run as string);
  expect(await exported(owner, { include_history: true })).toBe(before);
  expect(idsOf(await asked(owner, "two"))).toEqual([gone]);

  const again = await owner.call("omn_consolidate", {});
  await owner.call("omn_consolidate", { confirm: again.structured["confirm"] });
  expect(idsOf(await asked(owner, "two"))).toEqual([kept]);
  expect(after).toContain("Two reviewers");
});
