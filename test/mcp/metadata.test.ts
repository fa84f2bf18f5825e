import { beforeEach, describe, expect, test } from "vitest";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";

let token: string;
beforeEach(async () => {
  const tenant = await newTenant();
  ({ token } = await keyFor(tenant, tenant.ownerId));
  await callTool(token, "omn_store_memory", { key: "k", content: "c", metadata: { tags: ["a"], importance: 0.3, owner: "Ruth", ticket: { id: 7 } } });
});

const metadata = async (): Promise<unknown> => (await callTool(token, "omn_retrieve_memory", { key: "k" })).structured["memories"][0].metadata;

describe("metadata holds four known entries and any others [A1] [S14]", () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["tags alone leave the others", { tags: ["b"] }, { tags: ["b"], importance: 0.3, owner: "Ruth", ticket: { id: 7 } }],
    ["importance alone leaves the others", { importance: 1 }, { tags: ["a"], importance: 1, owner: "Ruth", ticket: { id: 7 } }],
    ["own entries replace own entries", { owner: "Boris" }, { tags: ["a"], importance: 0.3, owner: "Boris" }],
    ["an empty object clears own entries", {}, { tags: ["a"], importance: 0.3 }],
    ["an empty list clears the tags", { tags: [] }, { importance: 0.3, owner: "Ruth", ticket: { id: 7 } }],
  ])("on update, %s", async (_what, given, expected) => {
    const { error } = await callTool(token, "omn_update_memory", { key: "k", metadata: given });
    expect(error).toBeUndefined();
    expect(await metadata()).toEqual(expected);
  });

  test("stored again under its key with tags alone, it keeps its own entries", async () => {
    await callTool(token, "omn_store_memory", { key: "k", content: "new", metadata: { tags: ["b"] } });
    expect(await metadata()).toMatchObject({ tags: ["b"], owner: "Ruth" });
  });

  test("expiry and scope are lifted out, and come back in their place", async () => {
    await callTool(token, "omn_update_memory", { key: "k", metadata: { expiry: "2099-12-31", scope: "shared" } });
    expect(await metadata()).toMatchObject({ expiry: "2099-12-31T00:00:00.000Z", scope: "shared", owner: "Ruth" });
    await callTool(token, "omn_update_memory", { key: "k", metadata: { expiry: null } });
    expect(await metadata()).not.toHaveProperty("expiry");
  });

  test.each(["omn_store_memory", "omn_update_memory"])("%s refuses expires_at and names expiry: what is meant to expire does", async (tool) => {
    const { error } = await callTool(token, tool, { key: "k", content: "c", metadata: { expires_at: "2099-12-01T00:00:00Z" } });
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringMatching(/metadata: expires_at .* expiry/) });
    expect(await metadata()).not.toHaveProperty("expires_at");
  });

  test("an import takes records that hold it as an entry of their own, and they come back as they were", async () => {
    const record = { key: "old", content: "c", metadata: { expires_at: "2026-12-01" }, expires_at: "2099-12-01T00:00:00.000Z" };
    expect((await callTool(token, "omn_import_memories", { memories: [record] })).error).toBeUndefined();
    const { structured } = await callTool(token, "omn_export_memories", { format: "json" });
    expect(JSON.parse(structured["data"]).memories).toContainEqual(expect.objectContaining(record));
    const again = await callTool(token, "omn_import_memories", { data: structured["data"], sha256: structured["sha256"], count: structured["count"] });
    expect(again.structured).toMatchObject({ unchanged: structured["count"] });
  });
});
