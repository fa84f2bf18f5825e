import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { checkDependencies, type Dependency } from "../../src/domain/health/dependencies.ts";
import { callTool } from "../support/mcp.ts";
import { keyFor } from "../domain/tenancy/tenant.ts";
import { indexed, newTeam, type Person, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const deep = async (who: { token: string }) => (await callTool(who.token, "omn_health_check", { deep: true })).structured;
const names = ["directory", "database", "shard_0", "shard_1", "search_index", "vectorize", "embedder", "reranker", "llm", "kv", "queue", "outbox", "dead_letters"];

describe("a deep health check [A7]", () => {
  test("names each dependency with its state and how long it took", async () => {
    const { status, text, structured } = await callTool(ada.token, "omn_health_check", { deep: true });
    expect(status).toBe(200);
    expect(structured).toMatchObject({ status: "ok" });
    expect(Object.keys(structured["dependencies"])).toEqual(names);
    for (const one of Object.values(structured["dependencies"])) expect(one).toMatchObject({ ok: true, state: expect.stringMatching(/^(?:ok|off|unknown)$/), ms: expect.any(Number) });
    for (const name of names) expect(text).toContain(name.replaceAll("_", " "));
  });

  test("says how much of what the caller may see waits, and not how much waits for others", async () => {
    const grace = await team.join();
    const stranger = (await newTeam()).owner;
    await ada.keep("mine", "Only Ada sees this.");
    await ada.keep("ours", "All of the team see this.", { visibility: "shared" });
    expect((await deep(ada))["dependencies"].outbox).toMatchObject({ state: "late", waiting: 2 });
    expect((await deep(grace))["dependencies"].outbox).toMatchObject({ waiting: 1 });
    expect((await deep(stranger))["dependencies"].outbox).toMatchObject({ state: "ok", waiting: 0, age_seconds: 0 });
    await indexed(ada.principal);
    expect((await deep(ada))["dependencies"].outbox).toMatchObject({ state: "ok", waiting: 0 });
  });

  test("says how many vectors are still to be made anew after a change of the embedding model, of what the caller may see [S13] [E1]", async () => {
    const grace = await team.join();
    await ada.keep("mine", "Only Ada sees this.");
    await ada.keep("ours", "All of the team see this.", { visibility: "shared" });
    const anew = async (who: Person) => (await deep(who))["dependencies"].outbox["vectors_being_made_anew"];
    expect(await anew(ada)).toBe(0);
    await indexed(ada.principal);
    expect(await anew(ada)).toBe(0);
    const { teamId } = ada.principal;
    await env.SHARD_0.prepare("INSERT INTO index_progress (team_id, stage, space, started_at, updated_at) VALUES (?, 'vectors', 'another', ?2, ?2)").bind(teamId, Date.now() + 3_600_000).run();
    expect([await anew(ada), await anew(grace), await anew((await newTeam()).owner)]).toEqual([2, 1, 0]);
    expect((await callTool(ada.token, "omn_health_check", { deep: true })).text).toContain("vectors being made anew 2");
    // The sweep removes what is old from the outbox.
    await env.SHARD_0.prepare("DELETE FROM outbox WHERE team_id = ?").bind(teamId).run();
    expect(await anew(ada)).toBe(2);
    await env.SHARD_0.prepare("UPDATE index_progress SET cursor = 2 WHERE team_id = ? AND space = 'another'").bind(teamId).run();
    expect(await anew(ada)).toBe(0);
  });

  test("counts what the jobs set aside, of what the caller may see", async () => {
    const grace = await team.join();
    const { id } = await ada.keep("mine", "Only Ada sees this.");
    const { teamId, shard } = ada.principal;
    await (env as unknown as Record<string, D1Database>)[shard]
      ?.prepare("INSERT INTO index_failures (team_id, stage, space, memory_id, version, attempts, next_attempt_at, code) VALUES (?, 'vectors', 's', ?, 1, 5, 0, 'busy')").bind(teamId, id).run();
    expect((await deep(ada))["dependencies"].dead_letters).toMatchObject({ ok: true, set_aside: 1 });
    expect((await deep(grace))["dependencies"].dead_letters).toMatchObject({ set_aside: 0 });
  });

  test("shows a key that may not read no numbers, and changes nothing", async () => {
    await ada.keep("mine", "Only Ada sees this.");
    const tables = async () => (await Promise.all(["memories", "outbox", "versions", "audit"].map((table) => env.SHARD_0.prepare(`SELECT count(*) AS n FROM ${table}`).first("n")))).join();
    const before = await tables();
    const { token } = await keyFor(ada.principal, ada.id, ["memory:write"]);
    const { dependencies } = (await deep({ token })) as { dependencies: Record<string, object> };
    for (const one of Object.values(dependencies)) expect(Object.keys(one).sort()).toEqual(["ms", "ok", "state"]);
    expect(await tables()).toBe(before);
  });
});

test("a dependency that fails or never answers is named, and the others are waited for no longer than the deadline [A7]", async () => {
  const dependency = (name: string, check: Dependency["check"]): Dependency => ({ name, check });
  const events: string[] = [];
  const reports = await checkDependencies(
    [dependency("a", async () => ({})), dependency("b", () => Promise.reject(new Error("down"))), dependency("c", () => new Promise(() => undefined))],
    ada.principal,
    { now: 0, clock: () => 0, report: (event) => events.push(event), deadlineMs: 20 },
  );
  expect(Object.fromEntries([...reports].map(([name, { ok, state }]) => [name, { ok, state }]))).toEqual({ a: { ok: true, state: "ok" }, b: { ok: false, state: "failed" }, c: { ok: false, state: "timeout" } });
  expect(events).toEqual(["health.b", "health.c"]);
});
