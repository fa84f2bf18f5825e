import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { memoryRows } from "../support/rows.ts";
import { exported, reverted, storeAs, undone, updateAs } from "../support/revert.ts";
import { newTeam, type Person, sisterOf } from "../support/team.ts";

const shared = { scope: "shared" };
const refused = async (who: Person, args: Record<string, unknown>): Promise<string | undefined> => (await who.call("omn_revert", args)).error?.code;

describe("who may revert what", () => {
  test("another's private memories are not touched, named or counted, whoever asks", async () => {
    const team = await newTeam();
    const { owner } = team;
    const grace = await team.join("member");
    const hidden = await storeAs(grace, "bad-client", { key: "diary", content: "Grace writes zqhidden." });
    const visible = await storeAs(grace, "bad-client", { key: "note", content: "Seen by all.", metadata: shared });
    // Was private once, and what it said then stays hers.
    const widened = await storeAs(grace, "cursor", { key: "draft", content: "zqhidden draft." });
    await updateAs(grace, "bad-client", { id: widened, content: "The draft is done.", metadata: shared });
    const before = await exported(grace);
    for (const selection of [{ tool: "bad-client" }, { author: grace.id }]) {
      const preview = await owner.call("omn_revert", selection);
      expect(preview.structured["would_revert"].map((one: { memory_id: string }) => one.memory_id)).not.toContain(hidden);
      expect(JSON.stringify(preview.structured) + preview.text).not.toMatch(/zqhidden|diary/);
    }
    const run = await reverted(owner, { tool: "bad-client" });
    expect(run).toMatchObject({ count: 1, archived: 1, kept: 1, kept_memories: [{ memory_id: widened, reason: "hidden" }] });
    expect((await grace.call("omn_retrieve_memory", { key: "diary" })).text).toContain("zqhidden");
    expect((await grace.call("omn_list_memories", { archived: true })).structured["memories"]).toMatchObject([{ memory_id: visible }]);
    await undone(owner, run["run"]);
    expect(await exported(grace)).toBe(before);
    expect(await refused(owner, { tool: "diary" })).toBe("MEMORY_NOT_FOUND");
    // She reverts her own, private ones too.
    expect(await reverted(grace, { tool: "bad-client" })).toMatchObject({ count: 3, archived: 2, restored: 1 });
  });

  test("another team finds nothing, not even by the id of a run", async () => {
    const team = await newTeam();
    const [sister, stranger] = [await sisterOf(team), await newTeam()];
    await storeAs(team.owner, "bad-client", { key: "note", content: "Public words.", metadata: { scope: "public" } });
    const run = await reverted(team.owner, { tool: "bad-client" });
    const rows = await memoryRows(team.id);
    for (const who of [sister.owner, stranger.owner]) {
      expect(await refused(who, { tool: "bad-client" })).toBe("MEMORY_NOT_FOUND");
      expect(await refused(who, { author: team.owner.id })).toBe("MEMORY_NOT_FOUND");
      expect(await refused(who, { undo: run["run"] })).toBe("NOT_FOUND");
      expect(await refused(who, { tool: "bad-client", confirm: run["run"] })).toBe("MEMORY_NOT_FOUND");
    }
    expect(await memoryRows(team.id)).toEqual(rows);
  });

  test("keys without memory:write or memory:read, and viewers, are refused", async () => {
    const team = await newTeam();
    await storeAs(team.owner, "bad-client", { key: "note", content: "Words.", metadata: shared });
    const run = await reverted(team.owner, { tool: "bad-client" });
    const strangers = [await team.join("member", ["memory:read"]), await team.join("admin", ["memory:read", "memory:admin"]), await team.join("member", ["memory:write"]), await team.join("viewer")];
    const rows = await memoryRows(team.id);
    for (const who of strangers) for (const args of [{ tool: "bad-client" }, { undo: run["run"] }]) expect(await refused(who, args)).toBe("PERMISSION_DENIED");
    const without = (all: Record<string, unknown>) => ({ ...all, audit: undefined });
    expect(without(await memoryRows(team.id))).toEqual(without(rows));
  });

  test("a member reverts what members may change; another member's run is not theirs to undo, an admin undoes it", async () => {
    const team = await newTeam();
    const [grace, alan, admin] = [await team.join("member"), await team.join("member"), await team.join("admin")];
    const id = await storeAs(team.owner, "cursor", { key: "rule", content: "The rule.", metadata: shared });
    await updateAs(alan, "bad-client", { id, content: "No rules." });
    const widened = await storeAs(team.owner, "cursor", { key: "wide", content: "Ours.", metadata: shared });
    await updateAs(admin, "bad-client", { id: widened, metadata: { scope: "public" } });
    const before = await exported(team.owner);
    const run = await reverted(grace, { tool: "bad-client" });
    expect(run).toMatchObject({ count: 1, restored: 1, kept_memories: [{ memory_id: widened, reason: "visibility" }] });
    expect(await refused(alan, { undo: run["run"] })).toBe("NOT_FOUND");
    expect(await undone(admin, run["run"])).toMatchObject({ count: 1 });
    expect(await exported(team.owner)).toBe(before);
    expect(await reverted(admin, { tool: "bad-client" })).toMatchObject({ count: 2, restored: 2 });
    expect((await grace.call("omn_retrieve_memory", { key: "wide" })).structured["memories"]).toMatchObject([{ metadata: shared }]);
  });

  test("under a review a member reverts what is their own, and an admin the rest", async () => {
    const team = await newTeam();
    const grace = await team.join("member", ["memory:read", "memory:write"]);
    const ours = await storeAs(team.owner, "cursor", { key: "ours", content: "Ours.", metadata: shared });
    await updateAs(grace, "bad-client", { id: ours, content: "Hers." });
    const hers = await storeAs(grace, "bad-client", { key: "hers", content: "Shared by her.", metadata: shared });
    const own = await storeAs(grace, "bad-client", { key: "own", content: "Private." });
    await env.SHARD_0.prepare("INSERT INTO team_policies (team_id, review_required) VALUES (?, 1)").bind(team.id).run();
    const run = await reverted(grace, { tool: "bad-client" });
    expect(run).toMatchObject({ count: 2, archived: 2, kept_memories: [{ memory_id: ours, reason: "review" }] });
    expect(await undone(grace, run["run"])).toMatchObject({ count: 1, kept: 1, kept_memories: [{ memory_id: hers, reason: "review" }] });
    expect((await grace.call("omn_list_memories", { full: true })).structured["memories"].map((one: { memory_id: string }) => one.memory_id)).toContain(own);
    expect(await undone(team.owner, run["run"])).toMatchObject({ count: 1, already: 1 });
    expect(await reverted(team.owner, { tool: "bad-client" })).toMatchObject({ count: 2, archived: 1, restored: 1 });
    expect((await env.SHARD_0.prepare("SELECT count(*) AS n FROM proposals WHERE team_id = ?").bind(team.id).first<{ n: number }>())?.n).toBe(0);
  });
});
