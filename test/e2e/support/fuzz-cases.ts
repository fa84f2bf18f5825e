import { type Random, seeded } from "../../bench/zipf.ts";

/** One request as bytes, written piece by piece. */
export interface FuzzCase {
  what: string;
  pieces: Buffer[];
  /** Waited between two pieces. */
  pauseMs: number;
}

interface Door {
  method: string;
  path: string;
  type: string;
  body: unknown;
  headers: Record<string, string>;
}

const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} };
const modern = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28" };
const old = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
const call = (name: string, args: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: meta } });
const tool = (name: string, args: unknown): Partial<Door> => ({ body: call(name, args), headers: { ...modern, "mcp-method": "tools/call", "mcp-name": name } });

function doors(key: string, origin: string): Door[] {
  const bearer = { authorization: `Bearer ${key}` };
  const page = { origin, "sec-fetch-site": "same-origin", accept: "text/html" };
  const json = (method: string, path: string, body: unknown, headers: Record<string, string>): Door => ({ method, path, type: "application/json", body, headers });
  const form = (path: string, body: Record<string, string>): Door => ({ method: "POST", path, type: "application/x-www-form-urlencoded", body, headers: page });
  const mcp = (path: string, { body, headers }: Partial<Door>): Door => json("POST", path, body, { ...bearer, ...headers });
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } } };
  return [
    mcp("/mcp", tool("omn_retrieve_memory", { query: "walrus", limit: 5, filters: { tags: ["a"] } })),
    mcp("/mcp", tool("omn_store_memory", { key: "fuzz.key", content: "walrus", metadata: { tags: ["a"], importance: 0.5 } })),
    mcp("/mcp", tool("omn_import_memories", { memories: [{ key: "a", content: "b" }] })),
    mcp("/mcp", tool("omn_export_memories", { limit: 2 })),
    mcp("/mcp", tool("smart_resume", {})),
    mcp("/mcp?surface=all&project=x", { body: { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "omnimemory://recent", _meta: meta } }, headers: { ...modern, "mcp-method": "resources/read", "mcp-name": "omnimemory://recent" } }),
    mcp("/mcp", { body: initialize, headers: { accept: modern.accept } }),
    mcp("/mcp", { body: [call("omn_health_check", {}), { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }], headers: { ...old, "mcp-session-id": "00000000-0000-0000-0000-000000000000" } }),
    mcp("/sse", { body: initialize, headers: { accept: modern.accept } }),
    mcp("/sse/messages?sessionId=none", { body: call("omn_health_check", {}), headers: {} }),
    json("POST", "/v1/keys", { name: "fuzz", scopes: ["memory:read"], expires_in_days: 1 }, bearer),
    json("POST", "/v1/keys/none/rotate", { grace_hours: 1 }, bearer),
    json("PATCH", "/v1/teams/local", { name: "fuzz" }, bearer),
    json("POST", "/v1/teams/local/invitations", { role: "member" }, bearer),
    json("PATCH", "/v1/teams/local/members/local", { role: "owner" }, bearer),
    json("PUT", "/v1/teams/local/review", { required: false }, bearer),
    json("POST", "/v1/teams/local/transfer", { user_id: "nobody" }, bearer),
    json("POST", "/v1/invitations/accept", { token: "x" }, bearer),
    json("DELETE", "/v1/account", { confirm: "x" }, bearer),
    json("GET", "/v1/teams/local/audit?limit=5&actor=x&since=2026-01-01T00:00:00Z", {}, bearer),
    json("POST", "/oauth/register", { client_name: "fuzz", redirect_uris: ["http://localhost:1/cb"], token_endpoint_auth_method: "none" }, {}),
    json("POST", "/sign-in/passkey", { credential: { id: "x", rawId: "x", type: "public-key", response: {} } }, page),
    json("POST", "/passkeys", { name: "x", credential: { id: "x" } }, page),
    form("/oauth/token", { grant_type: "authorization_code", code: "x:y:z", client_id: "x", redirect_uri: "http://localhost:1/cb", code_verifier: "x" }),
    form("/sign-in/link", { token: "x" }),
    form("/authorize", { session: "x", handle: "y", decision: "allow", team: "local" }),
    form("/invitation", { token: "x" }),
    form("/keys", { name: "x", team: "local", scope: "memory:read" }),
    { ...form("/authorize?response_type=code&client_id=x&redirect_uri=http%3A%2F%2Flocalhost%2F&code_challenge=x", {}), method: "GET" },
  ];
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

/** What may stand where another value is expected. */
const strange: ((random: Random) => unknown)[] = [
  () => null, () => true, () => -1, () => 2 ** 53, () => 1e308, () => "", () => [], () => ({}), () => "\u0000", () => "\ud800", () => "\u202e", () => "__proto__", () => "' or 1=1 --", () => "../../etc/passwd", () => "%00%ff",
  (random) => "x".repeat(upTo(random, 20_000)),
  (random) => Array.from({ length: upTo(random, 200) }, () => "x"),
  (random) => nested(upTo(random, 60)),
];

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i += 1) value = i % 2 ? [value] : { a: value };
  return value;
}

/** Something in it is something else, or gone, or twice. */
function mutated(random: Random, value: unknown): unknown {
  if (random() < 0.25 || typeof value !== "object" || value === null) return pick(random, strange)(random);
  if (Array.isArray(value)) {
    if (random() < 0.2) return Array.from({ length: upTo(random, 40) }, () => value[0] as unknown);
    const at = upTo(random, value.length);
    return value.map((item, i) => (i === at ? mutated(random, item) : (item as unknown)));
  }
  const entries = Object.entries(value);
  const at = upTo(random, entries.length);
  const changed = entries.flatMap(([name, item], i) => (i !== at ? [[name, item]] : random() < 0.2 ? [] : [[name, mutated(random, item)]]));
  if (at === entries.length) changed.push([pick(random, ["constructor", "toString", "extra", "", "id"]), pick(random, strange)(random)]);
  return Object.fromEntries(changed) as unknown;
}

const encoded = ({ type, body }: Door, value: unknown): string =>
  type === "application/json" || typeof value !== "object" || value === null
    ? JSON.stringify(value) ?? ""
    : new URLSearchParams(Object.entries(value).map(([name, item]) => [name, typeof item === "string" ? item.toWellFormed() : JSON.stringify(item) ?? ""])).toString() || String(body);

/** What is done to the bytes of a body. */
const damage: Record<string, (random: Random, body: Buffer) => Buffer> = {
  none: (_, body) => body,
  "cut off": (random, body) => body.subarray(0, upTo(random, body.length)),
  "a byte flipped": (random, body) => {
    const bytes = Buffer.from(body);
    for (let n = 0; n <= upTo(random, 3); n += 1) bytes[upTo(random, Math.max(0, bytes.length - 1))] = upTo(random, 255);
    return bytes;
  },
  "no UTF-8": (_, body) => Buffer.concat([body.subarray(0, body.length >> 1), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), body.subarray(body.length >> 1)]),
  "random bytes": (random) => Buffer.from(Array.from({ length: upTo(random, 300) }, () => upTo(random, 255))),
  "deep lists": (random) => Buffer.from("[".repeat(upTo(random, 30_000))),
  "deep objects, closed": (random) => {
    const depth = upTo(random, 20_000);
    return Buffer.from(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  },
  "too long": (random, body) => Buffer.concat([body, Buffer.alloc(upTo(random, 300_000), " ")]),
  "a long number": (random) => Buffer.from(`{"jsonrpc":"2.0","id":${"9".repeat(1 + upTo(random, 5_000))},"method":"ping"}`),
};

/** How the body is announced and cut into pieces. */
const framings = ["declared", "declared", "chunked", "chunked", "declared longer", "declared shorter", "nothing declared", "a broken chunk", "both"] as const;

function framed(random: Random, framing: (typeof framings)[number], body: Buffer): { headers: string[]; pieces: Buffer[] } {
  const cut = (bytes: Buffer): Buffer[] => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + upTo(random, Math.max(1, bytes.length >> 1));
      pieces.push(bytes.subarray(at, at + size));
      at += size;
    }
    return pieces;
  };
  const chunk = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
  const end = Buffer.from("0\r\n\r\n");
  switch (framing) {
    case "declared": return { headers: [`content-length: ${body.length}`], pieces: cut(body) };
    case "declared longer": return { headers: [`content-length: ${body.length + 1 + upTo(random, 100)}`], pieces: cut(body) };
    case "declared shorter": return { headers: [`content-length: ${upTo(random, body.length)}`], pieces: cut(body) };
    case "chunked": return { headers: ["transfer-encoding: chunked"], pieces: [...cut(body).map(chunk), end] };
    case "a broken chunk": return { headers: ["transfer-encoding: chunked"], pieces: [...cut(body).map(chunk), Buffer.from(pick(random, ["zz\r\n", "ffffffffffffffff\r\n", "-1\r\n", "5\r\nab"]))] };
    case "both": return { headers: [`content-length: ${body.length}`, "transfer-encoding: chunked"], pieces: [...cut(body).map(chunk), end] };
    case "nothing declared": return { headers: [], pieces: cut(body) };
  }
}

/** Headers that are added, or that take the place of the right ones. */
const oddHeaders: ((random: Random) => [name: string, value: string])[] = [
  () => ["content-encoding", "gzip"], () => ["content-encoding", "br, gzip"], () => ["content-encoding", ""], () => ["content-type", "text/plain"], () => ["content-type", "multipart/form-data; boundary=x"],
  () => ["content-type", "application/json; charset=utf-16"], () => ["content-type", ""], () => ["accept", "*/*"], () => ["accept", ""], () => ["mcp-protocol-version", "1999-01-01"], () => ["mcp-session-id", "../x"],
  () => ["authorization", "Bearer"], () => ["authorization", "Basic eDp5"], () => ["authorization", `Bearer omn_${"x".repeat(300)}`], () => ["cookie", "__Host-session=x; __Host-return-to=%ff%00"], () => ["expect", "100-continue"],
  () => ["x-http-method-override", "DELETE"], () => ["origin", "null"], () => ["last-event-id", "9".repeat(40)], () => ["range", "bytes=0-1"], () => ["upgrade", "websocket"], () => ["content-length", "-1"], () => ["content-length", "1e3"],
  (random) => ["x-long", "y".repeat(upTo(random, 9_000))], (random) => ["x-huge", "y".repeat(100_000 + upTo(random, 100_000))], (random) => [`x-${"n".repeat(upTo(random, 3_000))}`, "1"],
  () => ["user-agent", "\u00ff\u00fe"], () => ["traceparent", "00-0-0-0"],
];

/** Not DELETE: it would end the team that the later cases are about. */
const otherMethods = ["PUT", "PATCH", "GET", "OPTIONS", "HEAD"];

/** The case of that number: the same seed draws the same. */
export function fuzzCase(seed: number, key: string, url: URL): FuzzCase {
  const random = seeded(seed);
  const door = pick(random, doors(key, `http://localhost:${url.port}`));
  const value = random() < 0.6 ? mutated(random, door.body) : door.body;
  const how = pick(random, Object.keys(damage));
  const framing = pick(random, framings);
  const body = (damage[random() < 0.5 ? "none" : how] as (random: Random, body: Buffer) => Buffer)(random, Buffer.from(encoded(door, value)));
  const headers = new Map<string, string>([["host", `localhost:${url.port}`], ["content-type", door.type], ...Object.entries(door.headers)]);
  const odd = random() < 0.4 ? pick(random, oddHeaders)(random) : undefined;
  if (odd) headers.set(...odd);
  const { headers: lengths, pieces } = framed(random, framing, body);
  const head = [`${random() < 0.05 ? pick(random, otherMethods) : door.method} ${door.path} HTTP/1.1`, ...[...headers].map(([name, text]) => `${name}: ${text}`), ...lengths, "", ""].join("\r\n");
  return {
    what: `seed ${seed}: ${door.method} ${door.path}, ${framing}, ${how}, ${odd?.[0] ?? ""}`,
    pieces: [Buffer.from(head, "latin1"), ...pieces],
    pauseMs: random() < 0.03 ? 1 + upTo(random, 40) : 0,
  };
}
