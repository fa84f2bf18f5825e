import type { RequestId } from "@modelcontextprotocol/server";
import { DomainError } from "../domain/errors.ts";
import { parseJson } from "../domain/strict-json.ts";

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

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Reads the body once, bounded, so that both eras can be handed the parsed value (a no-op call's latency is mostly this).
 * A declared length is trusted because HTTP frames the body by it; only chunked bodies are counted while they arrive.
 */
export async function readJson(request: Request, maxBytes: number): Promise<{ body: unknown } | { rejected: Response }> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes === undefined) {
    return { rejected: rpcError(413, httpError, `Payload Too Large: the request body must not exceed ${maxBytes} bytes`) };
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { rejected: rpcError(400, parseError, "Parse error: the request body is not valid UTF-8") };
  }
  try {
    return { body: parseJson(text) };
  } catch (error) {
    if (error instanceof DomainError) return { rejected: rpcError(400, invalidRequest, `Invalid request: ${error.message} ${error.mend}`) };
    return { rejected: rpcError(400, parseError, "Parse error: the request body is not valid JSON") };
  }
}

/** Undefined when there are more than `maxBytes`. */
async function readBytes(request: Request, maxBytes: number): Promise<ArrayBuffer | Uint8Array | undefined> {
  const declared = request.headers.get("content-length");
  if (declared !== null) {
    if (Number(declared) <= maxBytes) return request.arrayBuffer();
    await request.body?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
