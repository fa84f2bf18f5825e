import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

/**
 * One hostile key and one stranger, in a thread of their own so that they do not slow down who measures. Bounded: to
 * loopback, for `forMs`, each attack once a round and each body given up when the server does.
 */
export interface HostileData {
  origin: string;
  key: string;
  forMs: number;
}

/** How often the server answered the attackers with each status; 0 is a connection that it closed. */
export type Statuses = Record<number, number>;

const { origin, key, forMs } = workerData as HostileData;
const until = performance.now() + forMs;
const statuses: Statuses = {};
const authorization = `Bearer ${key}`;
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const search = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "omn_retrieve_memory", arguments: { query: `walrus ${id} ${"x".repeat(60)}` } } });

async function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Response | undefined> {
  const answer = await fetch(`${origin}${path}`, { method, headers, signal: AbortSignal.timeout(20_000), ...(body === undefined ? {} : { body }) }).catch(() => undefined);
  const status = answer?.status ?? 0;
  statuses[status] = (statuses[status] ?? 0) + 1;
  return answer;
}

const post = async (path: string, body: string, headers: Record<string, string> = {}): Promise<void> => void (await (await send("POST", path, { authorization, ...json, ...headers }, body))?.text().catch(() => undefined));

/** Finding 2: searches by the thousand in one body, and in batches of any length. */
async function batches(): Promise<void> {
  const stream = await send("GET", "/sse", { authorization, accept: "text/event-stream" });
  const reader = stream?.body?.getReader();
  const first = await reader?.read().catch(() => undefined);
  const endpoint = /data: (\S+)/.exec(new TextDecoder().decode(first?.value))?.[1] ?? "/sse/messages?sessionId=none";
  const batch = (length: number): string => JSON.stringify(Array.from({ length }, (_, n) => search(n)));
  await post(endpoint, batch(8_000));
  await Promise.all(Array.from({ length: 20 }, () => post(endpoint, batch(10))));
  await Promise.all(Array.from({ length: 5 }, () => post("/mcp", batch(100))));
  await reader?.cancel().catch(() => undefined);
}

/** Finding 3: bodies of 300 MB whose length nobody declares. */
function flood(path: string, type: string): Promise<void> {
  return new Promise((resolve) => {
    const chunk = Buffer.alloc(65_536, "a");
    let left = (300 * 1024 * 1024) / chunk.length;
    const outgoing = request(`${origin}${path}`, { method: "POST", headers: { "content-type": type, origin, "sec-fetch-site": "same-origin" } });
    const end = (status: number): void => {
      if (outgoing.destroyed) return;
      statuses[status] = (statuses[status] ?? 0) + 1;
      outgoing.destroy();
      resolve();
    };
    outgoing.on("response", (answer) => end(answer.statusCode ?? 0));
    outgoing.on("error", () => resolve());
    outgoing.on("close", () => resolve());
    const more = (): void => {
      while (left-- > 0 && !outgoing.destroyed) if (!outgoing.write(chunk)) return void outgoing.once("drain", more);
      outgoing.end();
    };
    more();
  });
}

/** Finding 6: imports of 9 MB side by side, REST calls by the hundred, registrations of 0.9 MB. */
async function many(): Promise<void> {
  const memories = Array.from({ length: 950 }, (_, n) => ({ key: `hostile.${n}`, content: `${n} ${"walrus ".repeat(1_350)}` }));
  const imported = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "omn_import_memories", arguments: { memories }, _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "hostile", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {},
  } } });
  const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "omn_import_memories" };
  await Promise.all(Array.from({ length: 20 }, () => post("/mcp", imported, modern)));
  await Promise.all(Array.from({ length: 300 }, async () => void (await (await send("GET", "/v1/teams", { authorization }))?.text().catch(() => undefined))));
}

const register = (): Promise<void> => post("/oauth/register", JSON.stringify({ client_name: "x".repeat(900_000), redirect_uris: ["http://localhost:1/cb"] }));

async function round(): Promise<void> {
  const token = ["/oauth/token", "application/x-www-form-urlencoded"] as const;
  const link = ["/sign-in/link", "application/x-www-form-urlencoded"] as const;
  await Promise.all([many(), batches(), ...Array.from({ length: 6 }, () => flood(...token)), flood(...link), ...Array.from({ length: 20 }, register)]);
}

while (performance.now() < until) {
  await round();
  await sleep(50);
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(statuses);
