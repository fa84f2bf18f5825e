import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { memoryCommitsOf } from "../../../src/app/storage.ts";
import { DomainError } from "../../../src/domain/errors.ts";
import { importMemories } from "../../../src/domain/memories/import.ts";
import { defaultQuota, type TeamQuota } from "../../../src/domain/memories/quota.ts";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import { remember } from "../../../src/domain/memories/remember.ts";
import { followingVersion } from "../../../src/domain/memories/versions.ts";
import { reverted, storeAs, updateAs } from "../../support/revert.ts";
import { rpc } from "../../support/mcp.ts";
import { memoryRows } from "../../support/rows.ts";
import { newTeam, now, type Person, services, type Team, writerOver } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

/** As if the team had stored so much before: 250,000 memories would take long. */
const pretend = (use: { memories?: number; bytes?: number }) =>
  env.SHARD_0.prepare("INSERT INTO counters (team_id, seq, memories, bytes) VALUES (?1, 0, ?2, ?3) ON CONFLICT (team_id) DO UPDATE SET memories = ?2, bytes = ?3")
    .bind(team.id, use.memories ?? 0, use.bytes ?? 0)
    .run();

/** A server that allows a team so much. */
const allowing = ({ maxMemories, maxBytes }: Partial<TeamQuota>) =>
  writerOver(memoryCommitsOf({
    ...env,
    ...(maxMemories === undefined ? {} : { TEAM_MAX_MEMORIES: String(maxMemories) }),
    ...(maxBytes === undefined ? {} : { TEAM_MAX_BYTES: String(maxBytes) }),
  } as Env));

const refusalOf = async (work: Promise<unknown>): Promise<DomainError> => {
  const error = await work.then(() => undefined, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DomainError);
  expect((error as DomainError).code).toBe("QUOTA_EXCEEDED");
  return error as DomainError;
};

describe("at the tools", () => {
  test("a full team stores no further memory, and is told how full it is and how to make room", async () => {
    await pretend({ memories: defaultQuota.maxMemories - 1 });
    expect((await ada.call("omn_store_memory", { key: "last", content: "the last that fits" })).isError).toBe(false);
    const before = await memoryRows(team.id);

    const answers = [
      await ada.call("omn_store_memory", { key: "more", content: "one too many" }),
      await ada.call("write_memory", { key: "more", value: "one too many" }),
      await ada.call("omn_import_memories", { memories: [{ key: "a", content: "one too many" }, { key: "b", content: "and another" }] }),
    ];

    for (const answer of answers) {
      expect(answer.error).toMatchObject({ code: "QUOTA_EXCEEDED", details: { memories: 250_000, max_memories: 250_000, max_bytes: 2 * 1024 ** 3 } });
      expect(answer.text).toContain("it holds 250,000 of at most 250,000 memories");
      expect(answer.text).toMatch(/Erase memories .* or ask the operator/);
    }
    expect(await memoryRows(team.id), "nothing half-written").toEqual(before);
    expect((await ada.call("omn_memory_stats")).structured).toMatchObject({ quota: { max_memories: 250_000, memories_percent: 100, bytes_percent: 0 } });
  });

  test("a full team can still change, archive and erase what it has; erasing makes room", async () => {
    await ada.call("omn_store_memory", { key: "one", content: "stored while there was room" });
    await ada.call("omn_store_memory", { key: "two", content: "and another one" });
    await pretend({ memories: defaultQuota.maxMemories });
    expect((await ada.call("omn_update_memory", { key: "one", content: "changed" })).structured).toMatchObject({ outcome: "updated" });
    expect((await ada.call("omn_store_memory", { key: "one", content: "changed again" })).structured).toMatchObject({ outcome: "updated", version: 3 });
    expect((await ada.call("delete_memory", { key: "two" })).isError).toBe(false);
    expect((await ada.call("omn_store_memory", { key: "three", content: "archiving made no room" })).error?.code).toBe("QUOTA_EXCEEDED");
    const preview = await ada.call("omn_forget_memory", { key: "one", mode: "erase" });
    await ada.call("omn_forget_memory", { key: "one", mode: "erase", confirm: preview.structured["confirm"] });
    expect((await ada.call("omn_store_memory", { key: "three", content: "now there is room" })).structured).toMatchObject({ outcome: "created" });
  });

  test("a full team can still revert; to undo that it needs room", async () => {
    const id = await storeAs(ada, "cursor", { key: "one", content: "as it was" });
    await updateAs(ada, "bad-client", { id, content: "overwritten" });
    await storeAs(ada, "bad-client", { key: "two", content: "flood" });
    await pretend({ memories: 2, bytes: defaultQuota.maxBytes + 1 });
    const { run } = await reverted(ada, { tool: "bad-client" });
    expect((await ada.call("omn_retrieve_memory", { key: "one" })).text).toContain("as it was");
    expect((await ada.call("omn_revert", { undo: run })).error?.code).toBe("QUOTA_EXCEEDED");
    await pretend({ memories: 2 });
    expect((await ada.call("omn_revert", { undo: run })).structured).toMatchObject({ outcome: "undone", count: 2 });
  });

  test("a team without bytes left can archive and erase, and neither store, change, share nor link", async () => {
    await ada.call("omn_store_memory", { key: "one", content: "stored while there was room" });
    await ada.call("omn_store_memory", { key: "two", content: "and another one" });
    await pretend({ memories: 2, bytes: defaultQuota.maxBytes - 10 });
    for (const [tool, args] of [
      ["omn_store_memory", { key: "three", content: "three" }],
      ["omn_update_memory", { key: "one", content: "changed" }],
      ["omn_update_memory", { key: "one", metadata: { scope: "shared" } }],
      ["omn_update_memory", { key: "one", links: [{ to: "two", type: "extends", reason: "because" }] }],
    ] as const) {
      expect((await ada.call(tool, args)).error, tool).toMatchObject({ code: "QUOTA_EXCEEDED" });
    }
    expect((await ada.call("delete_memory", { key: "two" })).isError).toBe(false);
    const [one] = (await ada.call("omn_retrieve_memory", { key: "one" })).structured["memories"];
    expect({ version: 1, ...one }).toMatchObject({ content: "stored while there was room", version: 1 });
  });
});

test("a full team reads its work sessions, and what was noted meanwhile is saved once there is room [A4]", async () => {
  const asked = async (name: string, args: Record<string, unknown> = {}) => (await ada.call(name, args)).structured;
  await asked("omn_store_memory", { key: "one", content: "The lighthouse is white." });
  const { session_id: id } = await asked("omn_get_session_context");
  await pretend({ memories: 1, bytes: defaultQuota.maxBytes });
  await asked("omn_retrieve_memory", { query: "which colour has it" });
  expect(await asked("omn_get_session_context")).toMatchObject({ session_id: id, context: { recent_searches: [] } });
  for (const uri of ["omnimemory://session/current", "omnimemory://conversation/current"]) expect((await rpc(ada.token, "resources/read", { uri })).body.error, uri).toBeUndefined();
  await pretend({ memories: 1, bytes: 10_000 });
  expect(await asked("omn_get_session_context")).toMatchObject({ session_id: id, context: { recent_searches: ["which colour has it"] } });
});

test("a full team ends its work sessions, and opens them again [A4]", async () => {
  const asked = async (name: string, args: Record<string, unknown> = {}) => (await ada.call(name, args)).structured;
  await asked("omn_store_memory", { key: "one", content: "The lighthouse is white." });
  const { session_id: id } = await asked("omn_get_session_context");
  await pretend({ memories: 1, bytes: defaultQuota.maxBytes + 1 });
  await asked("omn_retrieve_memory", { query: "which colour has it" });
  for (const name of ["omn_end_session", "omn_restore_session", "omn_export_session", "omn_end_session"]) {
    const answer = await ada.call(name, { session_id: id });
    expect(answer.isError, answer.text).toBe(false);
  }
  expect((await services.sessions.find(ada.principal, id as string))?.endedAt).not.toBeNull();
});

describe("in the transaction", () => {
  test("of many writers at once, just as many as there is room for get through", async () => {
    const writer = allowing({ maxMemories: 5 });
    const answers = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => remember({ ...ada.at(now), writer }, { key: `k.${i}`, content: `writer number ${i}` })),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(await env.SHARD_0.prepare("SELECT count(*) AS n FROM memories WHERE team_id = ?").bind(team.id).first("n")).toBe(5);
    for (const answer of answers) if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  test("history counts: versions fill the quota until the memory is erased", async () => {
    const writer = allowing({ maxBytes: 1_000_000 });
    const ctx = { ...ada.at(now), writer };
    const { memory } = await remember(ctx, { key: "log", content: "x".repeat(9_000) });
    let last = memory;
    const grow = async () => {
      while (last.version < 200) {
        const next = followingVersion(ctx, last, { content: `${last.version} ${"x".repeat(9_000)}` });
        last = (await writer.commit(ada.principal, ctx, [{ memory: next, action: "update", before: last }]))[0] as Memory;
      }
    };
    await refusalOf(grow());
    expect(last.version).toBeGreaterThan(50);
    const [present] = (await services.memories.lookupMany(ada.principal, { ids: [memory.id], named: [] }));
    expect(present?.version).toBe(last.version);
    await writer.erase(ada.principal, ctx, [present as NonNullable<typeof present>]);
    await remember(ctx, { key: "log", content: "there is room again" });
  });

  test("an import that does not fit as a whole says how much of it is stored, and can be repeated", async () => {
    const records = Array.from({ length: 300 }, (_, i) => ({ key: `r.${i}`, content: `${i} ${"y".repeat(9_000)}`, version: 1 }));
    const input = { records: records as unknown as Parameters<typeof importMemories>[1]["records"], onConflict: "update" as const };
    const refused = await refusalOf(importMemories({ ...ada.at(now), writer: allowing({ maxMemories: 200 }) }, input));
    const there = Number(await env.SHARD_0.prepare("SELECT count(*) AS n FROM memories WHERE team_id = ?").bind(team.id).first("n"));
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThanOrEqual(200);
    expect(refused.hint).toContain(`The first ${there} records are stored`);
    expect(refused.details).toMatchObject({ stored: there });

    expect(await importMemories({ ...ada.at(now), writer: allowing({ maxMemories: 300 }) }, input)).toMatchObject({ created: 300 - there, unchanged: there });
  });
});
