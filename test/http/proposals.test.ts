import { expect, test } from "vitest";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { send } from "./raw.ts";

test("[F4] [U7] proposed by a tool, listed and accepted by REST, found by another member's tool", async () => {
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
