import { beforeAll, describe, expect, test } from "vitest";
import { catalogue } from "../../src/tools/catalogue.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { sampleMemory } from "../tools/samples.ts";
import { callTool } from "../support/mcp.ts";
import { badFields } from "./bad-fields.ts";

let token: string;
beforeAll(async () => {
  const tenant = await newTenant();
  ({ token } = await keyFor(tenant, tenant.ownerId));
  await callTool(token, "omn_store_memory", sampleMemory);
});

/** Everything the team holds, with history. */
const stored = async (): Promise<string> => (await callTool(token, "omn_export_memories", { limit: 1_000 })).structured["data"];

async function expectRefusal(name: string, args: Record<string, unknown>, field: string, what: string): Promise<void> {
  const answer = await callTool(token, name, args);
  const told = `${what}: ${answer.text.slice(0, 300)}`;
  expect(answer.status, told).toBe(200);
  expect(answer.isError, told).toBe(true);
  expect(answer.error?.code, told).toBe("VALIDATION_ERROR");
  expect(answer.text, told).toMatch(new RegExp(`\\b${field}\\b`, "i"));
  // Which field alone does not say what would be right.
  expect(answer.text, told).not.toMatch(/: Invalid input\s*([;.]|$)/);
}

describe("every field of every tool [S7] [A1] [B1]", () => {
  const fields = badFields();
  test.each(fields.map((field) => [field.tool.name, field.path, field] as const))("%s: %s", async (name, _path, { field, calls }) => {
    const before = await stored();
    for (const { what, args } of calls) await expectRefusal(name, args, what === "an unknown field" ? "nonsense" : field, what);
    expect(await stored()).toBe(before);
  });

  test("covers every tool", () => {
    expect(new Set(fields.map(({ tool }) => tool))).toEqual(new Set(catalogue));
  });
});

describe("metadata [S7]", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const cases: [what: string, metadata: Record<string, unknown>, told: RegExp][] = [
    ["six levels", { a: nested(5) }, /nested deeper than 5 levels/],
    ["ten thousand levels", { a: JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`) as unknown }, /nested deeper than/],
    ...["user_id", "agent_id", "run_id", "created_at", "updated_at", "memory_type"].map(
      (key): [string, Record<string, unknown>, RegExp] => [`the reserved key ${key}`, { [key]: "x" }, new RegExp(`${key} is reserved`)],
    ),
    ["a long key", { ["k".repeat(101)]: 1 }, /key of more than 100 characters/],
    ["a long text", { note: "x".repeat(1_001) }, /text of more than 1000 characters/],
    ["a lone surrogate", { note: "\ud800" }, /not valid Unicode/],
    ["a lone surrogate in a key", { "\ud800": 1 }, /not valid Unicode/],
    ["a NUL", { note: { deeper: ["a\0b"] } }, /not valid Unicode/],
    ["more than 32 KiB", Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, "x".repeat(900)])), /smaller than 32768 bytes/],
  ];

  const ways: [way: string, args: (metadata: unknown) => [tool: string, args: Record<string, unknown>]][] = [
    ["stored", (metadata) => ["omn_store_memory", { key: "m", content: "c", metadata }]],
    ["updated", (metadata) => ["omn_update_memory", { key: sampleMemory.key, metadata }]],
    ["imported", (metadata) => ["omn_import_memories", { memories: [{ content: "good" }, { content: "c", metadata }] }]],
    ["imported as data", (metadata) => ["omn_import_memories", { data: JSON.stringify([{ content: "good" }, { content: "c", metadata }]) }]],
  ];

  for (const [way, argsOf] of ways) {
    test.each(cases)(`${way} with %s is refused and says why`, async (what, metadata, told) => {
      const before = await stored();
      const [name, args] = argsOf(metadata);
      await expectRefusal(name, args, "metadata", what);
      expect((await callTool(token, name, args)).text).toMatch(told);
      expect(await stored()).toBe(before);
    });
  }

  test("of five levels is stored as it is", async () => {
    const metadata = { a: nested(4), list: [1, null, true, "ß"] };
    await callTool(token, "omn_store_memory", { key: "five.levels", content: "c", metadata });
    const { structured } = await callTool(token, "omn_retrieve_memory", { key: "five.levels" });
    expect(structured["memories"][0].metadata).toMatchObject(metadata);
  });
});

describe("a call that is wrong is told how to mend it [S7] [A1] [S16]", () => {
  const cases: [what: string, tool: string, args: Record<string, unknown>, told: string][] = [
    ["an argument of another tool", "omn_retrieve_memory", { query: "q", project_path: "shop" }, 'Unrecognized key: "project_path". Known here: query, key, id, filters, limit,'],
    ["an argument that belongs deeper", "omn_store_memory", { content: "c", key: "k", tags: ["a"] }, 'Unrecognized key: "tags" (tags belongs into metadata). Known here: content, key, metadata,'],
    ["an unknown filter", "omn_list_memories", { filters: { project: "shop" } }, 'filters: Unrecognized key: "project". Known here: tags, without_tags, scope, namespace,'],
    ["an unknown field of a record", "omn_import_memories", { memories: [{ content: "c", titel: "t" }] }, 'memories.0: Unrecognized key: "titel". Known here: key, content,'],
    ["an unknown field in data", "omn_import_memories", { data: '{"content":"c","titel":"t"}' }, '0: Unrecognized key: "titel". Known here: key, content,'],
    ["a missing argument", "omn_store_memory", { key: "k" }, "omn_store_memory: content is missing."],
    ["two missing arguments", "write_memory", {}, "key is missing; value: must be given."],
    ["a missing field of a record", "omn_import_memories", { memories: [{ key: "k" }] }, "memories.0.content is missing."],
    ["a text for an object", "search_memory", { query: "warehouse" }, 'query: is an object such as {"text": "…", "k": 5}'],
    ["an unknown field of the object", "search_memory", { query: { text: "a", limit: 5 } }, 'query: Unrecognized key: "limit" (limit is called k). Known here: text,'],
    ["a range as text", "omn_store_memory", { content: "c", citations: [{ path: "a.ts", lines: "1-5" }] }, "lines are [first, last]"],
    ["an archive as an update", "omn_update_memory", { key: "k", archived: true }, "only restores: omn_forget_memory with mode: archive archives"],
    ["null where it may not be", "omn_store_memory", { content: null, key: "k" }, "content: Invalid input: expected string, received null."],
  ];
  test.each(cases)("%s", async (_what, name, args, told) => {
    expect((await callTool(token, name, args)).error?.message).toContain(told);
  });

  test("what is known is said once, however many records are wrong", async () => {
    const { text } = await callTool(token, "omn_import_memories", { memories: [1, 2, 3].map((n) => ({ content: `c${n}`, titel: "t" })) });
    expect(text.match(/Unrecognized/g)).toHaveLength(3);
    expect(text.match(/Known here/g)).toHaveLength(1);
  });
});

describe("namespaces of filters [S7] [A1]", () => {
  const tools: [tool: string, args: Record<string, unknown>][] = [
    ["omn_retrieve_memory", { query: "deploy" }],
    ["omn_list_memories", {}],
    ["omn_forget_memory", {}],
    ["omn_export_memories", {}],
  ];

  test.each(tools)("%s refuses one that no memory can have, and says what would be right", async (name, args) => {
    for (const namespace of ["shop", "Global", "project:", "team:shop", "session:"]) {
      await expectRefusal(name, { ...args, filters: { namespace } }, "namespace", namespace);
    }
    expect((await callTool(token, name, { ...args, filters: { namespace: "shop" } })).text).toContain("project:<name>");
  });

  test.each(["global", "project:shop", "session:shop/1", "thread:t", "user:ada", "project:*", "session:shop/*", "pro*", "*"])("%s is taken", async (namespace) => {
    expect((await callTool(token, "omn_list_memories", { filters: { namespace } })).error).toBeUndefined();
  });
});

describe("values of write_memory [S7] [B1]", () => {
  test.each([
    ["nested without end", JSON.parse(`${"[".repeat(4_000)}${"]".repeat(4_000)}`) as unknown],
    ["longer than a memory may be", { list: Array.from({ length: 3_000 }, (_, i) => `entry ${i}`) }],
    ["a text longer than a memory may be", "x".repeat(10_001)],
    ["a lone surrogate", "a\ud800"],
    ["a lone surrogate inside", { deep: ["a\ud800"] }],
    ["a NUL inside", { "a\0": 1 }],
    ["blank", "  "],
    ["null", null],
  ])("%s: refused, and nothing is written", async (what, value) => {
    const before = await stored();
    await expectRefusal("write_memory", { key: "bad.value", value }, "value", what);
    expect(await stored()).toBe(before);
  });

  test.each([["text"], [0], [false], [[]], [{ "": { "ключ": [1.5e300, "🦀", "\u2028"] } }]])("%j comes back as it was", async (value) => {
    expect((await callTool(token, "write_memory", { key: "good.value", value })).error).toBeUndefined();
    expect((await callTool(token, "read_memory", { key: "good.value" })).structured["memory"].value).toEqual(value);
  });
});
