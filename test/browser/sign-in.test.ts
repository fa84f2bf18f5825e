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
  await owner.expectHeading("Your account");
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
  await second.expectHeading("Your account");
  await second.press(/^End the session of /);
  await expect.poll(() => second.page.getByText("(this browser)").count()).toBe(1);
  expect(await second.page.getByRole("button", { name: /^End the session/ }).count()).toBe(0);
  await first.visit("/");
  expect(first.path).toBe("/sign-in");
  expect([first.complaints, second.complaints]).toEqual([[], []]);
});

test("without JavaScript the pages say that passkeys need it, and everything else works [A13]", async () => {
  await product.restart();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const passkeys = page.locator("noscript p", { hasText: "Passkeys need JavaScript, which is off here." });
  await page.goto(`${product.pagesOrigin}/sign-in`);
  await passkeys.waitFor();
  expect(await page.getByRole("button").count(), "no button that does nothing").toBe(0);
  await page.goto(product.signInUrl ?? "");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await passkeys.waitFor();
  await page.getByLabel("Name, such as where it will be used").fill("laptop");
  for (const box of ["read memories (memory:read)", "write memories (memory:write)"]) await page.getByLabel(box).uncheck();
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByText("Choose what the key may do.").waitFor();
  expect(await page.getByLabel("Name, such as where it will be used").inputValue(), "nothing is to be typed again").toBe("laptop");
  await page.getByLabel("read memories (memory:read)").check();
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("heading", { name: "Your new key laptop" }).waitFor();
  await context.close();
});

test("a double click makes one key and shows it; loading the page again, too [A13] [S17]", async () => {
  await product.restart();
  const owner = await Profile.signedIn(browser, product);
  const name = `W ${crypto.randomUUID()}`;
  const key = () => owner.page.locator("code").first().innerText();
  await owner.page.getByLabel("Name, such as where it will be used").fill(name);
  await owner.page.getByRole("button", { name: "Create the key" }).dblclick();
  await owner.expectHeading(`Your new key ${name}`);
  await owner.page.waitForLoadState();
  const token = await key();
  expect((await fetch(product.url("/v1/keys"), { headers: { authorization: `Bearer ${token}` } })).status, "it works, and may not manage keys").toBe(403);
  await owner.page.reload();
  expect(await key()).toBe(token);
  await owner.page.getByRole("link", { name: "Back to your account" }).click();
  expect(await owner.page.getByText(name).count()).toBe(1);
  await owner.page.getByRole("button", { name: `Replace the key ${name} in Local` }).dblclick();
  await owner.expectHeading(`Your new key ${name}`);
  expect(owner.complaints).toEqual([]);
});
