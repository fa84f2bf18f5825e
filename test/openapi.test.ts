import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { generated } from "../scripts/openapi/generate.ts";

const text = readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8");
const document = JSON.parse(text) as Record<string, any>;
const operations = Object.entries(document["paths"] as Record<string, Record<string, Record<string, any>>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("docs/openapi.json [A16]", () => {
  test("is what `npm run openapi` writes", async () => {
    expect(text).toBe(await generated());
  });

  test("is a document of OpenAPI 3.1, by its published schema", async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    expect(document["openapi"]).toMatch(/^3\.1\./);
  });

  test("every schema in it is one of JSON Schema 2020-12, and every reference leads somewhere", () => {
    const ajv = addFormats.default(new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }));
    const alone = (schema: object): object => JSON.parse(JSON.stringify({ ...schema, $defs: document["components"].schemas }).replaceAll("#/components/schemas/", "#/$defs/")) as object;
    for (const { path, method, operation } of operations) {
      const answers = Object.values(operation["responses"] as Record<string, any>);
      const contents = [operation["requestBody"], ...answers].flatMap((one) => Object.values((one?.content ?? {}) as Record<string, { schema: object }>));
      const parameters = ((operation["parameters"] ?? []) as { schema: object }[]).map(({ schema }) => schema);
      for (const schema of [...parameters, ...contents.map((content) => content.schema)]) expect(() => ajv.compile(alone(schema)), `${method} ${path}`).not.toThrow();
    }
  });

  test("each method has a name of its own, its credential, its parameters and its errors; 429 says how long to wait", () => {
    const names = operations.map(({ operation }) => operation["operationId"] as string);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, operation } of operations) {
      const inPath = ((operation["parameters"] ?? []) as { name: string; in: string }[]).filter((one) => one.in === "path").map(({ name }) => `{${name}}`);
      expect(path.match(/\{\w+\}/g) ?? []).toEqual(inPath);
      expect(operation["responses"]).toMatchObject({ 429: { $ref: "#/components/responses/429" }, 500: { $ref: "#/components/responses/500" } });
      expect((operation["security"] as unknown[]).length > 0, path).toBe(path.startsWith("/v1/") || path === "/metrics");
    }
    expect(document["components"].responses[429].headers).toHaveProperty(["Retry-After"]);
  });
});
