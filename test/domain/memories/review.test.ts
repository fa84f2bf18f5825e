import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { importMemories } from "../../../src/domain/memories/import.ts";
import { visibilities } from "../../../src/domain/memories/memory.ts";
import { acceptProposal, listProposals, refuseProposal, setReview } from "../../../src/domain/memories/proposals.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { minute, newTeam, now, type Person, sisterOf, type Team } from "./world.ts";

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

describe("[F4] [U7] sharing in a team that reviews", () => {
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
    expect(bare).toMatchObject({ outcome: "unchanged", proposal: { state: "pending" } });
    await accept();
    expect((await mate.recall({ key: "u" }))[0]?.memory).toMatchObject({ visibility: wanted, content: "final" });
  });

  test("from the team to the organization is a step of its own", async () => {
    const sister = await sisterOf(team);
    await member.remember("menu", { key: "m", visibility: "shared" });
    await accept();
    await member.remember("menu of the week", { key: "m", visibility: "public" }, now + 2 * minute);
    expect((await mate.recall({ key: "m" }))[0]?.memory).toMatchObject({ visibility: "shared", content: "menu of the week" });
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
    expect(await importMemories(member.at(now + 1), { records, onConflict: "update" })).toMatchObject({ updated: 1, created: 1, proposed: 1 });
    expect((await mate.recall({ key: "plan" }))[0]?.memory.content).toBe("new");
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

  test("what the team shares already is revised as before", async () => {
    await team.owner.keep("plan", "old", { visibility: "shared" });
    expect(await member.remember("new", { key: "plan", visibility: "shared" }, now + 1)).toMatchObject({ outcome: "updated", memory: { visibility: "shared" } });
    expect(await queue()).toEqual([]);
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
    expect(updated.structured).toMatchObject({ outcome: "unchanged", proposal: { scope: "shared", state: "pending" } });
    const { results } = await env.SHARD_0.prepare("select distinct visibility from memories where team_id = ?").bind(team.id).all();
    expect(results).toEqual([{ visibility: "private" }]);
    expect(await queue()).toHaveLength(6);
  });
});

describe("[F4] who decides", () => {
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
    await expect(acceptProposal(other.owner.at(now), { id: proposal?.id ?? "" })).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    await expect(refuseProposal(other.owner.at(now), { id: proposal?.id ?? "" })).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
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
