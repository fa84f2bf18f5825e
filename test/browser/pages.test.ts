import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { Device } from "./support/device.ts";
import { controlsOf, faintTexts, outline, overflow, tabStops, tightTargets } from "./support/page-checks.ts";
import { Profile } from "./support/profile.ts";
import { WaitingClient } from "./support/waiting-client.ts";

/** As long as a name may be in every place, in one word. */
const longName = "W".repeat(50);
const provider = { client_id: "omnimemory", client_secret: "a-secret" };
const SIGN_IN_PROVIDERS = JSON.stringify([
  { ...provider, id: "one", name: "Example", issuer: "https://login.example" },
  { ...provider, id: "two", name: longName, issuer: "https://other.example" },
]);

let product: Product;
let browser: Browser;
let client: WaitingClient;
/** Both with a window as narrow as a small phone. */
let owner: Profile;
let stranger: Profile;
let link = "";
let usedLink = "";
let consent = "";
let wrongRequest = "";
let invitation = "";

beforeAll(async () => {
  [product, browser] = await Promise.all([Product.start({ OMNIMEMORY_RATE_LIMIT: "off", SIGN_IN_PROVIDERS }), startChromium()]);
  usedLink = new URL(product.signInUrl ?? "").href.slice(product.pagesOrigin.length);
  owner = await Profile.signedIn(browser, product, { width: 360 });
  stranger = await Profile.open(browser, product, { width: 360 });
  client = await WaitingClient.start(product, longName);
  owner.allowRequestsTo(client.origin);

  await Device.plugInto(owner.page);
  await owner.page.getByLabel("Name of a new passkey").fill(longName);
  await owner.press("Add a passkey");
  await owner.page.getByText(`${longName}, a passkey`).waitFor();
  await owner.page.goto((await client.authorizationUrl()).href);
  await owner.press("Allow");
  await owner.expectHeading("Back at the client");
  await client.finish();
  client.memory.invalidateCredentials();
  const { pathname, search } = await client.authorizationUrl();
  consent = pathname + search;
  wrongRequest = await requestWithoutPkce();
  invitation = await invite();
  await owner.visit("/");
  await owner.press("Make a recovery link");
  link = (await owner.page.locator("code").innerText()).slice(product.pagesOrigin.length);
});
afterAll(() => Promise.all([browser.close(), client.stop(), product.remove()]));

/** Of a client on the web, to whom nobody is sent on by themselves. */
async function requestWithoutPkce(): Promise<string> {
  const elsewhere = await WaitingClient.start(product, longName, `https://${"w".repeat(60)}.example/callback`);
  const { pathname, searchParams } = await elsewhere.authorizationUrl();
  await elsewhere.stop();
  searchParams.delete("code_challenge");
  return `${pathname}?${searchParams}`;
}

/** Into a team with a long name. */
async function invite(): Promise<string> {
  await owner.visit("/");
  const { team } = await owner.post("/v1/organizations", { name: longName });
  const { url } = await owner.post(`/v1/teams/${team.id}/invitations`, { role: "member" });
  return url.slice(product.pagesOrigin.length);
}

interface Shown {
  title: string;
  heading: string;
  status: number;
  open: () => Promise<{ profile: Profile; status: number | undefined }>;
}

const at = (who: () => Profile, path: () => string): Shown["open"] => async () => ({ profile: who(), status: await who().visit(path()) });

const pages: Shown[] = [
  { title: "sign-in", heading: "Sign in to OmniMemory", status: 200, open: at(() => stranger, () => "/sign-in") },
  { title: "link", heading: "Sign in to OmniMemory", status: 200, open: at(() => stranger, () => link) },
  { title: "used link", heading: "This link does not sign you in", status: 403, open: at(() => stranger, () => usedLink) },
  { title: "sign-in again", heading: "Sign in to OmniMemory", status: 200, open: at(() => owner, () => "/sign-in?again=keys") },
  { title: "invitation of a stranger", heading: "You are invited to a team", status: 200, open: at(() => stranger, () => invitation) },
  { title: "account", heading: "Your account", status: 200, open: at(() => owner, () => "/") },
  { title: "consent", heading: `Let ${longName} use your memory?`, status: 200, open: at(() => owner, () => consent) },
  { title: "request that is wrong", heading: "This request for access is not valid", status: 400, open: at(() => owner, () => wrongRequest) },
  {
    title: "client whose description cannot be fetched", heading: "The client's description could not be fetched", status: 400,
    open: at(() => owner, () => consent.replace(/client_id=[^&]*/, `client_id=https%3A%2F%2F${"w".repeat(60)}.invalid-client.dev%2Fclient.json`)),
  },
  { title: "unknown client", heading: "This client is not known", status: 400, open: at(() => owner, () => "/authorize?client_id=https%3A%2F%2F10.0.0.1%2Fclient") },
  { title: "invitation", heading: `Join ${longName}`, status: 200, open: at(() => owner, () => invitation) },
  { title: "address of nothing", heading: "There is nothing here", status: 404, open: at(() => owner, () => "/keys") },
  { title: "wrong invitation", heading: "This invitation cannot be accepted", status: 404, open: at(() => owner, () => "/invitation?token=x") },
];

describe.each(pages)("the page: $title [A13]", ({ heading, status, open }) => {
  test("says what it is, names every control, and does nothing that its policy forbids", async () => {
    const { profile, status: answered } = await open();
    expect(answered).toBe(status);
    expect(await profile.heading()).toBe(heading);
    expect(await outline(profile.page)).toEqual({ lang: "en", titled: true, headings: 1, unnamed: 0 });
    expect(profile.complaints).toEqual([]);
  });

  test("fits a window of 360 pixels, with room for a finger, and is legible by day and night", async () => {
    const { page } = (await open()).profile;
    expect(await overflow(page)).toBe(0);
    expect(await tightTargets(page)).toEqual([]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await faintTexts(page), colorScheme).toEqual([]);
    }
  });

  test("the Tab key leads to every control in order, and one sees where it is", async () => {
    const { page } = (await open()).profile;
    const controls = await controlsOf(page);
    const stops = await tabStops(page, controls.length);
    expect(stops).toEqual(controls.map((control) => ({ control, visible: true })));
  });
});

test("the policy stops scripts and requests that are not the page's own, and the tests notice [A13]", async () => {
  const visitor = await Profile.open(browser, product);
  await visitor.visit("/sign-in");
  await visitor.page.evaluate(async () => {
    document.body.append(Object.assign(document.createElement("script"), { textContent: "document.title = 'taken over'" }));
    document.body.append(Object.assign(document.createElement("img"), { src: "https://elsewhere.example/pixel" }));
    await fetch("https://elsewhere.example/").catch(() => undefined);
  });
  expect(await visitor.page.title()).toBe("Sign in – OmniMemory");
  const noticed = ["script-src 'self'", "connect-src 'self'", "img-src 'self'", "request to https://elsewhere.example/pixel"].map((text) => expect.stringContaining(text));
  await expect.poll(() => visitor.complaints).toEqual(expect.arrayContaining(noticed));
});
