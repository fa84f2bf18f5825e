import { Client as Client2, SSEClientTransport as Sse2, StreamableHTTPClientTransport as Streamable2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as Sse1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as Streamable1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Product } from "./product.ts";

export interface Answer {
  // What a tool answers is for each test to know.
  structured: Record<string, any>;
  text: string;
  isError: boolean;
  error: { code: string; message: string; hint?: string; request_id: string } | undefined;
}

/** What the tests need of a client, whatever its package and era. */
export interface TestClient {
  era: "sessions" | "stateless";
  /** `onprogress`: asks to be told how far the call is. */
  call(name: string, args?: Record<string, unknown>, onprogress?: (told: { progress: number; total?: number | undefined }) => void): Promise<Answer>;
  listTools(): Promise<{ name: string }[]>;
  listResources(): Promise<{ uri: string; name: string }[]>;
  readResource(uri: string): Promise<string>;
  listPrompts(): Promise<{ name: string }[]>;
  getPrompt(name: string, args: Record<string, string>): Promise<string>;
  complete(prompt: string, argument: string, value: string): Promise<string[]>;
  /** Watches the resource, and whether the list of resources changes. */
  watch(uri: string, seen: { updated(uri: string): void; listChanged(): void }): Promise<void>;
  sessionId(): string | undefined;
  close(): Promise<void>;
}

/** A person before a client that shows forms: what they answer to a question. */
export type Person = (question: string, choices: readonly string[]) => Promise<"yes" | "no" | "dismissed" | { choose: string }>;

/** With a person, the client declares that it can ask one. */
export type Connect = (product: Product, query?: string, person?: Person) => Promise<TestClient>;

const abilities = (person: Person | undefined) => (person ? { capabilities: { elicitation: { form: {} } } } : {});

async function said(person: Person, message: string, schema: unknown): Promise<{ action: "accept" | "decline" | "cancel"; content?: { go_ahead: boolean } | { choice: string } }> {
  const answer = await person(message, (schema as { properties?: { choice?: { enum?: string[] } } } | undefined)?.properties?.choice?.enum ?? []);
  if (typeof answer === "object") return { action: "accept", content: { choice: answer.choose } };
  return answer === "yes" ? { action: "accept", content: { go_ahead: true } } : { action: answer === "no" ? "decline" : "cancel" };
}

/** The SDKs give up a broken stream after two attempts within 2.5 s, which a restart of the server may take longer than. */
const reconnectionOptions = { initialReconnectionDelay: 500, maxReconnectionDelay: 2_000, reconnectionDelayGrowFactor: 1.5, maxRetries: 30 };
const auth = (product: Product) => ({ reconnectionOptions, requestInit: { headers: { authorization: `Bearer ${product.apiKey}` } } });
const named = (name: string) => ({ name, version: "1.0.0" });

interface RawResult {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
  _meta?: Record<string, unknown> | undefined;
}

function answerOf(result: RawResult): Answer {
  const [first] = (result.content ?? []) as { text?: string }[];
  return {
    structured: (result.structuredContent ?? {}) as Answer["structured"],
    text: first?.text ?? "",
    isError: result.isError === true,
    error: result._meta?.["omnimemory/error"] as Answer["error"],
  };
}

interface RawPrompt {
  messages: { content: object }[];
}
const promptText = ({ messages }: RawPrompt): string => String((messages[0]?.content as { text?: string } | undefined)?.text);
const argumentOf = (prompt: string, name: string, value: string) => ({ ref: { type: "ref/prompt" as const, name: prompt }, argument: { name, value } });

const textOf = ({ contents }: { contents: object[] }): string => String((contents[0] as { text?: string } | undefined)?.text);

/** Both SDKs drop a progress that one read of the socket brings together with the answer, which they take first: so they get one message a turn of the event loop. */
function inTurn(transport: { onmessage?: ((message: never, extra?: never) => void) | undefined }): void {
  const deliver = transport.onmessage;
  let turn = Promise.resolve();
  transport.onmessage = (...message: [never]) => {
    turn = turn.then(() => new Promise<void>((resolve) => setImmediate(resolve))).then(() => deliver?.(...message));
  };
}

async function sdk1(transport: Streamable1 | Sse1, name: string, person?: Person): Promise<TestClient> {
  const client = new Client1(named(name), abilities(person));
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => said(person, params.message, "requestedSchema" in params ? params.requestedSchema : undefined));
  await client.connect(transport);
  inTurn(transport);
  return {
    era: "sessions",
    call: async (tool, args = {}, onprogress) => answerOf(await client.callTool({ name: tool, arguments: args }, undefined, onprogress && { onprogress })),
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    readResource: async (uri) => textOf(await client.readResource({ uri })),
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: async (name, args) => promptText(await client.getPrompt({ name, arguments: args })),
    complete: async (prompt, argument, value) => (await client.complete(argumentOf(prompt, argument, value))).completion.values,
    async watch(uri, seen) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => seen.updated(params.uri));
      client.setNotificationHandler(ResourceListChangedNotificationSchema, () => seen.listChanged());
      await client.subscribeResource({ uri });
    },
    sessionId: () => (transport instanceof Streamable1 ? transport.sessionId : undefined),
    close: () => client.close(),
  };
}

async function client2(transport: Streamable2 | Sse2, name: string, mode: "legacy" | "auto" | { pin: string }, person?: Person): Promise<TestClient> {
  const client = new Client2(named(name), { versionNegotiation: { mode }, ...abilities(person) });
  if (person) client.setRequestHandler("elicitation/create", ({ params }) => said(person, params.message, "requestedSchema" in params ? params.requestedSchema : undefined));
  await client.connect(transport);
  inTurn(transport);
  const era = client.getProtocolEra() === "modern" ? "stateless" : "sessions";
  return {
    era,
    call: async (tool, args = {}, onprogress) => answerOf(await client.callTool({ name: tool, arguments: args }, onprogress && { onprogress })),
    listTools: async () => (await client.listTools({}, { cacheMode: "refresh" })).tools,
    listResources: async () => (await client.listResources({}, { cacheMode: "refresh" })).resources,
    readResource: async (uri) => textOf(await client.readResource({ uri }, { cacheMode: "refresh" })),
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: async (name, args) => promptText(await client.getPrompt({ name, arguments: args })),
    complete: async (prompt, argument, value) => (await client.complete(argumentOf(prompt, argument, value))).completion.values,
    async watch(uri, seen) {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => seen.updated(params.uri));
      client.setNotificationHandler("notifications/resources/list_changed", () => seen.listChanged());
      if (era === "sessions") await client.subscribeResource({ uri });
      else await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    },
    sessionId: () => (transport instanceof Streamable2 ? transport.sessionId : undefined),
    close: () => client.close(),
  };
}

/** The surface that has every tool and the structured form of its answers. */
const everything = "?surface=all";

/** Every kind of client that people have: package, transport and era. */
export const kinds: [kind: string, connect: Connect][] = [
  ["sdk 1 over Streamable HTTP", (product, query = everything, person) => sdk1(new Streamable1(product.url(`/mcp${query}`), auth(product)), "sdk-1", person)],
  ["sdk 1 over SSE", (product, query = everything, person) => sdk1(new Sse1(product.url(`/sse${query}`), auth(product)), "sdk-1-sse", person)],
  ["client 2 with sessions", (product, query = everything, person) => client2(new Streamable2(product.url(`/mcp${query}`), auth(product)), "client-2-sessions", "legacy", person)],
  ["client 2 with 2026-07-28", (product, query = everything, person) => client2(new Streamable2(product.url(`/mcp/${query}`), auth(product)), "client-2", { pin: "2026-07-28" }, person)],
  ["client 2 that negotiates", (product, query = everything, person) => client2(new Streamable2(product.url(`/mcp${query}`), auth(product)), "client-2-auto", "auto", person)],
  ["client 2 over SSE", (product, query = everything, person) => client2(new Sse2(product.url(`/sse${query}`), auth(product)), "client-2-sse", "legacy", person)],
];

/** Clients that announce themselves by the names of tools which people use, each in its own way. */
export const tools: Record<"claude-code" | "cursor" | "vscode", Connect> = {
  "claude-code": (product, query = everything) => client2(new Streamable2(product.url(`/mcp${query}`), auth(product)), "claude-code", { pin: "2026-07-28" }),
  cursor: (product, query = everything) => client2(new Streamable2(product.url(`/mcp${query}`), auth(product)), "cursor", "legacy"),
  vscode: (product, query = everything) => sdk1(new Streamable1(product.url(`/mcp${query}`), auth(product)), "vscode"),
};
