import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { Profile } from "./support/profile.ts";
import { WaitingClient } from "./support/waiting-client.ts";

let product: Product;
let browser: Browser;
let client: WaitingClient;
beforeAll(async () => {
  [product, browser] = await Promise.all([Product.start(), startChromium()]);
  client = await WaitingClient.start(product);
});
afterAll(() => Promise.all([browser.close(), client.stop(), product.remove()]));

const read = { name: "omn_retrieve_memory", arguments: { key: "anything" } };
const write = { name: "omn_store_memory", arguments: { key: "a.rule", content: "Goggles are worn." } };

test("the person signs in on the way, picks the team, takes a scope away and lets the client in; then disconnects it [A13] [S2]", async () => {
  const owner = await Profile.open(browser, product);
  owner.allowRequestsTo(client.origin);
  await owner.page.goto((await client.authorizationUrl()).href);
  await owner.expectHeading("Sign in to OmniMemory");
  await owner.followLink(product.signInUrl);

  await owner.expectHeading("Let Waiting Client use your memory?");
  expect(await owner.page.getByText("Access will be sent to").innerText()).toBe("Access will be sent to 127.0.0.1.");
  expect(await owner.page.getByText("a program on this computer").count()).toBe(1);
  const asked = owner.page.url();
  await owner.visit("/");
  await owner.post("/v1/organizations", { name: "Lab" });
  await owner.page.goto(asked);
  await owner.page.getByLabel("Team").selectOption({ label: "Lab (you are owner)" });
  await owner.page.getByLabel("Store, change and forget memories").uncheck();
  await owner.press("Allow");
  await owner.expectHeading("Back at the client");

  await client.finish();
  expect(client.memory.saved?.scope).toBe("memory:read offline_access");
  const connected = await client.connect();
  expect((await connected.callTool(read)).structuredContent).toMatchObject({ total_found: 0 });
  expect(await connected.callTool(write)).toMatchObject({ isError: true });

  await owner.visit("/");
  expect(await owner.page.getByText(/^Since .*through/).innerText()).toMatch(/through 127\.0\.0\.1$/);
  expect(await owner.page.getByText("Read and search memories").innerText(), "and nothing else").toBe("Read and search memories");
  await owner.press("Disconnect Waiting Client from Lab");
  await owner.page.getByText(`None yet. Add ${product.pagesOrigin}/mcp to a client`).waitFor();
  await expect(connected.callTool(read)).rejects.toThrow(/unauthorized|401/i);
  await connected.close();
  expect(owner.complaints).toEqual([]);
  await owner.press("Sign out");
});

test("signing in and consent need no mouse [A13]", async () => {
  await product.restart();
  const owner = await Profile.open(browser, product);
  owner.allowRequestsTo(client.origin);
  const { keyboard } = owner.page;
  const url = (await client.authorizationUrl()).href;
  await owner.page.goto(url);
  await owner.page.goto(product.signInUrl ?? "");
  await owner.tabTo("button", "Sign in");
  await keyboard.press("Enter");
  await owner.expectHeading("Let Waiting Client use your memory?");
  await owner.visit("/");
  await owner.post("/v1/organizations", { name: "Workshop" });

  await owner.page.goto(url);
  await owner.tabTo("combobox", "Team");
  await keyboard.type("Work");
  await owner.tabTo("checkbox", "Store, change and forget memories");
  await keyboard.press("Space");
  await owner.tabTo("button", "Allow");
  await keyboard.press("Enter");
  await owner.expectHeading("Back at the client");
  await client.finish();
  expect(client.memory.saved?.scope).toBe("memory:read offline_access");
  client.memory.invalidateCredentials();

  await owner.visit("/");
  await owner.tabTo("button", "Disconnect Waiting Client from Workshop");
  await keyboard.press("Enter");
  await owner.page.getByText("None yet.").waitFor();
  expect(owner.complaints).toEqual([]);
});

test("denying sends the client away with nothing [A13]", async () => {
  await product.restart();
  const owner = await Profile.signedIn(browser, product);
  owner.allowRequestsTo(client.origin);
  await owner.page.goto((await client.authorizationUrl()).href);
  await owner.press("Deny");
  await owner.expectHeading("Back at the client");
  expect(client.callbacks.at(-1)?.searchParams.get("error")).toBe("access_denied");
  expect(owner.complaints).toEqual([]);
});

test("a request that is wrong brings the browser back to the client before anybody is asked to sign in [A13]", async () => {
  const owner = await Profile.open(browser, product);
  owner.allowRequestsTo(client.origin);
  const url = await client.authorizationUrl();
  url.searchParams.delete("code_challenge");
  await owner.page.goto(url.href);
  await owner.expectHeading("Back at the client");
  expect(client.callbacks.at(-1)?.searchParams.get("error")).toBe("invalid_request");
  expect(owner.complaints).toEqual([]);
});

test("the terminal's link in another tab leads on to the consent of a request longer than a cookie", async () => {
  await product.restart();
  const owner = await Profile.open(browser, product);
  owner.allowRequestsTo(client.origin);
  const url = await client.authorizationUrl();
  const state = "s".repeat(10_000);
  url.searchParams.set("state", state);
  await owner.page.goto(url.href);
  await owner.expectHeading("Sign in to OmniMemory");
  const tab = await owner.page.context().newPage();
  await tab.goto(product.signInUrl ?? "");
  await tab.getByText("You are about to be signed in as Local user (account local).").waitFor();
  await tab.getByRole("button", { name: "Sign in", exact: true }).click();
  await tab.getByRole("heading", { name: "Let Waiting Client use your memory?" }).waitFor();
  await tab.getByRole("button", { name: "Allow", exact: true }).click();
  await tab.getByRole("heading", { name: "Back at the client" }).waitFor();
  expect(client.callbacks.at(-1)?.searchParams.get("state")).toBe(state);
  expect(owner.complaints).toEqual([]);
});
