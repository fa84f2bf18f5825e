import { beforeEach, describe, expect, test } from "vitest";
import { day } from "../domain/tenancy/tenant.ts";
import { exported, recordsOf, undone, without } from "../support/revert.ts";
import { newTeam, type Person, services, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;
const ago = (days: number): number => Date.now() - days * day;
const text = (n: number): string => `The same text of some length, number ${n}, stored more than once.`;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const fix = async (who: Person, args: Record<string, unknown>) => {
  const preview = await who.call("omn_forget_memory", args);
  expect(preview.structured, preview.text).toMatchObject({ outcome: "preview" });
  const done = await who.call("omn_forget_memory", { ...args, confirm: preview.structured["confirm"] });
  return { preview: preview.structured, done: done.structured, text: done.text };
};
const liveIds = async (who: Person): Promise<string[]> => recordsOf(await exported(who)).filter(({ archived_at }) => archived_at === null).map(({ id }) => id).sort();

describe("a fix of the report card", () => {
  test("of duplicates keeps one of each, the most important, else the oldest; undo gives back the same bytes", async () => {
    const kept = [await ada.keep("a.1", text(1), {}, ago(9)), await ada.keep("b.2", text(2), { importance: 0.9 }, ago(2))];
    const gone = [await ada.keep("a.2", text(1), { tags: ["x"] }, ago(8)), await ada.keep("a.3", text(1), {}, ago(7)), await ada.keep("b.1", text(2), {}, ago(9))];
    await ada.keep("c", text(3));
    const before = await exported(ada);
    const preview = await ada.call("omn_forget_memory", { fix: "duplicates" });
    expect(preview.structured).toMatchObject({ outcome: "preview", fix: "duplicates", count: 3 });
    expect(await exported(ada), "a preview changes nothing").toBe(before);
    const { structured, text: said } = await ada.call("omn_forget_memory", { fix: "duplicates", confirm: preview.structured["confirm"] });
    expect(structured).toMatchObject({ outcome: "archived", count: 3, run: expect.any(String) });
    expect(said).toContain(`omn_revert with undo: "${structured["run"]}"`);
    expect((structured["memory_ids"] as string[]).toSorted()).toEqual(gone.map(({ id }) => id).sort());
    expect(await liveIds(ada)).toEqual(expect.arrayContaining(kept.map(({ id }) => id)));
    expect(without(await exported(ada), gone.map(({ id }) => id))).toBe(without(before, gone.map(({ id }) => id)));
    expect((await ada.call("omn_memory_health")).structured["counts"]).toMatchObject({ duplicates: 0 });
    // Said again, the run is not made again.
    expect((await ada.call("omn_forget_memory", { fix: "duplicates", confirm: preview.structured["confirm"] })).structured).toMatchObject({ outcome: "archived", run: structured["run"] });
    expect(await undone(ada, structured["run"])).toMatchObject({ count: 3 });
    expect(await exported(ada)).toBe(before);
  });

  test("of junk, stale and superseded archives what the card names, and nothing else", async () => {
    const junk = await ada.keep("x", "Thanks!");
    const stale = await ada.keep("old", "Nobody has read this note about the lighthouse.", {}, ago(400));
    const next = await ada.keep("next", "We use PostgreSQL.");
    const superseded = await ada.commitOnly("We use MySQL.", { key: "before", supersededBy: next.id });
    const before = await exported(ada);
    const runs: string[] = [];
    for (const [which, memory] of [["junk", junk], ["stale", stale], ["superseded", superseded]] as const) {
      const { done } = await fix(ada, { fix: which });
      expect(done).toMatchObject({ outcome: "archived", count: 1, memory_ids: [memory.id] });
      runs.push(done["run"]);
    }
    expect(await liveIds(ada)).toEqual([next.id]);
    for (const run of runs.reverse()) await undone(ada, run);
    expect(await exported(ada)).toBe(before);
  });

  test("of some of them takes these alone, and refuses what the card does not name", async () => {
    const [first, second] = [await ada.keep("x.1", "Thanks!"), await ada.keep("x.2", "Thank you!")];
    const plain = await ada.keep("plain", "We deploy on Tuesdays.");
    expect((await ada.call("omn_forget_memory", { fix: "junk", ids: [plain.id] })).error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining(plain.id) });
    expect((await fix(ada, { fix: "junk", ids: [first.id] })).done).toMatchObject({ count: 1, memory_ids: [first.id] });
    expect(await liveIds(ada)).toEqual([plain.id, second.id].sort());
    for (const more of [{ mode: "erase" }, { key: "x*" }, { id: plain.id }, { filters: {} }]) expect((await ada.call("omn_forget_memory", { fix: "junk", ...more })).error?.code).toBe("VALIDATION_ERROR");
    expect((await ada.call("omn_forget_memory", { fix: "everything" })).error?.code).toBe("VALIDATION_ERROR");
  });

  test("is previewed anew when the card has changed since, or the token is another's", async () => {
    await ada.keep("x.1", "Thanks!", { visibility: "shared" });
    const { structured } = await ada.call("omn_forget_memory", { fix: "junk" });
    const grace = await team.join();
    expect((await grace.call("omn_forget_memory", { fix: "junk", confirm: structured["confirm"] })).structured).toMatchObject({ outcome: "preview" });
    await ada.keep("x.2", "Thanks a lot!");
    const late = await ada.call("omn_forget_memory", { fix: "junk", confirm: structured["confirm"] });
    expect(late.structured).toMatchObject({ outcome: "preview", count: 2 });
    expect(late.text).toContain("does not belong to this preview");
    expect((await ada.call("omn_memory_health")).structured["counts"].junk).toBe(2);
  });

  test("leaves what a review is needed for, and whoever may not write is refused", async () => {
    await ada.keep("x", "Thanks!", { visibility: "shared" });
    await services.proposals.setReview(ada.principal, ada.at(Date.now()), true);
    const grace = await team.join();
    const own = await grace.keep("mine", "Thank you!");
    const preview = await grace.call("omn_forget_memory", { fix: "junk" });
    expect(preview.structured).toMatchObject({ count: 1, would_forget: [{ memory_id: own.id }], kept_memories: [{ key: "x", reason: "review" }] });
    const viewer = await team.join("viewer");
    expect((await viewer.call("omn_forget_memory", { fix: "junk" })).error?.code).toBe("PERMISSION_DENIED");
    expect((await viewer.call("omn_memory_health")).structured["counts"].junk).toBe(1);
  });

  test("takes back nothing that somebody wrote: a later revert of their work still meets it", async () => {
    const grace = await team.join();
    const { id } = await grace.keep("x", "Thanks!", { visibility: "shared" });
    await fix(ada, { fix: "junk" });
    await ada.call("omn_update_memory", { id, archived: false });
    expect((await ada.call("omn_revert", { author: grace.id })).structured).toMatchObject({ kept_memories: [{ memory_id: id, reason: "changed" }] });
  });
});
