import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../launcher/free-port.ts";
import { client, ForgingIssuer, type Forgery, type Issuer, signInAt, startProvider } from "./support/issuers.ts";
import { PersonAtBrowser } from "./support/person.ts";
import { accessRequest } from "./support/access-request.ts";
import { Product } from "./support/product.ts";

let product: Product;
let idp: Issuer;
let forger: ForgingIssuer;
let owner: PersonAtBrowser;
let origin: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  idp = await startProvider([`${origin}/sign-in/callback/idp`]);
  forger = await ForgingIssuer.start();
  const providers = [
    { id: "idp", name: "Example", issuer: idp.issuer, ...client },
    { id: "forger", name: "Forger", issuer: forger.issuer, ...client },
  ];
  product = await Product.start({ OMNIMEMORY_RATE_LIMIT: "off", SIGN_IN_PROVIDERS: JSON.stringify(providers) }, port);
  owner = await PersonAtBrowser.signIn(product);
});
afterAll(async () => {
  idp.close();
  forger.close();
  await product.remove();
});

const stranger = (): PersonAtBrowser => PersonAtBrowser.at(origin);
const locationOf = (answer: Response): URL => new URL(answer.headers.get("location") ?? "about:blank", origin);
const begin = async (person: PersonAtBrowser, path: string): Promise<URL> => locationOf(await person.post(path, []));
const home = async (person: PersonAtBrowser): Promise<string> => (await person.get("/")).text();

/** Signs in at the issuer as `login`; where the product leads then. */
async function signInAs(person: PersonAtBrowser, login: string, path = "/sign-in/with/idp"): Promise<Response> {
  return person.get(await signInAt(await begin(person, path), login, origin));
}

describe("signing in at an OpenID provider [A13]", () => {
  test("the page offers it; the first sign-in makes a person with a team of their own, the next finds them", async () => {
    const ada = stranger();
    expect(await (await ada.get("/sign-in")).text()).toContain("Sign in with Example");
    const answer = await signInAs(ada, "ada");
    expect([answer.status, locationOf(answer).pathname]).toEqual([303, "/"]);
    expect(await home(ada)).toContain("Signed in as <strong>ada of the issuer</strong>");
    expect(await home(ada)).toContain("<strong>Example</strong>, ada of the issuer, same@mail.example");

    const again = stranger();
    await signInAs(again, "ada");
    expect((await home(again)).match(/End this session/g)).toHaveLength(1);
  });

  test("the same mail address at the same issuer does not join two people, nor either to the owner", async () => {
    const [one, two] = [stranger(), stranger()];
    await signInAs(one, "one");
    await signInAs(two, "two");
    for (const [person, name] of [[one, "one"], [two, "two"]] as const) expect(await home(person)).toContain(`<strong>${name} of the issuer</strong>`);
    expect(await home(owner)).toContain("<strong>Local user</strong>");
  });

  test("the request carries state, nonce and PKCE, anew each time", async () => {
    const [first, second] = [await begin(stranger(), "/sign-in/with/idp"), await begin(stranger(), "/sign-in/with/idp")];
    expect(Object.fromEntries(first.searchParams)).toMatchObject({ response_type: "code", code_challenge_method: "S256", redirect_uri: `${origin}/sign-in/callback/idp`, scope: "openid profile email" });
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(first.searchParams.get(name)?.length).toBeGreaterThan(30);
      expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name));
    }
  });

  test("after signing in the person goes on with the consent they came for", async () => {
    const person = stranger();
    const request = await accessRequest(origin);
    await person.get(request);
    expect(locationOf(await signInAs(person, "on-the-way")).href).toBe(`${origin}${request}`);
  });

  test("a callback in another browser signs nobody in: neither the attacker's victim nor the thief of an address", async () => {
    const attacker = stranger();
    const callback = await signInAt(await begin(attacker, "/sign-in/with/idp"), "attacker", origin);
    const victim = stranger();
    expect((await victim.get(callback)).status).toBe(403);
    await begin(victim, "/sign-in/with/idp");
    expect((await victim.get(callback)).status, "nor with an attempt of its own under way").toBe(403);
    expect((await victim.get("/")).status).toBe(302);
  });

  test("a callback works once", async () => {
    const person = stranger();
    const callback = await signInAt(await begin(person, "/sign-in/with/idp"), "once", origin);
    expect((await person.get(callback)).status).toBe(303);
    expect((await person.get(callback)).status).toBe(403);
  });

  test("session fixation: signing in elsewhere begins a new session, and the one that the browser had ends", async () => {
    const [attacker, victim] = [stranger(), stranger()];
    await signInAs(attacker, "fixing");
    victim.take(attacker, "__Host-session");
    expect(await home(victim)).toContain("<strong>fixing of the issuer</strong>");
    await signInAs(victim, "fixed");
    expect(await home(victim)).toContain("<strong>fixed of the issuer</strong>");
    expect((await attacker.get("/")).status).toBe(302);
  });

  test.each([
    ["another state", (url: URL) => url.searchParams.set("state", "x".repeat(43))],
    ["no state", (url: URL) => url.searchParams.delete("state")],
    ["another code", (url: URL) => url.searchParams.set("code", "stolen")],
    ["no code", (url: URL) => url.searchParams.delete("code")],
    ["another issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example")],
    ["no issuer, though this one always names itself", (url: URL) => url.searchParams.delete("iss")],
    ["an error of the issuer", (url: URL) => url.searchParams.set("error", "access_denied")],
    ["the address of another issuer's callback", (url: URL) => void (url.pathname = "/sign-in/callback/forger")],
    ["the address of an unknown callback", (url: URL) => void (url.pathname = "/sign-in/callback/nobody")],
  ])("mixed-up issuers and other attempts: a callback with %s signs nobody in", async (_what, spoil) => {
    const person = stranger();
    const callback = await signInAt(await begin(person, "/sign-in/with/idp"), "spoilt", origin);
    spoil(callback);
    expect((await person.get(callback)).status).toBe(403);
    expect((await person.get("/")).status).toBe(302);
  });

  test("an unknown provider is no way in", async () => {
    expect((await stranger().post("/sign-in/with/nobody", [])).status).toBe(404);
  });
});

describe("adding an account to one's own [A13]", () => {
  test("the owner adds one and then signs in with it; the launcher prints no more links", async () => {
    expect(await home(owner)).toContain("Add an account at Example");
    expect((await signInAs(owner, "local-owner", "/identities/idp")).status).toBe(303);
    const elsewhere = stranger();
    await signInAs(elsewhere, "local-owner");
    expect(await home(elsewhere)).toContain("<strong>Local user</strong>");
    await product.restart();
    expect(product.signInUrl).toBeUndefined();

    await product.stop();
    await product.start({ recovery: true });
    const recovered = await PersonAtBrowser.signIn(product);
    expect(await home(recovered), "and should they lose it, the machine itself lets them in").toContain("<strong>Local user</strong>");
    await product.restart();
  });

  test("an account that is somebody else's is not taken from them", async () => {
    await signInAs(stranger(), "somebody");
    const other = stranger();
    await signInAs(other, "other");
    expect((await signInAs(other, "somebody", "/identities/idp")).status).toBe(409);
    const somebody = stranger();
    await signInAs(somebody, "somebody");
    expect(await home(somebody)).toContain("<strong>somebody of the issuer</strong>");
  });

  test("an account is added only to whom it was begun for", async () => {
    const person = stranger();
    await signInAs(person, "first");
    const callback = await signInAt(await begin(person, "/identities/idp"), "extra", origin);
    await person.post("/sign-out", []);
    expect((await person.get(callback)).status).toBe(403);
  });

  test("another site cannot begin it", async () => {
    const person = stranger();
    await signInAs(person, "forged");
    for (const path of ["/identities/idp", "/sign-in/with/idp"]) expect((await person.postFrom("https://evil.example", path)).status).toBe(403);
  });
});

describe("an issuer's answers that are not to be believed [A13]", () => {
  const now = Math.floor(Date.now() / 1_000);
  const answerTo = async (forgery: Forgery): Promise<Response> => {
    const person = stranger();
    const asked = await begin(person, "/sign-in/with/forger");
    forger.forgery = forgery;
    forger.nonce = asked.searchParams.get("nonce") ?? "";
    const callback = new URL(asked.searchParams.get("redirect_uri") ?? "");
    callback.search = new URLSearchParams({ code: "c", state: asked.searchParams.get("state") ?? "", iss: forger.issuer }).toString();
    return person.get(callback);
  };
  const attempt = async (forgery: Forgery): Promise<number> => (await answerTo(forgery)).status;

  test("this one is believed when it says nothing wrong", async () => {
    expect(await attempt({})).toBe(303);
  });

  const forgeries: [what: string, forgery: Forgery][] = [
    ["alg none", { header: { alg: "none" }, signature: "none" }],
    ["no signature", { signature: "none" }],
    ["the key of another", { signature: "foreign" }],
    ["a key id that does not exist", { header: { kid: "other" } }],
    ["the public key as an HMAC key", { header: { alg: "HS256" }, signature: "public-key-hmac" }],
    ["the client's secret as an HMAC key", { header: { alg: "HS256" }, signature: "secret-hmac" }],
    ["another client's audience", { claims: { aud: "somebody-else" } }],
    ["two audiences and no party", { claims: { aud: [client.client_id, "somebody-else"] } }],
    ["another issuer", { claims: { iss: "https://accounts.google.com" } }],
    ["another nonce", { claims: { nonce: "replayed" } }],
    ["no nonce", { claims: { nonce: undefined } }],
    ["an expiry in the past", { claims: { iat: now - 7_200, exp: now - 3_600 } }],
    ["a beginning in the future", { claims: { nbf: now + 3_600 } }],
    ["a time of issue in the future", { claims: { iat: now + 3_600, exp: now + 7_200 } }],
    ["no time of issue", { claims: { iat: undefined } }],
    ["no end", { claims: { exp: undefined } }],
    ["a key that it brings along", { signature: "brought-along" }],
    ["a key that it has fetched", { header: { jku: "https://evil.example/jwks", x5u: "https://evil.example/x5u" }, signature: "foreign" }],
    ["an extension that must be understood", { header: { crit: ["b64"], b64: false } }],
    ["a text larger than any", { claims: { padding: "x".repeat(2_000_000) } }],
    ["no subject", { claims: { sub: undefined } }],
    ["an empty subject", { claims: { sub: "" } }],
    ["a subject that is no text", { claims: { sub: { $ne: null } } }],
  ];
  test.each([
    ["minutes behind", { iat: now + 180, exp: now + 480 }, true],
    ["hours ahead", { iat: now - 7_200, exp: now - 3_600 }, true],
    ["right", { aud: "another" }, false],
  ])("whoever is refused by a server whose clock is %s reads whether that is why", async (_what, claims, isClock) => {
    const answer = await answerTo({ claims });
    expect([answer.status, (await answer.text()).includes("The clocks of this server and of the issuer differ")]).toEqual([403, isClock]);
  });

  test.each(forgeries)("an ID token with %s signs nobody in", async (_what, forgery) => {
    expect(await attempt(forgery)).toBe(403);
  });
});
