import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/tools/catalogue.ts";
import { surfaces } from "../../src/tools/surfaces.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool, rpc } from "../support/mcp.ts";
import { countTokens } from "./o200k.ts";

async function listed(query: string): Promise<{ names: string[]; result: unknown }> {
  const tenant = await newTenant();
  const { token } = await keyFor(tenant, tenant.ownerId);
  const { body } = await rpc(token, "tools/list", {}, query);
  return { names: body.result.tools.map(({ name }: { name: string }) => name), result: body.result };
}

describe("surfaces [F2]", () => {
  test("what a client gets without asking is at most 9 tools in at most 1,500 tokens [F1] [U5] [S16]", async () => {
    const { names, result } = await listed("");
    expect(names.length).toBeLessThanOrEqual(9);
    expect(names).toEqual(expect.arrayContaining(["omn_store_memory", "omn_retrieve_memory", "smart_resume"]));
    // Tighter than promised, so that the next change of a description does not break the promise.
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(1_450);
  });

  test("core is the default", async () => {
    expect((await listed("")).names).toEqual((await listed("?surface=core")).names);
  });

  test.each([
    ["chatgpt", ["search", "fetch"]],
    ["token-saver", ["smart_resume", "write_memory", "read_memory", "list_memories", "delete_memory"]],
    ["omn", catalogue.map(({ name }) => name).filter((name) => name.startsWith("omn_"))],
    ["all", catalogue.map(({ name }) => name)],
  ])("?surface=%s lists its tools and no other", async (surface, expected) => {
    expect((await listed(`?surface=${surface}`)).names).toEqual(expected);
  });

  test("a tool outside the surface can be called by name all the same", async () => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId);
    expect(await callTool(token, "omn_memory_stats")).toMatchObject({ status: 200, isError: false, structured: { total: 0 } });
  });

  test.each(["nonsense", "", "CORE", "core,omn"])("?surface=%s is refused, and the answer names those there are [S16]", async (surface) => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId);
    const { status, body } = await rpc(token, "tools/list", {}, `?surface=${surface}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "VALIDATION_ERROR", request_id: expect.any(String) });
    for (const known of surfaces) expect(body.error.message).toContain(known);
  });
});
