import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { expectSound } from "./support/page-checks.ts";
import { Profile } from "./support/profile.ts";

let product: Product;
let browser: Browser;
let owner: Profile;
beforeAll(async () => {
  [product, browser] = await Promise.all([Product.start({ OMNIMEMORY_RATE_LIMIT: "off" }), startChromium()]);
  owner = await Profile.signedIn(browser, product, { width: 390 });
});
afterAll(() => Promise.all([browser.close(), product.remove()]));

const check = (name: string): Promise<void> => expectSound(owner.page, name, [1_280, 390]);

test("an admin sees what a client proposes, accepts one and refuses another, and the client finds the one that was accepted [F4] [U7]", async () => {
  const { team } = await owner.post("/v1/organizations", { name: "Lab" });
  await owner.page.evaluate((path) => fetch(path, { method: "PUT", headers: { "content-type": "application/json" }, body: '{"required":true}' }), `/v1/teams/${team.id}/review`);
  // This key may not administer, so what it shares waits.
  const keyOf = (scopes: string[]): Promise<string> =>
    owner.page.evaluate(async ({ path, body }) => (await (await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body })).json()).token as string, {
      path: `/v1/teams/${team.id}/keys`, body: JSON.stringify({ name: scopes.join(), scopes }),
    });
  const connect = async (scopes: string[]): Promise<Client> => {
    const client = new Client({ name: "e2e", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(product.url("/mcp?surface=all"), { requestInit: { headers: { authorization: `Bearer ${await keyOf(scopes)}` } } }));
    return client;
  };
  const [member, admin] = [await connect(["memory:read", "memory:write"]), await connect(["memory:read", "memory:write", "memory:admin"])];
  const call = async (client: Client, name: string, args: Record<string, unknown>) => (await client.callTool({ name, arguments: args })).structuredContent as Record<string, any>;
  const shared = { metadata: { scope: "shared" } };

  await owner.visit(`/memories/${team.id}`);
  await owner.page.getByRole("link", { name: "Proposals", exact: true }).click();
  await owner.expectHeading("Proposals in Lab");
  await owner.page.getByText("None.").waitFor();
  await check("proposals-empty");

  const { memory_id: port } = await call(admin, "omn_store_memory", { key: "staging.port", content: "The staging port is 8443.", ...shared });
  const { memory_id: mesh } = await call(admin, "omn_store_memory", { key: "mesh", content: "The mesh is Linkerd.", ...shared });
  await call(admin, "omn_store_memory", { key: "plan", content: "Deploy on Tuesdays.", ...shared });
  await call(member, "omn_update_memory", { id: port, content: "The staging port is 9443.\nProduction has 443.", metadata: { importance: 0.9, tags: ["ops", "ports"] }, links: [{ to: mesh, type: "references", strength: 0.5, reason: "the mesh takes 8443" }] });
  await call(member, "omn_store_memory", { content: `支付回调必须在 5 秒内返回 200。 ${"W".repeat(300)} ${"The port stays open for the night shift. ".repeat(10)}`, ...shared });
  await call(member, "omn_store_memory", { key: "safe", content: "The safe opens with 4711.", metadata: { scope: "shared", sensitivity: "secret" } });
  await call(member, "omn_store_memory", { content: "הפורט של סביבת הבדיקות הוא 8443 (staging).", ...shared });
  await call(member, "omn_update_memory", { key: "plan", content: "Deploy never." });
  await call(admin, "omn_update_memory", { key: "plan", content: "Deploy on Mondays." });

  await owner.visit(`/memories/${team.id}`);
  await check("memories-with-proposals");
  await owner.page.getByRole("link", { name: "Proposals (5 waiting)" }).click();
  await owner.page.getByRole("heading", { name: "Waiting" }).waitFor();
  expect(await owner.page.getByText("The safe opens with 4711.").isVisible(), "a secret is read by who opens it").toBe(false);
  await check("proposals");
  expect(await owner.page.getByRole("button", { name: "Accept: plan" }).count()).toBe(0);

  await owner.press("Accept: staging.port");
  await owner.page.getByRole("status").getByText("Accepted: others see it as proposed.").waitFor();
  await check("proposals-accepted-one");
  expect((await call(admin, "omn_retrieve_memory", { id: port }))["memories"][0]).toMatchObject({ content: "The staging port is 9443.\nProduction has 443." });

  const tab = await owner.page.context().newPage();
  await tab.goto(owner.page.url());
  await tab.getByRole("button", { name: "Refuse: safe" }).click();
  await tab.getByRole("status").getByText("Refused: the memory stays as it is.").waitFor();
  await owner.press("Accept: safe");
  await owner.expectHeading("This proposal is decided already.");
  await check("proposal-decided-already");
  await owner.page.getByRole("link", { name: "All proposals" }).click();
  await owner.page.getByRole("link", { name: "Refused" }).click();
  await owner.page.getByRole("heading", { name: "Refused" }).waitFor();
  await check("proposals-refused");
  await owner.page.getByRole("link", { name: "Accepted" }).click();
  await owner.page.getByRole("link", { name: "staging.port" }).click();
  await owner.expectHeading("staging.port");
  expect(owner.complaints).toEqual([]);
  await Promise.all([member.close(), admin.close()]);
});
