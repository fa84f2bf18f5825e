import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkOf, document, type Json, operations } from "./support/openapi-document.ts";
import { Product } from "./support/product.ts";

const resolved = (node: Json): Json => (typeof node["$ref"] === "string" ? resolved(node["$ref"].split("/").slice(1).reduce((at: Json, step: string) => at[step] as Json, document)) : node);

/** Texts of which one fits each pattern of the document. */
const texts = ["2026-11-20T10:00:00Z", "2026-11-20", "harbour", "src/harbour.ts", "0".repeat(64)];

/** A value as the schema says: with what it needs alone, or with everything that it may have. */
function valueOf(node: Json, all: boolean): unknown {
  const schema = resolved(node);
  const options = (schema["anyOf"] ?? schema["oneOf"]) as Json[] | undefined;
  if (options) return valueOf(options[0] ?? {}, all);
  if ("const" in schema) return schema["const"];
  if (schema["enum"]) return schema["enum"][0];
  switch (Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]) {
    case "string":
      if (schema["format"] === "uuid") return crypto.randomUUID();
      return texts.find((text) => new RegExp(schema["pattern"] ?? (schema["format"] === "date-time" ? "T" : "^h"), "u").test(text)) ?? "harbour";
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    case "boolean":
      return false;
    case "array":
      if (schema["prefixItems"]) return (schema["prefixItems"] as Json[]).map((one) => valueOf(one, all));
      return schema["minItems"] || all ? [valueOf(schema["items"] ?? {}, all)] : [];
    case "object": {
      const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
      return Object.fromEntries(Object.entries(properties).flatMap(([name, one]) => (all || required.includes(name) ? [[name, valueOf(one, all)]] : [])));
    }
    default:
      return "harbour";
  }
}

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

async function ask(name: string, operation: Json, { all, key }: { all: boolean; key: string | undefined }): Promise<Response> {
  const [method = "", path = ""] = name.split(" ");
  const url = product.url(path.replace("{team}", "local").replaceAll(/\{\w+\}/g, () => crypto.randomUUID()));
  for (const parameter of (operation["parameters"] ?? []) as Json[]) if (parameter["in"] === "query" && all) url.searchParams.set(String(parameter["name"]), String(valueOf(parameter["schema"], all)));
  const [type, content] = Object.entries((operation["requestBody"]?.content ?? {}) as Record<string, Json>)[0] ?? [];
  return fetch(url, {
    method,
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...(type === undefined ? {} : { "content-type": type }) },
    ...(content ? { body: type === "application/json" ? JSON.stringify(valueOf(content["schema"], all)) : '{"content":"The harbour opens at six."}' } : {}),
  });
}

/** Where an answer is not as the operation says. */
async function undocumented(operation: Json, answer: Response): Promise<unknown[]> {
  const text = await answer.text();
  const told = operation["responses"][answer.status] as Json | undefined;
  if (!told) return [`status ${answer.status}: ${text}`];
  const { headers = {}, content } = resolved(told);
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
  const form = content[type] as Json | undefined;
  if (!form) return [`type ${type}`];
  const check = checkOf(form["schema"] as object);
  const isRight = type !== "application/json" || check(JSON.parse(text));
  return [...Object.keys(headers as Json).filter((header) => !answer.headers.has(header)), ...(isRight ? [] : (check.errors ?? []))];
}

describe("every operation of docs/openapi.json is answered as it says [A16]", () => {
  test.each(operations.map(({ path, method, operation }) => [`${method.toUpperCase()} ${path}`, operation] as const))("%s", async (name, operation) => {
    const isOpen = (operation["security"] as Json[]).length === 0;
    for (const all of [false, true]) {
      expect(await undocumented(operation, await ask(name, operation, { all, key: product.apiKey })), all ? "with all that it takes" : "with what it needs").toEqual([]);
    }
    const stranger = await ask(name, operation, { all: false, key: undefined });
    expect(stranger.status === 401).toBe(!isOpen);
    expect(await undocumented(operation, stranger), "without a credential").toEqual([]);
  });
});
