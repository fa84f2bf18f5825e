import { beforeEach, expect, test } from "vitest";
import { newTeam, type Person, type Team } from "../support/team.ts";
import { send } from "./raw.ts";

let team: Team;
beforeEach(async () => {
  team = await newTeam();
});

const rest = async (who: Person, method: string, query = "", body: unknown = "") => {
  const answer = await send({ token: who.token, method, path: `/v1/teams/${team.id}/workflows/steps${query}`, body });
  return { status: answer.status, body: await answer.json<Record<string, any>>() };
};

test("hooks record steps in batches, which the tools learn from; their person reads and forgets them [A6]", async () => {
  const { owner } = team;
  const steps = [1, 2, 3].flatMap((round) => [
    { command: "git add -A", at: `2026-01-0${round}T10:00:00Z`, idempotency_key: `a${round}` },
    { command: 'git commit -m "x"', success: round > 1, duration_ms: 40, at: `2026-01-0${round}T10:01:00Z`, idempotency_key: `b${round}` },
  ]);
  expect(await rest(owner, "POST", "", { project: "shop", session_id: "s1", steps })).toEqual({ status: 200, body: { recorded: 6, repeated: 0 } });
  expect(await rest(owner, "POST", "", { project: "shop", session_id: "s1", steps })).toEqual({ status: 200, body: { recorded: 0, repeated: 6 } });
  const first = await rest(owner, "GET", "?limit=4");
  expect(first.body["steps"]).toMatchObject([{ project: "shop", number: 6, session_id: "s1", client: "rest", at: "2026-01-03T10:01:00.000Z", command: "git commit -m <text>", success: true, duration_ms: 40, idempotency_key: "b3" }, {}, {}, {}]);
  const rest2 = await rest(owner, "GET", `?limit=4&cursor=${encodeURIComponent(first.body["next_cursor"])}`);
  expect(rest2.body).toMatchObject({ steps: [{ number: 2 }, { number: 1 }] });
  expect(rest2.body["next_cursor"]).toBeUndefined();
  const grace = await team.join("owner");
  expect((await rest(grace, "GET")).body).toEqual({ steps: [] });
  await rest(grace, "DELETE", "?project=shop");
  expect((await rest(owner, "GET")).body["steps"]).toHaveLength(6);
  expect((await rest(owner, "DELETE", "?project=shop")).body).toEqual({ forgotten: true });
  expect((await rest(owner, "GET")).body).toEqual({ steps: [] });
});

test.each([
  ["no steps", { steps: [] }, 400],
  ["a step too many", { steps: Array.from({ length: 101 }, () => ({ command: "ls" })) }, 400],
  ["an empty command", { steps: [{ command: "  " }] }, 400],
  ["an unknown field", { steps: [{ command: "ls", cwd: "/" }] }, 400],
  ["a body too long", { steps: Array.from({ length: 10 }, () => ({ command: "x".repeat(9_000) })) }, 413],
])("a batch with %s is refused", async (_, body, status) => {
  expect((await rest(team.owner, "POST", "", body)).status).toBe(status);
  expect((await rest(team.owner, "GET")).body).toEqual({ steps: [] });
});

test("a cursor of somebody's own making is refused", async () => {
  expect((await rest(team.owner, "GET", "?cursor=x")).status).toBe(400);
});
