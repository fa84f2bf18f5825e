import { expect, test } from "vitest";
import { aged, curate } from "../domain/evolution/world.ts";
import { EventListener } from "../support/event-listener.ts";
import { exported } from "../support/revert.ts";
import { newTeam, type Person } from "../support/team.ts";
import { send } from "./raw.ts";

const rest = async (who: Person, method: string, path: string, body: unknown = "", teamId = who.principal.teamId): Promise<{ status: number; body: Record<string, any> }> => {
  const answer = await send({ token: who.token, method, path: `/v1/teams/${teamId}/${path}`, body });
  return { status: answer.status, body: await answer.json<Record<string, any>>() };
};

const listen = async (who: Person): Promise<EventListener> =>
  new EventListener(await send({ token: who.token, method: "GET", path: `/v1/teams/${who.principal.teamId}/runs/events`, headers: { accept: "text/event-stream" } }));

test("a person sees runs come, go on and end as they do, in counts and without a word of a memory", async () => {
  const team = await newTeam();
  const { owner } = team;
  await aged(owner, "The printer is called Gutenberg", { days: 200 });
  const listener = await listen(owner);
  expect(await listener.hears("state")).toEqual({ paused: false, run: null });
  const { run } = (await rest(owner, "POST", "runs", {})).body["run"];
  expect(await listener.hears("state", (state) => state["run"] !== null)).toMatchObject({ run: { run, kind: "evolution", state: "waiting" } });
  await curate(team);
  expect(await listener.hears("ended")).toMatchObject({ run, state: "done", counts: { looked_at: 1, importance: 1 } });
  expect(listener.events.at(-1)).toEqual({ kind: "state", data: { paused: false, run: null } });
  expect(listener.text).not.toContain("Gutenberg");
  await listener.close();
  expect((await rest(owner, "GET", "runs/events")).body).toEqual({ paused: false, run: null });
});

test("a paused curator begins nothing, by itself or asked, until it is resumed; the runs say so and by whom", async () => {
  const team = await newTeam();
  const { owner } = team;
  const member = await team.join();
  await aged(owner, "The printer is called Gutenberg", { days: 200 });
  const before = await exported(owner);
  const listener = await listen(member);
  expect(await rest(owner, "POST", "curator/pause")).toMatchObject({ status: 200, body: { paused: true, paused_by: owner.id } });
  const again = await rest(owner, "POST", "curator/pause");
  await rest(owner, "POST", "runs", {});
  expect(await curate(team, Date.now())).toEqual({ state: "idle" });
  expect(await exported(owner)).toBe(before);
  expect((await rest(member, "GET", "runs")).body).toMatchObject({ paused: true, paused_by: owner.id, paused_at: again.body["paused_at"], runs: [{ state: "waiting" }] });
  expect(await listener.hears("state", ({ paused, run }) => paused === true && run !== null)).toMatchObject({ paused_by: owner.id, run: { state: "waiting" } });

  expect(await rest(owner, "POST", "curator/resume")).toEqual({ status: 200, body: { paused: false } });
  await curate(team, Date.now());
  expect(await listener.hears("ended")).toMatchObject({ state: "done", counts: { importance: 1 } });
  expect(await exported(owner)).not.toBe(before);
  await listener.close();
  const { entries } = (await rest(owner, "GET", "audit?limit=50")).body as { entries: { action: string; user_id?: string }[] };
  expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(["memory.curator-pause", "memory.curator-resume"]));
});

test("members watch and do not steer; other teams find nothing; who leaves the team hears no more [F3]", async () => {
  const team = await newTeam();
  const [member, stranger] = [await team.join(), (await newTeam()).owner];
  for (const action of ["pause", "resume"]) {
    expect(await rest(member, "POST", `curator/${action}`)).toMatchObject({ status: 403 });
    expect(await rest(stranger, "POST", `curator/${action}`, "", team.id)).toMatchObject({ status: 404 });
  }
  expect(await rest(stranger, "GET", "runs/events", "", team.id)).toMatchObject({ status: 404 });
  const listener = await listen(member);
  await listener.hears("state");
  expect((await rest(team.owner, "DELETE", `members/${member.id}`)).status).toBe(200);
  await rest(team.owner, "POST", "runs", {});
  await expect(listener.hears("state", (state) => state["run"] !== null)).rejects.toThrow(/the stream ended/);
});
