import type { LocalServer } from "../../src/launcher/server.ts";

const protocol = "2026-07-28";
const _meta = {
  "io.modelcontextprotocol/protocolVersion": protocol,
  "io.modelcontextprotocol/clientInfo": { name: "launcher-test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface Told {
  status: number;
  text: string;
  structured: Record<string, unknown>;
  error: { code: string; message: string; hint?: string } | undefined;
}

interface RpcAnswer {
  result?: { content: { text: string }[]; structuredContent?: Record<string, unknown>; _meta?: Record<string, unknown> };
  error?: { code: string; message: string };
}

/** One call of a tool in the stateless era, with the key of the machine's person. */
export async function callTool({ url, apiKey }: Pick<LocalServer, "url" | "apiKey">, name: string, args: Record<string, unknown>): Promise<Told> {
  const answer = await fetch(`${url}?surface=all`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`, "content-type": "application/json", accept: "application/json, text/event-stream",
      "mcp-method": "tools/call", "mcp-name": name, "mcp-protocol-version": protocol,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } }),
  });
  const { result, error } = (await answer.json()) as RpcAnswer;
  return {
    status: answer.status,
    text: result?.content[0]?.text ?? "",
    structured: result?.structuredContent ?? {},
    error: (result?._meta?.["omnimemory/error"] as Told["error"]) ?? error,
  };
}
