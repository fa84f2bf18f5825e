import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/tools/catalogue.ts";
import { surfaces } from "../../src/tools/surfaces.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { rpc } from "../support/mcp.ts";
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
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(1_370);
  });

  test.each(surfaces.filter((surface) => !["core", "all"].includes(surface)))("%s is listed in at most 3,500 tokens [U5]", async (surface) => {
    const tokens = countTokens(JSON.stringify((await listed(`?surface=${surface}`)).result));
    console.info(`tokens of the list on ${surface}: ${tokens}`);
    expect(tokens).toBeLessThanOrEqual(3_500);
  });

  test("core is the default", async () => {
    expect((await listed("")).names).toEqual((await listed("?surface=core")).names);
  });

  test.each([
    ["chatgpt", ["search", "fetch"]],
    ["token-saver", ["smart_resume", "write_memory", "read_memory", "list_memories", "delete_memory"]],
    ["mnemosyne", ["recall", "list", "graph", "context", "remember", "consolidate", "update", "delete"].map((name) => `mnemosyne_${name}`)],
    ["memory", ["add", "search", "get_all", "update", "delete", "delete_all", "get_history", "get_stats", "init_session", "graph"].map((name) => `memory_${name}`)],
    ["kom", ["save_context", "recall_context", "embed_text", "upsert_memory", "search_memory", "warm_cache", "sync_semantic"]],
    ["omn", catalogue.map(({ name }) => name).filter((name) => name.startsWith("omn_"))],
    ["all", catalogue.map(({ name }) => name)],
  ])("?surface=%s lists its tools and no other", async (surface, expected) => {
    expect((await listed(`?surface=${surface}`)).names).toEqual(expected);
  });

  test.each([
    ["core", "omn_memory_stats", true],
    ["chatgpt", "omn_list_memories", true],
    ["omn", "list_memories", false],
    ["core", "list_memories", false],
    ["token-saver", "search", true],
  ])("on %s, %s can be called by name all the same, and answers as on its family's surface", async (surface, name, isStructured) => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId);
    const { status, body } = await rpc(token, "tools/call", { name, arguments: name === "search" ? { query: "x" } : {} }, `?surface=${surface}`);
    expect({ status, isError: body.result.isError, isStructured: body.result.structuredContent !== undefined }).toEqual({ status: 200, isError: undefined, isStructured });
  });

  test.each(surfaces)("on %s a tool has an output schema exactly when its answer is structured", async (surface) => {
    const { result } = await listed(`?surface=${surface}`);
    const { tools } = result as { tools: { name: string; outputSchema?: object; annotations: { readOnlyHint?: boolean } }[] };
    const isText = (tool: (typeof tools)[number]): boolean => tool.annotations.readOnlyHint === true && ["core", "token-saver"].includes(surface);
    expect(tools.filter(({ outputSchema }) => outputSchema === undefined).map(({ name }) => name)).toEqual(tools.filter(isText).map(({ name }) => name));
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
