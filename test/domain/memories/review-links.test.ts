import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { undoRun } from "../../../src/domain/curation/runs.ts";
import { linkTypes } from "../../../src/domain/graph/graph.ts";
import { linkMemory } from "../../../src/domain/graph/link.ts";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import { acceptProposal, listProposals, refuseProposal, setReview } from "../../../src/domain/memories/proposals.ts";
import { curate, only } from "../evolution/world.ts";
import { day, newTeam, now, type Person, services, type Team } from "../../support/team.ts";

let team: Team;
let member: Person;
let mate: Person;
let base: string;
let mine: string;
let mineNow: Memory;

const linksOf = async (who: Person, id: string) => (await services.graph.links(who.principal, Date.now(), [id])).filter(({ origin }) => origin === "explicit").map(({ source, target, reason }) => ({ source, target, reason }));
const waiting = async (who: Person = team.owner) => (await listProposals(who.at(Date.now()), { state: "pending", limit: 9 })).map(({ proposal }) => proposal);
const decide = async (memoryId: string) => acceptProposal(team.owner.at(Date.now()), { id: (await waiting()).find((one) => one.memoryId === memoryId)?.id ?? "" });
const share = (id: string) => member.call("omn_update_memory", { id, metadata: { scope: "shared" } });
const tie = (id: string, to: string, reason: string) => member.call("omn_update_memory", { id, links: [{ to, type: "extends", reason }] });
const around = async (who: Person, id: string) => (await who.call("mnemosyne_graph", { seed_ids: [id] })).structured["links"];

afterEach(() => void vi.restoreAllMocks());
beforeEach(async () => {
  team = await newTeam();
  member = await team.join();
  mate = await team.join();
  await setReview(team.owner.at(now), { required: true });
  base = (await team.owner.keep("base", "Deploys run from the build host.", { visibility: "shared" })).id;
  mineNow = await member.keep("mine", "Lamps turn twice a minute.");
  mine = mineNow.id;
});

test("links of what is shared that are made before and after it is proposed wait for a review of their own, and are made when that is accepted [F4] [U7]", async () => {
  await tie(mine, base, "said before");
  await share(mine);
  const other = (await team.owner.keep("other", "Boats come in at noon.", { visibility: "shared" })).id;
  await tie(mine, other, "said after");
  await decide(mine);
  for (const reader of [member, mate, team.owner]) {
    expect(await linksOf(reader, mine)).toEqual([]);
    expect(await around(reader, mine)).toEqual([]);
  }
  const [held, ...rest] = await waiting();
  expect(rest).toEqual([]);
  expect(held).toMatchObject({ memoryId: mine, proposedBy: member.id, proposed: null, visibility: "shared", links: { remove: [] } });
  expect(held?.links?.add.toSorted((a, b) => (a.reason < b.reason ? -1 : 1))).toEqual([{ to: other, type: "extends", strength: 1, reason: "said after" }, { to: base, type: "extends", strength: 1, reason: "said before" }]);
  expect(await waiting(member)).toEqual([held]);
  await decide(mine);
  expect((await linksOf(mate, mine)).map(({ reason }) => reason).sort()).toEqual(["said after", "said before"]);
});

test("what is refused of them is seen by nobody [F4] [U7]", async () => {
  await tie(mine, base, "a rumour");
  await share(mine);
  await decide(mine);
  await refuseProposal(team.owner.at(Date.now()), { id: (await waiting())[0]?.id ?? "" });
  expect(await linksOf(mate, base)).toEqual([]);
  expect(await waiting()).toEqual([]);
});

test("one from another memory waits until both are shared, and joins what waits for that one under another id [F4] [U7]", async () => {
  const from = (await member.keep("from", "Keepers sleep by day.")).id;
  await tie(from, mine, "of two private ones");
  await share(from);
  await decide(from);
  expect(await waiting()).toEqual([]);
  expect(await linksOf(member, from)).toHaveLength(1);
  await member.call("omn_update_memory", { id: from, content: "Keepers sleep at noon.", links: [{ to: base, type: "references", reason: "waits already" }] });
  const [before] = await waiting();
  await share(mine);
  await decide(mine);
  expect(await linksOf(mate, mine)).toEqual([]);
  const [joined, ...rest] = await waiting();
  expect(rest).toEqual([]);
  expect(joined).toMatchObject({ memoryId: from, proposed: { content: "Keepers sleep at noon." }, links: { add: [{ reason: "waits already" }, { to: mine, reason: "of two private ones" }], remove: [] } });
  await expect(acceptProposal(team.owner.at(Date.now()), { id: before?.id ?? "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await decide(from);
  expect((await linksOf(mate, from)).map(({ reason }) => reason).sort()).toEqual(["of two private ones", "waits already"]);
});

test("another's, to what its owner withdrew and shares again, waits in the name of whoever made it [F4] [U7]", async () => {
  await share(mine);
  await decide(mine);
  const theirs = (await mate.keep("theirs", "Fog horns sound at dusk.")).id;
  await mate.call("omn_update_memory", { id: theirs, links: [{ to: mine, type: "contradicts", reason: "by a mate" }] });
  await member.call("omn_update_memory", { id: mine, metadata: { scope: "private" } });
  await mate.call("omn_update_memory", { id: theirs, metadata: { scope: "shared" } });
  await decide(theirs);
  await share(mine);
  await decide(mine);
  expect(await linksOf(team.owner, mine)).toEqual([]);
  expect(await waiting()).toMatchObject([{ memoryId: theirs, proposedBy: mate.id, links: { add: [{ to: mine, reason: "by a mate" }] } }]);
});

test("an import's wait, whoever it says made them [F4] [U7]", async () => {
  const brought = await member.call("omn_import_memories", { memories: [{ content: "Tides turn at six.", metadata: { scope: "shared" }, links: [{ to: base, type: "references", reason: "a rule says so", origin: "rule" }] }] });
  expect(brought.isError).toBe(false);
  const [proposal] = await waiting();
  await decide(proposal?.memoryId ?? "");
  expect(await linksOf(mate, base)).toEqual([]);
  expect(await waiting()).toMatchObject([{ links: { add: [{ to: base, reason: "a rule says so" }] } }]);
});

test("those to private memories stay, and those of a team that reviews no more are seen at once [F4] [U7]", async () => {
  const inner = (await member.keep("inner", "Oil is bought in May.")).id;
  await tie(mine, inner, "for me alone");
  await share(mine);
  await decide(mine);
  expect(await waiting()).toEqual([]);
  expect([await linksOf(member, mine), await linksOf(mate, mine)]).toMatchObject([[{ target: inner }], []]);
  await share(inner);
  await setReview(team.owner.at(now), { required: false });
  await decide(inner);
  expect(await waiting()).toEqual([]);
  expect(await linksOf(mate, mine)).toMatchObject([{ target: inner, reason: "for me alone" }]);
});

test("a link to what others have come to see since is not made unseen [F4] [U7]", async () => {
  const ctx = member.at(Date.now());
  await share(mine);
  const from = (await member.keep("from", "Keepers sleep by day.")).id;
  await share(from);
  await decide(from);
  await decide(mine);
  const late = services.graph.link(ctx.principal, ctx, [{ source: from, target: mine, type: "extends", strength: 1, reason: "late", sourceVersion: 2, targetVersion: 1 }]);
  await expect(late).rejects.toThrow();
  expect(await linksOf(member, mine)).toEqual([]);
});

test("what would be seen beside a secret that waits for a review keeps the memory from being accepted before that is decided [F4] [U7]", async () => {
  const from = (await member.keep("from", "Keepers sleep by day.")).id;
  await tie(from, mine, "of two private ones");
  await share(from);
  await decide(from);
  await member.call("omn_update_memory", { id: from, content: "The lamp key is under the stairs.", metadata: { sensitivity: "secret" } });
  await share(mine);
  const tried = vi.spyOn(services.proposals, "find");
  await expect(decide(mine)).rejects.toMatchObject({ code: "CONFLICT" });
  expect(tried).toHaveBeenCalledTimes(1);
  expect(await linksOf(mate, mine)).toEqual([]);
  await decide(from);
  await decide(mine);
  expect(await linksOf(mate, mine)).toEqual([]);
  expect(await waiting()).toMatchObject([{ memoryId: from, links: { add: [{ to: mine, reason: "of two private ones" }] } }]);
});

test("beside an outdated proposal for the memory that a link leads from, none is accepted before that is refused [F4] [U7]", async () => {
  const from = (await member.keep("from", "Keepers sleep by day.")).id;
  await tie(from, mine, "of two private ones");
  await share(from);
  await decide(from);
  await member.call("omn_update_memory", { id: from, content: "Keepers sleep at noon." });
  await team.owner.call("omn_update_memory", { id: from, content: "Keepers sleep by day, in turns." });
  const [outdated] = await waiting();
  await share(mine);
  const tried = vi.spyOn(services.proposals, "find");
  await expect(decide(mine)).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("wait for a review first") });
  expect(tried).toHaveBeenCalledTimes(1);
  await refuseProposal(team.owner.at(Date.now()), { id: outdated?.id ?? "" });
  await decide(mine);
  expect(await linksOf(mate, mine)).toEqual([]);
  expect(await waiting()).toMatchObject([{ memoryId: from, links: { add: [{ to: mine, reason: "of two private ones" }] } }]);
});

test("what the curator dropped between private memories stays dropped when its run is undone after others came to see both, until the team reviews no more [F4] [U7]", async () => {
  const inner = (await member.keep("inner", "Oil is bought in May.")).id;
  await linkMemory(member.at(now), mineNow, [{ to: inner, type: "contradicts", strength: 0.5, reason: "a rumour" }], "rule");
  const outcome = await curate(team, now + 900 * day, only("links"));
  if (outcome.state === "idle") throw new Error("nothing was due");
  expect(await linksOf(member, mine)).toEqual([]);
  for (const id of [mine, inner]) {
    await share(id);
    await decide(id);
  }
  const undo = (who: Person) => undoRun(who.at(Date.now()), services, { id: outcome.run.id });
  for (const who of [member, team.owner]) expect(await undo(who)).toMatchObject({ links: 0 });
  expect(await linksOf(mate, mine)).toEqual([]);
  await setReview(team.owner.at(now), { required: false });
  expect(await undo(member)).toMatchObject({ links: 1 });
  expect(await linksOf(mate, mine)).toMatchObject([{ target: inner, reason: "a rumour" }]);
});

test("a memory with more links than one proposal may hold is refused at once, and is accepted when the rest is taken away [F4] [U7]", async () => {
  const imported = await team.owner.call("omn_import_memories", { memories: Array.from({ length: 101 }, (_, i) => ({ content: `Buoy ${i} is red.`, metadata: { scope: "shared" } })) });
  expect(imported.isError).toBe(false);
  // Five types to each of 101 others: five more than it may hold.
  await env.SHARD_0.prepare(
    `INSERT INTO memory_links (team_id, source_id, target_id, type, strength, reason, origin, created_at, created_by, made_by)
      SELECT ?1, ?2, m.id, t.value, 1, '', 'explicit', ?3, ?4, 'said' FROM memories m, json_each(?5) t WHERE m.team_id = ?1 AND m.content LIKE 'Buoy%'`,
  ).bind(team.id, mine, now, member.id, JSON.stringify(linkTypes)).run();
  await share(mine);
  const tried = vi.spyOn(services.proposals, "find");
  await expect(decide(mine)).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("more links") });
  expect(tried).toHaveBeenCalledTimes(1);
  await env.SHARD_0.prepare("DELETE FROM memory_links WHERE team_id = ?1 AND source_id = ?2 AND rowid IN (SELECT rowid FROM memory_links WHERE team_id = ?1 AND source_id = ?2 LIMIT 5)").bind(team.id, mine).run();
  await decide(mine);
  expect((await waiting()).map(({ links }) => links?.add.length)).toEqual([500]);
});
