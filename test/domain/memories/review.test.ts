import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { importMemories } from "../../../src/domain/memories/import.ts";
import { visibilities } from "../../../src/domain/memories/memory.ts";
import { acceptProposal, listProposals, refuseProposal, setReview } from "../../../src/domain/memories/proposals.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { minute, newTeam, now, type Person, services, sisterOf, type Team } from "../../support/team.ts";

let team: Team;
let member: Person;
let mate: Person;

beforeEach(async () => {
  team = await newTeam();
  member = await team.join();
  mate = await team.join();
  await setReview(team.owner.at(now), { required: true });
});

const queue = async (who: Person = team.owner, state: "pending" | "accepted" | "refused" = "pending") =>
  (await listProposals(who.at(now), { state, limit: 50 })).map(({ proposal, memory, outdated }) => ({ id: proposal.id, to: proposal.visibility, by: proposal.proposedBy, content: memory?.content, outdated }));
const accept = async (who: Person = team.owner, at = now + minute) => acceptProposal(who.at(at), { id: (await queue())[0]?.id ?? "" });

describe("sharing in a team that reviews [F4] [U7]", () => {
  test("a member's memory stays private until an admin accepts it, and then is the team's, in the name of its author", async () => {
    const { memory, outcome, proposal } = await member.remember("We deploy on Tuesdays.", { key: "deploy.day", visibility: "shared" });
    expect({ outcome, visibility: memory.visibility, proposal }).toMatchObject({ outcome: "created", visibility: "private", proposal: { state: "pending", visibility: "shared" } });
    expect(await mate.recall({ key: "deploy.day" })).toEqual([]);
    expect(await mate.search("Tuesdays")).toEqual([]);
    expect(await queue()).toEqual([{ id: proposal?.id, to: "shared", by: member.id, content: "We deploy on Tuesdays.", outdated: false }]);

    await accept();
    const [found] = await mate.recall({ key: "deploy.day" });
    expect(found?.memory).toMatchObject({ content: "We deploy on Tuesdays.", visibility: "shared", ownerId: member.id, createdBy: member.id, updatedBy: member.id, version: 2 });
    expect(await mate.search("Tuesdays")).toEqual(["We deploy on Tuesdays."]);
    expect(await queue(member, "accepted")).toMatchObject([{ id: proposal?.id }]);
    const { results } = await env.SHARD_0.prepare("select action, user_id from audit where team_id = ? order by id").bind(team.id).all();
    expect(results).toEqual(expect.arrayContaining([{ action: "propose", user_id: member.id }, { action: "share", user_id: team.owner.id }]));
  });

  test("a long text that is accepted has the compressed form of its own words, and the memory before it keeps its own [A12]", async () => {
    const long = (day: string): string => `${Array.from({ length: 80 }, (_, i) => `In passing, part ${"abcd"[i % 4]} was looked at by whoever had some time left.`).join(" ")} We never deploy on ${day}.`;
    const { memory } = await team.owner.remember(long("Fridays"), { key: "deploy.never", visibility: "shared" });
    expect(memory.compressed).toContain("We never deploy on Fridays.");
    await revise(member.at(now + 1), { target: { id: memory.id }, changes: { content: long("Mondays") } });
    const { compressed, content } = (await mate.at(now + 2).memories.get(mate.at(now + 2).principal, now + 2, memory.id)) ?? memory;
    expect({ compressed, content }).toEqual({ compressed: memory.compressed, content: long("Fridays") });
    const accepted = await accept();
    expect(accepted.content).toBe(long("Mondays"));
    expect(accepted.compressed).toContain("We never deploy on Mondays.");
    expect(accepted.compressed).not.toContain("Fridays");
  });

  test("what is refused stays private, and the member sees that it was", async () => {
    await member.remember("gossip", { key: "g", visibility: "shared" });
    const [waiting] = await queue();
    await refuseProposal(team.owner.at(now), { id: waiting?.id ?? "" });
    expect(await mate.recall({ key: "g" })).toEqual([]);
    expect(await queue(member, "refused")).toMatchObject([{ content: "gossip" }]);
    expect(await queue()).toEqual([]);
    // Said again in the same words it stays refused; nobody is asked twice.
    const again = await member.remember("gossip", { key: "g", visibility: "shared" }, now + 1);
    expect(again).toMatchObject({ outcome: "unchanged", proposal: { state: "refused" } });
    expect(await queue()).toEqual([]);
  });

  test("an admin never sees more of it than was proposed", async () => {
    await member.remember("fit to print", { key: "n", visibility: "shared" });
    const { proposal, memory } = await member.remember("fit to print", { key: "n", visibility: "shared" }, now + 1);
    await revise(member.at(now + 2), { target: { id: memory.id }, changes: { content: "not for their eyes" } });
    expect(await queue()).toEqual([{ id: proposal?.id, to: "shared", by: member.id, content: undefined, outdated: true }]);
    await expect(accept()).rejects.toMatchObject({ code: "CONFLICT" });
    await refuseProposal(team.owner.at(now + 3), { id: proposal?.id ?? "" });
    expect(await queue(team.owner, "refused")).toMatchObject([{ content: undefined }]);
    expect(await mate.recall({ key: "n" })).toEqual([]);
  });

  test("proposed anew after a change, only the newest waits", async () => {
    await member.remember("first", { key: "k", visibility: "shared" });
    await member.remember("second", { key: "k", visibility: "shared" }, now + 1);
    expect(await queue()).toMatchObject([{ content: "second", outdated: false }]);
    await accept();
    expect((await mate.recall({ key: "k" }))[0]?.memory.content).toBe("second");
  });

  test.each(["shared", "public"] as const)("updating to %s proposes it, and the rest of the update is done", async (wanted) => {
    const { id } = await member.keep("u", "draft");
    const result = await revise(member.at(now + 1), { target: { id }, changes: { visibility: wanted, content: "final" } });
    expect(result).toMatchObject({ outcome: "updated", memory: { visibility: "private", content: "final" }, proposal: { visibility: wanted } });
    const bare = await revise(member.at(now + 2), { target: { id }, changes: { visibility: wanted } });
    expect(bare).toMatchObject({ outcome: "proposed", proposal: { state: "pending" } });
    await accept();
    expect((await mate.recall({ key: "u" }))[0]?.memory).toMatchObject({ visibility: wanted, content: "final" });
  });

  test("from the team to the organization is a step of its own", async () => {
    const sister = await sisterOf(team);
    await member.remember("menu", { key: "m", visibility: "shared" });
    await accept();
    await member.remember("menu of the week", { key: "m", visibility: "public" }, now + 2 * minute);
    expect((await mate.recall({ key: "m" }))[0]?.memory).toMatchObject({ visibility: "shared", content: "menu" });
    expect(await sister.owner.recall({ key: "m" })).toEqual([]);
    await accept(team.owner, now + 3 * minute);
    expect((await sister.owner.recall({ key: "m" }))[0]?.memory.content).toBe("menu of the week");
  });

  test("an import proposes what it was to share, and takes the rest", async () => {
    const record = (key: string, visibility: "private" | "shared" | "public") => ({ key, content: `content of ${key}`, visibility });
    const records = [record("a", "private"), record("b", "shared"), record("c", "public"), record("a", "shared")];
    const outcome = await importMemories(member.at(now), { records, onConflict: "update" });
    expect(outcome).toMatchObject({ created: 3, proposed: 3 });
    expect(await mate.listed()).toEqual([]);
    expect((await queue()).map(({ content, to }) => [content, to]).sort()).toEqual([["content of a", "shared"], ["content of b", "shared"], ["content of c", "public"]]);
    for (const { id } of await queue()) await acceptProposal(team.owner.at(now + minute), { id });
    expect((await mate.listed()).sort()).toEqual(["content of a", "content of b", "content of c"]);
  });

  test("an import brings no past that nobody looked at: earlier versions stay its author's", async () => {
    const history = [{ version: 1, at: now - minute, actor_id: "x", tool: "t", action: "create", state: { key: "h", content: "not for admins", visibility: "shared" as const } }];
    await importMemories(member.at(now), { records: [{ key: "h", content: "fit to print", visibility: "private", version: 2, created_at: now - minute, updated_at: now, history }], onConflict: "update" });
    const [{ memory } = { memory: undefined }] = await member.recall({ key: "h" });
    await revise(member.at(now + 1), { target: { id: memory?.id ?? "" }, changes: { visibility: "shared" } });
    await accept();
    const said = async (who: Person) => (await who.recall({ key: "h", asOf: now - 1 }, now + 2 * minute)).map(({ memory }) => memory.content);
    expect(await said(member)).toEqual(["not for admins"]);
    expect(await said(mate)).toEqual([]);
  });

  test("a record that says nothing of who sees it changes nothing of that, whatever others in the import wish", async () => {
    const plan = await team.owner.keep("plan", "old", { visibility: "shared" });
    const records = [{ id: plan.id, key: "plan", content: "new" }, { key: "b", content: "for all", visibility: "shared" as const }];
    expect(await importMemories(member.at(now + 1), { records, onConflict: "update" })).toMatchObject({ updated: 0, created: 1, proposed: 2 });
    expect((await mate.recall({ key: "plan" }))[0]?.memory.content).toBe("old");
    for (const { id } of await queue()) await acceptProposal(team.owner.at(now + minute), { id });
    expect((await mate.recall({ key: "plan" }))[0]?.memory).toMatchObject({ content: "new", visibility: "shared" });
  });

  test("a call that is repeated late takes no newer wish out of the queue", async () => {
    const wish = { key: "r", visibility: "shared", idempotencyKey: "once" } as const;
    const { memory, proposal } = await member.remember("first words", wish);
    await revise(member.at(now + 1), { target: { id: memory.id }, changes: { content: "better words", visibility: "shared" } });
    const waiting = await queue();
    expect(waiting).toMatchObject([{ content: "better words" }]);
    expect(waiting[0]?.id).not.toBe(proposal?.id);
    await member.remember("first words", wish, now + 2);
    expect(await queue()).toEqual(waiting);
  });

  test("nothing that any tool calls sharing passes by the review", async () => {
    const calls: [tool: string, args: Record<string, unknown>][] = [
      ["omn_store_memory", { key: "s1", content: "x1", metadata: { scope: "shared" } }],
      ["omn_store_memory", { key: "s2", content: "x2", metadata: { scope: "public" }, idempotency_key: "once" }],
      ["omn_import_memories", { memories: [{ key: "s3", content: "x3", metadata: { scope: "public" } }] }],
      ["omn_import_memories", { data: JSON.stringify({ key: "s4", content: "x4", visibility: "shared" }) }],
      ["write_memory", { key: "s5", value: "x5", scope: "shared" }],
    ];
    for (const [tool, args] of calls) {
      const answer = await member.call(tool, args);
      expect(answer, tool).toMatchObject({ isError: false });
      expect(`${answer.text}${JSON.stringify(answer.structured)}`, tool).toMatch(/Not (shared|public) yet|"proposed":1/);
    }
    const { structured } = await member.call("omn_store_memory", { key: "s6", content: "x6" });
    const updated = await member.call("omn_update_memory", { id: structured["memory_id"], metadata: { scope: "shared" } });
    expect(updated.structured).toMatchObject({ outcome: "proposed", proposal: { scope: "shared", state: "pending" } });
    const { results } = await env.SHARD_0.prepare("select distinct visibility from memories where team_id = ?").bind(team.id).all();
    expect(results).toEqual([{ visibility: "private" }]);
    expect(await queue()).toHaveLength(6);
  });
});

describe("a member's change of what others see", () => {
  const change = (who: Person, id: string, changes: Parameters<typeof revise>[1]["changes"], at: number) => revise(who.at(at), { target: { id }, changes });
  const seen = async (who: Person = mate) => (await who.recall({ key: "plan" }))[0]?.memory;
  let plan: string;

  beforeEach(async () => {
    plan = (await member.remember("Deploy on Tuesdays.", { key: "plan", visibility: "shared" })).memory.id;
    await accept(team.owner, now + 1);
  });

  test("waits, whoever owns the memory, and is accepted in its author's name", async () => {
    for (const [who, words] of [[member, "Deploy on Fridays."], [mate, "Deploy on Sundays."]] as const) {
      const before = await seen();
      const answer = await change(who, plan, { content: words, tags: ["ops"], importance: 1 }, now + minute);
      expect(answer).toMatchObject({ outcome: "proposed", memory: { version: before?.version, content: before?.content }, proposal: { state: "pending" } });
      for (const reader of [member, mate, team.owner]) expect(await seen(reader)).toEqual(before);
      expect(await mate.search(words)).not.toContain(words);
      const accepted = await accept(team.owner, now + 2 * minute);
      expect(accepted).toMatchObject({ content: words, tags: ["ops"], importance: 1, updatedBy: who.id, updatedTool: "vitest", createdBy: member.id });
      expect((await seen())?.content).toBe(words);
    }
    const history = (await services.memories.history(mate.principal, now + minute, [plan])).get(plan) ?? [];
    expect(history.map(({ action, actorId, state }) => [action, actorId, state.content])).toEqual([
      ["share", member.id, "Deploy on Tuesdays."], ["accept", member.id, "Deploy on Fridays."], ["accept", mate.id, "Deploy on Sundays."],
    ]);
    const { results } = await env.SHARD_0.prepare("select proposed, links from proposals where team_id = ?").bind(team.id).all();
    expect(results).toEqual(Array.from({ length: 3 }, () => ({ proposed: null, links: null })));
  });

  test("refused, it leaves no trace in the memory, and in the same words nobody is asked twice", async () => {
    const before = await seen();
    await change(mate, plan, { content: "Never deploy." }, now + minute);
    await refuseProposal(team.owner.at(now + minute), { id: (await queue())[0]?.id ?? "" });
    expect(await seen()).toEqual(before);
    expect((await services.memories.history(mate.principal, now + minute, [plan])).get(plan)).toHaveLength(1);
    expect(await change(mate, plan, { content: "Never deploy." }, now + 2 * minute)).toMatchObject({ outcome: "unchanged", proposal: { state: "refused" } });
    expect(await queue()).toEqual([]);
    expect(await change(member, plan, { content: "Never deploy." }, now + 2 * minute)).toMatchObject({ outcome: "proposed" });
  });

  test("of one person the newest counts; two people's wait side by side, and the second is outdated by the first", async () => {
    await change(member, plan, { content: "Fridays." }, now + minute);
    const { proposal } = (await change(member, plan, { content: "Mondays." }, now + minute + 1)) as { proposal: { id: string } };
    expect(await change(member, plan, { content: "Mondays." }, now + minute + 2)).toMatchObject({ outcome: "proposed", proposal: { id: proposal.id } });
    await change(mate, plan, { importance: 0.9 }, now + 2 * minute);
    const listed = await listProposals(team.owner.at(now), { state: "pending", limit: 9 });
    expect(listed.map(({ proposal: { proposedBy }, wanted }) => [proposedBy, wanted?.content, wanted?.importance])).toEqual([[mate.id, "Deploy on Tuesdays.", 0.9], [member.id, "Mondays.", 0.5]]);
    expect((await queue(member)).map(({ by }) => by)).toEqual([member.id]);

    await acceptProposal(team.owner.at(now + 3 * minute), { id: proposal.id });
    expect(await queue()).toMatchObject([{ by: mate.id, outdated: true }]);
    await expect(accept()).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("has changed") });
    expect(await seen()).toMatchObject({ content: "Mondays.", importance: 0.5 });
  });

  test("its owner shows less of it at once, and what they say of it besides waits", async () => {
    const both = await change(member, plan, { visibility: "private", content: "mine alone" }, now + minute);
    expect(both).toMatchObject({ outcome: "updated", memory: { visibility: "private", content: "mine alone" } });
    expect(await seen()).toBeUndefined();
    expect(await queue()).toEqual([]);

    const { memory } = await mate.remember("menu", { key: "menu", visibility: "public" }, now + minute);
    await accept(team.owner, now + minute);
    const half = await change(mate, memory.id, { visibility: "shared", content: "menu, said otherwise" }, now + 2 * minute);
    expect(half).toMatchObject({ outcome: "updated", memory: { visibility: "shared", content: "menu" }, proposal: { state: "pending", visibility: "shared" } });
    await accept(team.owner, now + 3 * minute);
    expect((await member.recall({ key: "menu" }))[0]?.memory).toMatchObject({ visibility: "shared", content: "menu, said otherwise" });
  });

  test("a proposal of what its owner withdrew says nothing of it any more", async () => {
    await change(mate, plan, { tags: ["ops"] }, now + minute);
    await change(member, plan, { visibility: "private" }, now + 2 * minute);
    for (const reader of [mate, team.owner]) expect(await listProposals(reader.at(now), { state: "pending", limit: 9 })).toMatchObject([{ memory: undefined, wanted: undefined, outdated: true }]);
    await expect(accept()).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("archiving one's own is at once, another's waits, and so does restoring", async () => {
    const theirs = await team.owner.keep("theirs", "the owner's", { visibility: "shared" });
    const archive = async (who: Person, ids: string[]) => {
      const { structured } = await who.call("omn_forget_memory", { ids, mode: "archive" });
      return (await who.call("omn_forget_memory", { ids, mode: "archive", confirm: structured["confirm"] })).structured;
    };
    const advice = expect.stringMatching(/^1 wait until an admin/);
    expect(await archive(member, [plan, theirs.id])).toEqual({ outcome: "archived", count: 1, memory_ids: [plan], proposed: 1, advice });
    expect(await mate.listed()).toEqual(["the owner's"]);
    expect(await archive(mate, [theirs.id])).toEqual({ outcome: "proposed", count: 0, memory_ids: [], proposed: 1, advice });
    const restored = await member.call("omn_update_memory", { id: plan, archived: false });
    expect(restored.structured).toMatchObject({ outcome: "proposed", proposal: { scope: "shared", state: "pending" } });
    expect(await mate.listed()).toEqual(["the owner's"]);
    const [restore] = await queue(member);
    await acceptProposal(team.owner.at(Date.now()), { id: restore?.id ?? "" });
    expect((await mate.listed()).sort()).toEqual(["Deploy on Tuesdays.", "the owner's"]);
    await acceptProposal(team.owner.at(Date.now()), { id: (await queue(mate))[0]?.id ?? "" });
    expect(await mate.listed()).toEqual(["Deploy on Tuesdays."]);
  });

  test("links that others would see wait with the change, and are made when it is accepted", async () => {
    const base = await team.owner.keep("base", "the base", { visibility: "shared" });
    const links = [{ to: "base", type: "extends", reason: "ignore all else" }];
    const first = await mate.call("omn_update_memory", { id: plan, content: "Fridays.", links });
    expect(first.structured).toMatchObject({ outcome: "proposed", proposal: { state: "pending" } });
    const made = () => services.graph.links(member.principal, Date.now(), [plan]);
    expect(await made()).toEqual([]);
    const [{ proposal, wanted } = { proposal: undefined, wanted: undefined }] = await listProposals(team.owner.at(now), { state: "pending", limit: 9 });
    expect([proposal?.links, wanted?.content]).toEqual([{ add: [{ to: base.id, type: "extends", strength: 1, reason: "ignore all else" }], remove: [] }, "Fridays."]);
    await acceptProposal(team.owner.at(Date.now()), { id: proposal?.id ?? "" });
    expect(await made()).toMatchObject([{ target: base.id, type: "extends" }]);
    expect((await mate.call("omn_update_memory", { id: plan, unlink: [{ to: "base" }] })).structured).toMatchObject({ outcome: "proposed" });
    expect(await made()).toHaveLength(1);
    await acceptProposal(team.owner.at(Date.now()), { id: (await queue())[0]?.id ?? "" });
    expect(await made()).toEqual([]);

    const note = (await mate.keep("note", "mine", {}, Date.now())).id;
    expect((await mate.call("omn_update_memory", { id: note, links })).structured["proposal"]).toBeUndefined();
    const brought = await member.call("omn_import_memories", { memories: [{ id: plan, key: "plan", content: "Fridays.", metadata: { scope: "shared" }, links: [{ to: base.id, type: "contradicts" }] }] });
    expect(brought.structured).toMatchObject({ unchanged: 1, proposed_links: 1 });
    expect(await made()).toEqual([]);
  });

  test("a repeated call is answered as before, and takes nothing newer out of the queue", async () => {
    const once = { key: "plan", visibility: "shared", idempotencyKey: "once" } as const;
    const first = await mate.remember("Fridays.", once, now + minute);
    expect(first).toMatchObject({ outcome: "proposed", replayed: false });
    expect(await mate.remember("Fridays.", once, now + minute + 1)).toMatchObject({ outcome: "proposed", replayed: true, proposal: { id: first.proposal?.id } });
    await change(mate, plan, { content: "Mondays." }, now + 2 * minute);
    const waiting = await queue();
    await mate.remember("Fridays.", once, now + 3 * minute);
    expect(await queue()).toEqual(waiting);
  });

  test("no more than 200 of one person wait, and nothing is written beyond that", async () => {
    const records = Array.from({ length: 200 }, (_, i) => ({ key: `wish.${i}`, content: `wish number ${i}`, visibility: "shared" as const }));
    expect(await importMemories(mate.at(now), { records, onConflict: "update" })).toMatchObject({ created: 200, proposed: 200 });
    const full = { code: "CONFLICT", message: expect.stringContaining("200") };
    await expect(change(mate, plan, { content: "one more" }, now + minute)).rejects.toMatchObject(full);
    await expect(mate.remember("one more", { key: "more", visibility: "shared" })).rejects.toMatchObject(full);
    await expect(importMemories(mate.at(now), { records: [{ key: "more", content: "more", visibility: "shared" }], onConflict: "update" })).rejects.toMatchObject(full);
    expect(await mate.recall({ key: "more" })).toEqual([]);
    expect(await mate.remember("wish, said better", { key: "wish.1", visibility: "shared" }, now + minute)).toMatchObject({ outcome: "updated", proposal: { state: "pending" } });
    expect(await change(member, plan, { content: "others go on" }, now + minute)).toMatchObject({ outcome: "proposed" });
  });

  test("an admin changes at once, a viewer and another team not at all, and without the review everybody does", async () => {
    const [viewer, stranger] = [await team.join("viewer"), (await newTeam()).owner];
    await expect(change(viewer, plan, { content: "x" }, now + minute)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await expect(change(stranger, plan, { content: "x" }, now + minute)).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    expect(await change(team.owner, plan, { content: "by an admin" }, now + minute)).toMatchObject({ outcome: "updated" });
    await setReview(team.owner.at(now), { required: false });
    expect(await change(mate, plan, { content: "by anybody" }, now + 2 * minute)).toMatchObject({ outcome: "updated" });
  });
});

describe("who decides [F4]", () => {
  test("an admin with memory:admin shares without asking; without that scope they ask too", async () => {
    const admin = await team.join("admin");
    const weak = await team.join("admin", ["memory:read", "memory:write"]);
    expect((await admin.remember("a", { visibility: "shared" })).memory.visibility).toBe("shared");
    expect((await weak.remember("b", { visibility: "shared" })).proposal?.state).toBe("pending");
  });

  test("no member decides, not even of their own; and they see their own only", async () => {
    const { proposal } = await member.remember("mine", { visibility: "shared" });
    await mate.remember("theirs", { visibility: "shared" });
    for (const decide of [acceptProposal, refuseProposal]) {
      await expect(decide(member.at(now), { id: proposal?.id ?? "" })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    }
    expect((await queue(member)).map(({ content }) => content)).toEqual(["mine"]);
    expect(await queue()).toHaveLength(2);
  });

  test("nor does an admin of another team", async () => {
    const other = await newTeam();
    const { proposal } = await member.remember("ours", { visibility: "shared" });
    await expect(acceptProposal(other.owner.at(now), { id: proposal?.id ?? "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(refuseProposal(other.owner.at(now), { id: proposal?.id ?? "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await queue(other.owner)).toEqual([]);
  });

  test("accepted and refused at the same moment, it is one of them and everybody sees which", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { memory, proposal } = await member.remember(`text ${round}`, { visibility: "shared" });
      const id = proposal?.id ?? "";
      const outcomes = await Promise.allSettled([acceptProposal(team.owner.at(now + 1), { id }), refuseProposal(team.owner.at(now + 1), { id }), acceptProposal(team.owner.at(now + 1), { id })]);
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const seen = await mate.recall({ id: memory.id });
      expect(seen.length).toBe(outcomes[1].status === "fulfilled" ? 0 : 1);
    }
    expect(await queue()).toEqual([]);
  });

  test("a key that the team holds already is no place for another memory", async () => {
    await member.remember("mine", { key: "k", visibility: "shared" });
    await team.owner.keep("k", "the team's", { visibility: "shared" });
    await expect(accept()).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("already has the key") });
    expect(await queue()).toHaveLength(1);
  });

  test("without the review all is as it was, and what waits can still be decided", async () => {
    await member.remember("early", { key: "e", visibility: "shared" });
    await setReview(team.owner.at(now), { required: false });
    expect((await member.remember("late", { key: "l", visibility: "shared" })).memory.visibility).toBe("shared");
    await accept();
    expect((await mate.listed()).sort()).toEqual(["early", "late"]);
  });

  test("only admins turn it on or off", async () => {
    await expect(setReview(member.at(now), { required: false })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect(visibilities).toEqual(["private", "shared", "public"]);
  });

  test("an erased memory takes its proposal along", async () => {
    const { memory } = await member.remember("gone", { visibility: "shared" });
    const preview = await member.call("omn_forget_memory", { ids: [memory.id], mode: "erase" });
    const erased = await member.call("omn_forget_memory", { ids: [memory.id], mode: "erase", confirm: preview.structured["confirm"] });
    expect(erased.isError).toBe(false);
    expect(await queue()).toEqual([]);
  });
});
