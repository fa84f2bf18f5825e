import { readFileSync } from "node:fs";
import jsQR from "jsqr";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tools } from "../e2e/support/clients.ts";
import { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { faintTexts, outline, overflow } from "./support/page-checks.ts";
import { Profile } from "./support/profile.ts";

let product: Product;
let browser: Browser;
beforeAll(async () => {
  [product, browser] = await Promise.all([Product.start(), startChromium()]);
});
afterAll(() => Promise.all([browser.close(), product.remove()]));

const query = "?surface=all&project=github.com/acme/shop";
const shots = process.env["SCREENSHOTS"];

/** What the camera of another device reads from the page: a screenshot of the code, decoded. */
async function scanned(page: Page): Promise<string | undefined> {
  const shot = await page.getByRole("img", { name: "QR code of this link" }).screenshot({ type: "png" });
  // The product's pages run no script of ours; an empty one turns the picture into pixels.
  const elsewhere = await (await browser.newContext()).newPage();
  const { data, width, height } = await elsewhere.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type: "image/png" }));
    const drawing = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d") as OffscreenCanvasRenderingContext2D;
    drawing.drawImage(bitmap, 0, 0);
    return { data: [...drawing.getImageData(0, 0, bitmap.width, bitmap.height).data], width: bitmap.width, height: bitmap.height };
  }, shot.toString("base64"));
  await elsewhere.context().close();
  return jsQR(Uint8ClampedArray.from(data), width, height)?.data;
}

test("a person follows the link of their session, signing in on the way, takes it, and the next tool goes on with it [A5] [A13]", async () => {
  const claude = await tools["claude-code"](product, query);
  await claude.call("omn_retrieve_memory", { query: "which database for billing" });
  const { export_url: link, session_id: id } = (await claude.call("omn_export_session")).structured as { export_url: string; session_id: string };
  await claude.close();

  const owner = await Profile.open(browser, product, { width: 360 });
  const picture = async (name: string): Promise<void> => void (shots && (await owner.page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })));
  const check = async (): Promise<void> => {
    expect(await outline(owner.page)).toEqual({ lang: "en", titled: true, headings: 1, unnamed: 0 });
    expect(await overflow(owner.page)).toBe(0);
    expect(await faintTexts(owner.page)).toEqual([]);
  };
  await owner.page.goto(link);
  await owner.expectHeading("A session waits for you");
  await check();
  await owner.followLink(product.signInUrl);
  await owner.expectHeading("Go on with this session");
  await owner.page.reload();
  expect(await owner.page.getByText("github.com/acme/shop").count()).toBe(1);
  expect(await owner.page.getByText("0 files, 1 search, 0 decisions, 0 tasks").count()).toBe(1);
  await check();
  expect(await scanned(owner.page)).toBe(link);
  await picture("claim");

  await owner.press("Take the session");
  await owner.expectHeading("Your session is ready");
  expect(await owner.page.locator("code").innerText()).toBe(`Restore my OmniMemory session ${id} with omn_restore_session.`);
  await check();
  await picture("claimed");
  const [download] = await Promise.all([owner.page.waitForEvent("download"), owner.page.getByRole("link", { name: "Download the Memory Passport" }).click()]);
  expect(download.suggestedFilename()).toBe(`${id}.json`);
  const passport = readFileSync(await download.path(), "utf8");

  const cursor = await tools.cursor(product, query);
  expect((await cursor.call("omn_restore_session", { session_id: id })).structured).toMatchObject({ previous_tool: "claude-code", context: { recent_searches: ["which database for billing"] } });
  const vscode = await tools.vscode(product, query);
  expect((await vscode.call("omn_restore_session", { passport })).structured).toMatchObject({ session_id: id, previous_tool: "cursor" });
  await Promise.all([cursor.close(), vscode.close()]);

  expect(await owner.visit(new URL(link).pathname)).toBe(404);
  await check();
  expect(owner.complaints).toEqual([]);
});
