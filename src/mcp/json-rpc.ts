import type { RequestId } from "@modelcontextprotocol/server";
import { DomainError } from "../domain/errors.ts";
import { parseJson } from "../domain/strict-json.ts";
import { type BodyBound, readBody } from "../http/bounded-body.ts";
import { codeOfRefused, type RequestRefused, retryHeader } from "../http/request-refused.ts";

/**
 * Codes of the HTTP binding, not of JSON-RPC; this value and -32001 for an unknown session are the SDK's (streamableHttp.ts).
 */
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

/** A batch is one request to the limits of HTTP servers; ours are of messages. */
const maxBatch = 10;

/** The messages of a body; none when there are more than one request may carry. */
export function messagesOf(body: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(body)) return [body];
  return body.length <= maxBatch ? body : undefined;
}

export const batchTooLong = (): Response => rpcError(400, invalidRequest, `Invalid Request: a batch holds at most ${maxBatch} messages; none of these was looked at`);

/** A refusal of the gate, in the form of JSON-RPC. */
export function rpcRefused(refused: RequestRefused, requestId: string): Response {
  const { status, message, retryAfterSeconds } = refused;
  const data = retryAfterSeconds === undefined ? undefined : { code: codeOfRefused(refused), retry_after: retryAfterSeconds, request_id: requestId };
  const told = data ? `${data.code}: ${message}` : message;
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: httpError, message: told, ...(data && { data }) } }, { status, headers: retryHeader(refused) });
}

/** Reads the body once, so that both eras can be handed the parsed value (a no-op call's latency is mostly this). @throws RequestRefused */
export async function readJson(request: Request, bound: BodyBound): Promise<{ body: unknown } | { rejected: Response }> {
  const bytes = await readBody(request, bound);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { rejected: rpcError(400, parseError, "Parse error: the request body is not valid UTF-8") };
  }
  try {
    return { body: parseJson(text) };
  } catch (error) {
    if (error instanceof DomainError) return { rejected: rpcError(400, invalidRequest, `Invalid request: ${error.message} ${error.hint}`) };
    return { rejected: rpcError(400, parseError, "Parse error: the request body is not valid JSON") };
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
