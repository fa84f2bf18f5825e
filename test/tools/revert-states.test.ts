import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { breakCommits } from "../properties/broken.ts";
import { Clock } from "../support/clock.ts";
import { callTool } from "../support/mcp.ts";
import { exported, recordsOf, reverted, storeAs, undone, updateAs } from "../support/revert.ts";
import { hour, newTeam, type Person } from "../support/team.ts";

const bad = { tool: "bad-client" };
const keysOf = async (who: Person): Promise<Record<string, string>> =>
  Object.fromEntries(recordsOf(await exported(who)).filter(({ archived_at }) => archived_at === null).map(({ key, content }) => [key, content]));

let repair = (): void => undefined;
afterEach(() => {
  repair();
  vi.restoreAllMocks();
});

describe("states that a revert meets", () => {
  test("secrets are opened and sealed again, become secret and cease to be, and are never shown", async () => {
    const { owner } = await newTeam();
    const secret = { sensitivity: "secret" };
    const changed = await storeAs(owner, "cursor", { key: "door", content: "zqfirst code", metadata: secret });
    await updateAs(owner, "bad-client", { id: changed, content: "zqsecond code" });
    const opened = await storeAs(owner, "cursor", { key: "gate", content: "zqgate code", metadata: secret });
    await updateAs(owner, "bad-client", { id: opened, metadata: { sensitivity: "normal" } });
    const closed = await storeAs(owner, "cursor", { key: "menu", content: "Pasta on Fridays." });
    await updateAs(owner, "bad-client", { id: closed, metadata: secret });
    await storeAs(owner, "bad-client", { key: "new", content: "zqnew code", metadata: secret });
    const [before, plain] = [await exported(owner), await exported(owner, { include_secrets: false })];
    const preview = await owner.call("omn_revert", bad);
    expect(preview.structured).toMatchObject({ archived: 1, restored: 3 });
    expect(preview.text + JSON.stringify(preview.structured)).not.toMatch(/zqfirst|zqsecond|zqnew|Pasta/);
    const { run } = await reverted(owner, bad);
    expect(await keysOf(owner)).toEqual({ door: "zqfirst code", gate: "zqgate code", menu: "Pasta on Fridays." });
    const { results } = await env.SHARD_0.prepare("SELECT m.content || v.state AS stored FROM memories m JOIN versions v ON v.team_id = m.team_id AND v.memory_id = m.id WHERE m.team_id = ? AND m.sensitivity = 'secret'").bind(owner.principal.teamId).all<{ stored: string }>();
    expect(results.length).toBeGreaterThan(6);
    for (const { stored } of results) expect(stored).not.toMatch(/zqfirst|zqsecond|zqgate|zqnew code|Pasta|\[secret/);
    await undone(owner, run);
    expect([await exported(owner), await exported(owner, { include_secrets: false })]).toEqual([before, plain]);
  });

  test("a secret that cannot be opened is kept", async () => {
    const { owner } = await newTeam();
    const id = await storeAs(owner, "cursor", { key: "door", content: "First code.", metadata: { sensitivity: "secret" } });
    await updateAs(owner, "bad-client", { id, content: "Second code." });
    await env.SHARD_0.prepare("UPDATE versions SET state = json_set(state, '$.content', 's1.1.AAAA') WHERE memory_id = ? AND version = 1").bind(id).run();
    expect((await owner.call("omn_revert", bad)).structured).toMatchObject({ count: 0, kept_memories: [{ memory_id: id, reason: "unreadable" }] });
  });

  test("archived and expired memories: restored where the client archived them, never into what has expired", async () => {
    const clock = new Clock();
    const { owner } = await newTeam();
    const archived = await storeAs(owner, "cursor", { key: "a", content: "Archived by it." });
    await storeAs(owner, "bad-client", { key: "b", content: "Archived by itself." });
    const kept = await storeAs(owner, "bad-client", { key: "c", content: "Archived by others." });
    const lasting = await storeAs(owner, "cursor", { key: "d", content: "Expires soon.", metadata: { expiry: new Date(Date.now() + hour).toISOString() } });
    await updateAs(owner, "bad-client", { id: lasting, metadata: { expiry: null } });
    await env.SHARD_0.prepare("UPDATE versions SET state = json_set(state, '$.expiresAt', 1) WHERE memory_id = ? AND version = 1").bind(lasting).run();
    await storeAs(owner, "bad-client", { key: "e", content: "Expired.", metadata: { expiry: new Date(Date.now() + hour).toISOString() } });
    const forget = async (key: string, client: string): Promise<void> => {
      const { structured } = await callTool(owner.token, "omn_forget_memory", { key }, client);
      await callTool(owner.token, "omn_forget_memory", { key, confirm: structured["confirm"] }, client);
    };
    for (const key of ["a", "b"]) await forget(key, "bad-client");
    await forget("c", "cursor");
    clock.forward(hour);
    const before = await exported(owner);
    const run = await reverted(owner, bad);
    expect(run).toMatchObject({ count: 1, restored: 1, kept: 2 });
    expect(run["kept_memories"]).toEqual(expect.arrayContaining([{ memory_id: kept, key: "c", reason: "changed" }, { memory_id: lasting, key: "d", reason: "expired" }]));
    expect(recordsOf(await exported(owner)).find(({ id }) => id === archived)).toMatchObject({ archived_at: null });
    await undone(owner, run["run"]);
    expect(await exported(owner)).toBe(before);
  });

  test("keys that were moved, taken and swapped come back, unless another memory has them", async () => {
    const { owner } = await newTeam();
    const [a, b, c] = [await storeAs(owner, "cursor", { key: "a", content: "A." }), await storeAs(owner, "cursor", { key: "b", content: "B." }), await storeAs(owner, "cursor", { key: "c", content: "C." })];
    await updateAs(owner, "bad-client", { id: a, new_key: "z" });
    await updateAs(owner, "bad-client", { id: b, new_key: "a" });
    await storeAs(owner, "bad-client", { key: "b", content: "In the place of B." });
    await updateAs(owner, "bad-client", { id: c, new_key: "y" });
    await storeAs(owner, "cursor", { key: "c", content: "Another C." });
    const before = await exported(owner);
    const run = await reverted(owner, bad);
    expect(run).toMatchObject({ archived: 1, restored: 2, kept_memories: [{ memory_id: c, reason: "key" }] });
    expect(await keysOf(owner)).toEqual({ a: "A.", b: "B.", y: "C.", c: "Another C." });
    await undone(owner, run["run"]);
    expect(await exported(owner)).toBe(before);
    expect(await keysOf(owner)).toEqual({ z: "A.", a: "B.", b: "In the place of B.", y: "C.", c: "Another C." });
  });
});

describe("preview, repetition and interruption", () => {
  test("a token holds for just what it was shown, and a repeated call answers the same", async () => {
    const { owner } = await newTeam();
    const id = await storeAs(owner, "cursor", { key: "a", content: "A." });
    await updateAs(owner, "bad-client", { id, content: "Bad A." });
    const { confirm } = (await owner.call("omn_revert", bad)).structured;
    await storeAs(owner, "bad-client", { key: "b", content: "Bad B." });
    const late = (await owner.call("omn_revert", { ...bad, confirm })).structured;
    expect(late).toMatchObject({ outcome: "preview", count: 2, advice: expect.stringContaining("does not belong to this preview") as string });
    expect((await owner.call("omn_revert", { ...bad, author: owner.id, confirm: late["confirm"] })).structured["outcome"]).toBe("preview");
    const first = (await owner.call("omn_revert", { ...bad, confirm: late["confirm"] })).structured;
    expect(first).toMatchObject({ outcome: "reverted", count: 2, archived: 1, restored: 1 });
    const after = await exported(owner);
    expect((await owner.call("omn_revert", { tool: "other-client", confirm: late["confirm"] })).error?.code).toBe("MEMORY_NOT_FOUND");
    expect((await owner.call("omn_revert", { ...bad, confirm: late["confirm"] })).structured).toEqual(first);
    expect((await owner.call("omn_revert", bad)).error?.code).toBe("MEMORY_NOT_FOUND");
    expect(await exported(owner)).toBe(after);
    expect(await undone(owner, first["run"])).toMatchObject({ count: 2 });
    expect(await undone(owner, first["run"])).toMatchObject({ count: 0, already: 2 });
    expect((await owner.call("omn_revert", { ...bad, confirm: late["confirm"] })).structured).toMatchObject({ ...first, undone: 2, advice: expect.anything() as unknown });
  });

  test("undo leaves alone what was changed or erased since, and gives back the rest", async () => {
    const { owner } = await newTeam();
    const ids: string[] = [];
    for (const key of ["a", "b", "c"]) ids.push(await storeAs(owner, "bad-client", { key, content: `Bad ${key}.` }));
    const run = await reverted(owner, bad);
    await updateAs(owner, "cursor", { id: ids[0], archived: false, content: "Looked at." });
    const { structured } = await owner.call("omn_forget_memory", { id: ids[1], mode: "erase" });
    await owner.call("omn_forget_memory", { id: ids[1], mode: "erase", confirm: structured["confirm"] });
    expect(await undone(owner, run["run"])).toMatchObject({ count: 1, kept: 1, gone: 1, kept_memories: [{ memory_id: ids[0], reason: "changed" }] });
    expect(await keysOf(owner)).toEqual({ a: "Looked at.", c: "Bad c." });
  });

  test("a run that dies between two commits is finished by the same call, and one undo covers all of it", async () => {
    const { owner } = await newTeam();
    const long = "lorem ipsum ".repeat(800);
    const records = Array.from({ length: 120 }, (_, i) => ({ key: `p${i}`, content: `${i} ${long}` }));
    await callTool(owner.token, "omn_import_memories", { memories: records }, "bad-client");
    const before = await exported(owner);
    const { structured: preview } = await owner.call("omn_revert", bad);
    expect(preview).toMatchObject({ count: 120 });
    let commits = 0;
    repair = breakCommits(async (commit) => {
      commits += 1;
      if (commits > 1) throw new Error("out of order for the test");
      return commit();
    });
    const broken = await owner.call("omn_revert", { ...bad, confirm: preview["confirm"] });
    expect(broken.isError).toBe(true);
    repair();
    const between = recordsOf(await exported(owner)).filter(({ archived_at }) => archived_at !== null).length;
    expect(between).toBeGreaterThan(0);
    expect(between).toBeLessThan(120);
    const finished = (await owner.call("omn_revert", { ...bad, confirm: preview["confirm"] })).structured;
    expect(finished).toMatchObject({ outcome: "reverted", run: preview["confirm"], count: 120, archived: 120 });
    expect(await undone(owner, finished["run"])).toMatchObject({ count: 120 });
    expect(await exported(owner)).toBe(before);
    // Half a run is undone, too.
    const { structured: again } = await owner.call("omn_revert", bad);
    commits = 0;
    repair = breakCommits(async (commit) => {
      commits += 1;
      if (commits > 1) throw new Error("out of order for the test");
      return commit();
    });
    await owner.call("omn_revert", { ...bad, confirm: again["confirm"] });
    repair();
    expect((await undone(owner, again["confirm"]))["count"]).toBe(between);
    expect(await exported(owner)).toBe(before);
    expect((await owner.call("omn_revert", { ...bad, confirm: again["confirm"] })).structured).toMatchObject({ outcome: "preview", count: 120 });
    expect(await exported(owner)).toBe(before);
  }, 120_000);

  test("more than fits in one call is said, and the next call goes on", async () => {
    const { owner } = await newTeam();
    await callTool(owner.token, "omn_import_memories", { memories: Array.from({ length: 510 }, (_, i) => ({ key: `p${i}`, content: `Bad ${i}.` })) }, "bad-client");
    const before = await exported(owner);
    const first = await reverted(owner, bad);
    expect(first).toMatchObject({ count: 500, more: true, advice: expect.stringContaining("since and until") as string });
    const second = await reverted(owner, bad);
    expect(second["count"]).toBe(10);
    expect(second).not.toHaveProperty("more");
    for (const { run } of [second, first]) await undone(owner, run);
    expect(await exported(owner)).toBe(before);
  }, 120_000);
});
