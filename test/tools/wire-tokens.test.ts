import { beforeAll, describe, expect, test } from "vitest";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool, rpc } from "../support/mcp.ts";
import { countTokens, countTokensOfForm } from "./o200k.ts";
import { prose } from "./texts.ts";

const subjects = ["refunds", "checkout", "invoices", "search", "sign-in", "exports", "mail", "stock", "prices", "returns"];

/** Twenty notes as people store them: a key, two tags, a few sentences. */
const notes = Array.from({ length: 20 }, (_, i) => {
  const [subject, kind] = [subjects[i % 10] as string, i < 10 ? "decision" : "incident"];
  const sentences = prose[i % 3]?.[1].replaceAll("\n", " ").split(". ").slice(0, 3).join(". ");
  return { key: `shop.${subject}.${kind}`, content: `${subject}: ${sentences}.`, metadata: { tags: [subject, kind] } };
});

let token: string;
let ids: string[];
beforeAll(async () => {
  const tenant = await newTenant();
  ({ token } = await keyFor(tenant, tenant.ownerId));
  ids = [];
  for (const note of notes) {
    const stored = await callTool(token, "omn_store_memory", note);
    expect(stored.error).toBeUndefined();
    ids.push(stored.structured["memory_id"]);
  }
});

interface Seen {
  text: string;
  isStructured: boolean;
}

/** What clients such as Claude Code and Codex hand to the model: the structured answer where the list shows a schema for it, else the text. */
async function seenOn(surface: string, name: string, args: Record<string, unknown> = {}): Promise<Seen> {
  const query = `?surface=${surface}`;
  const { tools } = (await rpc(token, "tools/list", {}, query)).body.result as { tools: { name: string; outputSchema?: object }[] };
  const { result } = (await rpc(token, "tools/call", { name, arguments: args }, query)).body;
  const isStructured = tools.find((tool) => tool.name === name)?.outputSchema !== undefined;
  expect(result.structuredContent === undefined, "a schema is listed for what comes structured, and for nothing else").toBe(!isStructured);
  return { text: isStructured ? JSON.stringify(result.structuredContent) : result.content[0].text, isStructured };
}

const recall = { query: "refunds limit euros", limit: 5 };
const get = { key: "shop.refunds.decision" };

describe("what a model sees of an answer [U5] [F1]", () => {
  /** Tokens at most; `before`: those of the structured form while it said what is as usual, too, and went out on every surface. */
  test.each([
    { what: "recall of five", name: "omn_retrieve_memory", args: recall, core: 500, omn: 715, before: 823 },
    { what: "a list of twenty", name: "omn_list_memories", args: {}, core: 750, omn: 1_810, before: 2_251 },
    { what: "one memory by its key", name: "omn_retrieve_memory", args: get, core: 125, omn: 155, before: 171 },
  ])("$what: $core tokens on core, $omn on omn, $before before", async ({ name, args, core, omn, before }) => {
    const [text, structured] = [await seenOn("core", name, args), await seenOn("omn", name, args)];
    expect([text.isStructured, structured.isStructured]).toEqual([false, true]);
    expect(countTokensOfForm(text.text)).toBeLessThanOrEqual(core);
    expect(countTokensOfForm(structured.text)).toBeLessThanOrEqual(omn);
    expect(omn).toBeLessThan(before);
  });

  test("a list of twenty is text of a third of what it was, in both vocabularies", async () => {
    expect(countTokensOfForm((await seenOn("core", "omn_list_memories")).text)).toBeLessThanOrEqual(2_251 / 3);
    expect(countTokensOfForm((await seenOn("token-saver", "list_memories", { scope: "global" })).text)).toBeLessThanOrEqual(3_315 / 3);
  });

  test("on core it is framed, and names all that the next call needs", async () => {
    const found = (await seenOn("core", "omn_retrieve_memory", recall)).text;
    expect(found).toMatch(/^<memory id="\d+" key="shop\.refunds\.decision" when="\d{4}-\d\d-\d\d" relevance="0\.\d\d">\n/);
    expect((await seenOn("core", "omn_retrieve_memory", get)).text).toContain('tags="refunds, decision"');
    expect((await seenOn("core", "omn_retrieve_memory", { key: "shop.*", limit: 3 })).text).toMatch(/\n3 of 20 found; limit shows more\.$/);
    // Where the budget is full, a higher limit shows nothing.
    const [, needed] = /\n\d of 20 found; max_tokens (\d+) shows more\.$/.exec((await seenOn("core", "omn_retrieve_memory", { key: "shop.*", limit: 15, max_tokens: 300 })).text) ?? [];
    expect((await seenOn("core", "omn_retrieve_memory", { key: "shop.*", limit: 15, max_tokens: Number(needed) })).text).toMatch(/\n15 of 20 found; limit shows more\.$/);
    const page = (await seenOn("core", "omn_list_memories", { limit: 3 })).text.split("\n");
    expect(page).toHaveLength(4);
    for (const line of page.slice(0, 3)) expect(line).toMatch(/^- shop\.[a-z-]+\.(decision|incident) \(\d{4}-\d\d-\d\d\): /);
    const [, cursor] = /^More: cursor "(.+)"$/.exec(page[3] ?? "") ?? [];
    expect((await seenOn("core", "omn_list_memories", { limit: 3, cursor })).text).not.toContain(page[0]);
    expect((await seenOn("core", "omn_retrieve_memory", { query: "submarine", without: ["vector"] })).text).toBe("No memory found. Try synonyms, min_relevance 0, or filters without a query, such as occurred_after.");
  });

  test("a list says by id which of several of one key is meant", async () => {
    const twin = await callTool(token, "omn_store_memory", { key: get.key, content: "The same key elsewhere.", namespace: "project:twin" });
    const lines = (await seenOn("core", "omn_list_memories", get)).text.split("\n");
    const named = await Promise.all(lines.map(async (line) => (await callTool(token, "omn_retrieve_memory", { id: /id (\d+)/.exec(line)?.[1] })).structured["memories"][0].memory_id as string));
    expect(named).toEqual([twin.structured["memory_id"], ids[0]]);
    expect(lines[0]).toContain("project:twin");
  });

  test("where both forms go out, the structured one holds the advice, too", async () => {
    const preview = await callTool(token, "omn_forget_memory", { ids: [ids[1]] });
    expect(preview.structured["advice"]).toMatch(/^Nothing forgotten yet\. .* confirm: "/);
    expect(preview.text).toContain(preview.structured["confirm"]);
    const conflict = await callTool(token, "omn_update_memory", { id: ids[1], content: "Other.", expected_version: 9 });
    expect(conflict.structured["advice"]).toContain("expected_version 1");
    expect((await callTool(token, "omn_retrieve_memory", { query: "submarine", without: ["vector"] })).structured["advice"]).toMatch(/^No memory found/);
  });
});

describe("a budget holds for what goes out [U5]", () => {
  test("of text alone more fits into it than of both forms", async () => {
    const shown = async (surface: string): Promise<number> => {
      const { body } = await rpc(token, "tools/call", { name: "omn_retrieve_memory", arguments: { key: "shop.*", limit: 20, max_tokens: 1_200 } }, `?surface=${surface}`);
      const text: string = body.result.content[0].text;
      expect(countTokens(text)).toBeLessThanOrEqual(1_200);
      return text.split("<memory ").length - 1;
    };
    expect(await shown("core")).toBeGreaterThan(await shown("omn"));
  });
});
