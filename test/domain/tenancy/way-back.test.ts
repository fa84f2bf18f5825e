import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sourceOf } from "../../../src/domain/tenancy/audit-entry.ts";
import { keepWayBack } from "../../../src/domain/tenancy/way-back.ts";
import { router } from "../../../src/http/router.ts";
import { OAuthClient } from "../../http/oauth/client.ts";
import { services } from "../../support/team.ts";

const at = Date.now();
const keep = (address?: string, replaced?: string) => keepWayBack(services.signIn, { path: "/invitation?token=x" }, replaced, at, address);
const fill = async (address: string): Promise<(string | undefined)[]> => {
  const kept: (string | undefined)[] = [];
  for (let n = 0; n < 50; n += 1) kept.push(await keep(address));
  return kept;
};

describe("sign-ins under way of one network [A13] [S11]", () => {
  test.each([
    ["203.0.113.1", "203.0.113.1", "203.0.113.10"],
    ["2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:3::1"],
    ["2001:db8::1", "2001:db8::2:1", "2001:db9::1"],
  ])("are fifty at once from %s; those from %s count with them, those from %s and from nowhere do not", async (address, same, other) => {
    const kept = await fill(address);
    expect(kept).not.toContain(undefined);
    expect([await keep(address), await keep(same)]).toEqual([undefined, undefined]);
    expect([await keep(other), await keep()]).toEqual([expect.any(String), expect.any(String)]);
    // A browser that begins anew takes its own place.
    expect(await keep(address, kept[0])).toEqual(expect.any(String));
  });

  test("past those a sign-in begins all the same, and ends on the account page", async () => {
    const path = await (await OAuthClient.registered()).authorizePath({ resource: "https://localhost/mcp" });
    const app = router({ ...services, config: { ...services.config, production: true } }, (name) => env.USER_SESSION.getByName(name));
    const begin = async (address: string) => app.fetch(new Request(`https://localhost${path}`, { redirect: "manual", headers: { host: "localhost", "cf-connecting-ip": address } }), env, createExecutionContext());
    await fill("198.51.100.7");
    const [full, free] = [await begin("198.51.100.7"), await begin("198.51.100.8")];
    expect([full, free].map(({ status, headers }) => [status, headers.get("location")])).toEqual([[302, "/sign-in"], [302, "/sign-in"]]);
    expect([full, free].map(({ headers }) => headers.get("set-cookie")?.includes("return-to") ?? false)).toEqual([false, true]);
  });
});

test("a source is the whole of an IPv4 address and the network of an IPv6 one [S11]", () => {
  expect(["203.0.113.1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::1", "2001:db8::1", "::1", undefined].map(sourceOf)).toEqual(["203.0.113.1 ", "2001:db8:1:2:", "2001:db8:1:2:", "2001:db8::", "::", null]);
});
