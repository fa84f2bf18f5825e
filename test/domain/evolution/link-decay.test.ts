import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decayed, type LinkFacts } from "../../../src/domain/evolution/link-decay.ts";
import { linkMemory } from "../../../src/domain/graph/link.ts";
import type { LinkMaker } from "../../../src/domain/graph/graph.ts";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import { exported } from "../../support/revert.ts";
import { day, newTeam, now, services, type Person, type Team } from "../../support/team.ts";
import { undoRun } from "../../../src/domain/curation/runs.ts";
import { curate, deaf, only } from "./world.ts";

const decay = (team: Team, at: number) => curate(team, at, only("links"));

/** Two private memories, the one linked to the other so. */
async function tied(who: Person, madeBy: LinkMaker, word: string): Promise<[Memory, Memory]> {
  const { memory: source } = await who.remember(`The ${word} of ${madeBy} is blue`, {}, now);
  const { memory: target } = await who.remember(`The ${word} of ${madeBy} is green`, {}, now);
  await linkMemory(who.at(now), source, [{ to: target.id, type: "contradicts", strength: 0.85, reason: `two colours by ${madeBy}` }], madeBy);
  return [source, target];
}

const strengths = async (who: Person, [source]: [Memory, Memory]): Promise<number[]> => (await services.graph.links(who.principal, now, [source.id])).map(({ strength }) => strength);

test("a link that a rule found loses strength with age where nobody reads its memories, and is dropped in the end; what is stated stays [C8]", async () => {
  const team = await newTeam();
  const { owner } = team;
  const [found, modelled, stated, brought] = [await tied(owner, "rule", "door"), await tied(owner, "model", "roof"), await tied(owner, "said", "gate"), await tied(owner, "import", "wall")];
  expect(await decay(team, now + 20 * day)).toMatchObject({ run: { counts: { looked_at: 2 } } });
  expect(await strengths(owner, found)).toEqual([0.85]);
  // A month of grace and half a year.
  expect(await decay(team, now + 210 * day)).toMatchObject({ state: "ended", run: { state: "done", counts: { looked_at: 2, weakened: 2 } } });
  expect(await strengths(owner, found)).toEqual([0.43]);
  expect(await decay(team, now + 211 * day + 1)).toMatchObject({ run: { counts: { looked_at: 2 } } });
  expect(await decay(team, now + 800 * day)).toMatchObject({ run: { counts: { looked_at: 2, dropped: 2 } } });
  expect([await strengths(owner, found), await strengths(owner, modelled)]).toEqual([[], []]);
  expect([await strengths(owner, stated), await strengths(owner, brought)]).toEqual([[0.85], [0.85]]);
});

test("what is read together is used: it does not decay, and gets back what age took", async () => {
  const team = await newTeam();
  const { owner } = team;
  const [source, target] = await tied(owner, "rule", "door");
  await decay(team, now + 210 * day);
  const read = (id: string, at: number) => env.SHARD_0.prepare("UPDATE memories SET access_count = 1, accessed_at = ?2 WHERE id = ?1").bind(id, at).run();
  // One of them alone says nothing about the link.
  await read(source.id, now + 300 * day);
  expect(await decay(team, now + 301 * day)).toMatchObject({ run: { counts: { weakened: 1 } } });
  await read(target.id, now + 302 * day);
  expect(await decay(team, now + 303 * day)).toMatchObject({ run: { counts: { strengthened: 1 } } });
  expect(await strengths(owner, [source, target])).toEqual([0.85]);
});

test("the undo of a run gives back the same bytes, weakened or dropped; such a link is left alone from then on [S14]", async () => {
  const team = await newTeam();
  const { owner } = team;
  const pair = await tied(owner, "rule", "door");
  const before = await exported(owner, { include_history: true });
  expect(before).toContain('"origin":"rule"');
  for (const days of [210, 900]) {
    const outcome = await decay(team, now + days * day);
    if (outcome.state === "idle") throw new Error("nothing was due");
    expect(await exported(owner, { include_history: true })).not.toBe(before);
    const undo = () => undoRun(owner.at(now + days * day + 1), services, { id: outcome.run.id });
    expect(await undo()).toMatchObject({ outcome: "undone", links: 1 });
    expect(await undo()).toMatchObject({ links: 0 });
    expect(await exported(owner, { include_history: true })).toBe(before);
    expect(await decay(team, now + (days + 2) * day)).toMatchObject({ run: { counts: { looked_at: 1 } } });
    // As if nobody had undone it, for the second round.
    await env.SHARD_0.prepare("DELETE FROM link_changes WHERE team_id = ?").bind(team.id).run();
  }
  expect(await strengths(owner, pair)).toEqual([0.85]);
});

test.for(["request", "begin", "advance", "end"] as const)("a run whose call to note `%s` is carried out and never answered, and that three objects take on then, does everything once", async (lost) => {
  const team = await newTeam();
  const pairs = [await tied(team.owner, "rule", "door"), await tied(team.owner, "model", "roof")];
  const before = await exported(team.owner, { include_history: true });
  const at = now + 210 * day;
  await expect(curate(team, at, deaf(only("links"), lost))).rejects.toThrow("killed");
  await Promise.allSettled(Array.from({ length: 3 }, () => decay(team, at)));
  await decay(team, at);
  const [run, ...others] = await services.runs.list(team.owner.principal, 10);
  expect(run).toMatchObject({ state: "done", counts: { weakened: 2 } });
  expect(others).toEqual([]);
  expect(await Promise.all(pairs.map((pair) => strengths(team.owner, pair)))).toEqual([[0.43], [0.43]]);
  expect(await undoRun(team.owner.at(at + 1), services, { id: run?.id ?? "" })).toMatchObject({ links: 2 });
  expect(await exported(team.owner, { include_history: true })).toBe(before);
});

test("nobody undoes what happened to another person's links, and a run that only counts changes nothing [S6]", async () => {
  const team = await newTeam();
  const { owner } = team;
  const grace = await team.join();
  const pair = await tied(owner, "rule", "door");
  const dry = await services.runs.request(owner.principal, { id: crypto.randomUUID(), kind: "links", isDry: true, cursor: "", now: now + 210 * day });
  await decay(team, now + 210 * day);
  expect((await services.runs.find(owner.principal, dry?.id ?? ""))?.counts).toEqual({ looked_at: 1, weakened: 1 });
  expect(await strengths(owner, pair)).toEqual([0.85]);
  const outcome = await decay(team, now + 220 * day);
  if (outcome.state === "idle") throw new Error("nothing was due");
  expect(await strengths(owner, pair)).not.toEqual([0.85]);
  expect(await undoRun(grace.at(now + 221 * day), services, { id: outcome.run.id })).toMatchObject({ links: 0 });
  expect(await strengths(owner, pair)).not.toEqual([0.85]);
});

test("the rule settles in one application, never strengthens beyond the base, and weakens no further for being asked again", () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const instant = fc.integer({ min: 0, max: now });
  fc.assert(
    fc.property(fraction, fraction, instant, fc.option(instant), fc.integer({ min: 0, max: 2 * now }), (strength, base, madeAt, usedAt, at) => {
      const facts: LinkFacts = { source: "a", target: "b", type: "contradicts", audience: "", strength, base, madeAt, usedAt, isHeld: false };
      const to = decayed(facts, at);
      if (typeof to !== "number") return;
      expect(to).toBeLessThanOrEqual(Math.round(base * 100) / 100);
      expect(decayed({ ...facts, strength: to }, at)).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});
