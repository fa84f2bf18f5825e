import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Product } from "../e2e/support/product.ts";
import { chromiumPath } from "./support/chromium.ts";
import { WaitingClient } from "./support/waiting-client.ts";

const redirect = "cursor://anysphere.cursor-mcp/oauth/callback";
const folder = mkdtempSync(join(tmpdir(), "omnimemory-scheme-"));
const opened = join(folder, "opened");
writeFileSync(opened, "");

let product: Product;
let context: BrowserContext;
beforeAll(async () => {
  product = await Product.start();
  // Chromium hands addresses of other programs to xdg-open. This one notes them; the profile has been told that it may.
  const programs = join(folder, "bin");
  mkdirSync(programs);
  writeFileSync(join(programs, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$1" >> "${opened}"\n`);
  chmodSync(join(programs, "xdg-open"), 0o755);
  const profile = join(folder, "profile");
  mkdirSync(join(profile, "Default"), { recursive: true });
  writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify({ protocol_handler: { allowed_origin_protocol_pairs: { [product.pagesOrigin]: { cursor: true } } } }));
  context = await chromium.launchPersistentContext(profile, { executablePath: chromiumPath(), env: { ...process.env, PATH: `${programs}:${process.env["PATH"]}` } });
});
afterAll(async () => {
  await Promise.all([context.close(), product.remove()]);
  rmSync(folder, { recursive: true, force: true });
});

test("Cursor's own scheme is shown at consent and opened with the code, which the client exchanges", async () => {
  const client = await WaitingClient.start(product, "Cursor", redirect);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  await page.goto((await client.authorizationUrl()).href);
  await page.goto(product.signInUrl ?? "");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("opens the program registered for cursor:// on this computer").waitFor();
  expect(await page.getByText("Access will be sent to").innerText()).toBe("Access will be sent to what opens cursor://.");

  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByRole("heading", { name: "Back to the client" }).waitFor();
  // The shell makes the file before the program writes to it: a whole line is what counts.
  await expect.poll(() => readFileSync(opened, "utf8"), { timeout: 10_000 }).toContain("\n");
  const [address = ""] = readFileSync(opened, "utf8").split("\n");
  expect(address.startsWith(`${redirect}?code=`)).toBe(true);
  expect(await page.getByRole("link", { name: "open cursor://" }).getAttribute("href")).toBe(address);

  client.callbacks.push(new URL(address));
  await client.finish();
  expect(client.memory.saved?.scope).toContain("memory:read");
  await (await client.connect()).close();
  expect(complaints).toEqual([]);
  await client.stop();
});
