import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config.ts";

const production = { ENVIRONMENT: "production", ALLOWED_HOSTS: "memory.example.com" };

describe("configuration [S17]", () => {
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

describe("RECENCY_HALF_LIFE_DAYS [D5]", () => {
  const parse = (days: string) => parseConfig({ ENVIRONMENT: "local", RECENCY_HALF_LIFE_DAYS: days }).recencyHalfLife;

  test("is given in days, and left to the search when it is not", () => {
    expect(parse("7")).toBe(7 * 24 * 60 * 60 * 1_000);
    expect(parse("")).toBeUndefined();
  });

  test.each(["0", "-1", "soon"])("%s does not start", (days) => {
    expect(() => parse(days)).toThrow(/cannot start.*RECENCY_HALF_LIFE_DAYS/s);
  });
});

describe("SIGN_IN_PROVIDERS [A13]", () => {
  const google = { id: "google", name: "Google", issuer: "https://accounts.google.com", client_id: "id", client_secret: "hush" };
  const parse = (list: unknown, env: object = production) => parseConfig({ ...env, SIGN_IN_PROVIDERS: typeof list === "string" ? list : JSON.stringify(list) });

  test("is a JSON list, and none by default", () => {
    expect(parse([google]).signInProviders).toEqual([google]);
    expect(parseConfig(production).signInProviders).toEqual([]);
  });

  test.each([
    ["no JSON", "google"],
    ["no list", google],
    ["a plain http issuer", [{ ...google, issuer: "http://accounts.google.com" }]],
    ["an issuer on this machine, in production", [{ ...google, issuer: "http://127.0.0.1:4000" }]],
    ["no secret", [{ ...google, client_secret: "" }]],
    ["the same id twice", [google, google]],
    ["an id that is a path", [{ ...google, id: "../authorize" }]],
    ["a word nobody knows", [{ ...google, scope: "everything" }]],
  ])("with %s does not start, and the reason does not tell the secret", (_what, list) => {
    expect(() => parse(list)).toThrow(/cannot start(?!.*hush).*SIGN_IN_PROVIDERS/s);
  });

  test("may name who may sign in, in whatever case", () => {
    expect(parse([{ ...google, allow: [" @Example.COM ", "Ada@example.org"] }]).signInProviders[0]?.allow).toEqual(["@example.com", "ada@example.org"]);
  });

  test.each([
    ["a domain without its @", ["example.com"], /"@example\.com"/],
    ["a pattern", ["@*.example.com"], /"@example\.com"/],
    ["two in one", ["@example.com, @example.org"], /"@example\.com"/],
    ["a list in a text", "@example.com", /is a list of mail domains/],
    ["nobody", [], /lets nobody in when it is empty.*leave it out/],
  ])("with %s as the list does not start, and the reason says how to mend it", (_what, allow, reason) => {
    expect(() => parse([{ ...google, allow }])).toThrow(reason);
    expect(() => parse([{ ...google, allow }])).toThrow(/SIGN_IN_PROVIDERS\[0\]\.allow/);
  });

  test("an issuer on this machine is for trying things out there", () => {
    expect(parse([{ ...google, issuer: "http://127.0.0.1:4000" }], { ENVIRONMENT: "local" }).signInProviders).toHaveLength(1);
  });
});

describe("MASTER_KEYS [A13]", () => {
  const one = { id: "2026-11", key: btoa("k".repeat(32)) };
  const parse = (list: unknown) => parseConfig({ ...production, MASTER_KEYS: typeof list === "string" ? list : JSON.stringify(list) });

  test("is a JSON list, the current key first; none by default, and then a deployment starts all the same", () => {
    expect(parse([one, { ...one, id: "2025-11" }]).masterKeys.map(({ id, secret }) => [id, secret.length])).toEqual([["2026-11", 32], ["2025-11", 32]]);
    expect(parseConfig(production).masterKeys).toEqual([]);
  });

  test.each([
    ["no JSON", one.key],
    ["no list", one],
    ["a key that is too short", [{ ...one, key: btoa("k".repeat(16)) }]],
    ["a key that is no base64", [{ ...one, key: "k".repeat(32) }]],
    ["the same id twice", [one, { ...one, key: btoa("l".repeat(32)) }]],
    ["no id", [{ key: one.key }]],
    ["a word nobody knows", [{ ...one, secret: one.key }]],
  ])("with %s does not start, and the reason does not tell the key", (_what, list) => {
    expect(() => parse(list)).toThrow(/cannot start.*MASTER_KEYS/s);
    expect(() => parse(list)).not.toThrow(/a2tra|bGxs|kkkk/);
  });
});

describe("TEAM_MAX_MEMORIES and TEAM_MAX_BYTES", () => {
  const parse = (vars: Record<string, string>) => parseConfig({ ENVIRONMENT: "local", ...vars }).teamQuota;

  test("are generous by default, and numbers otherwise", () => {
    expect(parse({ TEAM_MAX_MEMORIES: "", TEAM_MAX_BYTES: "" })).toEqual({ maxMemories: 250_000, maxBytes: 2_147_483_648 });
    expect(parse({ TEAM_MAX_MEMORIES: "1000", TEAM_MAX_BYTES: "5000000" })).toEqual({ maxMemories: 1_000, maxBytes: 5_000_000 });
  });

  test.each([["TEAM_MAX_MEMORIES", "0"], ["TEAM_MAX_MEMORIES", "many"], ["TEAM_MAX_BYTES", "1"], ["TEAM_MAX_BYTES", "1.5e6x"]])("%s=%s does not start", (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(new RegExp(`cannot start.*${name}`, "s"));
  });
});
