import { beforeAll, describe, expect, test } from "vitest";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { send, toolCall } from "./raw.ts";

let token: string;
beforeAll(async () => {
  const tenant = await newTenant();
  ({ token } = await keyFor(tenant, tenant.ownerId));
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("names under which the server may be addressed [S11]", () => {
  test.each(["localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787", "LOCALHOST"])("Host %s is served", async (host) => {
    expect((await send({ token, headers: { host } })).status).toBe(200);
  });

  test.each(["evil.example", "localhost.evil.example", "evil.example:8787", "127.0.0.1.nip.io", "0.0.0.0", "169.254.169.254"])(
    "Host %s is refused (DNS rebinding)",
    async (host) => {
      const answer = await send({ token, headers: { host } });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("Host");
    },
  );

  test.each(["http://localhost:3000", "http://127.0.0.1", "https://localhost"])("a page at %s may call", async (origin) => {
    expect((await send({ token, headers: { origin } })).status).toBe(200);
  });

  test.each(["https://evil.example", "null", "http://localhost.evil.example", "file://", "garbage"])("a page at %s may not", async (origin) => {
    const answer = await send({ token, headers: { origin } });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("Origin");
  });

  test("a stranger is turned away before the key is looked at", async () => {
    expect((await send({ token: "omn_wrong", headers: { host: "evil.example" } })).status).toBe(403);
  });
});

describe("every answer [S11]", () => {
  const answers: [name: string, send: () => Promise<Response>, status: number][] = [
    ["a tool call", () => send({ token }), 200],
    ["/mcp/ with a slash", () => send({ token, path: "/mcp/" }), 200],
    ["health", () => send({ method: "GET", path: "/health" }), 200],
    ["no key", () => send({}), 401],
    ["a wrong key", () => send({ token: "omn_wrong" }), 401],
    ["an unknown surface", () => send({ token, path: "/mcp?surface=nonsense" }), 400],
    ["an unknown path", () => send({ token, path: "/nothing" }), 404],
    ["malformed JSON", () => send({ token, body: "{" }), 400],
    ["a method nobody serves", () => send({ token, method: "PUT" }), 405],
    ["an unknown session", () => send({ token, method: "DELETE", headers: { "mcp-session-id": "nobody", "mcp-protocol-version": null } }), 404],
  ];

  test.each(answers)("to %s carries a request id of its own and the security headers", async (_name, ask, status) => {
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(first.status).toBe(status);
    const id = first.headers.get("x-request-id");
    expect(id).toMatch(uuid);
    expect(id).not.toBe(second.headers.get("x-request-id"));
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "SAMEORIGIN",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "cross-origin-resource-policy": "same-origin",
      "cache-control": expect.stringContaining("no-store"),
    });
  });

  test.each([
    ["a wrong Host", { host: "evil.example" }],
    ["a foreign Origin", { origin: "https://evil.example" }],
  ])("to %s carries them, too", async (_name, headers) => {
    const answer = await send({ token, headers });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("x-request-id")).toMatch(uuid);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("to a person at an address of nothing is a page, to a program JSON [A13]", async () => {
    const ask = (accept: string): Promise<Response> => send({ method: "GET", path: "/nothing", body: "", headers: { accept } });
    const [page, json] = await Promise.all([ask("text/html,*/*;q=0.8"), ask("*/*")]);
    expect([page.status, json.status]).toEqual([404, 404]);
    expect(await page.text()).toContain("<h1>There is nothing here</h1>");
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(await json.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
  });

  test("ignores a request id that the client made up", async () => {
    const answer = await send({ token, headers: { "x-request-id": "mine" } });
    expect(answer.headers.get("x-request-id")).toMatch(uuid);
  });

  test("to a tool that refuses names the request id of the answer", async () => {
    const answer = await send({ token, body: toolCall("fetch", { id: "nonsense" }) });
    const { result } = await answer.json<{ result: { _meta: Record<string, { request_id: string }> } }>();
    expect(result._meta["omnimemory/error"]?.request_id).toBe(answer.headers.get("x-request-id"));
  });
});
