import { describe, expect, test } from "vitest";
import { catalogue, families, findTool } from "../../src/tools/catalogue.ts";
import { surfaces, toolsOf } from "../../src/tools/surfaces.ts";
import { sampleCalls } from "./samples.ts";

type Schema = Record<string, unknown>;

/** Every schema node below, with where it is. */
function* nodesOf(schema: unknown, path = ""): Generator<[path: string, node: Schema]> {
  if (typeof schema !== "object" || schema === null) return;
  if (Array.isArray(schema)) {
    for (const [i, item] of schema.entries()) yield* nodesOf(item, `${path}[${i}]`);
    return;
  }
  yield [path, schema as Schema];
  for (const [key, value] of Object.entries(schema)) yield* nodesOf(value, `${path}.${key}`);
}

describe("the catalogue [S16] [A1]", () => {
  test("names suit every model API, and no name or alias means two tools", () => {
    const names = catalogue.flatMap((tool) => [tool.name, ...tool.aliases]);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    for (const { name } of catalogue) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test("every tool is found by its name, its aliases, and with dots for underscores", () => {
    for (const tool of catalogue) {
      for (const name of [tool.name, ...tool.aliases]) {
        expect(findTool(name)).toBe(tool);
        expect(findTool(name.replaceAll("_", "."))).toBe(tool);
      }
    }
    expect(findTool("omn_nothing")).toBeUndefined();
    expect(findTool("constructor")).toBeUndefined();
  });

  test.each([
    ...families.flatMap(({ name, tools }) => (name === "omn" ? tools.map((tool) => [tool.name.replace("omn_", "omn1_"), tool.name]) : [])),
    ...["recall", "list", "graph", "context", "remember", "consolidate", "update", "delete"].map((verb) => [`mnemosyne.${verb}`, `mnemosyne_${verb}`]),
    ...["save_context", "recall_context", "embed_text", "upsert_memory", "search_memory", "warm_cache", "sync_semantic"].map((verb) => [`kom.memory.v1.${verb}`, verb]),
    ["memory_history", "memory_get_history"],
    ["memory_stats", "memory_get_stats"],
    ["memory.get.history", "memory_get_history"],
    ["omn.store_memory", "omn_store_memory"],
    ["omn1.store.memory", "omn_store_memory"],
    ...["write_memory", "read_memory", "list_memories", "delete_memory", "smart_resume"].map((verb) => [`token_saver.${verb}`, verb]),
  ] as [string, string][])("%s is called for %s, and is in no list", (alias, name) => {
    expect(findTool(alias)?.name).toBe(name);
    expect(surfaces.flatMap((surface) => toolsOf(surface)).map((tool) => tool.name)).not.toContain(alias);
  });

  test.each(catalogue.map((tool) => [tool.name, tool] as const))("%s says what it is in few words", (_name, tool) => {
    expect(tool.title).toMatch(/^[A-Z][^\n]{3,39}$/);
    expect(tool.description).toMatch(/^[A-Z]/);
    expect(tool.description.length).toBeGreaterThan(30);
    expect(tool.description.length).toBeLessThanOrEqual(220);
  });

  test.each(catalogue.map((tool) => [tool.name, tool] as const))("%s tells by annotations and scope alike whether it writes", (name, tool) => {
    const { readOnlyHint, destructiveHint } = tool.annotations;
    expect({ readOnlyHint, scope: tool.scope }).toEqual(
      readOnlyHint ? { readOnlyHint: true, scope: ["omn_health_check", "omn_compress_text"].includes(name) ? null : "memory:read" } : { readOnlyHint: false, scope: "memory:write" },
    );
    expect(destructiveHint).toBe(/forget|delete|revert|consolidate/.test(name));
  });

  test.each(catalogue.map((tool) => [tool.name, tool] as const))("%s has schemas that clients of every make accept", (_name, tool) => {
    for (const schema of [tool.inputSchema(), tool.outputSchema()]) {
      expect(schema["type"]).toBe("object");
      const text = JSON.stringify(schema);
      for (const leftover of ["$schema", '"listed"', "$ref", "$defs", "allOf", "oneOf"]) expect(text).not.toContain(leftover);
      for (const [path, node] of nodesOf(schema)) {
        // Gemini and OpenAI refuse arrays without items.
        if (node["type"] === "array") expect(node["items"], path).toBeDefined();
        if (Array.isArray(node["required"])) for (const name of node["required"]) expect(node["properties"], path).toHaveProperty([name as string]);
      }
    }
    for (const [name, property] of Object.entries((tool.inputSchema()["properties"] ?? {}) as Record<string, Schema>)) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(Object.keys(property).length, name).toBeGreaterThan(0);
    }
    expect(Object.keys(tool.outputSchema()["properties"] as Schema).length).toBeGreaterThan(0);
  });

  test("tells the scale of relevance, and where it ends unless told otherwise", () => {
    const properties = findTool("omn_retrieve_memory")?.inputSchema()["properties"] as Record<string, Schema> | undefined;
    const description = String(properties?.["min_relevance"]?.["description"]);
    for (const said of ["0–1", "likely", ".7"]) expect(description).toContain(said);
  });

  test("every tool belongs to a family that can be listed, and has a sample call for the tests that go over all tools", () => {
    expect(families.flatMap(({ name }) => toolsOf(name)).map(({ name }) => name).sort()).toEqual(catalogue.map(({ name }) => name).sort());
    expect(Object.keys(sampleCalls("")).sort()).toEqual(catalogue.map(({ name }) => name).sort());
  });
});
