import type { Browser } from "playwright-core";
import { afterEach, beforeAll, beforeEach, afterAll, expect, test } from "vitest";
import { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { Device } from "./support/device.ts";
import { Profile } from "./support/profile.ts";

let product: Product;
let browser: Browser;
let owner: Profile;
beforeAll(async () => {
  browser = await startChromium();
});
beforeEach(async () => {
  product = await Product.start();
  owner = await Profile.signedIn(browser, product);
});
afterEach(() => product.remove());
afterAll(() => browser.close());

const says = (profile: Profile, text: string) => expect.poll(() => profile.page.getByRole("status").innerText()).toBe(text);

async function addPasskey(name: string): Promise<void> {
  await owner.page.getByLabel("Name of a new passkey").fill(name);
  await owner.press("Add a passkey");
  await owner.page.getByText(`${name}, a passkey`).waitFor();
}

async function expectSignedOut(profile: Profile): Promise<void> {
  await profile.visit("/");
  expect(profile.path).toBe("/sign-in");
}

test("a passkey signs in the browser that has it, and no other [A13]", async () => {
  await Device.plugInto(owner.page);
  await addPasskey("Laptop");
  expect(await owner.page.getByRole("button", { name: /^Remove/ }).count(), "the only way in stays").toBe(0);
  await owner.press("Add a passkey");
  await says(owner, "This device has a passkey of yours already.");

  await owner.press("Sign out");
  await owner.press("Sign in with a passkey");
  await owner.expectHeading("Your account");
  expect(await owner.page.getByText("Signed in as").innerText()).toBe("Signed in as Local user.");
  expect(await owner.page.getByText(/^Added .*, last used /).count()).toBe(1);

  const stranger = await Profile.open(browser, product);
  await Device.plugInto(stranger.page);
  await stranger.visit("/sign-in");
  await stranger.press("Sign in with a passkey");
  await says(stranger, "Nothing was done: it was cancelled or took too long.");
  await expectSignedOut(stranger);
  expect([owner.complaints, stranger.complaints]).toEqual([[], []]);
});

test("a passkey that was removed signs nobody in [A13]", async () => {
  const phone = await Device.plugInto(owner.page);
  await addPasskey("Lost phone");
  const thief = await Profile.open(browser, product);
  await (await Device.plugInto(thief.page)).copyFrom(phone);
  await phone.unplug();
  await Device.plugInto(owner.page);
  await addPasskey("Laptop");
  await owner.press("Remove the passkey Lost phone");
  await owner.page.getByText("Lost phone").waitFor({ state: "detached" });

  await thief.visit("/sign-in");
  await thief.press("Sign in with a passkey");
  await says(thief, "This passkey does not sign you in. Try another one, or another way.");
  await expectSignedOut(thief);
  expect([owner.complaints, thief.complaints]).toEqual([[], ["403 /sign-in/passkey"]]);
});

test("a device that does not recognize its person neither adds a passkey nor signs in [A13]", async () => {
  const device = await Device.plugInto(owner.page);
  await device.recognizes(false);
  await owner.press("Add a passkey");
  await says(owner, "Nothing was done: it was cancelled or took too long.");
  await device.recognizes(true);
  await addPasskey("Laptop");
  await owner.press("Sign out");

  await device.recognizes(false);
  await owner.press("Sign in with a passkey");
  await says(owner, "Nothing was done: it was cancelled or took too long.");
  await expectSignedOut(owner);
  expect(owner.complaints).toEqual([]);
});
