import { readFileSync } from "node:fs";
import { type AnySchema, Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type Json = Record<string, any>;

export const text = readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8");
export const document = JSON.parse(text) as Json;
export const operations = Object.entries(document["paths"] as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const ajv = addFormats.default(new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }));

/** Checks what a schema of the document describes, with what it refers to. @throws Error where it is none of JSON Schema 2020-12 */
export const checkOf = (schema: object): ValidateFunction =>
  ajv.compile(JSON.parse(JSON.stringify({ ...schema, $defs: document["components"].schemas }).replaceAll("#/components/schemas/", "#/$defs/")) as AnySchema);
