import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { Device } from "./support/device.ts";
import { controlsOf, faintTexts, outline, overflow, tabStops } from "./support/page-checks.ts";
import { Profile } from "./support/profile.ts";

let product: Product;
let browser: Browser;
beforeAll(async () => {
  [product, browser] = await Promise.all([Product.start(), startChromium()]);
});
afterAll(() => Promise.all([browser.close(), product.remove()]));

const notice = (profile: Profile) => profile.page.getByRole("alert");

/** Reads well on a small phone, by day and night, with keys only. */
async function expectWellMade({ page }: Profile): Promise<void> {
  expect(await outline(page)).toEqual({ lang: "en", titled: true, headings: 1, unnamed: 0 });
  expect(await overflow(page)).toBe(0);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await faintTexts(page), colorScheme).toEqual([]);
  }
  const controls = await controlsOf(page);
  expect(await tabStops(page, controls.length)).toEqual(controls.map((control) => ({ control, visible: true })));
}

test("a person makes a recovery link, loses everything, comes back by it once, and adds a passkey [A13]", async () => {
  const owner = await Profile.signedIn(browser, product, { width: 360 });
  await owner.press("Make a recovery link");
  await owner.expectHeading("Your recovery link");
  await expectWellMade(owner);
  const link = await owner.page.locator("code").innerText();
  expect(link).toMatch(new RegExp(`^${product.pagesOrigin}/sign-in/link\\?token=\\w{43}$`));
  await owner.page.getByRole("link", { name: "Back to your account" }).click();
  await owner.page.getByText("You have one since").waitFor();
  expect(await owner.page.content()).not.toContain(link);

  const returning = await Profile.open(browser, product, { width: 360 });
  await returning.followLink(link);
  await returning.expectHeading("Your account");
  expect(await notice(returning).innerText()).toContain("You came in by your recovery link; it is used up.");
  expect(await returning.page.getByText("You have none.").count()).toBe(1);
  await expectWellMade(returning);
  await Device.plugInto(returning.page);
  await returning.page.getByLabel("Name of a new passkey").fill("New phone");
  await returning.press("Add a passkey");
  await returning.page.getByText("New phone, a passkey").waitFor();
  expect(await notice(returning).count()).toBe(0);

  const finder = await Profile.open(browser, product);
  await finder.page.goto(link);
  await finder.expectHeading("This link does not sign you in");
  await finder.visit("/");
  expect(finder.path).toBe("/sign-in");
  expect([owner.complaints, returning.complaints, finder.complaints]).toEqual([[], [], []]);
});

test("a recovery link that was revoked signs nobody in [A13]", async () => {
  await product.stop();
  await product.start({ recovery: true });
  const owner = await Profile.signedIn(browser, product);
  await owner.press("Make a recovery link");
  const link = await owner.page.locator("code").innerText();
  await owner.visit("/");
  await owner.press("Revoke the recovery link");
  await owner.page.getByText("You have none.").waitFor();
  const finder = await Profile.open(browser, product);
  await finder.page.goto(link);
  await finder.expectHeading("This link does not sign you in");
  expect([owner.complaints, finder.complaints]).toEqual([[], []]);
});

test("ten minutes after signing in, a link is made only by signing in again, which leads back [A13]", async () => {
  await product.stop();
  await product.start({ recovery: true });
  const owner = await Profile.signedIn(browser, product, { width: 360 });
  await product.signInsWere(10 * 60_000, { recovery: true });
  await owner.press("Make a recovery link");
  await owner.expectHeading("Sign in again first");
  await expectWellMade(owner);
  await owner.page.getByRole("link", { name: "Sign in again" }).click();
  await owner.expectHeading("Sign in to OmniMemory");
  await owner.followLink(product.signInUrl);
  await owner.expectHeading("Your account");
  await owner.press("Make a recovery link");
  await owner.expectHeading("Your recovery link");
  expect(owner.complaints).toEqual([]);
});
