import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { servicesOf } from "../../src/app.ts";
import { addressOf } from "../../src/http/call-origin.ts";
import { router } from "../../src/http/router.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";

test("on one machine a client with a wrong key closes neither the pages nor the REST calls of a key that is at work [A14]", async () => {
  const services = servicesOf(env);
  const app = router({ ...services, config: { ...services.config, rateLimited: true, production: false } }, (name) => env.USER_SESSION.getByName(name));
  const asked: string[] = [];
  const limit = { limit: async ({ key }: { key: string }) => ({ success: asked.push(key) && asked.filter((one) => one === key).length <= 3 }) };
  const ask = async (path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<number> =>
    (await app.request(`http://localhost${path}`, { ...init, headers: { host: "localhost", ...headers } }, { ...env, ADDRESS_LIMIT: limit }, createExecutionContext())).status;
  const tenant = await newTenant();
  const { token } = await keyFor(tenant, tenant.ownerId);
  const valid = { authorization: `Bearer ${token}` };
  const call = { method: "POST", body: "{}" };
  expect(await ask(`/v1/teams/${tenant.teamId}/tools/omn_memory_stats`, { ...valid, "content-type": "application/json" }, call)).toBe(200);
  const wrong = { authorization: `Bearer omn_${"x".repeat(16)}_${"y".repeat(32)}` };
  for (let i = 0; i < 4; i += 1) await ask("/mcp", wrong, call);
  expect(await ask("/mcp", wrong, call)).toBe(429);
  expect(await ask("/v1/keys", valid)).toBe(200);
  expect(await ask("/sign-in", { cookie: "a=b" })).toBe(200);
  expect(await ask("/sign-in", {})).toBe(200);
});

test("whoever holds a network of IPv6 is one stranger, however many addresses they write [A14]", async () => {
  const at = (address: string): Headers => new Headers({ "cf-connecting-ip": address });
  const [one, other, beside, v4] = ["2001:db8:1:2::1", "2001:db8:1:2:9:8:7:6", "2001:db8:1:3::1", "203.0.113.1"].map((address) => addressOf(at(address)));
  expect(other).toBe(one);
  expect(new Set([one, beside, v4, addressOf(at("203.0.113.10")), addressOf(new Headers())]).size).toBe(5);

  const services = servicesOf(env);
  const app = router({ ...services, config: { ...services.config, rateLimited: true, production: true } }, (name) => env.USER_SESSION.getByName(name));
  const asked: string[] = [];
  const limit = { limit: async ({ key }: { key: string }) => ({ success: asked.push(key) && asked.filter((one) => one === key).length <= 2 }) };
  const ask = async (address: string): Promise<number> =>
    (await app.request("https://localhost/sign-in", { headers: { host: "localhost", "cf-connecting-ip": address } }, { ...env, ADDRESS_LIMIT: limit }, createExecutionContext())).status;
  expect([await ask("2001:db8:1:2::1"), await ask("2001:db8:1:2::2"), await ask("2001:db8:1:2:a:b:c:d"), await ask("2001:db8:1:3::1")]).toEqual([200, 200, 429, 200]);
});
