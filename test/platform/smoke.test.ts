import { expect, test } from "vitest";
import { newTenant, keyFor } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
test("store and recall", async () => {
  const t = await newTenant();
  const { token } = await keyFor(t, t.ownerId);
  const s = await callTool(token, "omn_store_memory", { key: "k", content: "the blue whale sings" });
  expect(s).toMatchObject({ status: 200, isError: false });
  const r = await callTool(token, "omn_retrieve_memory", { query: "whale song" });
  expect(r.structured["memories"]).toHaveLength(1);
});
