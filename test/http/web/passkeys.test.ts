import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { audit } from "../../domain/tenancy/tenant.ts";
import { OAuthClient } from "../oauth/client.ts";
import { Authenticator, base64url, type Twist } from "./authenticator.ts";
import { Browser, signedIn } from "./browser.ts";

type Signed = Awaited<ReturnType<typeof signedIn>>;

const json = async (answer: Response): Promise<any> => answer.json();
const isIn = async (browser: Browser): Promise<boolean> => (await browser.get("/")).status === 200;
const keysOf = async (userId: string): Promise<{ credential_id: string; name: string; counter: number; last_used_at: number | null }[]> =>
  (await env.DB.prepare("select * from passkeys where user_id = ?").bind(userId).all<any>()).results;

async function add(browser: Browser, device: Authenticator, name = "Laptop", twist: Twist = {}): Promise<Response> {
  const options = await json(await browser.json("POST", "/passkeys/options", {}));
  return browser.json("POST", "/passkeys", { name, credential: await device.create(options, twist) });
}

async function use(browser: Browser, device: Authenticator, twist: Twist = {}): Promise<Response> {
  const options = await json(await browser.json("POST", "/sign-in/passkey/options", {}));
  return browser.json("POST", "/sign-in/passkey", { credential: await device.get(options, twist) });
}

async function withPasskey(): Promise<Signed & { device: Authenticator }> {
  const person = await signedIn();
  const device = await Authenticator.make();
  expect((await add(person.browser, device)).status).toBe(201);
  return { ...person, device };
}

describe("passkeys [A13]", () => {
  test("a person adds one, and signs in with it in another browser, without saying who they are", async () => {
    const { tenant, device, browser } = await withPasskey();
    expect(await (await browser.get("/")).text()).toContain("<strong>Laptop</strong>, a passkey");

    const other = new Browser();
    const answer = await use(other, device);
    expect([answer.status, await json(answer)]).toEqual([200, { location: "/" }]);
    expect(await (await other.get("/")).text()).toContain("Signed in as <strong>Ada</strong>");

    const [key] = await keysOf(tenant.ownerId);
    expect(key).toMatchObject({ counter: 1, last_used_at: expect.any(Number) });
    expect((await audit("subject", device.id)).map(({ action }) => action)).toEqual(["passkey.add"]);
  });

  test.each(["ES256", "EdDSA", "RS256"] as const)("a key of %s signs in", async (scheme) => {
    const { browser } = await signedIn();
    const device = await Authenticator.make(scheme);
    expect((await add(browser, device)).status).toBe(201);
    for (const flags of [5, 0x0d, 0x1d]) expect((await use(new Browser(), device, { flags })).status).toBe(200);
  });

  test.each(["packed", "tpm", "apple", "of-tomorrow"])("an attestation that nobody asked for, as %s, does not stand in the way of its key", async (format) => {
    const { browser } = await signedIn();
    const device = await Authenticator.make();
    expect((await add(browser, device, "Laptop", { format })).status).toBe(201);
    expect((await use(new Browser(), device)).status).toBe(200);
  });

  test("options ask for a discoverable, verified key, and tell nothing of who has one", async () => {
    const { browser, device, tenant } = await withPasskey();
    expect(await json(await browser.json("POST", "/passkeys/options", {}))).toMatchObject({
      rp: { id: "localhost", name: "OmniMemory" },
      user: { id: base64url(new TextEncoder().encode(tenant.ownerId)) },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [{ id: device.id }],
      attestation: "none",
    });
    const { allowCredentials = [], userVerification, rpId } = await json(await new Browser().json("POST", "/sign-in/passkey/options", {}));
    expect([allowCredentials, userVerification, rpId]).toEqual([[], "required", "localhost"]);
  });

  test("after signing in the person goes on with what they came for, under a new session: no session fixation", async () => {
    const { device } = await withPasskey();
    const browser = new Browser();
    const path = await (await OAuthClient.registered()).authorizePath();
    await browser.get(path);
    browser.cookies.set("__Host-session", "p".repeat(43));
    expect(await json(await use(browser, device))).toEqual({ location: path });
    expect(browser.cookies.get("__Host-session")).not.toBe("p".repeat(43));
  });

  test("several can be added, each but the last way in removed", async () => {
    const { browser, device, tenant } = await withPasskey();
    const phone = await Authenticator.make();
    await add(browser, phone, "<b>Phone</b>");
    expect(await (await browser.get("/")).text()).toContain("&lt;b&gt;Phone&lt;/b&gt;");

    expect((await browser.post(`/passkeys/${device.id}/remove`)).status).toBe(303);
    expect((await use(new Browser(), device)).status).toBe(403);
    const last = await browser.post(`/passkeys/${phone.id}/remove`);
    expect([last.status, (await last.text()).includes("your only way in")]).toEqual([409, true]);
    expect((await use(new Browser(), phone)).status).toBe(200);
    expect(await keysOf(tenant.ownerId)).toHaveLength(1);
  });

  test("of two who remove the last two at the same moment one is kept", async () => {
    const { browser, device, tenant } = await withPasskey();
    const phone = await Authenticator.make();
    await add(browser, phone);
    const answers = await Promise.all([device, phone].map(({ id }) => browser.post(`/passkeys/${id}/remove`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect(await keysOf(tenant.ownerId)).toHaveLength(1);
  });

  test("the last one can be removed when an account elsewhere remains", async () => {
    const { browser, device, tenant } = await withPasskey();
    await env.DB.prepare("insert into identities (issuer, subject, user_id, created_at, last_used_at) values ('https://i.example', ?, ?, 0, 0)").bind(tenant.ownerId, tenant.ownerId).run();
    expect((await browser.post(`/passkeys/${device.id}/remove`)).status).toBe(303);
  });

  test("nobody removes a passkey of somebody else", async () => {
    const victim = await withPasskey();
    const attacker = await withPasskey();
    expect((await attacker.browser.post(`/passkeys/${victim.device.id}/remove`)).status).toBe(409);
    expect((await use(new Browser(), victim.device)).status).toBe(200);
  });
});

describe("answers of authenticators that are not to be believed [A13]", () => {
  const twists: [what: string, twist: (other: Authenticator) => Twist][] = [
    ["without user verification", () => ({ flags: 1 })],
    ["without a user present", () => ({ flags: 4 })],
    ["of another site's origin", () => ({ origin: "https://evil.example" })],
    ["of another port of this machine", () => ({ origin: "http://localhost:3000" })],
    ["for another site's id", () => ({ rpId: "evil.example" })],
    ["to another challenge", () => ({ challenge: base64url(new Uint8Array(32)) })],
    ["to a registration", () => ({ type: "webauthn.create" })],
    ["from within another site's page", () => ({ crossOrigin: true })],
    ["that says it is backed up where nothing can be", () => ({ flags: 0x15 })],
    ["signed by another key", (other) => ({ signer: other })],
    ["for a key that does not exist", (other) => ({ credentialId: other.id })],
    ["that names another person", () => ({ userHandle: base64url(new TextEncoder().encode("local")) })],
  ];
  test.each(twists)("a use %s signs nobody in, and every refusal reads the same", async (_what, twist) => {
    const { device } = await withPasskey();
    const browser = new Browser();
    const answer = await use(browser, device, twist(await Authenticator.make()));
    expect([answer.status, (await json(answer)).error.message]).toEqual([403, "This passkey does not sign you in. Try another one, or another way."]);
    expect(await isIn(browser)).toBe(false);
  });

  test("a use whose counter went back, as that of a copy does, signs nobody in", async () => {
    const { device } = await withPasskey();
    expect((await use(new Browser(), device, { counter: 7 })).status).toBe(200);
    expect((await use(new Browser(), device, { counter: 7 })).status).toBe(403);
    expect((await use(new Browser(), device, { counter: 6 })).status).toBe(403);
    expect((await use(new Browser(), device, { counter: 8 })).status).toBe(200);
  });

  test("an answer that is shown again signs nobody in, in this browser or another", async () => {
    const { device } = await withPasskey();
    const browser = new Browser();
    const options = await json(await browser.json("POST", "/sign-in/passkey/options", {}));
    const cookies = new Map(browser.cookies);
    const credential = await device.get(options);
    const thief = new Browser();
    expect((await thief.json("POST", "/sign-in/passkey", { credential })).status).toBe(403);
    expect((await browser.json("POST", "/sign-in/passkey", { credential })).status).toBe(200);
    for (const again of [browser, thief]) {
      for (const [name, value] of cookies) again.cookies.set(name, value);
      again.cookies.delete("__Host-session");
      expect((await again.json("POST", "/sign-in/passkey", { credential })).status).toBe(403);
      expect(await isIn(again)).toBe(false);
    }
  });

  test("a person who is deleted does not sign in", async () => {
    const { device, tenant } = await withPasskey();
    await env.DB.prepare("update users set deleted_at = 1 where id = ?").bind(tenant.ownerId).run();
    expect((await use(new Browser(), device)).status).toBe(403);
  });

  const registrations: [what: string, twist: Twist][] = [
    ["without user verification", { flags: 1 }],
    ["for another site", { rpId: "evil.example" }],
    ["from another origin", { origin: "https://evil.example" }],
    ["to another challenge", { challenge: base64url(new Uint8Array(32)) }],
    ["that is a use", { type: "webauthn.get" }],
    ["from within another site's page", { crossOrigin: true }],
    ["of another credential than it names", { credentialId: base64url(new Uint8Array(32)) }],
    ["with bytes behind its key", { trailing: [0] }],
  ];
  test.each(registrations)("a registration %s adds nothing", async (_what, twist) => {
    const { browser, tenant } = await signedIn();
    expect((await add(browser, await Authenticator.make(), "x", twist)).status).toBe(403);
    expect(await keysOf(tenant.ownerId)).toEqual([]);
  });

  test("a key of an algorithm that was not asked for is not added", async () => {
    const { browser, tenant } = await signedIn();
    expect((await add(browser, await Authenticator.make("ES384"))).status).toBe(403);
    expect(await keysOf(tenant.ownerId)).toEqual([]);
  });

  test("a challenge for signing in does not do for registering, nor one person's for another", async () => {
    const { browser, tenant } = await signedIn();
    const device = await Authenticator.make();
    const user = { id: base64url(new TextEncoder().encode(tenant.ownerId)) };
    const options = await json(await browser.json("POST", "/sign-in/passkey/options", {}));
    expect((await browser.json("POST", "/passkeys", { name: "x", credential: await device.create({ ...options, rp: { id: "localhost" }, user }) })).status).toBe(403);

    const begun = await json(await browser.json("POST", "/passkeys/options", {}));
    const next = await signedIn();
    browser.cookies.set("__Host-session", next.browser.cookies.get("__Host-session") ?? "");
    expect((await browser.json("POST", "/passkeys", { name: "x", credential: await device.create(begun) })).status).toBe(403);
    expect([...(await keysOf(tenant.ownerId)), ...(await keysOf(next.tenant.ownerId))]).toEqual([]);
  });

  test("a key that is registered already is not taken over by somebody else", async () => {
    const { device, tenant } = await withPasskey();
    const attacker = await signedIn();
    expect((await add(attacker.browser, device)).status).toBe(409);
    expect(await keysOf(tenant.ownerId)).toHaveLength(1);
    expect(await keysOf(attacker.tenant.ownerId)).toEqual([]);
  });

  test.each([
    ["nothing", undefined], ["no object", []], ["an empty object", {}], ["a number for an id", { name: "x", credential: { id: 1 } }],
    ["markup", { name: "x", credential: { id: "<script>", rawId: "x", type: "public-key", clientExtensionResults: {}, response: {} } }],
  ])("%s is refused and breaks nothing", async (_what, body) => {
    const { browser } = await signedIn();
    for (const path of ["/passkeys", "/sign-in/passkey"]) expect((await browser.json("POST", path, body)).status).toBe(403);
  });

  test.each(["/passkeys/options", "/passkeys", "/sign-in/passkey/options", "/sign-in/passkey", "/passkeys/x/remove"])("POST %s from another site is refused", async (path) => {
    const { browser } = await signedIn();
    expect((await browser.json("POST", path, {}, { "sec-fetch-site": "cross-site", origin: null })).status).toBe(403);
  });

  test("a stranger cannot begin a registration", async () => {
    expect((await new Browser().json("POST", "/passkeys/options", {})).status).toBe(403);
  });
});
