import { expect, test } from "vitest";
import { exported } from "../support/revert.ts";
import { newTeam, type Person } from "../support/team.ts";
import { send } from "./raw.ts";

const rest = async (who: Person, method: string, body: unknown = "", team = who.principal.teamId): Promise<{ status: number; body: Record<string, any> }> => {
  const answer = await send({ token: who.token, method, path: `/v1/teams/${team}/health`, body });
  return { status: answer.status, body: await answer.json<Record<string, any>>() };
};

test("the report card by REST: read, asked about files, repaired, and undone", async () => {
  const team = await newTeam();
  const ada = team.owner;
  const junk = await ada.keep("x", "Thanks!", { visibility: "shared" });
  const citing = await ada.keep("gate", "The gate checks the token first.", { visibility: "shared", citations: [{ path: "src/gate.ts", hash: "aa" }] });
  const before = await exported(ada);
  expect(await rest(ada, "GET")).toMatchObject({ status: 200, body: { counts: { junk: 1 }, junk: [{ memory_id: junk.id, key: "x", reason: "is chatter" }], cited_files: ["src/gate.ts"], suggestions: [{ action: "forget", call: { tool: "omn_forget_memory" } }] } });
  expect(await rest(ada, "POST", { current_hashes: { "./src/gate.ts": "BB" } })).toMatchObject({ status: 200, body: { citations: [{ memory_id: citing.id, files: [{ path: "src/gate.ts", state: "drifted" }] }] } });
  const preview = await rest(ada, "POST", { fix: "junk" });
  expect(preview.body).toMatchObject({ outcome: "preview", count: 1, confirm: expect.any(String) });
  expect(await exported(ada)).toBe(before);
  const done = await rest(ada, "POST", { fix: "junk", confirm: preview.body["confirm"] });
  expect(done.body).toMatchObject({ outcome: "archived", count: 1, run: preview.body["confirm"], memory_ids: [junk.id] });
  const listed = await (await send({ token: ada.token, method: "GET", path: `/v1/teams/${team.id}/reverts`, body: "" })).json<Record<string, any>>();
  expect(listed["reverts"]).toMatchObject([{ run: done.body["run"], selection: { fix: "junk" }, count: 1 }]);
  const undo = await send({ token: ada.token, method: "POST", path: `/v1/teams/${team.id}/reverts`, body: { undo: done.body["run"] } });
  expect(await undo.json()).toMatchObject({ outcome: "undone", count: 1 });
  expect(await exported(ada)).toBe(before);
});

test("who may not see the team is told nothing, and who may only read asks about files and repairs nothing", async () => {
  const team = await newTeam();
  await team.owner.keep("x", "Thanks!", { visibility: "shared" });
  const [viewer, stranger] = [await team.join("viewer"), (await newTeam()).owner];
  expect((await rest(stranger, "GET", "", team.id)).status).toBe(404);
  expect((await rest(stranger, "POST", { fix: "junk" }, team.id)).status).toBe(404);
  expect((await rest(viewer, "GET")).body).toMatchObject({ counts: { junk: 1 } });
  expect((await rest(viewer, "POST", { current_hashes: {} })).status).toBe(200);
  expect((await rest(viewer, "POST", { fix: "junk" })).status).toBe(403);
});

test.each([{}, { fix: "all" }, { fix: "junk", current_hashes: {} }, { ids: [crypto.randomUUID()] }, { current_hashes: { "a.ts": 5 } }, { fix: "junk", project: "shop" }, { fix: "junk", more: 1 }])("%j is refused", async (body) => {
  const { owner } = await newTeam();
  expect((await rest(owner, "POST", body)).status).toBe(400);
});

test("hundreds of files fit into a request, and one that is too large is refused", async () => {
  const { owner } = await newTeam();
  const hashes = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`src/module/file-${n}.ts`, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]));
  expect((await rest(owner, "POST", { current_hashes: hashes(600) })).status).toBe(200);
  expect((await rest(owner, "POST", { current_hashes: hashes(1_000) })).status).toBe(413);
});
