import { describe, expect, test } from "vitest";
import { linkMemory, unlinkMemory } from "../../../src/domain/graph/link.ts";
import { decideContradiction } from "../../../src/domain/memories/contradictions.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { undoRevert } from "../../../src/domain/memories/revert.ts";
import { exported, recordsOf, undone } from "../../support/revert.ts";
import { day, newTeam, now, type Person, services } from "../../support/team.ts";
import { aged, curate, only } from "./world.ts";

const old = "The staging database runs on PostgreSQL 15 in Frankfurt.";
const fresh = "The staging database now runs on PostgreSQL 16 in Frankfurt.";
const short = "The importer validates the CSV files of the bank.";
const long = "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows.";

/** Stored as an import stores, which settles nothing by itself. */
async function noted(who: Person, notes: readonly string[], visibility: "private" | "shared" = "private"): Promise<string[]> {
  const memories = notes.map((content, i) => ({ content, visibility, occurred_at: new Date(now - (20 - i) * day).toISOString() }));
  return (await who.call("omn_import_memories", { memories })).structured["memory_ids"] as string[];
}
/** Later than the writes of the tools, whose clock is the machine's. */
const soon = (): number => Date.now() + 60_000;
const consolidate = (team: Awaited<ReturnType<typeof newTeam>>, at = soon()) => curate(team, at, only("consolidation"));
const present = (who: Person, id = "") => services.memories.get(who.principal, soon(), id);

describe("consolidation by the curator [C3] [C8]", () => {
  test("settles what is certain in the name of its author, once, and an undo gives back the same bytes for good", async () => {
    const team = await newTeam();
    const { owner } = team;
    const [stale, current, less, more] = await noted(owner, [old, fresh, short, long]);
    const before = await exported(owner, { include_history: true });
    const outcome = await consolidate(team);
    if (outcome.state === "idle") throw new Error("nothing was due");
    expect(outcome.run).toMatchObject({ state: "done", counts: { looked_at: 4, supersede: 1, merge: 2 } });
    expect(await present(owner, stale)).toMatchObject({ supersededBy: current, updatedBy: owner.id, updatedAt: expect.any(Number) });
    expect((await present(owner, less))?.archivedAt).not.toBeNull();
    expect(await present(owner, more)).toMatchObject({ content: long, updatedBy: owner.id });
    expect((await services.memories.history(owner.principal, soon(), [stale ?? ""])).get(stale ?? "")?.at(-1)).toMatchObject({ actorId: "curator", tool: "curator/supersede" });

    const between = await exported(owner, { include_history: true });
    await consolidate(team, soon() + day);
    expect(await exported(owner, { include_history: true })).toBe(between);

    expect(await undone(owner, outcome.run.id)).toMatchObject({ count: 3 });
    expect(await exported(owner, { include_history: true })).toBe(before);
    await consolidate(team, soon() + 3 * day);
    expect(await exported(owner, { include_history: true })).toBe(before);
  });

  test("is a conflict for who changes what they saw before: what was taken in is not written over, and what was replaced is not gone on with", async () => {
    const team = await newTeam();
    const { owner } = team;
    await aged(owner, short, { days: 9, metadata: { ticket: 4711 } });
    const kept = await aged(owner, long, { days: 8 });
    const stale = await aged(owner, old, { days: 9 });
    await aged(owner, fresh, { days: 8 });
    expect(await consolidate(team, now)).toMatchObject({ run: { counts: { merge: 2, supersede: 1 } } });
    expect(await revise(owner.at(now + 1), { target: { id: kept.id }, expectedVersion: kept.version, changes: { metadata: { by: "me" } } })).toMatchObject({ outcome: "conflict", current: { metadata: { ticket: 4711 } } });
    expect(await revise(owner.at(now + 1), { target: { id: stale.id }, expectedVersion: stale.version, changes: { tags: ["db"] } })).toMatchObject({ outcome: "conflict" });
  });

  test("leaves two that contradict each other for good where their author was asked and lets both stand, also where a file brings them", async () => {
    const [team, moved] = [await newTeam(), await newTeam()];
    const { owner } = team;
    const kept = await aged(owner, "The upload limit of the portal is 25 MB.", { days: 9 });
    const fresh = await aged(owner, "The upload limit of the portal is 50 MB.", { days: 8 });
    const superseded = async (who: Person): Promise<number> => (await exported(who)).split('"superseded_by":"').length - 1;
    await linkMemory(owner.at(now), fresh, [{ to: kept.id, type: "contradicts", strength: 0.9, reason: "" }], "rule");
    expect((await owner.call("omn_memory_health")).structured["counts"]).toMatchObject({ contradicted: 1 });
    const decided = { holds: "both" as const, memory: fresh, others: [kept] };
    for (let times = 0; times < 2; times += 1) await decideContradiction(owner.at(now), decided);
    expect((await owner.call("omn_memory_health")).structured["counts"]).toMatchObject({ contradicted: 0 });
    await moved.owner.call("omn_import_memories", { memories: recordsOf(await exported(owner)) });
    expect((await owner.call("omn_consolidate")).text).toContain("Nothing to settle");
    await consolidate(team);
    await consolidate(moved);
    expect([await superseded(owner), await superseded(moved.owner)]).toEqual([0, 0]);

    // Whoever takes the tie away gives the two back to the curator.
    await unlinkMemory(owner.at(soon()), fresh, [{ to: kept.id }]);
    await consolidate(team, soon() + 2 * day);
    expect(await superseded(owner)).toBe(1);
    await expect(decideContradiction(owner.at(soon()), decided)).rejects.toThrow("has changed since");
  });

  const repeated = "The importer validates the CSV files of the bank.";
  const thrice = async (between: number) => {
    const team = await newTeam();
    const notes = [repeated, `${repeated} It runs at night.`, ...Array.from({ length: between }, (_, i) => `Printer ${i} stands in room ${i * 7} and is called Gutenberg ${i}.`), `${repeated} It runs at night. It rejects 10,000 rows.`];
    for (const [i, content] of notes.entries()) await aged(team.owner, content, { days: 200 - i });
    return { team, before: await exported(team.owner, { include_history: true }), looked: notes.length };
  };

  test("a memory that is said a third time on a later page changes once in a run, which ends and is undone whole; the next run takes the third", async () => {
    const { team, before, looked } = await thrice(60);
    const outcome = await consolidate(team, now);
    expect(outcome).toMatchObject({ state: "ended", run: { state: "done", counts: { looked_at: looked, merge: 2 } } });
    if (outcome.state !== "idle") await undone(team.owner, outcome.run.id);
    expect(await exported(team.owner, { include_history: true })).toBe(before);
  });

  test("a step that died before it was noted is done again, and what is left of it waits for the next run", async () => {
    const { team } = await thrice(0);
    const { work } = only("consolidation");
    const kinds = work.kinds.map((kind) => ({ ...kind, step: (step: Parameters<typeof kind.step>[0]) => kind.step(step).then(() => Promise.reject(new Error("killed"))) }));
    await expect(curate(team, now, { work: { ...work, kinds, report: () => undefined } })).rejects.toThrow("killed");
    expect(await consolidate(team, now + 1_000)).toMatchObject({ state: "ended", run: { state: "done", counts: { merge: 2 } } });
    expect(await consolidate(team, now + 2 * day)).toMatchObject({ state: "ended", run: { state: "done", counts: { merge: 2 } } });
  });

  test("each person's private memories meet only each other, and a dry run changes nothing", async () => {
    const team = await newTeam();
    const grace = await team.join("member");
    await noted(team.owner, [old]);
    await noted(grace, [fresh]);
    const [mine] = await noted(grace, [short, long]);
    const before = await exported(team.owner);
    await services.runs.request(team.owner.principal, { id: "dry", kind: "consolidation", isDry: true, cursor: "", now: soon() });
    const theirs = await exported(grace);
    await consolidate(team);
    expect(await services.runs.find(team.owner.principal, "dry")).toMatchObject({ state: "done", counts: { looked_at: 4, merge: 2 } });
    expect(await exported(grace)).toBe(theirs);
    const outcome = await consolidate(team);
    expect(outcome).toMatchObject({ run: { counts: { merge: 2 } } });
    expect(await exported(team.owner)).toBe(before);
    expect((await present(grace, mine))?.archivedAt).not.toBeNull();
    if (outcome.state !== "idle") {
      expect((await undoRevert(team.owner.at(soon() + 1), { run: outcome.run.id })).ids).toEqual([]);
      expect((await undoRevert(grace.at(soon() + 1), { run: outcome.run.id })).ids).toHaveLength(2);
    }
    expect(await exported(grace)).toBe(theirs);
  });

  test("leaves what others see where the team reviews it, what two people wrote, and what would end earlier", async () => {
    const team = await newTeam();
    const grace = await team.join("member");
    await noted(team.owner, [old], "shared");
    await noted(grace, [fresh], "shared");
    await aged(team.owner, short, { days: 9 });
    await aged(team.owner, long, { days: 8, expiresAt: now + 9_000 * day });
    const before = await exported(team.owner);
    expect(await consolidate(team)).toMatchObject({ run: { counts: { looked_at: 4 } } });
    await noted(team.owner, [fresh], "shared");
    await services.proposals.setReview(team.owner.principal, team.owner.at(now), true);
    await consolidate(team, soon() + 2 * day);
    const after = await exported(team.owner);
    expect(after).not.toContain('"superseded_by":"');
    expect(after.length).toBeGreaterThan(before.length);
    await services.evolution.setPolicy(team.owner.principal, team.owner.at(now), "off");
    expect((await consolidate(team, soon() + 4 * day)).state).toBe("idle");
  });
});
