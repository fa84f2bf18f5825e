import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { generated } from "../scripts/openapi/generate.ts";
import { checkOf, document, operations, text } from "./e2e/support/openapi-document.ts";
import { sampleCalls } from "./tools/samples.ts";

const bodyOf = (path: string) => checkOf(document["paths"][path].post.requestBody.content["application/json"].schema as object);

describe("docs/openapi.json [A16]", () => {
  test("is what `npm run openapi` writes", async () => {
    expect(text).toBe(await generated());
  });

  test("is a document of OpenAPI 3.1, by its published schema", async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    expect(document["openapi"]).toMatch(/^3\.1\./);
  });

  test("every schema in it is one of JSON Schema 2020-12, and every reference leads somewhere", () => {
    for (const { path, method, operation } of operations) {
      const answers = Object.values(operation["responses"] as Record<string, any>);
      const contents = [operation["requestBody"], ...answers].flatMap((one) => Object.values((one?.content ?? {}) as Record<string, { schema: object }>));
      const parameters = ((operation["parameters"] ?? []) as { schema: object }[]).map(({ schema }) => schema);
      for (const schema of [...parameters, ...contents.map((content) => content.schema)]) expect(() => checkOf(schema), `${method} ${path}`).not.toThrow();
    }
  });

  test.each(Object.entries(sampleCalls(crypto.randomUUID())))("a call of %s that the server takes is one by the document", (tool, args) => {
    const takes = bodyOf(`/v1/teams/{team}/tools/${tool}`);
    expect(takes(args) ? [] : takes.errors).toEqual([]);
  });

  test.each([["sessions/{session}/turns", "turns"], ["tools/memory_add", "messages"]])("%s takes messages in every form that the server takes, and needs them", (path, name) => {
    const takes = bodyOf(`/v1/teams/{team}/${path}`);
    const url = "https://example.com/harbour.png";
    const contents = ["Ship it.", [{ type: "text", text: "Ship it." }], [{ type: "image_url", image_url: url }], [{ type: "image_url", image_url: { url } }]];
    for (const messages of ["Ship it.", ...contents.map((content) => [{ role: "user", content }])]) expect(takes({ [name]: messages }), JSON.stringify(messages)).toBe(true);
    for (const body of [{}, { [name]: 7 }, { [name]: [{ role: "user" }] }, { [name]: [{ role: "user", content: 7 }] }]) expect(takes(body), JSON.stringify(body)).toBe(false);
  });

  test("each method has a name of its own, its credential, its parameters and its errors; 429 says how long to wait", () => {
    const names = operations.map(({ operation }) => operation["operationId"] as string);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, method, operation } of operations) {
      const inPath = ((operation["parameters"] ?? []) as { name: string; in: string }[]).filter((one) => one.in === "path").map(({ name }) => `{${name}}`);
      expect(path.match(/\{\w+\}/g) ?? []).toEqual(inPath);
      expect(operation["responses"]).toMatchObject({ 429: { $ref: "#/components/responses/429" }, 500: { $ref: "#/components/responses/500" } });
      const onWrite = { 502: { $ref: "#/components/responses/502" }, 507: { $ref: "#/components/responses/507" } };
      if (method !== "get") expect(operation["responses"], path).toMatchObject(onWrite);
      expect((operation["security"] as unknown[]).length > 0, path).toBe(path.startsWith("/v1/") || path === "/metrics");
    }
    expect(document["components"].responses[429].headers).toHaveProperty(["Retry-After"]);
  });
});
