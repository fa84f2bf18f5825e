import { afterEach, describe, expect, test, vi } from "vitest";
import { isAllowed } from "../../../src/domain/tenancy/allow-list.ts";
import { githubIssuer } from "../../../src/http/upstream/provider.ts";
import { Upstream } from "../../../src/http/upstream/upstream.ts";

const provider = { id: "github", name: "GitHub", issuer: githubIssuer, client_id: "id", client_secret: "hush" };
const redirectUri = "https://memory.example.com/sign-in/callback/github";
const now = Date.now();
afterEach(() => vi.restoreAllMocks());

/** GitHub as its documentation describes it; answers what was asked of it. */
function github(emails: unknown, status = 200): string[] {
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { hostname, pathname } = new URL(input instanceof Request ? input.url : String(input));
    asked.push(hostname + pathname);
    if (pathname === "/user/emails") return Response.json(emails, { status });
    return Response.json(pathname === "/user" ? { id: 7, login: "ada", name: "Ada" } : { access_token: "opaque", token_type: "bearer", scope: "user:email" });
  });
  return asked;
}

async function signIn(allow?: string[], told: Record<string, string> = {}) {
  const upstream = new Upstream({ ...provider, ...(allow ? { allow } : {}) });
  const { url, state } = await upstream.begin(redirectUri, now);
  const callback = new URL(redirectUri);
  callback.search = new URLSearchParams({ code: "c", state: state.state, ...told }).toString();
  return { scope: url.searchParams.get("scope"), vouched: await upstream.finish(callback, redirectUri, state, now) };
}

const address = (email: string, primary: boolean, verified: boolean) => ({ email, primary, verified, visibility: null });

describe("GitHub [A13]", () => {
  test("is asked for addresses only where there is a list of who may sign in", async () => {
    const asked = github([]);
    expect(await signIn()).toEqual({ scope: null, vouched: { identity: { issuer: githubIssuer, subject: "7", name: "Ada", email: undefined }, verified: [] } });
    expect(asked).not.toContain("api.github.com/user/emails");
  });

  test.each([
    ["the primary address, verified", [address("old@mail.example", false, true), address("ada@example.com", true, true)], true],
    ["another address, verified", [address("ada@mail.example", true, true), address("ada@example.com", false, true)], false],
    ["the primary address, not verified", [address("ada@example.com", true, false)], false],
    ["no address", [], false],
  ])("vouches for %s", async (_what, emails, isIn) => {
    github(emails);
    const { scope, vouched } = await signIn(["@example.com"]);
    expect(scope).toBe("user:email");
    expect(isAllowed(["@example.com"], vouched.verified)).toBe(isIn);
  });

  test("names itself when it sends a person back (RFC 9207), and another issuer in its place is refused", async () => {
    github([]);
    expect((await signIn(undefined, { iss: "https://github.com/login/oauth" })).vouched.identity).toMatchObject({ issuer: githubIssuer, subject: "7" });
    await expect(signIn(undefined, { iss: "https://issuer.example" })).rejects.toThrow("iss");
  });

  test("that does not tell the addresses vouches for nobody", async () => {
    github({ message: "Not Found" }, 404);
    await expect(signIn(["@example.com"])).rejects.toThrow();
  });
});
