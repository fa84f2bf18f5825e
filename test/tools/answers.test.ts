import { describe, expect, test } from "vitest";
import { z } from "zod";
import { catalogue } from "../../src/tools/catalogue.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { sampleCalls, sampleMemory } from "./samples.ts";

/** A team of its own that holds the sample memory. */
async function team(): Promise<{ token: string; memoryId: string }> {
  const tenant = await newTenant();
  const { token } = await keyFor(tenant, tenant.ownerId);
  const stored = await callTool(token, "omn_store_memory", sampleMemory);
  return { token, memoryId: stored.structured["memory_id"] };
}

describe("answers [S16]", () => {
  test.each(catalogue.map((tool) => [tool.name, tool] as const))("%s keeps to its output schema, and says the same in short text", async (name, tool) => {
    const { token, memoryId } = await team();
    const answer = await callTool(token, name, sampleCalls(memoryId)[name]);
    expect(answer).toMatchObject({ status: 200, isError: false, error: undefined });
    expect(tool.output.safeParse(answer.structured).error?.issues).toBeUndefined();
    expect(z.fromJSONSchema(tool.outputSchema()).safeParse(answer.structured).error?.issues).toBeUndefined();
    expect(answer.text).not.toBe("");
  });

  test("a conflict keeps to the output schema, too: clients check it even when isError is set [A1]", async () => {
    const { token } = await team();
    const answer = await callTool(token, "omn_update_memory", { key: sampleMemory.key, content: "Other.", expected_version: 99 });
    const tool = catalogue.find(({ name }) => name === "omn_update_memory");
    expect(answer).toMatchObject({ isError: true, structured: { outcome: "conflict" } });
    expect(tool?.output.safeParse(answer.structured).success).toBe(true);
  });

  test("what archives a memory by its key says by which call it comes back, and it does [A1]", async () => {
    const { token, memoryId } = await team();
    const { confirm } = (await callTool(token, "omn_forget_memory", { key: sampleMemory.key })).structured;
    const { text } = await callTool(token, "omn_forget_memory", { key: sampleMemory.key, confirm });
    expect(text).toBe(`archived 1 memory. To restore it: omn_update_memory with id ${memoryId} and archived: false`);
    await callTool(token, "omn_update_memory", { id: memoryId, archived: false });
    expect((await callTool(token, "omn_retrieve_memory", { key: sampleMemory.key })).structured["memories"]).toMatchObject([{ memory_id: memoryId }]);
  });

  test.each([["omn_retrieve_memory", { id: "deploy.day" }], ["omn_forget_memory", { ids: ["deploy.day"] }], ["mnemosyne_delete", { memory_id: "deploy.day" }], ["memory_graph", { memory_id: "0" }]])("%s says what an id is to who gives something else [S16]", async (name, args) => {
    const { error } = await callTool((await team()).token, name, args);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringMatching(/ids?(?:\.0)?: must be a UUID or a positive integer; a key is none\.$/) });
  });

  test("memory_add says what came of a call of one decision, and how to revert it [D1]", async () => {
    const { text, structured } = await callTool((await team()).token, "memory_add", { messages: "The library is closed on Sundays.", infer: false });
    expect(text).toMatch(/\n\(1 decision; omn_revert with request [0-9a-f-]{36} reverts this call\)$/);
    expect(structured["data"]).toHaveLength(1);
  });

  test("smart_resume says so when there is nothing to resume [B3]", async () => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId);
    expect((await callTool(token, "smart_resume")).text).toMatch(/nothing is stored for this project/i);
  });

  test.each(["search", "fetch"])("%s answers as ChatGPT expects: the text is the JSON of the structured answer [A1]", async (name) => {
    const { token, memoryId } = await team();
    const answer = await callTool(token, name, sampleCalls(memoryId)[name]);
    expect(JSON.parse(answer.text)).toEqual(answer.structured);
    const [found] = name === "search" ? answer.structured["results"] : [answer.structured];
    expect(found).toMatchObject({ id: memoryId, title: sampleMemory.key, url: expect.stringContaining(memoryId) });
    expect(found.text).toContain("PostgreSQL");
  });
});
