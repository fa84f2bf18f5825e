import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PersonAtBrowser } from "./support/person.ts";
import { Product } from "./support/product.ts";

let product: Product;
let person: PersonAtBrowser;
beforeAll(async () => {
  product = await Product.start({ OMNIMEMORY_RATE_LIMIT: "on" });
  person = await PersonAtBrowser.signIn(product);
});
afterAll(() => product.remove());

interface Issued { token: string }

/** A key of the local person, made in their browser. */
async function newKey(scopes: string[], owner = person): Promise<string> {
  const answer = await owner.postJson("/v1/teams/local/keys", JSON.stringify({ name: "gate", scopes }));
  expect(answer.status).toBe(201);
  return ((await answer.json()) as Issued).token;
}

const accept = "application/json, text/event-stream";
const call = (id: number, name: string, args: object = {}) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });

/** A session of 2025-11-25. */
class OldSession {
  readonly #headers: Record<string, string>;

  private constructor(headers: Record<string, string>) {
    this.#headers = headers;
  }

  static async open(key: string): Promise<OldSession> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept };
    const answer = await fetch(product.url(), {
      method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "gate", version: "1" } } }),
    });
    await answer.text();
    return new OldSession({ ...headers, "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" });
  }

  async post(body: unknown): Promise<{ status: number; retryAfter: string | null; text: string }> {
    const answer = await fetch(product.url(), { method: "POST", headers: this.#headers, body: JSON.stringify(body) });
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), text: await answer.text() };
  }
}

/** The stream of the first HTTP transport, and where to post. */
async function openSse(key: string): Promise<{ endpoint: string; close: () => Promise<void> }> {
  const stream = await fetch(product.url("/sse"), { headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" } });
  const reader = stream.body!.getReader();
  const { value } = await reader.read();
  return { endpoint: /data: (\S+)/.exec(new TextDecoder().decode(value))?.[1] ?? "", close: () => reader.cancel() };
}

const healthy = async (): Promise<number> => (await fetch(product.url("/health"))).status;

describe("what one read key can set going", () => {
  test("a batch of 8,000 searches on /sse/messages is refused, and the server answers at once", async () => {
    const key = await newKey(["memory:read"]);
    const { endpoint, close } = await openSse(key);
    const batch = JSON.stringify(Array.from({ length: 8_000 }, (_, n) => call(n, "omn_retrieve_memory", { query: `walrus ${n}`.padEnd(60, "x") })));
    const answer = await fetch(product.url(endpoint), { method: "POST", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body: batch });
    expect([413, 400]).toContain(answer.status);
    await answer.text();
    expect(await healthy()).toBe(200);
    await close();
  });

  test("a batch costs what it holds: 120 calls pass in batches of ten, whatever the number of requests", async () => {
    const session = await OldSession.open(await newKey(["memory:read"]));
    const answers = [];
    for (let n = 0; n < 13; n += 1) answers.push(await session.post(Array.from({ length: 10 }, (_, i) => call(n * 10 + i + 1, "omn_health_check"))));
    const passed = answers.filter(({ status }) => status === 200);
    // `initialize` was one of the 120.
    expect(passed).toHaveLength(11);
    const refused = answers.at(-1);
    expect([refused?.status, Number(refused?.retryAfter) > 0, refused?.text]).toEqual([429, true, expect.stringContaining("RATE_LIMIT_EXCEEDED")]);
  });

  test("a call that goes through a thousand memories costs ten", async () => {
    const session = await OldSession.open(await newKey(["memory:read"]));
    const statuses = [];
    for (let n = 1; n <= 13; n += 1) statuses.push((await session.post(call(n, "omn_export_memories"))).status);
    expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([11, 429]);
  });
});

describe("limits of REST and of a person", () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  test("of 300 REST calls at once with one key 120 pass, and other keys do not let the person do more than 360", async () => {
    // A server of its own: what other tests did is not to count.
    const alone = await Product.start({ OMNIMEMORY_RATE_LIMIT: "on" });
    const asked = async (key: string, times: number) => {
      const answers = await Promise.all(Array.from({ length: times }, () => fetch(alone.url("/v1/teams"), { headers: bearer(key) })));
      const told = await Promise.all(answers.map(async (answer) => ({ status: answer.status, retryAfter: answer.headers.get("retry-after"), body: (await answer.json()) as { error?: { code: string; message: string } } })));
      const refused = told.filter(({ status }) => status !== 200);
      for (const { status, retryAfter, body } of refused) expect([status, Number(retryAfter) > 0, body.error?.code]).toEqual([429, true, "RATE_LIMIT_EXCEEDED"]);
      return { passed: told.length - refused.length, told: refused.at(-1)?.body.error?.message };
    };
    try {
      const owner = await PersonAtBrowser.signIn(alone);
      const keys = [];
      for (let n = 0; n < 3; n += 1) keys.push(await newKey(["memory:read"], owner));
      const first = await asked(alone.apiKey, 300);
      // The launcher's own look at the server is of the 120.
      expect([first.passed >= 110, first.passed <= 120, first.told]).toEqual([true, true, expect.stringContaining("this key made more than 100")]);
      const mcp = await fetch(alone.url(), { method: "POST", headers: { ...bearer(alone.apiKey), "content-type": "application/json", accept }, body: JSON.stringify(call(1, "omn_health_check")) });
      expect(mcp.status, "REST and MCP are counted together").toBe(429);
      expect((await fetch(alone.url("/v1/teams/local/export"), { headers: bearer(alone.apiKey) })).status).toBe(429);
      let passed = first.passed;
      let told: string | undefined;
      // Together fewer than strangers of one address may send, 600 a minute.
      for (const [i, key] of keys.entries()) {
        const more = await asked(key, i < 2 ? 115 : 40);
        passed += more.passed;
        told = more.told;
      }
      expect([passed >= 340, passed <= 360, told]).toEqual([true, true, expect.stringContaining("this person made more than 300")]);
    } finally {
      await alone.remove();
    }
  });
});

describe("strangers", () => {
  /** Sends without declaring a length, until somebody ends it; how much was sent by then. */
  const flood = (path: string, type: string, mostBytes: number): Promise<{ status: number | undefined; sent: number }> =>
    new Promise((resolve) => {
      const chunk = Buffer.alloc(65_536, "a");
      let sent = 0;
      let status: number | undefined;
      const outgoing = request(product.url(path), { method: "POST", headers: { "content-type": type, origin: product.pagesOrigin, "sec-fetch-site": "same-origin", host: new URL(product.pagesOrigin).host } });
      const end = (): void => {
        outgoing.destroy();
        resolve({ status, sent });
      };
      outgoing.on("response", (answer) => {
        status = answer.statusCode;
        answer.resume();
        end();
      });
      outgoing.on("error", end);
      const more = (): void => {
        while (sent < mostBytes && !outgoing.destroyed) {
          sent += chunk.length;
          if (!outgoing.write(chunk)) return void outgoing.once("drain", more);
        }
        if (!outgoing.destroyed) outgoing.end();
      };
      more();
    });

  test.each([["/oauth/token", "application/x-www-form-urlencoded"], ["/oauth/register", "application/json"], ["/sign-in/link", "application/x-www-form-urlencoded"]])("6 chunked bodies of 300 MB to %s are given up in their first megabytes", async (path, type) => {
    const floods = await Promise.all(Array.from({ length: 6 }, () => flood(path, type, 300 * 1024 * 1024)));
    for (const { status, sent } of floods) {
      expect([413, undefined]).toContain(status);
      // What the sockets' buffers on both sides swallow.
      expect(sent).toBeLessThan(32 * 1024 * 1024);
    }
    expect(await healthy()).toBe(200);
  });

  test("another address in a header is no other stranger, and a stranger's flood locks out nobody who shows a key", async () => {
    const key = await newKey(["memory:read"]);
    const session = await OldSession.open(key);
    const statuses: number[] = [];
    // 600 a minute of the wall clock pass: a flood that meets the end of a minute has as many again.
    for (let round = 0; round < 30 && statuses.at(-1) !== 429; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => fetch(product.url("/oauth/token"), {
        method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", "cf-connecting-ip": `203.0.113.${n}` }, body: "grant_type=refresh_token",
      })));
      for (const answer of answers) {
        statuses.push(answer.status);
        await answer.text();
      }
    }
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.every((status) => status < 500)).toBe(true);
    expect((await session.post(call(1, "omn_health_check"))).status).toBe(200);
  });
});
