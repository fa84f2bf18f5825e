import type { Config } from "../config.ts";
import { parseApiKey } from "../domain/tenancy/api-key.ts";
import { leanNameOf, maxLeanBytes } from "../mcp/lean-call.ts";
import { internalError, rpcError, rpcRefused } from "../mcp/json-rpc.ts";
import { requestIdHeader } from "../session/session-call.ts";
import type { LeanRefusal, LeanRequest } from "../session/user-session.ts";
import type { Surface } from "../tools/surfaces.ts";
import { type BodyBound, readBody } from "./bounded-body.ts";
import { callOrigin } from "./call-origin.ts";
import { invalidCredential } from "./errors.ts";
import { challenge, resourceOf } from "./oauth/resources.ts";
import { publicOrigin } from "./origin.ts";
import { projectOf } from "./project.ts";
import { sessionDefaultsOf } from "./session-headers.ts";
import { RequestRefused } from "./request-refused.ts";

/** What the edge asks of a session object. */
export interface SessionStub {
  fetch(request: Request): Promise<Response>;
  call(request: LeanRequest): Promise<string | LeanRefusal>;
}

export interface Arrived {
  request: Request;
  url: URL;
  surface: Surface;
  requestId: string;
  token: string;
}

/** Bodies that the edge itself may be reading; further requests go to the session object as they come, which charges them before it reads. */
const maxReading = 64;
const leanBound: BodyBound = { maxBytes: maxLeanBytes, withinMs: 10_000 };
const leanPaths = new Set(["/mcp", "/mcp/"]);

/** Hands MCP requests to the session objects: an ordinary call as one RPC of text, everything else as it came. */
export class McpDoor {
  readonly #config: Config;
  #reading = 0;

  constructor(config: Config) {
    this.#config = config;
  }

  /** @throws RequestRefused */
  async pass(session: SessionStub, arrived: Arrived): Promise<Response> {
    const project = projectOf(arrived.request.headers, arrived.url);
    const sessionDefaults = sessionDefaultsOf(arrived.request.headers);
    const name = leanPaths.has(arrived.url.pathname) ? leanNameOf(arrived.request) : undefined;
    if (name === undefined || this.#reading >= maxReading) return handOn(session, arrived);
    const bytes = await this.#read(arrived.request);
    const text = textOf(bytes);
    const reply = text === undefined ? sdk : await session.call(this.#leanRequest(arrived, name, text, { project, sessionDefaults }));
    if (typeof reply === "string") return new Response(reply, { headers: { "content-type": "application/json" } });
    switch (reply.kind) {
      case "sdk": return handOn(session, arrived, bytes);
      case "credential": return invalidCredential(arrived.requestId, challenge(arrived.url, this.#config, "invalid_token"));
      case "refused": return rpcRefused(new RequestRefused(reply.status, reply.message, reply.retryAfterSeconds), arrived.requestId);
      case "fault": return rpcError(500, internalError, "Internal server error");
    }
  }

  async #read(request: Request): Promise<Uint8Array> {
    this.#reading += 1;
    try {
      return await readBody(request, leanBound);
    } finally {
      this.#reading -= 1;
    }
  }

  #leanRequest({ request, url, surface, requestId, token }: Arrived, name: string, text: string, said: Pick<LeanRequest, "project" | "sessionDefaults">): LeanRequest {
    return {
      text,
      name,
      token,
      from: callOrigin(request.headers, requestId),
      // Keys are not for one address.
      resource: parseApiKey(token) ? undefined : resourceOf(url, this.#config),
      surface,
      publicOrigin: publicOrigin(url, this.#config),
      ...said,
    };
  }
}

const sdk: LeanRefusal = { kind: "sdk" };

/** `bytes`: the body, where it has been read. */
export async function handOn(session: Pick<SessionStub, "fetch">, { request, requestId }: Pick<Arrived, "request" | "requestId">, bytes?: Uint8Array): Promise<Response> {
  const forwarded = bytes === undefined ? new Request(request) : new Request(request.url, { method: request.method, headers: request.headers, body: bytes, signal: request.signal });
  forwarded.headers.set(requestIdHeader, requestId);
  const answer = await session.fetch(forwarded);
  // Headers of a response from an object are immutable; the copy streams the same body.
  return new Response(answer.body, answer);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
