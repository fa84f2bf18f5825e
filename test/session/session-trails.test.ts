import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { D1SessionStore } from "../../src/platform/d1/session-store.ts";
import type { UserSession } from "../../src/session/user-session.ts";
import type { AuditEntry } from "../../src/domain/tenancy/audit-entry.ts";
import { newTeam, now, services, sessionOf, type Person, type Team } from "../support/team.ts";

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

/** Text of so many characters, three bytes each, that does not repeat. */
const chinese = (length: number): string => Array.from({ length }, (_, i) => (i % 20 === 19 ? "。" : String.fromCodePoint(0x4e00 + ((i * 7_919 + ((i / 20) | 0) * 31) % 20_000)))).join("");
const said = (i: number, content: string) => ({ kind: "turn", turn: { id: `said ${i}`, role: "user", name: null, at: 1_800_000_000_000 + i, content } });

/** As the object holds what it could not save. */
const lay = (entries: object[]) =>
  runInDurableObject(sessionOf(ada), (_, { storage }) => {
    const { client, project } = storage.sql.exec<{ client: string; project: string }>("SELECT client, project FROM trail LIMIT 1").one();
    for (const entry of entries) storage.sql.exec("INSERT INTO trail (client, project, entry) VALUES (?, ?, ?)", client, project, JSON.stringify(entry));
  });

const turnsSaved = async (): Promise<[string, number][]> =>
  (await env.SHARD_0.prepare("SELECT id, length(content) AS length FROM session_turns WHERE team_id = ? ORDER BY seq").bind(team.id).all<{ id: string; length: number }>()).results.map(({ id, length }) => [id, length]);

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

  test("is saved however much was said: a session tool answers, and every turn is there once, in its order", async () => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    await lay(Array.from({ length: 120 }, (_, i) => said(i, chinese(40_000))));
    expect((await ada.call("omn_get_session_context")).structured).toMatchObject({ session_id: expect.any(String), context: { recent_searches: ["which database for billing"] } });
    expect(await turnsSaved()).toEqual(Array.from({ length: 120 }, (_, i) => [`said ${i}`, 40_000]));
    expect(await noted()).toEqual([]);
  }, 60_000);

  test("is saved in parts, so that a failure loses nothing and repeats nothing", async () => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    await lay(Array.from({ length: 20 }, (_, i) => said(i, chinese(20_000))));
    // The database goes away in the middle of what was said.
    await env.SHARD_0.prepare(`CREATE TRIGGER away BEFORE INSERT ON session_turns WHEN NEW.team_id = '${team.id}' AND NEW.seq > 10 BEGIN SELECT RAISE(ABORT, 'away'); END`).run();
    expect((await ada.call("omn_get_session_context")).isError).toBe(true);
    const [before] = await saved();
    await env.SHARD_0.prepare("DROP TRIGGER away").run();
    expect((await ada.call("omn_get_session_context")).structured["context"].recent_searches).toEqual(["which database for billing"]);
    expect(await turnsSaved()).toEqual(Array.from({ length: 20 }, (_, i) => [`said ${i}`, 20_000]));
    expect(await saved()).toEqual([before]);
  });

  test("is saved but for what the database refuses for what it is, which holds nothing else back", async () => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    await lay([said(0, "The harbour opens at six."), { kind: "turn", turn: { id: "bad", role: null, name: null, at: 1, content: "Who says this?" } }, said(1, "The harbour closes at nine.")]);
    expect((await ada.call("omn_get_session_context")).isError).toBe(false);
    expect((await turnsSaved()).map(([id]) => id)).toEqual(["said 0", "said 1"]);
    expect(await noted()).toEqual([]);
  });

  test("takes 4 MiB in the object while it cannot be saved: the oldest gives way", async () => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    await lay(Array.from({ length: 170 }, (_, i) => said(i, `${i} ${chinese(7_900)}`)));
    for (let i = 170; i < 190; i += 5) {
      const messages = Array.from({ length: 5 }, (_, j) => ({ role: "user", content: `${i + j} ${chinese(7_900)}` }));
      expect((await ada.call("memory_add", { messages, infer: false })).isError).toBe(false);
    }
    await scheduler.wait(1_500);
    const kept = (await noted()).filter(({ kind }) => kind === "turn") as unknown as { turn: { content: string } }[];
    const bytes = new TextEncoder().encode(kept.map((one) => JSON.stringify(one)).join("")).byteLength;
    expect(bytes).toBeGreaterThan(4_000_000);
    expect(bytes).toBeLessThan(4_194_304);
    const numbers = kept.map(({ turn }) => Number.parseInt(turn.content, 10));
    expect(numbers).toEqual(Array.from({ length: kept.length }, (_, i) => 190 - kept.length + i));
    expect((await ada.call("omn_get_session_context")).isError).toBe(false);
    expect(await turnsSaved()).toHaveLength(kept.length);
  }, 120_000);

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

  test.for(["memberLeft", "erase"] as const)("goes no further once the person is gone, though a save of it waits for the database just then: %s [F3]", async (end) => {
    await ada.call("omn_retrieve_memory", { query: "which database for billing" });
    await untilNoted(2);
    await lay(Array.from({ length: 20 }, (_, i) => said(i, chinese(20_000))));
    await runInDurableObject(sessionOf(ada), async (object: UserSession) => {
      const { addTurns } = D1SessionStore.prototype;
      const saves: string[][] = [];
      D1SessionStore.prototype.addTurns = async function (owner, id, turns) {
        const count = await addTurns.call(this, owner, id, turns);
        if (owner.teamId === team.id && saves.push(turns.map((turn) => turn.id)) === 1) void object[end]();
        return count;
      };
      try {
        await object.alarm().catch(() => undefined);
        await scheduler.wait(1_000);
      } finally {
        D1SessionStore.prototype.addTurns = addTurns;
      }
      expect(saves).toHaveLength(1);
    });
    expect((await turnsSaved()).length).toBeLessThan(20);
  });

  test("is gone with the person whose object is being reset just then: nobody would tell it again that they left [S17]", async () => {
    const grace = await team.join();
    await grace.call("omn_retrieve_memory", { query: "which database for billing" });
    const notes = () => runInDurableObject(sessionOf(grace), (_, { storage }) => storage.sql.exec("SELECT * FROM trail").toArray());
    await expect.poll(async () => (await notes()).length, { timeout: 5_000 }).toBe(2);
    const sessions = env.USER_SESSION;
    const getByName = sessions.getByName.bind(sessions);
    const asked: string[] = [];
    sessions.getByName = (name) => {
      if (asked.push(name) > 1) return getByName(name);
      return { memberLeft: () => Promise.reject(new Error("Durable Object reset because its code was updated.")) } as unknown as ReturnType<typeof getByName>;
    };
    try {
      const audit = { at: now, action: "member.remove", success: true, teamId: team.id, userId: ada.id, subject: grace.id } as AuditEntry;
      expect(await services.tenants.removeMember(ada.principal, { userId: grace.id, role: "member" }, audit)).toBe(true);
    } finally {
      sessions.getByName = getByName;
    }
    expect(await notes()).toEqual([]);
  });
});
