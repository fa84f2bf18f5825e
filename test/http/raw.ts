import { SELF } from "cloudflare:test";

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
export function send({ path = "/mcp", method = "POST", token, headers = {}, body = toolCall("omn_health_check") }: Raw): Promise<Response> {
  const { method: rpcMethod, params } = (body ?? {}) as { method?: string; params?: { name?: string } };
  const all: Record<string, string | null> = {
    host: "localhost",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": protocolVersion,
    ...(typeof rpcMethod === "string" ? { "mcp-method": rpcMethod } : {}),
    ...(typeof params?.name === "string" ? { "mcp-name": params.name } : {}),
    ...headers,
  };
  return SELF.fetch(`http://localhost${path}`, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter((header): header is [string, string] => header[1] !== null)),
    ...(method === "GET" || method === "HEAD" ? {} : { body: bodyOf(body) }),
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
