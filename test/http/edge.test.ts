import { beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../scripts/openapi/routes.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { send, toolCall } from "./raw.ts";
import { methodOf, pathOf } from "./route-samples.ts";
import { Browser } from "./web/browser.ts";

let team: string;
let token: string;
beforeAll(async () => {
  const tenant = await newTenant();
  team = tenant.teamId;
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

describe("an address that another method asks for (RFC 9110, 15.5.6) [S7] [A16]", () => {
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  const served = Map.groupBy(Object.keys(routes), (route) => route.slice(route.indexOf(" ") + 1));

  test.each([...served])("%s: 405, and which methods there are", async (path, named) => {
    const documented = named.map(methodOf);
    for (const method of [...methods, "PROPFIND"].filter((each) => !documented.includes(each))) {
      const answer = await send({ token, method, path: pathOf(named[0] ?? "", { team }), body: {} });
      // The address of a job is any below …/jobs: `import` and `export` as well.
      if (method === "GET" && /\/jobs\/(?:import|export)$/.test(path)) continue;
      const { error } = await answer.json<{ error: Record<string, string> }>();
      expect([answer.status, error], method).toMatchObject([405, { code: "METHOD_NOT_ALLOWED", message: expect.stringContaining(method) as string, request_id: answer.headers.get("x-request-id") }]);
      const allowed = (answer.headers.get("allow") ?? "").split(", ");
      expect(allowed).toEqual(expect.arrayContaining(documented));
      expect(allowed).not.toContain(method);
      expect(allowed.includes("HEAD")).toBe(allowed.includes("GET"));
    }
  });

  test.each(["/mcp", "/mcp/", "/sse", "/sse/", "/sse/messages", "/sse/messages/"])("%s: 405 in the form of JSON-RPC, whatever the path of the endpoint", async (path) => {
    const answer = await send({ token, method: "PUT", path });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, path.includes("messages") ? "POST" : "GET, POST, DELETE"]);
    expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { message: expect.stringContaining("Method not allowed") as string } });
  });

  test("a stranger hears nothing of addresses that take a key, and nobody whether a team is there [A13]", async () => {
    for (const path of ["/v1/teams", `/v1/teams/${team}`, "/v1/nothing", "/mcp"]) {
      const answer = await send({ method: "PUT", path, body: {} });
      expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, path === "/v1/nothing" ? 404 : 401, null]);
    }
    const [own, foreign] = await Promise.all([team, crypto.randomUUID()].map(async (id) => (await send({ token, method: "PUT", path: `/v1/teams/${id}`, body: {} })).headers.get("allow")));
    expect([own, foreign]).toEqual(["GET, HEAD, PATCH, DELETE", "GET, HEAD, PATCH, DELETE"]);
  });

  test("what is no address of REST is not found as before: nothing at all, and a person's pages", async () => {
    for (const path of ["/v1/teams/a/b/c/d", "/v1/nothing"]) expect((await send({ token, method: "PUT", path, body: {} })).status, path).toBe(404);
    expect((await new Browser().get("/sign-out")).status).toBe(404);
  });
});
