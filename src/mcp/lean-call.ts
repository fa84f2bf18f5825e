import * as z from "zod";
import { parseJson } from "../domain/strict-json.ts";
import type { ToolAnswer } from "../tools/call-tool.ts";
import { findTool } from "../tools/catalogue.ts";
import { asksPeople, resultOf } from "./confirmation.ts";
import type { Copies } from "./event-store.ts";
import { serverInfo } from "./server-info.ts";

/**
 * The short path of a `tools/call` of the stateless era (2026-07-28): an ordinary call is parsed once and answered without an SDK
 * server, which would be built for this one request. Building it and validating everything again costs more than an ordinary call.
 *
 * This path takes only what the SDK would accept and answer with one JSON body. Everything else, valid or not, goes to the SDK, which
 * words every error of the protocol: `test/mcp/lean-call.test.ts` compares both.
 */
const revision = "2026-07-28";

const reserved = (name: string): string => `io.modelcontextprotocol/${name}`;

/** A larger body goes to the SDK's way in, which reserves room for it before it is read. */
export const maxLeanBytes = 65_536;

/** What the headers say of a request that may be such a call; undefined where the SDK has to look at it. */
export function leanNameOf(request: Request): string | undefined {
  const { headers } = request;
  if (request.method !== "POST" || headers.get("mcp-protocol-version") !== revision || headers.get("mcp-method") !== "tools/call") return undefined;
  if (headers.get("content-type") !== "application/json" || headers.has("mcp-session-id") || headers.has("content-encoding")) return undefined;
  // A body of unknown length may be of any length.
  const length = headers.get("content-length");
  if (length === null || !(Number(length) <= maxLeanBytes)) return undefined;
  const name = headers.get("mcp-name");
  return name !== null && findTool(name) ? name : undefined;
}

export interface LeanCall {
  id: string | number;
  name: string;
  args: Record<string, unknown> | undefined;
  /** How the client calls itself. */
  clientInfo: unknown;
  /** Whether it shows its person a question; the answer to one comes by the SDK's way. */
  asks: boolean;
}

/** The call, if this is an ordinary one and its body says what its headers say. */
export function leanCallOf(body: unknown, name: string): LeanCall | undefined {
  const { data } = message().safeParse(body);
  if (data?.params.name !== name) return undefined;
  const { arguments: args, _meta } = data.params;
  return { id: data.id, name, args, clientInfo: _meta[reserved("clientInfo")], asks: asksPeople(_meta[reserved("clientCapabilities")]) };
}

/** A body that is no JSON is the SDK's way to refuse. */
export function parsedOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The answer as the SDK writes it. */
export const leanAnswer = async ({ id, asks, name }: LeanCall, answer: ToolAnswer, copies: Copies): Promise<string> => {
  const result = await resultOf(answer, asks, { copies, name, now: Date.now() });
  return JSON.stringify({ result: { ...result, resultType: result["resultType"] ?? "complete", _meta: { ...result._meta, [reserved("serverInfo")]: serverInfo } }, jsonrpc: "2.0", id });
};

const buildMessage = () => {
  const object = z.record(z.string(), z.unknown());
  const text = z.string().optional();
  // The SDK's schema of capabilities (its wire/rev2026-07-28), and no key that is not in it.
  const capabilities = z.strictObject({
    experimental: z.record(z.string(), object).optional(),
    sampling: z.strictObject({ context: object.optional(), tools: object.optional() }).optional(),
    elicitation: z.strictObject({ form: z.strictObject({ applyDefaults: z.boolean().optional() }).optional(), url: object.optional() }).optional(),
    roots: z.strictObject({ listChanged: z.boolean().optional() }).optional(),
    extensions: z.record(z.string(), object).optional(),
  });
  return z.strictObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number().int()]),
    method: z.literal("tools/call"),
    params: z.strictObject({
      name: z.string(),
      arguments: object.optional(),
      // Without a progress token, and whatever else a later revision may put here.
      _meta: z.strictObject({
        [reserved("protocolVersion")]: z.literal(revision),
        [reserved("clientCapabilities")]: capabilities,
        [reserved("clientInfo")]: z.strictObject({ name: z.string(), title: text, version: z.string(), websiteUrl: text, description: text }).optional(),
      }),
    }),
  });
};

let built: ReturnType<typeof buildMessage> | undefined;
/** Built at the first call: schemas at the top of a module cost the Worker's start-up. */
const message = (): ReturnType<typeof buildMessage> => (built ??= buildMessage());
