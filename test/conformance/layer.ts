import type {
  CallToolResult, ClientCapabilities, GetPromptResult, InputRequiredResult, JSONRPCRequest, Prompt, ReadResourceResult, RequestMethod, Resource,
  ResourceTemplateType, Result, Server, ServerContext, Tool,
} from "@modelcontextprotocol/server";
import { CLIENT_CAPABILITIES_META_KEY, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";

type Stored = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;
type Maybe<T> = T | Promise<T>;

export interface Fixtures {
  tools: {
    tool: Tool;
    call(args: Record<string, unknown>, ctx: ServerContext): Maybe<CallToolResult | InputRequiredResult>;
  }[];
  prompts: {
    prompt: Prompt;
    get(args: Record<string, string>, ctx: ServerContext): Maybe<GetPromptResult | InputRequiredResult>;
  }[];
  resources: Resource[];
  templates: ResourceTemplateType[];
  /** Undefined for a URI that is not a fixture. */
  read(uri: string): ReadResourceResult | undefined;
}

/** The handlers a server already has. The SDK offers no way to wrap one, and only this test needs to. */
function handlerOf(server: Server, method: RequestMethod): Stored | undefined {
  return (server as unknown as { _requestHandlers: Map<string, Stored> })._requestHandlers.get(method);
}

/** What the client of this request can do. The SDK's type of the envelope lists no keys. */
export function declaredCapabilities(ctx: ServerContext): ClientCapabilities | undefined {
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** Puts fixtures beside what the server offers: ours are added to its lists, and any name that is not ours is its own. */
export function layer(server: Server, fixtures: Fixtures): void {
  layerList(server, "tools/list", "tools", fixtures.tools.map(({ tool }) => tool));
  layerList(server, "prompts/list", "prompts", fixtures.prompts.map(({ prompt }) => prompt));
  layerList(server, "resources/list", "resources", fixtures.resources);
  layerList(server, "resources/templates/list", "resourceTemplates", fixtures.templates);

  const call = handlerOf(server, "tools/call");
  server.setRequestHandler("tools/call", async (request, ctx) => {
    const ours = fixtures.tools.find(({ tool }) => tool.name === request.params.name);
    if (ours !== undefined) return ours.call(request.params.arguments ?? {}, ctx);
    if (call === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${request.params.name}`);
    return (await call(request as unknown as JSONRPCRequest, ctx)) as CallToolResult;
  });

  const get = handlerOf(server, "prompts/get");
  server.setRequestHandler("prompts/get", async (request, ctx) => {
    const ours = fixtures.prompts.find(({ prompt }) => prompt.name === request.params.name);
    if (ours !== undefined) return ours.get(request.params.arguments ?? {}, ctx);
    if (get === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${request.params.name}`);
    return (await get(request as unknown as JSONRPCRequest, ctx)) as GetPromptResult;
  });

  const read = handlerOf(server, "resources/read");
  server.setRequestHandler("resources/read", async (request, ctx) => {
    const ours = fixtures.read(request.params.uri);
    if (ours !== undefined) return ours;
    if (read === undefined) throw new ResourceNotFoundError(request.params.uri);
    return (await read(request as unknown as JSONRPCRequest, ctx)) as ReadResourceResult;
  });

  const complete = handlerOf(server, "completion/complete");
  server.setRequestHandler("completion/complete", async (request, ctx) => {
    const { ref } = request.params;
    const ours = ref.type === "ref/prompt" && fixtures.prompts.some(({ prompt }) => prompt.name === ref.name);
    if (!ours && complete !== undefined) {
      return (await complete(request as unknown as JSONRPCRequest, ctx)) as { completion: { values: string[] } };
    }
    return { completion: { values: ["paris", "park", "party"], total: 3, hasMore: false } };
  });
}

type ListMethod = "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list";

function layerList(server: Server, method: ListMethod, key: string, ours: readonly object[]): void {
  const previous = handlerOf(server, method);
  const set = server.setRequestHandler.bind(server) as unknown as (method: ListMethod, handler: Stored) => void;
  set(method, async (request, ctx) => {
    const theirs = previous === undefined ? {} : await previous(request, ctx);
    // Ours come after its last page.
    if (theirs.nextCursor !== undefined) return theirs;
    return { ...theirs, [key]: [...((theirs[key] as object[] | undefined) ?? []), ...ours] };
  });
}
