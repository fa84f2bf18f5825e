import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Issuer } from "../e2e/support/issuers.ts";
import type { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { Profile } from "./support/profile.ts";
import { WaitingClient } from "./support/waiting-client.ts";
import { signInAtIssuer, startWithIssuer } from "./support/with-issuer.ts";

let product: Product;
let browser: Browser;
let idp: Issuer;
let client: WaitingClient;
beforeAll(async () => {
  [{ product, idp }, browser] = await Promise.all([startWithIssuer(), startChromium()]);
  client = await WaitingClient.start(product);
});
afterAll(async () => {
  idp.close();
  await Promise.all([browser.close(), client.stop(), product.remove()]);
});

async function open(): Promise<Profile> {
  const profile = await Profile.open(browser, product);
  profile.allowRequestsTo(idp.issuer);
  profile.allowRequestsTo(client.origin);
  return profile;
}

test("an account elsewhere signs in on the way to a client's consent, and the browser comes back to the client [A13]", async () => {
  const ada = await open();
  await ada.page.goto((await client.authorizationUrl()).href);
  await ada.press("Sign in with Example");
  await signInAtIssuer(ada, "ada");
  await ada.expectHeading("Let Waiting Client use your memory?");
  expect(await ada.page.getByText("Signed in as").innerText()).toContain("Signed in as ada of the issuer.");
  await ada.press("Allow");
  await ada.expectHeading("Back at the client");
  await client.finish();
  const connected = await client.connect();
  expect((await connected.listTools()).tools.length).toBeGreaterThan(0);
  await connected.close();
  expect(ada.complaints).toEqual([]);
});

test("an account elsewhere is added to the person who is signed in, and signs them in from then on [A13]", async () => {
  const owner = await open();
  await owner.followLink(product.signInUrl);
  await owner.press("Add an account at Example");
  await signInAtIssuer(owner, "owner");
  await owner.expectHeading("Your account");
  await owner.page.getByText("owner of the issuer").waitFor();

  const elsewhere = await open();
  await elsewhere.visit("/sign-in");
  await elsewhere.press("Sign in with Example");
  await signInAtIssuer(elsewhere, "owner");
  await elsewhere.expectHeading("Your account");
  expect(await elsewhere.page.getByText("Signed in as").innerText()).toBe("Signed in as Local user.");
  expect([owner.complaints, elsewhere.complaints]).toEqual([[], []]);
});
