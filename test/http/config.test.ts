import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config.ts";

const production = { ENVIRONMENT: "production", ALLOWED_HOSTS: "memory.example.com" };

describe("[S17] configuration", () => {
  test("a production deployment refuses to start without the rate limit, and says why", () => {
    expect(() => parseConfig({ ...production, OMNIMEMORY_RATE_LIMIT: "off" })).toThrow(/cannot start.*OMNIMEMORY_RATE_LIMIT=off is for local measuring/s);
  });

  test("locally it may be lifted", () => {
    expect(parseConfig({ ENVIRONMENT: "local", OMNIMEMORY_RATE_LIMIT: "off" })).toMatchObject({ production: false, rateLimited: false });
  });

  test.each([
    ["production", production],
    ["local", { ENVIRONMENT: "local" }],
  ])("%s is limited unless said otherwise", (_name, env) => {
    expect(parseConfig(env).rateLimited).toBe(true);
  });

  test("production needs to know its own host names, and trusts no others", () => {
    expect(() => parseConfig({ ENVIRONMENT: "production" })).toThrow(/ALLOWED_HOSTS/);
    expect(parseConfig({ ...production, ALLOWED_ORIGINS: " app.example.com , " })).toMatchObject({
      allowedHosts: ["memory.example.com"],
      allowedOrigins: ["memory.example.com", "app.example.com"],
    });
  });

  test.each([{}, { ENVIRONMENT: "prod" }, { ENVIRONMENT: "local", OMNIMEMORY_RATE_LIMIT: "no" }, { ENVIRONMENT: "" }])("%j does not start", (env) => {
    expect(() => parseConfig(env)).toThrow(/OmniMemory cannot start/);
  });
});
