import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "./support/clients.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start({ OMNIMEMORY_RATE_LIMIT: "on" });
});
afterAll(() => product.remove());

const healthCheck = (padding = "") =>
  fetch(product.url(), {
    method: "POST",
    headers: {
      authorization: `Bearer ${product.apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "omn_health_check",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "omn_health_check",
        arguments: {},
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: `busy${padding}`, version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });

test("a key that asks more than 120 times in a minute is told when to come back [S17] [A14]", async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 140; i += 1) {
    const answer = await healthCheck();
    await answer.body?.cancel();
    statuses.push(answer.status);
  }
  const admitted = statuses.filter((status) => status === 200).length;
  // The launcher's own look at the server is one of the 120.
  expect(admitted).toBeGreaterThanOrEqual(117);
  expect(admitted).toBeLessThanOrEqual(120);
  expect(statuses.indexOf(429)).toBe(admitted);

  const refused = await healthCheck();
  expect(refused.status).toBe(429);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(refused.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  const { error } = (await refused.json()) as { error: { message: string; data: Record<string, unknown> } };
  expect(error.message).toMatch(new RegExp(`RATE_LIMIT_EXCEEDED.*Retry after ${seconds} s`));
  expect(error.data).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", retry_after: seconds, request_id: refused.headers.get("x-request-id") });

  // A body that nobody reads any more must not break the connection.
  const large = await Promise.all(Array.from({ length: 5 }, () => healthCheck("x".repeat(2_000_000))));
  expect(large.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
  await Promise.all(large.map((answer) => answer.text()));
});

test.each(kinds)("%s shows its user why it cannot connect [S17]", async (_kind, connect) => {
  await expect(connect(product)).rejects.toThrow(/RATE_LIMIT_EXCEEDED|429|2026-07-28/);
});

test("the health of the server can be asked all the same [S17]", async () => {
  expect((await fetch(product.url("/health"))).status).toBe(200);
});
