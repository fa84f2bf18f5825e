import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

/** A page of the server, as far as it notices: the cookie of whoever signed in, and where a request comes from. */
async function signedIn(): Promise<(method: string, path: string, body?: unknown) => Promise<{ status: number; body: any }>> {
  const { origin, searchParams } = new URL(product.signInUrl ?? "");
  const answer = await fetch(`${origin}/sign-in/link`, { method: "POST", body: searchParams, redirect: "manual", headers: { origin } });
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return async (method, path, body) => {
    const answer = await fetch(`${origin}${path}`, {
      method, headers: { cookie, origin, "content-type": "application/json" }, ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
}

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: "e2e", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(product.url("/mcp?surface=all"), { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
  return client;
}

test("a team made in the browser is used by a real client, reviews what it shares, is deleted, survives a restart, and comes back [F3] [F4] [S2]", async () => {
  const web = await signedIn();
  const { body: made } = await web("POST", "/v1/organizations", { name: "Lab" });
  const team = `/v1/teams/${made.team.id}`;
  const { body: issued } = await web("POST", `${team}/keys`, { name: "client", scopes: ["memory:read", "memory:write"] });
  expect((await web("PUT", `${team}/review`, { required: true })).status).toBe(200);

  const client = await connect(issued.token);
  const stored = await client.callTool({ name: "omn_store_memory", arguments: { key: "lab.rule", content: "Goggles are worn.", metadata: { scope: "shared" } } });
  expect(stored.structuredContent).toMatchObject({ scope: "private", proposal: { state: "pending" } });
  const { body: queue } = await web("GET", `${team}/proposals`);
  expect((await web("POST", `${team}/proposals/${queue.proposals[0].id}/accept`)).status).toBe(200);
  const found = await client.callTool({ name: "omn_retrieve_memory", arguments: { key: "lab.rule" } });
  expect(found.structuredContent).toMatchObject({ total_found: 1, memories: [{ content: "Goggles are worn.", metadata: { scope: "shared" } }] });

  expect((await web("DELETE", team)).status).toBe(200);
  await expect(client.callTool({ name: "omn_memory_stats", arguments: {} })).rejects.toThrow();
  await client.close().catch(() => undefined);
  await product.restart();
  await expect(connect(issued.token)).rejects.toThrow();
  expect((await web("POST", `${team}/restore`)).status).toBe(200);
  const again = await connect(issued.token);
  expect((await again.callTool({ name: "omn_retrieve_memory", arguments: { query: "goggles" } })).structuredContent).toMatchObject({ total_found: 1 });
  await again.close();
});
