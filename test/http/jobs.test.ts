import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { router } from "../../src/http/router.ts";
import { maxFileBytes } from "../../src/http/routes/file-body.ts";
import { sha256Hex } from "../../src/domain/hash.ts";
import { newTeam, type Person, services } from "../support/team.ts";
import { send } from "./raw.ts";

const rest = async (who: Person, method: string, path: string, body: unknown = ""): Promise<{ status: number; body: Record<string, any> }> => {
  const answer = await send({ token: who.token, method, path: `/v1/teams/${who.principal.teamId}/${path}`, body });
  return { status: answer.status, body: await answer.json<Record<string, any>>() };
};

/** As soon as the queue has done it. */
async function ended(who: Person, id: string): Promise<Record<string, any>> {
  for (;;) {
    const { job } = (await rest(who, "GET", `jobs/${id}`)).body;
    if (job.ended_at !== null) return job as Record<string, any>;
    await scheduler.wait(100);
  }
}

const file = (count: number): string => Array.from({ length: count }, (_, i) => JSON.stringify({ key: `k${i}`, content: `harbour note ${i}` })).join("\n");

test("a file is imported and everything exported by REST, in the background, told of as events to who asked [A1]", async () => {
  const team = await newTeam();
  const [owner, colleague] = [team.owner, await team.join()];
  const eventsOf = async (who: Person, after: string) => (await (await send({ method: "GET", path: "/v1/events", token: who.token, headers: { "last-event-id": after } })).json<Record<string, any>>())["events"] as Record<string, any>[];

  const asked = await rest(owner, "POST", `jobs/import?sha256=${await sha256Hex(file(150))}&count=150&idempotency_key=once`, file(150));
  expect(asked).toMatchObject({ status: 202, body: { job: { kind: "import", state: "waiting", done: 0, total: 150, requested_by: owner.id } } });
  const { job: id } = asked.body["job"];
  expect(await ended(owner, id)).toMatchObject({ state: "done", done: 150, counts: { created: 150 } });
  expect((await rest(owner, "POST", "jobs/import?idempotency_key=once", file(150))).body["job"]).toMatchObject({ job: id, state: "done" });

  const exporting = (await rest(owner, "POST", "jobs/export", {})).body["job"].job as string;
  expect(await ended(owner, exporting)).toMatchObject({ kind: "export", state: "done", done: 150 });
  const answer = await send({ token: owner.token, method: "GET", path: `/v1/teams/${team.id}/jobs/${exporting}/result` });
  expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
  expect((await answer.text()).trim().split("\n")).toHaveLength(150);
  expect((await rest(owner, "GET", "jobs")).body["jobs"].map(({ job }: { job: string }) => job)).toEqual([exporting, id]);

  const heard = (await eventsOf(owner, "0")).filter(({ kind }) => kind === "job");
  expect(heard.map(({ job, tool }) => [job, tool])).toEqual([[id, "import"], [id, "import"], [id, "import"], [exporting, "export"], [exporting, "export"], [exporting, "export"]]);
  expect((await eventsOf(colleague, "0")).filter(({ kind }) => kind === "job")).toEqual([]);

  const undone = await rest(owner, "POST", "reverts", { request: id });
  expect(undone.body).toMatchObject({ outcome: "preview" });
});

test("what is no import is refused, and nothing of it is kept [A13]", async () => {
  const { owner } = await newTeam();
  const refused = async (path: string, body: unknown) => (await rest(owner, "POST", path, body)).status;
  expect(await refused("jobs/import?count=2", file(1))).toBe(400);
  expect(await refused(`jobs/import?sha256=${"0".repeat(64)}`, file(1))).toBe(400);
  expect(await refused("jobs/import", "no JSON")).toBe(400);
  expect(await refused("jobs/import", JSON.stringify({ content: "x", colour: "red" }))).toBe(400);
  expect(await refused("jobs/import", "[]")).toBe(400);
  expect(await refused("jobs/import?colour=red", file(1))).toBe(400);
  expect(await refused("jobs/import", file(10_001))).toBe(400);
  expect(await refused("jobs/import", "x".repeat(maxFileBytes + 1))).toBe(413);
  expect((await rest(owner, "GET", "jobs")).body).toEqual({ jobs: [] });
});

test("an import costs what ordinary ones of its entries cost [A14]", async () => {
  const { owner } = await newTeam();
  const charged: number[] = [];
  const charges = { ofKey: (_: unknown, cost: number) => Promise.resolve(void charged.push(cost)), ofBrowser: () => Promise.resolve(undefined) };
  const app = router({ ...services, charges }, (name) => env.USER_SESSION.getByName(name));
  for (const entries of [1_000, 1_001, 4_500]) {
    const ctx = createExecutionContext();
    const answer = await app.fetch(new Request(`http://localhost/v1/teams/${owner.principal.teamId}/jobs/import`, { method: "POST", headers: { host: "localhost", authorization: `Bearer ${owner.token}` }, body: file(entries) }), env, ctx);
    await waitOnExecutionContext(ctx);
    expect(answer.status).toBe(202);
  }
  expect(charged).toEqual([10, 10, 10, 10, 40]);
});
