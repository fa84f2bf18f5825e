import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../launcher/free-port.ts";
import { type Claims, client, ForgingIssuer, type Issuer, signInAt, startProvider } from "./support/issuers.ts";
import { PersonAtBrowser } from "./support/person.ts";
import { Product } from "./support/product.ts";

let product: Product;
let idp: Issuer;
let issuer: ForgingIssuer;
let owner: PersonAtBrowser;
let origin: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  idp = await startProvider(["listed", "unlisted"].map((id) => `${origin}/sign-in/callback/${id}`));
  issuer = await ForgingIssuer.start();
  const providers = [
    { id: "open", name: "Open", issuer: issuer.issuer, ...client },
    { id: "works", name: "Works", issuer: issuer.issuer, ...client, allow: ["@example.com", "Ada@example.org"] },
    { id: "listed", name: "Listed", issuer: idp.issuer, ...client, allow: ["@mail.example"] },
    { id: "unlisted", name: "Unlisted", issuer: idp.issuer, ...client, allow: ["@example.com"] },
  ];
  product = await Product.start({ OMNIMEMORY_RATE_LIMIT: "off", SIGN_IN_PROVIDERS: JSON.stringify(providers) }, port);
  owner = await PersonAtBrowser.signIn(product);
});
afterAll(async () => {
  idp.close();
  issuer.close();
  await product.remove();
});

const stranger = (): PersonAtBrowser => PersonAtBrowser.at(origin);
const locationOf = (answer: Response): URL => new URL(answer.headers.get("location") ?? "about:blank", origin);
const begin = async (person: PersonAtBrowser, path: string): Promise<URL> => locationOf(await person.post(path, []));
const isIn = async (person: PersonAtBrowser): Promise<boolean> => (await person.get("/")).status === 200;

/** Comes back from the issuer, which says this. */
async function come(person: PersonAtBrowser, claims: Claims, path = "/sign-in/with/works", userInfo: Claims = {}): Promise<Response> {
  const asked = await begin(person, path);
  issuer.forgery = { claims, userInfo };
  issuer.nonce = asked.searchParams.get("nonce") ?? "";
  const callback = new URL(asked.searchParams.get("redirect_uri") ?? "");
  callback.search = new URLSearchParams({ code: "c", state: asked.searchParams.get("state") ?? "", iss: issuer.issuer }).toString();
  return person.get(callback);
}

describe("a provider with a list of who may sign in [A13]", () => {
  test.each([
    ["an address of a domain on the list", { sub: "grace", email: "grace@example.com", email_verified: true }],
    ["an address on the list, in other letters", { sub: "ada", email: "ADA@Example.org", email_verified: true }],
    ["one that is verified in the words of issuers who write it as text", { sub: "edith", email: "edith@example.com", email_verified: "true" }],
  ])("lets in %s", async (_what, claims) => {
    const person = stranger();
    expect((await come(person, claims)).status).toBe(303);
    expect(await isIn(person)).toBe(true);
  });

  const refused: [what: string, claims: Claims][] = [
    ["somebody else", { sub: "m1", email: "mallory@example.org", email_verified: true }],
    ["an address that is not verified", { sub: "m2", email: "grace@example.com", email_verified: false }],
    ["one of which nothing is said", { sub: "m3", email: "grace@example.com" }],
    ["one that is verified in no word we know", { sub: "m4", email: "grace@example.com", email_verified: 1 }],
    ["no address", { sub: "m5", email_verified: true }],
  ];
  test.each(refused)("refuses %s and says whom to ask, where a provider without a list does not", async (_what, claims) => {
    const person = stranger();
    const answer = await come(person, claims);
    expect(answer.status).toBe(403);
    const page = await answer.text();
    expect(page).toMatch(/You are not let in yet.*Ask whoever runs localhost/s);
    expect(page.includes("mallory@example.org"), "only what the issuer has verified is shown").toBe(claims["email"] === "mallory@example.org");
    expect(await isIn(person)).toBe(false);
    expect((await come(person, claims, "/sign-in/with/open")).status).toBe(303);
  });

  test.each([
    ["takes an address that the issuer tells only when it is asked", { email: "asked@example.com", email_verified: true }, 303],
    ["does not take the word on one address for another", { email: "asked@elsewhere.example", email_verified: true }, 403],
    ["does not take a word on no address", { email_verified: true }, 403],
  ])("%s", async (_what, userInfo, status) => {
    expect((await come(stranger(), { sub: crypto.randomUUID(), email: "grace@example.com" }, undefined, userInfo)).status).toBe(status);
  });

  test("asks the list at every sign-in: who is off it does not come in, though they have an account", async () => {
    const before = stranger();
    await come(before, { sub: "leaver", email: "leaver@example.com", email_verified: true });
    const after = stranger();
    expect((await come(after, { sub: "leaver", email: "leaver@elsewhere.example", email_verified: true })).status).toBe(403);
    expect(await isIn(before), "where they are signed in they stay so").toBe(true);
  });

  test("an invitation does not overrule the list", async () => {
    const { team } = await (await owner.postJson("/v1/organizations", JSON.stringify({ name: "Lab" }))).json() as { team: { id: string } };
    const { url } = await (await owner.postJson(`/v1/teams/${team.id}/invitations`, JSON.stringify({ role: "member" }))).json() as { url: string };
    const guest = stranger();
    await guest.get(url);
    expect((await come(guest, { sub: "guest", email: "guest@elsewhere.example", email_verified: true })).status).toBe(403);
    const colleague = stranger();
    await colleague.get(url);
    const answer = await come(colleague, { sub: "colleague", email: "colleague@example.com", email_verified: true });
    expect(locationOf(answer).href).toBe(url);
  });

  test("nor is an account that is off the list added to anybody's", async () => {
    expect((await come(owner, { sub: "extra", email: "extra@elsewhere.example", email_verified: true }, "/identities/works")).status).toBe(403);
    expect(await (await owner.get("/")).text()).not.toContain("extra@elsewhere.example");
  });

  test("reads addresses that the issuer tells only when it is asked", async () => {
    const [listed, unlisted] = [stranger(), stranger()];
    expect((await listed.get(await signInAt(await begin(listed, "/sign-in/with/listed"), "one", origin))).status).toBe(303);
    const answer = await unlisted.get(await signInAt(await begin(unlisted, "/sign-in/with/unlisted"), "two", origin));
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("<strong>same@mail.example</strong>");
  });
});
