import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { statusOf } from "../../src/http/errors.ts";
import { flag } from "../../src/http/routes/query.ts";
import { withText } from "../input-schema.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";

type Json = Record<string, unknown>;

/** docs/openapi.json (https://spec.openapis.org/oas/v3.1.1): what the routes parse with, and what they answer. */
export function openApi(): Json {
  const schemas = new Schemas();
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(routes)) {
    const [method = "", path = ""] = name.split(" ");
    const address = path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[address] ??= {})[method.toLowerCase()] = operation(method, address, route, schemas);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "OmniMemory",
      version: packageJson.version,
      description: "The REST interface beside the MCP endpoint `/mcp`. Names are snake_case, instants ISO 8601, unknown fields and query parameters are refused. docs/rest.md says what is behind each route.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "http://127.0.0.1:26366", description: "as `npm start` serves it" }],
    paths,
    components: {
      schemas: { ...schemas.shared, Error: errorSchema },
      responses,
      headers: {
        RequestId: { description: "Names the request in logs and audit", schema: { type: "string" } },
        RetryAfter: { description: "Seconds to wait", schema: { type: "integer" } },
      },
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", bearerFormat: "omn_<id>_<secret>", description: "An API key of one team. Listed are the scopes that it must have." },
        browser: { type: "apiKey", in: "cookie", name: "__Host-session", description: "Who signed in on the server's own pages; a request that changes something must come from one of them." },
      },
    },
  };
}

const codes = [...Object.keys(statusOf), "METHOD_NOT_ALLOWED"];
const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "timestamp", "request_id"],
      properties: { code: { type: "string", enum: codes }, message: { type: "string" }, hint: { type: "string" }, details: { type: "object" }, timestamp: { type: "string", format: "date-time" }, request_id: { type: "string" } },
    },
  },
};

const requestId = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const refusal = (description: string, headers: Json = {}): Json => ({ description, headers: { ...requestId, ...headers }, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } });
const responses: Record<string, Json> = {
  400: refusal("VALIDATION_ERROR: says which field or query parameter, and what would be right"),
  401: refusal("INVALID_SESSION: no credential, or one that is mistyped, expired or revoked", { "WWW-Authenticate": { schema: { type: "string" } } }),
  403: refusal("PERMISSION_DENIED: the role or a scope is missing; FRESH_SIGN_IN_REQUIRED; QUOTA_EXCEEDED: the team's storage is full"),
  404: refusal("NOT_FOUND, of a memory MEMORY_NOT_FOUND: not there, or not yours to see"),
  408: refusal("The body did not arrive in time"),
  409: refusal("CONFLICT: something else is there already, or changed meanwhile"),
  413: refusal("The body is too long"),
  415: refusal("The body is compressed"),
  429: refusal("RATE_LIMIT_EXCEEDED", { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }),
  500: refusal("INTERNAL_ERROR: the request id names it in the server's log"),
  502: refusal("PROVIDER_ERROR: something that the server asks gives no answer, or not in time"),
  507: refusal("STORAGE_FULL: the server has no room left"),
};

function operation(method: string, address: string, route: Route, schemas: Schemas): Json {
  const { id, says, query, headers = {}, body, bodyType = "application/json" } = route;
  const inPath = [...address.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({ name, in: "path", required: true, schema: { type: "string" }, ...(name === "team" ? { description: "id of the team" } : {}) }));
  const parameters = [...inPath, ...(query ? queryParameters(schemas.of(id, query, "input")) : []), ...Object.entries(headers).map(([name, description]) => ({ name, in: "header", required: false, description, schema: { type: "string" } }))];
  const form = body && schemas.of(id, body, "input");
  return {
    operationId: id,
    tags: [tagOf(address)],
    summary: says,
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(form ? { requestBody: { required: body?.safeParse({}).success !== true, content: { [bodyType]: { schema: form } } } } : {}),
    responses: { [route.status ?? 200]: success(route, schemas), ...Object.fromEntries(refusals(method, address, route).map((status) => [status, { $ref: `#/components/responses/${status}` }])) },
  };
}

const tagOf = (address: string): string => /^\/v1\/teams\/\{team\}\/([\w-]+)/.exec(address)?.[1] ?? /^\/(?:v1\/)?([\w-]+)/.exec(address)?.[1] ?? "server";

function securityOf({ needs, by }: Route): Json[] {
  if (needs === "nobody") return [];
  return [...(needs === "person" ? [] : [{ apiKey: needs }]), ...(by === "key" ? [] : [{ browser: [] }])];
}

function success({ id, answer, alternative }: Route, schemas: Schemas): Json {
  const content = typeof answer === "string" ? { [answer]: { schema: { type: "string" } } } : { "application/json": { schema: schemas.of(id, answer, "output") } };
  return { description: "Done", headers: requestId, content: { ...content, ...(alternative === undefined ? {} : { [alternative]: { schema: { type: "string" } } }) } };
}

function refusals(method: string, address: string, { needs, body, refuses = [] }: Route): number[] {
  if (needs === "nobody") return [429, 500];
  const always = [400, 401, 403, ...(address.includes("{") ? [404] : []), 429, 500];
  return [...new Set([...always, ...(body ? [408, 413, 415] : []), ...(method === "GET" ? [] : [502, 507]), ...refuses])].sort((a, b) => a - b);
}

interface ObjectSchema {
  properties?: Record<string, Json>;
  required?: string[];
}

function queryParameters(schema: Json): Json[] {
  const { properties = {}, required = [] } = schema as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...form }]) => ({ name, in: "query", required: required.includes(name), ...(description === undefined ? {} : { description }), schema: form }));
}

/** JSON Schemas of one document: what several routes answer stands in it once. */
class Schemas {
  readonly shared: Record<string, unknown> = {};

  /** `name`: of the route, after which parts are called that have no name of their own. */
  of(name: string, schema: z.ZodType, io: "input" | "output"): Json {
    const { $schema: _, $defs = {}, ...form } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      override: (node) => {
        if (io === "input") withText(node);
        const { zodSchema, jsonSchema } = node;
        if (zodSchema === flag) Object.assign(jsonSchema, { type: "boolean" });
        // Answers may get more fields; what is sent may not have more.
        if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // What zod knows of a format by heart, the format says.
        if (jsonSchema.format === "date-time" || jsonSchema.format === "uuid") delete jsonSchema.pattern;
        delete jsonSchema.id;
        delete jsonSchema["listed"];
      },
    }) as Json & { $defs?: Record<string, unknown> };
    const nameOf = (id: string): string => id.replace(/^__schema/, `${name}_${io}_`);
    const referring = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(/"\$ref":"#\/\$defs\/([^"]+)"/g, (_, id: string) => `"$ref":"#/components/schemas/${nameOf(id)}"`)) as T;
    for (const [id, part] of Object.entries($defs)) this.shared[nameOf(id)] = referring(part);
    return referring(form);
  }
}
