import { beforeAll, describe, expect, test } from "vitest";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool, rpc } from "../support/mcp.ts";
import { countTokens } from "./o200k.ts";
import { prose } from "./texts.ts";

const subjects = ["refunds", "checkout", "invoices", "search", "sign-in", "exports", "mail", "stock", "prices", "returns"];

/** Twenty notes as people store them: a key, two tags, a few sentences. */
const notes = Array.from({ length: 20 }, (_, i) => ({
  key: `shop.${subjects[i % 10]}.${i < 10 ? "decision" : "incident"}`,
  content: `${subjects[i % 10]}: ${prose[i % 3]?.[1].replaceAll("\n", " ").split(". ").slice(0, 3).join(". ")}.`,
  metadata: { tags: [subjects[i % 10] as string, i < 10 ? "decision" : "incident"] },
}));

let token: string;
beforeAll(async () => {
  const tenant = await newTenant();
  ({ token } = await keyFor(tenant, tenant.ownerId));
  for (const note of notes) expect((await callTool(token, "omn_store_memory", note)).error).toBeUndefined();
});

/** What clients such as Claude Code and Codex hand to the model: the structured answer where the list shows a schema for it, else the text. */
async function seenBy(surface: string, name: string, args: Record<string, unknown>): Promise<string> {
  const query = `?surface=${surface}`;
  const listed = (await rpc(token, "tools/list", {}, query)).body.result.tools.find((tool: { name: string }) => tool.name === name);
  const { result } = (await rpc(token, "tools/call", { name, arguments: args }, query)).body;
  return listed.outputSchema ? JSON.stringify(result.structuredContent) : result.content[0].text;
}

describe("x", () => {
  test.each([
    ["core", "omn_retrieve_memory", { query: "refunds limit euros", limit: 5 }],
    ["omn", "omn_retrieve_memory", { query: "refunds limit euros", limit: 5 }],
    ["core", "omn_list_memories", {}],
    ["omn", "omn_list_memories", {}],
    ["core", "omn_retrieve_memory", { key: "shop.refunds.decision" }],
    ["omn", "omn_retrieve_memory", { key: "shop.refunds.decision" }],
    ["token-saver", "list_memories", { scope: "global" }],
    ["token-saver", "read_memory", { key: "shop.refunds.decision" }],
    ["token-saver", "smart_resume", {}],
  ])("%s %s", async (surface, name, args) => {
    const text = await seenBy(surface, name, args);
    const all = (await callTool(token, name, args));
    console.info(surface, name, JSON.stringify(args), countTokens(text), "text", countTokens(all.text), "\n", text.slice(0, 900), "\n---\n", all.text.slice(0, 900));
    const { body } = await rpc(token, "tools/list", {}, `?surface=${surface}`);
    console.info("list", surface, countTokens(JSON.stringify(body.result)));
  });
});
