import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { RunKind } from "../../../src/domain/curation/run-store.ts";
import { exported, undone } from "../../support/revert.ts";
import { day, newTeam, now, type Team } from "../../support/team.ts";
import { Model } from "./model.ts";
import { aged, curate, deaf, only, type Work } from "./world.ts";

/** What each kind of work that writes versions finds to do, and what it counts then; links are in `link-decay.test.ts`. */
const kinds: Record<Exclude<RunKind, "links">, { work: () => Work; notes: readonly string[]; counts: Record<string, number> }> = {
  evolution: {
    work: () => only("evolution"),
    notes: Array.from({ length: 5 }, (_, i) => `Printer ${i} is called Gutenberg ${i}`),
    counts: { importance: 5 },
  },
  consolidation: {
    work: () => only("consolidation"),
    notes: [
      "The staging database runs on PostgreSQL 15 in Frankfurt.", "The staging database now runs on PostgreSQL 16 in Frankfurt.",
      "The importer validates the CSV files of the bank.", "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows.",
    ],
    counts: { supersede: 1, merge: 2 },
  },
  enrichment: {
    work: () => new Model().work,
    notes: ["For billing we took PostgreSQL 17, because of its partitions.", "Invoices are sent on the 3rd of the month.", "Payroll runs on the last Friday."],
    counts: { enrichment: 3 },
  },
};

/** Stored a day after each other, the last of them 200 days ago. */
async function filled(notes: readonly string[]): Promise<{ team: Team; before: string }> {
  const team = await newTeam();
  for (const [i, content] of notes.entries()) await aged(team.owner, content, { days: 200 + notes.length - i });
  return { team, before: await exported(team.owner, { include_history: true }) };
}

const highest = (team: Team): Promise<number | null> => env.SHARD_0.prepare("SELECT max(version) AS version FROM memories WHERE team_id = ?").bind(team.id).first("version");

async function runOf(team: Team, work: Work, at = now): Promise<{ id: string; state: string; counts: Readonly<Record<string, number>> }> {
  const outcome = await curate(team, at, work);
  if (outcome.state === "idle") throw new Error("nothing was due");
  return outcome.run;
}

describe.for(Object.entries(kinds))("a run of %s", ([, { work, notes, counts }]) => {
  test.for(["request", "begin", "advance", "end"] as const)("whose call to note `%s` is carried out and never answered does everything once", async (lost) => {
    const { team, before } = await filled(notes);
    await expect(curate(team, now, deaf(work(), lost))).rejects.toThrow("killed");
    const again = await curate(team, now, work());
    // Its end was noted before the call was lost: nothing is due.
    expect(again).toMatchObject(lost === "end" ? { state: "idle" } : { state: "ended", run: { state: "done", counts } });
    expect(await curate(team, now, work())).toEqual({ state: "idle" });
    expect(await highest(team)).toBe(2);
    const [{ id } = { id: "" }] = await work().work.runs.list(team.owner.principal, 10);
    expect(await undone(team.owner, id)).toMatchObject({ count: Object.values(counts).reduce((sum, count) => sum + count, 0) });
    expect(await exported(team.owner, { include_history: true })).toBe(before);
  });

  test("that three objects take on at once, and each is told of twice, does everything once", async () => {
    const { team } = await filled(notes);
    await Promise.allSettled(Array.from({ length: 6 }, () => curate(team, now, work())));
    await curate(team, now, work());
    const runs = await work().work.runs.list(team.owner.principal, 10);
    expect(runs).toMatchObject([{ state: "done", counts }]);
    expect(await highest(team)).toBe(2);
  });

  test("does everything once while the clock jumps to and fro between its turns", async () => {
    const { team, before } = await filled(notes);
    // Begun two years ahead, where nobody takes a step; then the clock is put back, forward, and back again.
    const later = now + 700 * day;
    expect(await curate(team, later, work(), () => false)).toMatchObject({ state: "more" });
    const { id, state } = await runOf(team, work(), now);
    expect(state).toBe("done");
    const done = await exported(team.owner, { include_history: true });
    expect(await highest(team)).toBe(2);
    for (const at of [now - 300 * day, now + 1, now - 1]) {
      await curate(team, at, work());
      expect(await exported(team.owner, { include_history: true })).toBe(done);
    }
    await undone(team.owner, id);
    expect(await exported(team.owner, { include_history: true })).toBe(before);
  });
});
