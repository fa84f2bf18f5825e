import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { newTeam, sessionOf, type Person, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const saved = async () => (await env.SHARD_0.prepare("SELECT tool, trace FROM work_sessions WHERE team_id = ?").bind(team.id).all<{ tool: string; trace: string }>()).results;
const noted = () => runInDurableObject(sessionOf(ada), (_, { storage }) => storage.sql.exec<{ entry: string }>("SELECT entry FROM trail ORDER BY seq").toArray().map(({ entry }) => JSON.parse(entry) as { kind: string }));

async function untilNoted(count: number): Promise<void> {
  for (let i = 0; i < 400 && (await noted()).length < count; i += 1) await scheduler.wait(50);
  expect((await noted()).length).toBe(count);
}

describe("what calls leave behind [A4]", () => {
  test("is not written to the database by a call, but by the alarm, once", async () => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    expect(await saved()).toEqual([]);
    expect(await runDurableObjectAlarm(sessionOf(ada))).toBe(true);
    expect((await saved()).map(({ tool, trace }) => [tool, (JSON.parse(trace) as { searches: { query: string }[] }).searches.map(({ query }) => query)])).toEqual([["vitest", ["which database for billing"]]]);
    // Nothing is left to save, so nothing wakes the object again.
    expect(await runDurableObjectAlarm(sessionOf(ada))).toBe(false);
  });

  test("survives the object that noted it, a second after the call", async () => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    await evictDurableObject(sessionOf(ada));
    expect(await runDurableObjectAlarm(sessionOf(ada))).toBe(true);
    expect(await saved()).toHaveLength(1);
  });

  test("is in the answer of the session's tools at once, whatever becomes of the object after it", async () => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    const { structured } = await ada.call("omn_get_session_context");
    expect(structured["context"].recent_searches).toEqual(["which database for billing"]);
    await evictDurableObject(sessionOf(ada));
    expect((await ada.call("omn_get_session_context")).structured).toMatchObject({ session_id: structured["session_id"], context: { recent_searches: ["which database for billing"] } });
  });

  test("waits where it cannot be saved, and is saved by a later alarm", async () => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    await env.SHARD_0.prepare("ALTER TABLE work_sessions RENAME TO work_sessions_away").run();
    expect(await runDurableObjectAlarm(sessionOf(ada))).toBe(true);
    await env.SHARD_0.prepare("ALTER TABLE work_sessions_away RENAME TO work_sessions").run();
    expect(await noted()).toHaveLength(2);
    expect(await runDurableObjectAlarm(sessionOf(ada))).toBe(true);
    expect(await saved()).toHaveLength(1);
  });

  test("holds no secret, not even in the object", async () => {
    await ada.call("omn_retrieve_memory", { query: "which service takes ghp_16C7e42F292c6912E7710c838347Ae178B4a" });
    await untilNoted(1);
    expect(await noted()).toMatchObject([{ kind: "command" }]);
  });

  test("is nothing where the person may not write, and is gone with the person", async () => {
    const viewer = await team.join("viewer");
    await viewer.call("omn_retrieve_memory", { query: "which database for billing" });
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    expect(await runInDurableObject(sessionOf(viewer), (_, { storage }) => storage.sql.exec("SELECT * FROM trail").toArray())).toEqual([]);
    await sessionOf(ada).memberLeft();
    expect(await noted()).toEqual([]);
  });
});
