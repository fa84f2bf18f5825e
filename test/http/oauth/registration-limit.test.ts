import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { servicesOf } from "../../../src/app.ts";
import { router } from "../../../src/http/router.ts";
import { origin, redirectUri } from "./client.ts";

test("an address that registers client after client is slowed down, others are not [A14]", async () => {
  const services = servicesOf(env);
  const app = router({ ...services, config: { ...services.config, rateLimited: true, production: true } }, (name) => env.USER_SESSION.getByName(name));
  const asked: string[] = [];
  const limit = { limit: async ({ key }: { key: string }) => ({ success: asked.push(key) && asked.filter((one) => one === key).length <= 2 }) };
  const register = async (address: string): Promise<[number, string | undefined]> => {
    const init = {
      method: "POST",
      headers: { host: "localhost", "content-type": "application/json", "cf-connecting-ip": address },
      body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }),
    };
    const answer = await app.request(`${origin}/oauth/register`, init, { REGISTRATION_LIMIT: limit }, createExecutionContext());
    return [answer.status, (await answer.json<{ error?: string }>()).error];
  };
  expect([await register("192.0.2.1"), await register("192.0.2.1"), await register("192.0.2.1"), await register("192.0.2.2")]).toEqual([
    [201, undefined], [201, undefined], [429, "temporarily_unavailable"], [201, undefined],
  ]);
  // A network of IPv6 is one address.
  expect([await register("2001:db8::1"), await register("2001:db8::2"), await register("2001:db8::3")].map(([status]) => status)).toEqual([201, 201, 429]);
});
