import { expect, test } from "vitest";
import { aged, curate } from "../domain/evolution/world.ts";
import { exported } from "../support/revert.ts";
import { newTeam, type Person } from "../support/team.ts";
import { send } from "./raw.ts";

const rest = async (who: Person, method: string, path: string, body: unknown = "", teamId = who.principal.teamId): Promise<{ status: number; body: Record<string, any> }> => {
  const answer = await send({ token: who.token, method, path: `/v1/teams/${teamId}/${path}`, body });
  return { status: answer.status, body: await answer.json<Record<string, any>>() };
};

test("a run is asked for, seen, counted without writing, and undone by REST; of each kind there is one at a time", async () => {
  const team = await newTeam();
  const { owner } = team;
  await aged(owner, "The printer is called Gutenberg", { days: 200 });
  const before = await exported(owner);

  const asked = await rest(owner, "POST", "runs", { dry_run: true });
  expect(asked).toMatchObject({ status: 202, body: { run: { kind: "evolution", state: "waiting", dry_run: true, requested_by: owner.id } } });
  expect(await rest(owner, "POST", "runs", {})).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  await curate(team);
  expect(await rest(owner, "GET", `runs/${asked.body["run"].run}`)).toMatchObject({ status: 200, body: { run: { state: "done", counts: { looked_at: 1, importance: 1 } } } });
  expect(await exported(owner)).toBe(before);

  const real = (await rest(owner, "POST", "runs", {})).body["run"].run as string;
  await curate(team);
  expect((await rest(owner, "GET", "runs")).body["runs"]).toMatchObject([{ run: real, state: "done", counts: { importance: 1 } }, { dry_run: true }]);
  expect(await exported(owner)).not.toBe(before);
  expect((await rest(owner, "GET", `runs/${real}`)).body["changes"]).toEqual([{ memory_id: JSON.parse(before).id, version: 2, because: ["importance"], undone: false }]);
  expect((await rest(await team.join(), "GET", `runs/${real}`)).body["changes"]).toEqual([]);
  expect(await rest(owner, "POST", `runs/${real}/undo`)).toMatchObject({ status: 200, body: { outcome: "undone" } });
  expect(await exported(owner)).toBe(before);
});

test("a stopped run does nothing more, and what is not known is refused", async () => {
  const team = await newTeam();
  const { owner } = team;
  await aged(owner, "The printer is called Gutenberg", { days: 200 });
  const before = await exported(owner);
  const { run } = (await rest(owner, "POST", "runs", {})).body["run"];
  expect(await rest(owner, "POST", `runs/${run}/stop`)).toMatchObject({ status: 200, body: { run: { state: "stopped" } } });
  await curate(team, Date.now());
  expect(await exported(owner)).toBe(before);
  expect(await rest(owner, "POST", "runs", { kind: "magic" })).toMatchObject({ status: 400 });
  expect(await rest(owner, "POST", `runs/${crypto.randomUUID()}/undo`)).toMatchObject({ status: 404 });
});

test("members see the runs and undo what is theirs; steering them, and the setting, are for admins; other teams find nothing [F3]", async () => {
  const team = await newTeam();
  const [member, stranger] = [await team.join(), (await newTeam()).owner];
  await aged(member, "My locker is number eight", { days: 200 });
  const before = await exported(member);
  await curate(team);
  const [{ run }] = (await rest(member, "GET", "runs")).body["runs"];
  expect(await rest(member, "POST", "runs", {})).toMatchObject({ status: 403 });
  expect(await rest(member, "POST", `runs/${run}/stop`)).toMatchObject({ status: 403 });
  expect(await rest(member, "PUT", "evolution", { policy: "off" })).toMatchObject({ status: 403 });
  for (const [method, path] of [["GET", "runs"], ["GET", `runs/${run}`], ["POST", "runs"], ["POST", `runs/${run}/undo`], ["GET", "evolution"]] as const) {
    expect(await rest(stranger, method, path, method === "GET" ? "" : {}, team.id), path).toMatchObject({ status: 404 });
  }
  expect(await rest(stranger, "POST", `runs/${run}/undo`)).toMatchObject({ status: 404 });
  expect(await rest(member, "POST", `runs/${run}/undo`)).toMatchObject({ status: 200, body: { outcome: "undone" } });
  expect(await exported(member)).toBe(before);

  expect(await rest(team.owner, "PUT", "evolution", { policy: "off" })).toMatchObject({ status: 200, body: { policy: "off" } });
  expect((await rest(member, "GET", "evolution")).body).toEqual({ policy: "off" });
});
