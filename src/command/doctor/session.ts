import { version } from "../../../package.json";
import { jsonOf } from "../json.ts";
import { type Answer, Failed, type Finding, fine, note, opens, send } from "./step.ts";

const protocol = "2025-11-25";
const accepted = { accept: "application/json, text/event-stream", "content-type": "application/json" };
const call = (method: string, params: object, id?: number): string => JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params });

/** The first call of a client. */
export const initialize = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(url, { method: "POST", headers: { ...accepted, ...headers }, body: call("initialize", { protocolVersion: protocol, capabilities: {}, clientInfo: { name: "omnimemory-doctor", version } }, 1) });

/** The result in JSON, or in the last event of a stream. */
function resultIn({ text, headers }: Answer): Record<string, unknown> {
  const json = (headers.get("content-type") ?? "").startsWith("text/event-stream") ? (text.match(/^data: ?(\{.*)$/gm)?.at(-1) ?? "").replace(/^data: ?/, "") : text;
  return (jsonOf(json) as { result?: Record<string, unknown> } | null | undefined)?.result ?? {};
}

/** What a client does with a credential: it opens a session, asks for the tools, listens, and ends it. */
export async function* session(url: string, credential: string, whose: string, ifRefused: string): AsyncGenerator<Finding> {
  const authorization = { authorization: `Bearer ${credential}` };
  const opened = await initialize(url, authorization);
  if (opened.status === 401) throw new Failed(`${whose} is not valid at ${new URL(url).origin}.`, ifRefused);
  if (opened.status === 429) throw new Failed("The server asks to wait: too many requests of late.", `Try again in ${opened.headers.get("retry-after") ?? "60"} s; clients that ask more slowly do not meet this.`);
  if (opened.status !== 200) throw new Failed(`A session is answered with ${opened.status}.`, opened.text.slice(0, 300));
  const id = opened.headers.get("mcp-session-id");
  yield fine(`${whose} opens a session (protocol ${String(resultIn(opened)["protocolVersion"] ?? protocol)})`);
  const inSession = { ...authorization, "mcp-protocol-version": protocol, ...(id === null ? {} : { "mcp-session-id": id }) };
  await send(url, { method: "POST", headers: { ...accepted, ...inSession }, body: call("notifications/initialized", {}) });
  const listed = resultIn(await send(url, { method: "POST", headers: { ...accepted, ...inSession }, body: call("tools/list", {}, 2) }))["tools"];
  const tools = Array.isArray(listed) ? listed.map(({ name }: { name?: unknown }) => String(name)) : [];
  if (tools.length === 0) throw new Failed("The server lists no tools.", "Look at ?surface= in the URL, and whether the key may read: README, \"Which tools are listed\".");
  yield fine(`${tools.length} tools: ${tools.slice(0, 8).join(", ")}${tools.length > 8 ? " …" : ""}`);
  if (id === null) return;
  yield (await opens(url, { ...inSession, accept: "text/event-stream" }))
    ? fine("A stream opens, on which the client hears what others change")
    : note("No stream opens, so the client hears of changes with its next call: a proxy that holds answers back does this.");
  await send(url, { method: "DELETE", headers: inSession });
}
