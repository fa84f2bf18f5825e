import { describe, expect, test } from "vitest";
import { McpDoor, type SessionStub } from "../../src/http/mcp-door.ts";
import { services } from "../support/team.ts";
import { protocolVersion, request, toolCall } from "./raw.ts";

const answered = { call: "answered by RPC", fetch: "answered by fetch" };

/** What a session object is asked for this request, in order. */
async function asked(body: unknown, { path = "/mcp", headers = {}, reply = answered.call as Awaited<ReturnType<SessionStub["call"]>> } = {}) {
  const seen: string[] = [];
  const bodies: string[] = [];
  const stub: SessionStub = {
    call: async ({ text }) => {
      seen.push("call");
      bodies.push(text);
      return reply;
    },
    fetch: async (handed) => {
      seen.push("fetch");
      bodies.push(await handed.text());
      expect(handed.headers.get("x-request-id")).toBe("r-1");
      return new Response(answered.fetch);
    },
  };
  const text = JSON.stringify(body);
  const { method, params } = body as { method: string; params: { name?: string } };
  const sent = new Request(`http://localhost${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json", "content-length": String(text.length), "mcp-protocol-version": protocolVersion, "mcp-method": method, "mcp-name": params.name ?? "", "x-request-id": "forged",
      ...headers,
    },
    body: text,
  });
  const answer = await new McpDoor(services.config).pass(stub, { request: sent, url: new URL(sent.url), surface: "core", requestId: "r-1", token: "omn_x_y" });
  return { seen, same: bodies.every((read) => read === text), answer: { status: answer.status, text: await answer.text() } };
}

describe("the edge hands MCP requests to session objects", () => {
  test.each(["/mcp", "/mcp/"])("an ordinary call to %s as one RPC of text", async (path) => {
    expect(await asked(toolCall("omn_health_check"), { path })).toEqual({ seen: ["call"], same: true, answer: { status: 200, text: answered.call } });
  });

  test.each([
    ["another method", request("tools/list"), {}],
    ["a tool that is not there", toolCall("test_tool"), {}],
    ["a call to /sse", toolCall("omn_health_check"), { path: "/sse" }],
    ["a call of a session", toolCall("omn_health_check"), { headers: { "mcp-session-id": "s" } }],
    ["a body that may be long", toolCall("omn_health_check"), { headers: { "content-length": "65537" } }],
    ["a compressed body", toolCall("omn_health_check"), { headers: { "content-encoding": "gzip" } }],
  ])("%s as it came", async (_title, body, how) => {
    expect(await asked(body, how)).toEqual({ seen: ["fetch"], same: true, answer: { status: 200, text: answered.fetch } });
  });

  test("what the session object finds unusual is handed on once more, whole", async () => {
    expect(await asked(toolCall("omn_health_check"), { reply: { kind: "sdk" } })).toEqual({ seen: ["call", "fetch"], same: true, answer: { status: 200, text: answered.fetch } });
  });

  test("refusals get the form of JSON-RPC", async () => {
    const over = await asked(toolCall("omn_health_check"), { reply: { kind: "refused", status: 429, message: "too many", retryAfterSeconds: 7 } });
    expect(over.answer).toMatchObject({ status: 429, text: expect.stringContaining('"retry_after":7') });
    expect((await asked(toolCall("omn_health_check"), { reply: { kind: "credential" } })).answer.status).toBe(401);
    expect((await asked(toolCall("omn_health_check"), { reply: { kind: "fault" } })).answer).toMatchObject({ status: 500, text: expect.stringContaining("-32603") });
  });
});
