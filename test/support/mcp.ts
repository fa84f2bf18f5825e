import { SELF } from "cloudflare:test";

export interface ToolAnswer {
  status: number;
  structured: Record<string, any>;
  text: string;
  isError: boolean;
  /** Error form of section 12, when the tool refused. */
  error: { code: string; message: string; hint?: string; request_id: string } | undefined;
  /** JSON-RPC error, when the protocol refused. */
  rpcError: { code: number; message: string } | undefined;
}

const protocolVersion = "2026-07-28";

/** One JSON-RPC request of the stateless era through the whole Worker: edge, session object, tools, D1. */
export async function rpc(token: string, method: string, params: Record<string, unknown> = {}, query = "", client = "vitest", headers: Record<string, string> = {}): Promise<{ status: number; body: any }> {
  const name = params["name"] ?? params["uri"];
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": protocolVersion,
        "io.modelcontextprotocol/clientInfo": { name: client, version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const response = await SELF.fetch(`http://localhost/mcp${query}`, {
    method: "POST",
    headers: {
      host: "localhost",
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": String(new TextEncoder().encode(body).length),
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": protocolVersion,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": String(name) }),
      ...headers,
    },
    body,
  });
  return { status: response.status, body: await response.json() };
}

/** The surface that has every tool and the structured form of its answers. */
const everything = "?surface=all";

export async function callTool(token: string, name: string, args: Record<string, unknown> = {}, client?: string): Promise<ToolAnswer> {
  const { status, body } = await rpc(token, "tools/call", { name, arguments: args }, everything, client);
  const result = body.result ?? {};
  return {
    status,
    structured: result.structuredContent ?? {},
    text: result.content?.[0]?.text ?? "",
    isError: result.isError === true,
    error: result._meta?.["omnimemory/error"],
    rpcError: body.error,
  };
}
