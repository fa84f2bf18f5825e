import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { readBody } from "../../src/http/bounded-body.ts";
import type { RequestRefused } from "../../src/http/request-refused.ts";
import { ByteBudget, BodyLease } from "../../src/session/byte-budget.ts";
import { CallSlots } from "../../src/session/call-slots.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { Session, SseSession } from "../support/sessions.ts";
import { send, toolCall } from "./raw.ts";

const owner = async (scopes?: ["memory:read"]) => {
  const tenant = await newTenant();
  return { tenant, ...(await keyFor(tenant, tenant.ownerId, scopes)) };
};

/** A body whose length nobody declares, and how much of it was taken. */
function endless(): { body: ReadableStream<Uint8Array>; taken: () => number } {
  const chunk = new Uint8Array(16_384).fill(97);
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        taken += chunk.byteLength;
        if (taken > 64 * 1024 * 1024) controller.close();
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken };
}

const form = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };
const sameOrigin = { origin: "http://localhost", "sec-fetch-site": "same-origin" };

const post = (path: string, headers: Record<string, string>, body: BodyInit): Promise<Response> =>
  SELF.fetch(`http://localhost${path}`, { method: "POST", headers: { host: "localhost", ...headers }, body });

const strangersDoors: [path: string, headers: Record<string, string>][] = [
  ["/oauth/token", form],
  ["/oauth/register", json],
  ["/sign-in/link", { ...form, ...sameOrigin }],
  ["/authorize", { ...form, ...sameOrigin }],
  ["/invitation", { ...form, ...sameOrigin }],
  ["/sign-in/passkey", { ...json, ...sameOrigin }],
  ["/passkeys", { ...json, ...sameOrigin }],
];

describe("what a stranger sends is bounded", () => {
  test.each(strangersDoors)("%s gives up a body without an end, in its own form", async (path, headers) => {
    const { body, taken } = endless();
    const answer = await post(path, { ...headers, accept: path.startsWith("/oauth/") ? "application/json" : "text/html" }, body);
    const text = await answer.text();
    expect(answer.status, text).toBe(413);
    expect(taken()).toBeLessThan(2 * 1024 * 1024);
    expect(text).toMatch(path.startsWith("/oauth/") ? /"error":"invalid_request"/ : /<h1>This request was not taken/);
    expect(text).toContain("bytes");
  });

  test.each(strangersDoors)("%s takes no compressed body", async (path, headers) => {
    expect((await post(path, { ...headers, "content-encoding": "gzip" }, "x")).status).toBe(415);
  });

  test("REST with a key gives up such a body, too", async () => {
    const { token } = await owner();
    const { body, taken } = endless();
    const answer = await send({ token, path: "/v1/keys", body });
    expect([answer.status, (await answer.json<{ error: { message: string } }>()).error.message]).toEqual([413, expect.stringContaining("16384 bytes")]);
    expect(taken()).toBeLessThan(2 * 1024 * 1024);
  });

  test("a key that cannot write has no use for the room that an import needs", async () => {
    const { token } = await owner(["memory:read"]);
    const { body, taken } = endless();
    expect((await send({ token, body })).status).toBe(413);
    expect(taken()).toBeLessThan(4 * 1024 * 1024);
  });
});

describe("reading a body", () => {
  const refusal = (reading: Promise<unknown>): Promise<RequestRefused> => reading.then(() => Promise.reject(new Error("it was read")), (error: RequestRefused) => error);
  const requestWith = (body: BodyInit): Request => new Request("http://localhost/", { method: "POST", body });

  test("one that comes too slowly is given up with 408", async () => {
    const slow = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    expect(await refusal(readBody(requestWith(slow), { maxBytes: 10, withinMs: 20 }))).toMatchObject({ status: 408 });
  });

  test("one that breaks off is the sender's fault", async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("gone")) });
    expect(await refusal(readBody(requestWith(broken), { maxBytes: 10, withinMs: 1_000 }))).toMatchObject({ status: 400 });
  });

  test("of a long one the room is asked for before it is kept, and a refusal ends it", async () => {
    const asked: number[] = [];
    const long = "x".repeat(100_000);
    const bound = { maxBytes: 200_000, withinMs: 1_000 };
    const reserve = async (bytes: number): Promise<void> => void asked.push(bytes);
    expect((await readBody(requestWith(endlessUpTo(100_000)), { ...bound, reserve })).byteLength).toBe(100_000);
    expect((await readBody(requestWith("x".repeat(60_000)), { ...bound, reserve })).byteLength).toBe(60_000);
    expect(asked).toEqual([200_000]);
    const none = (): Promise<never> => Promise.reject(new Error("no room"));
    expect(await refusal(readBody(requestWith(endlessUpTo(long.length)), { ...bound, reserve: none }))).toBeInstanceOf(Error);
  });
});

function endlessUpTo(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = Math.min(left, 10_000);
      left -= size;
      if (size > 0) controller.enqueue(new Uint8Array(size));
      else controller.close();
    },
  });
}

describe("large bodies at once", () => {
  test("wait for one another, in their order, and the one whose turn does not come is told when to come back", async () => {
    const budget = new ByteBudget(100, 200);
    await budget.take(80);
    const order: string[] = [];
    const second = budget.take(60).then(() => order.push("second"));
    const third = budget.take(10).then(() => order.push("third"));
    await scheduler.wait(60);
    expect(order).toEqual([]);
    budget.give(80);
    await Promise.all([second, third]);
    expect(order).toEqual(["second", "third"]);
    await expect(budget.take(60)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 5 });
  });

  test("keep their room until the last call that came in one is answered", async () => {
    const budget = new ByteBudget(100, 30);
    const lease = new BodyLease([budget]);
    await lease.take(100);
    const { promise, resolve } = Promise.withResolvers<void>();
    const call = lease.during(() => promise);
    lease.releaseSoon();
    await expect(budget.take(1)).rejects.toMatchObject({ status: 429 });
    resolve();
    await call;
    await expect(budget.take(100)).resolves.toBeUndefined();
  });

  test("give their room back when their request was given up while they waited for it", async () => {
    const budget = new ByteBudget(100, 1_000);
    await budget.take(100);
    const lease = new BodyLease([budget]);
    const waiting = lease.take(100);
    lease.releaseSoon();
    budget.give(100);
    await waiting;
    await expect(budget.take(100)).resolves.toBeUndefined();
  });
});

describe("a batch costs what it holds", () => {
  const store = (n: number) => ({ jsonrpc: "2.0", id: n, method: "tools/call", params: { name: "omn_store_memory", arguments: { key: `batch.${n}`, content: `walrus number ${n}` } } });
  const batch = (length: number) => Array.from({ length }, (_, n) => store(n));
  const stored = async (token: string): Promise<number> => (await callTool(token, "omn_memory_stats")).structured["total"];

  test("more than ten messages on /mcp are refused whole, and ten are answered", async () => {
    const { token } = await owner();
    const session = await Session.open(token);
    const refused = await session.post(token, batch(11));
    expect([refused.status, (await refused.json<{ error: { message: string } }>()).error.message]).toEqual([400, expect.stringContaining("at most 10 messages")]);
    expect(await stored(token)).toBe(0);
    const taken = await session.post(token, batch(10));
    expect([taken.status, (await taken.text()).match(/"text":"created batch/g)?.length]).toEqual([200, 10]);
    expect(await stored(token)).toBe(10);
  });

  test("more than ten messages on /sse/messages are refused whole, and notifications count like calls", async () => {
    const { token } = await owner();
    const session = await SseSession.open(token);
    expect(await session.post(token, batch(11))).toBe(400);
    expect(await session.post(token, Array.from({ length: 8_000 }, () => ({ jsonrpc: "2.0", method: "notifications/of-its-own" })))).toBe(400);
    expect(await stored(token)).toBe(0);
    expect(await session.post(token, batch(10))).toBe(202);
    expect((await session.call(token, "omn_memory_stats")).status).toBe(200);
    await session.close();
  });
});

describe("calls of one person at once", () => {
  test("run a few at a time, wait in their order, and are refused when too many wait", async () => {
    const slots = new CallSlots({ atOnce: 2, maxWaiting: 3 });
    let running = 0;
    let most = 0;
    const done: number[] = [];
    const call = (n: number): Promise<void> =>
      slots.run(async () => {
        most = Math.max(most, (running += 1));
        await scheduler.wait(5);
        running -= 1;
        done.push(n);
      });
    const calls = [0, 1, 2, 3, 4].map(call);
    expect(slots.isFull).toBe(true);
    await expect(call(5)).rejects.toMatchObject({ code: "RATE_LIMIT_EXCEEDED", details: { retry_after: 2 } });
    await Promise.all(calls);
    expect([most, done, slots.isFull]).toEqual([2, [0, 1, 2, 3, 4], false]);
    await call(6);
    expect(done.at(-1)).toBe(6);
  });

  test("more than may wait get 429 and when to come back, and all others their answer", async () => {
    const { token } = await owner();
    for (let n = 0; n < 5; n += 1) await callTool(token, "omn_store_memory", { key: `k${n}`, content: `walrus ${n}` });
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => send({ token, body: toolCall("omn_retrieve_memory", { query: `walrus ${n}` }) })));
    const told = await Promise.all(answers.map(async (answer) => ({ status: answer.status, retry: answer.headers.get("retry-after"), text: await answer.text() })));
    const refused = told.filter(({ status }) => status === 429);
    expect(told.filter(({ status }) => status === 200).length + refused.length).toBe(200);
    for (const { retry, text } of refused) expect([retry, text]).toEqual(["2", expect.stringContaining("RATE_LIMIT_EXCEEDED")]);
    expect((await callTool(token, "omn_memory_stats")).status).toBe(200);
  });
});

test("on one machine nobody is believed who claims to come from elsewhere", async () => {
  const { tenant, token } = await owner();
  const claimed = { "cf-connecting-ip": "203.0.113.77", "cf-ipcountry": "PT" };
  await send({ token, headers: claimed, body: toolCall("omn_store_memory", { key: "a", content: "one" }) });
  await send({ token, path: "/v1/keys", headers: claimed, body: { name: "ci", scopes: ["memory:read"] } });
  const { results } = await env.SHARD_0.prepare("select * from audit where team_id = ?").bind(tenant.teamId).all();
  const { results: directory } = await env.DB.prepare("select * from audit where team_id = ?").bind(tenant.teamId).all();
  expect([results.length > 0, directory.length > 0]).toEqual([true, true]);
  expect(JSON.stringify([results, directory])).not.toMatch(/203\.0\.113\.77|"PT"/);
});
