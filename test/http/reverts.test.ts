import { expect, test } from "vitest";
import { callTool } from "../support/mcp.ts";
import { exported, storeAs } from "../support/revert.ts";
import { newTeam, type Person } from "../support/team.ts";
import { send } from "./raw.ts";

const rest = async (who: Person, method: string, body: unknown = "", query = ""): Promise<{ status: number; body: Record<string, any> }> => {
  const answer = await send({ token: who.token, method, path: `/v1/teams/${who.principal.teamId}/reverts${query}`, body });
  return { status: answer.status, body: await answer.json<Record<string, any>>() };
};

test("previewed, confirmed, listed and undone by REST", async () => {
  const team = await newTeam();
  const { owner } = team;
  const grace = await team.join("member");
  await storeAs(owner, "cursor", { key: "kept", content: "Stays." });
  const { structured } = await callTool(grace.token, "omn_import_memories", { memories: [{ key: "a", content: "Zorblatt one.", visibility: "shared" }, { key: "b", content: "Zorblatt two.", visibility: "shared" }] }, "bad-client");
  const before = await exported(owner);

  expect(await rest(owner, "POST", {})).toMatchObject({ status: 400, body: { error: { code: "VALIDATION_ERROR" } } });
  expect(await rest(owner, "POST", { tool: "bad-client", client: "x" })).toMatchObject({ status: 400 });
  expect(await rest(owner, "POST", { tool: "nobody" })).toMatchObject({ status: 404 });
  const preview = await rest(owner, "POST", { tool: "bad-client", since: new Date(Date.now() - 60_000).toISOString() });
  expect(preview).toMatchObject({ status: 200, body: { outcome: "preview", count: 2, archived: 2 } });
  expect(preview.body["would_revert"].map((one: { memory_id: string }) => one.memory_id).sort()).toEqual([...structured["memory_ids"]].sort());

  // The request of the import is in the audit, and names it alone.
  const audit = await send({ token: owner.token, method: "GET", path: `/v1/teams/${owner.principal.teamId}/audit?action=memory.import`, body: "" });
  const [entry] = (await audit.json<{ entries: { request_id: string; client: string }[] }>()).entries;
  expect(entry).toMatchObject({ client: "bad-client" });
  const byRequest = { request: entry?.request_id };
  const { confirm } = (await rest(owner, "POST", byRequest)).body;
  expect((await rest(grace, "POST", { ...byRequest, confirm })).body["outcome"], "a token is its person's").toBe("preview");
  const done = await rest(owner, "POST", { ...byRequest, confirm });
  expect(done).toMatchObject({ status: 200, body: { outcome: "reverted", run: confirm, count: 2 } });

  expect((await rest(owner, "GET")).body["reverts"]).toMatchObject([{ run: confirm, reverted_by: owner.id, client: "rest", count: 2, selection: byRequest }]);
  expect((await rest(grace, "GET")).body).toEqual({ reverts: [] });
  expect(await rest(grace, "POST", { undo: confirm })).toMatchObject({ status: 404 });
  expect((await rest(owner, "GET", "", "?limit=0")).status).toBe(400);
  expect(await rest(owner, "POST", { undo: confirm, tool: "x" })).toMatchObject({ status: 400 });
  expect(await rest(owner, "POST", { undo: confirm })).toMatchObject({ status: 200, body: { outcome: "undone", count: 2 } });
  expect(await exported(owner)).toBe(before);

  const acts = await send({ token: owner.token, method: "GET", path: `/v1/teams/${owner.principal.teamId}/audit?action=memory.`, body: "" });
  expect((await acts.json<{ entries: { action: string; count: number }[] }>()).entries).toEqual(expect.arrayContaining([
    expect.objectContaining({ action: "memory.revert", count: 2, user_id: owner.id }), expect.objectContaining({ action: "memory.undo", count: 2, user_id: owner.id }),
  ]));
});
