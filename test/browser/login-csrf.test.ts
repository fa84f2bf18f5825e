import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Issuer } from "../e2e/support/issuers.ts";
import type { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { faintTexts, outline, overflow } from "./support/page-checks.ts";
import { Profile } from "./support/profile.ts";
import { signInAtIssuer, startWithIssuer } from "./support/with-issuer.ts";

let product: Product;
let browser: Browser;
let idp: Issuer;
beforeAll(async () => {
  [{ product, idp }, browser] = await Promise.all([startWithIssuer(), startChromium()]);
});
afterAll(async () => {
  idp.close();
  await Promise.all([browser.close(), product.remove()]);
});

test("a link into another account names it, and ends the session that there is only when its person says so", async () => {
  const victim = await Profile.open(browser, product, { width: 360 });
  victim.allowRequestsTo(idp.issuer);
  await victim.visit("/");
  await victim.press("Sign in with Example");
  await signInAtIssuer(victim, "grace");
  const name = await victim.page.locator("strong").first().innerText();

  await victim.page.goto(product.signInUrl ?? "");
  const main = victim.page.locator("main");
  expect(await main.innerText()).toContain("You are about to be signed in as Local user (account local).");
  expect(await main.innerText()).toContain(`This browser is signed in as ${name}, which is another account.`);
  expect(await outline(victim.page)).toEqual({ lang: "en", titled: true, headings: 1, unnamed: 0 });
  expect(await overflow(victim.page)).toBe(0);
  expect(await faintTexts(victim.page)).toEqual([]);

  await victim.page.getByRole("link", { name: `Stay signed in as ${name}` }).click();
  await victim.page.getByText(`Signed in as ${name}.`).waitFor();
  await victim.page.goto(product.signInUrl ?? "");
  await victim.press(`Sign out ${name} and sign in as Local user`);
  await victim.page.getByText("Signed in as Local user.").waitFor();
  expect(victim.complaints).toEqual([]);
});
