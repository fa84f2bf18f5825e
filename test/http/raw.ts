import { createExecutionContext, SELF, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { servicesOf } from "../../src/app.ts";
import { router } from "../../src/http/router.ts";

export const protocolVersion = "2026-07-28";

/** What every request of the stateless era says about itself. */
export const meta = {
  "io.modelcontextprotocol/protocolVersion": protocolVersion,
  "io.modelcontextprotocol/clientInfo": { name: "vitest", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface Raw {
  path?: string;
  method?: string;
  token?: string | undefined;
  /** Added to those of a correct call; `null` leaves one out. */
  headers?: Record<string, string | null>;
  /** Text, bytes and streams are sent as they are, anything else as JSON. */
  body?: unknown;
}

/** A correct no-op call of the stateless era, but for what the test changes in it. */
export const send = (raw: Raw): Promise<Response> => SELF.fetch(requestOf(raw));

/** The same to a deployment at Cloudflare, which says in headers where a request came from. */
export async function sendByCloudflare(raw: Raw): Promise<Response> {
  const services = servicesOf(env);
  const app = router({ ...services, config: { ...services.config, production: true } }, (name) => env.USER_SESSION.getByName(name));
  const ctx = createExecutionContext();
  const answer = await app.fetch(requestOf(raw), env, ctx);
  await waitOnExecutionContext(ctx);
  return answer;
}

function requestOf({ path = "/mcp", method = "POST", token, headers = {}, body = toolCall("omn_health_check") }: Raw): Request {
  const { method: rpcMethod, params } = (body ?? {}) as { method?: string; params?: { name?: string } };
  const sent = bodyOf(body);
  const all: Record<string, string | null> = {
    host: "localhost",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": protocolVersion,
    ...(typeof rpcMethod === "string" ? { "mcp-method": rpcMethod } : {}),
    ...(typeof params?.name === "string" ? { "mcp-name": params.name } : {}),
    // As real clients send it; a stream has none.
    ...(typeof sent === "string" && method !== "GET" && method !== "HEAD" ? { "content-length": String(new TextEncoder().encode(sent).length) } : {}),
    ...headers,
  };
  return new Request(`http://localhost${path}`, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter((header): header is [string, string] => header[1] !== null)),
    ...(method === "GET" || method === "HEAD" ? {} : { body: sent }),
  });
}

const bodyOf = (body: unknown): BodyInit =>
  typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream ? body : JSON.stringify(body);

export const toolCall = (name: string, args: unknown = {}): Record<string, unknown> => ({
  jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: meta },
});

export const request = (method: string, params: Record<string, unknown> = {}): Record<string, unknown> => ({
  jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta },
});
