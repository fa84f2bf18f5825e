import { readRequestBody, type RequestId } from "@modelcontextprotocol/server";

/** Of the HTTP binding, not of JSON-RPC; this value and -32001 for an unknown session are the SDK's (streamableHttp.ts). */
export const httpError = -32000;
export const parseError = -32700;
export const invalidRequest = -32600;
export const internalError = -32603;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The method of a single message; a batch has none. */
export function methodOf(body: unknown): string | undefined {
  return isRecord(body) && typeof body.method === "string" ? body.method : undefined;
}

/** The id an error answer must echo: only a single request has one (2026-07-28, basic: error responses carry the request's id). */
function requestIdOf(body: unknown): RequestId | null {
  if (!isRecord(body) || typeof body.method !== "string") return null;
  return typeof body.id === "string" || typeof body.id === "number" ? body.id : null;
}

export function rpcError(status: number, code: number, message: string, body?: unknown, headers?: Record<string, string>): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: requestIdOf(body) }, { status, ...(headers && { headers }) });
}

export function sessionNotFound(body?: unknown): Response {
  return rpcError(404, -32001, "Session not found: send initialize again", body);
}

export function methodNotAllowed(allow: string): Response {
  return rpcError(405, httpError, `Method not allowed; use ${allow}`, undefined, { Allow: allow });
}

/**
 * Reads the body once, bounded, so that both eras can be handed the parsed value (a no-op call's latency is mostly this).
 * A declared length is trusted because HTTP frames the body by it; only chunked bodies are counted while they arrive.
 */
export async function readJson(request: Request, maxBytes: number): Promise<{ body: unknown } | { rejected: Response }> {
  const declared = request.headers.get("content-length");
  let text: string;
  if (declared !== null && Number(declared) <= maxBytes) {
    text = await request.text();
  } else {
    const read = await readRequestBody(request, maxBytes);
    if (read.tooLarge) {
      return { rejected: rpcError(413, httpError, `Payload Too Large: the request body must not exceed ${maxBytes} bytes`) };
    }
    text = read.text;
  }
  try {
    return { body: JSON.parse(text) };
  } catch {
    return { rejected: rpcError(400, parseError, "Parse error: the request body is not valid JSON") };
  }
}
