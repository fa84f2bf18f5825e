import { expect, test } from "vitest";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { send } from "./raw.ts";

test("proposed by a tool, listed and accepted by REST, found by another member's tool [F4] [U7]", async () => {
  const tenant = await newTenant();
  const owner = await keyFor(tenant, tenant.ownerId);
  const [member, mate] = await Promise.all(["member", "member"].map(async (role) => keyFor(tenant, await addMember(tenant.teamId, role as "member"))));
  const rest = (token: string, method: string, path: string, body: unknown = "") => send({ token, method, path: `/v1/teams/${tenant.teamId}${path}`, body });

  expect((await rest(member?.token ?? "", "PUT", "/review", { required: true })).status).toBe(403);
  expect(await (await rest(owner.token, "PUT", "/review", { required: true })).json()).toEqual({ required: true });
  expect(await (await rest(member?.token ?? "", "GET", "/review")).json()).toEqual({ required: true });

  const stored = await callTool(member?.token ?? "", "omn_store_memory", { key: "door.code", content: "The door code changes monthly.", metadata: { scope: "shared" } });
  expect(stored.structured).toMatchObject({ outcome: "created", scope: "private", proposal: { scope: "shared", state: "pending" } });
  expect(stored.text).toContain("until an admin of the team accepts it");
  const found = async () => (await callTool(mate?.token ?? "", "omn_retrieve_memory", { key: "door.code" })).structured["total_found"];
  expect(await found()).toBe(0);

  const { proposals } = await (await rest(owner.token, "GET", "/proposals")).json<{ proposals: { id: string }[] }>();
  expect(proposals).toMatchObject([{ state: "pending", scope: "shared", memory: { key: "door.code", content: "The door code changes monthly." } }]);
  const id = proposals[0]?.id ?? "";
  expect((await rest(member?.token ?? "", "POST", `/proposals/${id}/accept`)).status).toBe(403);
  expect((await rest(owner.token, "POST", `/proposals/${id}/accept`)).status).toBe(200);
  expect(await found()).toBe(1);
  expect((await rest(owner.token, "POST", `/proposals/${id}/refuse`)).status).toBe(409);
  expect((await rest(owner.token, "GET", "/proposals?state=lost")).status).toBe(400);
  const mine = await (await rest(member?.token ?? "", "GET", "/proposals?state=accepted")).json();
  expect(mine).toMatchObject({ proposals: [{ id, state: "accepted" }] });
});

test("no tool lets a member change what the team sees before an admin accepted it", async () => {
  const tenant = await newTenant();
  const owner = await keyFor(tenant, tenant.ownerId);
  const [member, mate, viewer] = await Promise.all((["member", "member", "viewer"] as const).map(async (role) => (await keyFor(tenant, await addMember(tenant.teamId, role))).token)) as [string, string, string];
  const rest = async (token: string, method: string, path: string, body: unknown = "") => {
    const answer = await send({ token, method, path: `/v1/teams/${tenant.teamId}${path}`, body });
    return { status: answer.status, body: await answer.json<Record<string, any>>() };
  };
  const pending = async (token: string) => (await rest(token, "GET", "/proposals")).body["proposals"] as Record<string, any>[];
  await rest(owner.token, "PUT", "/review", { required: true });
  await callTool(member, "write_memory", { key: "plan", value: "Deploy on Tuesdays.", scope: "shared", project_path: "/p" });
  await rest(owner.token, "POST", `/proposals/${(await pending(owner.token))[0]?.["id"]}/accept`);
  const read = async () => (await callTool(mate, "omn_retrieve_memory", { key: "plan" })).structured["memories"][0];
  const before = await read();
  expect(before).toMatchObject({ content: "Deploy on Tuesdays.", metadata: { scope: "shared" } });
  const { memory_id: id, namespace } = before;

  const forget = async () => {
    const { structured } = await callTool(mate, "omn_forget_memory", { id });
    return callTool(mate, "omn_forget_memory", { id, confirm: structured["confirm"] });
  };
  const attempts: [name: string, attempt: () => ReturnType<typeof callTool>, structured: Record<string, unknown>, changed: string][] = [
    ["store", () => callTool(member, "omn_store_memory", { key: "plan", namespace, content: "Ignore the plan.", metadata: { scope: "shared" } }), { outcome: "proposed", scope: "shared" }, "content"],
    ["update", () => callTool(member, "omn_update_memory", { id, content: "Deploy never.", metadata: { tags: ["ops"], importance: 1 } }), { outcome: "proposed" }, "content"],
    ["update of metadata", () => callTool(mate, "omn_update_memory", { id, metadata: { importance: 1 } }), { outcome: "proposed" }, "importance"],
    ["write", () => callTool(member, "write_memory", { key: "plan", value: { day: "Friday" }, scope: "shared", project_path: "/p" }), { outcome: "proposed", scope: "shared" }, "value"],
    ["import", () => callTool(member, "omn_import_memories", { memories: [{ id, content: "Imported words." }] }), { updated: 0, unchanged: 0, proposed: 1 }, "content"],
    ["delete", () => callTool(mate, "delete_memory", { key: "plan", scope: "shared", project_path: "/p" }), { deleted: false }, "archived_at"],
    ["forget", forget, { outcome: "proposed", count: 0, proposed: 1 }, "archived_at"],
  ];
  for (const [name, attempt, structured, changed] of attempts) {
    const answer = await attempt();
    expect(answer.isError, `${name}: ${answer.text}`).toBe(false);
    expect(answer.structured, name).toMatchObject(structured);
    expect(answer.text, name).toMatch(/until an admin of the team accepts|wait for an admin of the team to accept/);
    expect(await read(), name).toEqual(before);
    const [newest] = await pending(owner.token);
    expect(newest?.["memory"], name).toMatchObject({ memory_id: id, content: "Deploy on Tuesdays." });
    expect(newest?.["changes"], name).toHaveProperty(changed);
  }
  expect(await pending(owner.token)).toHaveLength(2);
  for (const [token, count] of [[member, 1], [mate, 1], [viewer, 0]] as const) expect(await pending(token)).toHaveLength(count);
  const exported = await send({ token: mate, method: "GET", path: `/v1/teams/${tenant.teamId}/export` });
  expect(await exported.text()).not.toContain("Imported words.");

  const [mine] = await pending(member);
  expect(mine?.["changes"]["content"]).toEqual({ before: "Deploy on Tuesdays.", after: "Imported words." });
  expect((await rest(member, "POST", `/proposals/${mine?.["id"]}/accept`)).status).toBe(403);
  expect((await rest(owner.token, "POST", `/proposals/${mine?.["id"]}/accept`)).body).toMatchObject({ accepted: true, memory: { content: "Imported words." } });
  expect(await read()).toMatchObject({ content: "Imported words.", version: before.version + 1 });
  const [late] = await pending(mate);
  expect(late).toMatchObject({ outdated: true });
  expect((await rest(owner.token, "POST", `/proposals/${late?.["id"]}/accept`)).status).toBe(409);
  expect((await rest(owner.token, "POST", `/proposals/${late?.["id"]}/refuse`)).status).toBe(200);
});

test("a file that says what waits already is no new version and no new proposal [F4] [U7]", async () => {
  const tenant = await newTenant();
  const owner = await keyFor(tenant, tenant.ownerId);
  const member = (await keyFor(tenant, await addMember(tenant.teamId, "member"))).token;
  await send({ token: owner.token, method: "PUT", path: `/v1/teams/${tenant.teamId}/review`, body: { required: true } });
  const said = { key: "door.code", content: "The door code changes monthly." };
  await callTool(member, "omn_store_memory", { ...said, metadata: { scope: "shared" } });
  const waiting = async () => (await (await send({ token: owner.token, method: "GET", path: `/v1/teams/${tenant.teamId}/proposals` })).json<{ proposals: { id: string }[] }>()).proposals.map(({ id }) => id);
  const before = await waiting();
  expect(before).toHaveLength(1);
  const imported = await callTool(member, "omn_import_memories", { memories: [{ ...said, visibility: "shared" }], on_conflict: "update" });
  expect(imported.structured).toMatchObject({ created: 0, updated: 0 });
  expect(await waiting()).toEqual(before);
  const { structured } = await callTool(member, "omn_retrieve_memory", { key: said.key });
  expect(structured["memories"][0]?.version ?? 1).toBe(1);
});

test("what a member keeps for themselves is not named to the admin as what would take a memory's place [F4] [S6]", async () => {
  const tenant = await newTenant();
  const owner = await keyFor(tenant, tenant.ownerId);
  const member = (await keyFor(tenant, await addMember(tenant.teamId, "member"))).token;
  const rest = (method: string, path: string, body: unknown = "") => send({ token: owner.token, method, path: `/v1/teams/${tenant.teamId}${path}`, body });
  const plan = (await callTool(owner.token, "omn_store_memory", { content: "Deploy on Tuesdays.", metadata: { scope: "shared" } })).structured["memory_id"] as string;
  const next = (await callTool(owner.token, "omn_store_memory", { content: "Deploy on Fridays.", metadata: { scope: "shared" } })).structured["memory_id"] as string;
  const own = (await callTool(member, "omn_store_memory", { content: "A note of mine about deploys." })).structured["memory_id"] as string;
  await rest("PUT", "/review", { required: true });
  const proposed = async (successor: string) => {
    await callTool(member, "omn_import_memories", { memories: [{ id: plan, content: "Deploy on Mondays.", visibility: "shared", superseded_by: successor, superseded_reason: "It says so." }] });
    return (await rest("GET", "/proposals")).text();
  };
  const hidden = await proposed(own);
  expect(hidden).toContain("Deploy on Mondays.");
  expect(hidden).not.toMatch(new RegExp(`${own}|It says so`));
  expect(await proposed(next)).toMatch(new RegExp(`"superseded_by":\\{"before":null,"after":"${next}"`));
});

test("a key that decides but does not write accepts no change of links, and leaves it waiting [F4]", async () => {
  const tenant = await newTenant();
  const [owner, decider, member] = await Promise.all([keyFor(tenant, tenant.ownerId), keyFor(tenant, tenant.ownerId, ["memory:read", "memory:admin"]), keyFor(tenant, await addMember(tenant.teamId, "member"))]);
  const rest = (token: string, method: string, path: string, body: unknown = "") => send({ token, method, path: `/v1/teams/${tenant.teamId}${path}`, body });
  await rest(owner.token, "PUT", "/review", { required: true });
  const ids: string[] = [];
  for (const content of ["Deploys run on Tuesdays.", "The build host is in Frankfurt."]) {
    ids.push((await callTool(owner.token, "omn_store_memory", { content, metadata: { scope: "shared" } })).structured["memory_id"] as string);
  }
  await callTool(member.token, "omn_update_memory", { id: ids[0], links: [{ to: ids[1], type: "references" }] });
  const { proposals } = await (await rest(owner.token, "GET", "/proposals")).json<{ proposals: { id: string }[] }>();
  const accept = `/proposals/${proposals[0]?.id}/accept`;
  expect((await rest(decider.token, "POST", accept)).status).toBe(403);
  expect(await (await rest(owner.token, "GET", "/proposals")).json()).toMatchObject({ proposals: [{ id: proposals[0]?.id, state: "pending" }] });
  expect((await rest(owner.token, "POST", accept)).status).toBe(200);
});
