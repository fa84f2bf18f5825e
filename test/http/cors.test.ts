import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { router } from "../../src/http/router.ts";
import { services } from "../support/team.ts";

const appWith = (pageHosts: string[]) => router({ ...services, config: { ...services.config, pageHosts, allowedOrigins: [...services.config.allowedOrigins, ...pageHosts] } }, (name) => env.USER_SESSION.getByName(name));
const preflight = { method: "OPTIONS", headers: { host: "localhost", origin: "https://app.example.com", "access-control-request-method": "POST", "access-control-request-headers": "authorization, mcp-session-id" } };

describe("scripts of pages that ALLOWED_ORIGINS names [S1]", () => {
  test("may call with a key, and read the session's id; no cookie goes along", async () => {
    const app = appWith(["app.example.com"]);
    const asked = await app.request("http://localhost/mcp", preflight);
    expect(asked.status).toBe(204);
    expect(Object.fromEntries(asked.headers)).toMatchObject({ "access-control-allow-origin": "https://app.example.com", "access-control-allow-headers": "authorization,mcp-session-id" });
    const called = await app.request("http://localhost/health", { headers: { host: "localhost", origin: "https://app.example.com" } });
    expect(called.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
    expect(called.headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("no others, and none where nobody is named", async () => {
    const other = { ...preflight, headers: { ...preflight.headers, origin: "https://evil.example.com" } };
    for (const [hosts, asked] of [[["app.example.com"], other], [[], preflight]] as const) {
      const answer = await appWith([...hosts]).request("http://localhost/mcp", asked);
      expect(answer.status).toBe(403);
      expect(answer.headers.has("access-control-allow-origin")).toBe(false);
    }
  });
});
