import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { Profile } from "./support/profile.ts";

let product: Product;
let browser: Browser;
beforeAll(async () => {
  [product, browser] = await Promise.all([Product.start(), startChromium()]);
});
afterAll(() => Promise.all([browser.close(), product.remove()]));

test("the link of the launcher signs a browser in once; signing out ends it [A13]", async () => {
  const owner = await Profile.open(browser, product);
  await owner.visit("/");
  expect(owner.path).toBe("/sign-in");

  await owner.followLink(product.signInUrl);
  await owner.expectHeading("OmniMemory");
  expect(owner.path).toBe("/");
  expect(await owner.page.getByText("Signed in as").innerText()).toBe("Signed in as Local user.");

  const finder = await Profile.open(browser, product);
  await finder.page.goto(product.signInUrl ?? "");
  await finder.expectHeading("This link does not sign you in");
  await finder.visit("/");
  expect(finder.path).toBe("/sign-in");

  await owner.press("Sign out");
  await owner.expectHeading("Sign in to OmniMemory");
  await owner.page.goBack();
  expect(owner.path, "nothing to see by going back").toBe("/sign-in");
  expect([owner.complaints, finder.complaints]).toEqual([[], []]);
});

test("a session can be ended from another browser [A13]", async () => {
  await product.restart();
  const first = await Profile.signedIn(browser, product);
  await product.restart();
  const second = await Profile.signedIn(browser, product);
  await second.expectHeading("OmniMemory");
  await second.press(/^End the session of /);
  await expect.poll(() => second.page.getByText("(this browser)").count()).toBe(1);
  expect(await second.page.getByRole("button", { name: /^End the session/ }).count()).toBe(0);
  await first.visit("/");
  expect(first.path).toBe("/sign-in");
  expect([first.complaints, second.complaints]).toEqual([[], []]);
});
