import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Authenticator } from "../http/web/authenticator.ts";
import { accessRequest } from "./support/access-request.ts";
import { PersonAtBrowser } from "./support/person.ts";
import { Product } from "./support/product.ts";
import { ScriptedPage } from "./support/scripted-page.ts";

let product: Product;
let owner: PersonAtBrowser;
let origin: string;
beforeAll(async () => {
  product = await Product.start();
  origin = new URL(product.signInUrl ?? "").origin;
  owner = await PersonAtBrowser.signIn(product);
});
afterAll(() => product.remove());

describe("the script of the pages [A13]", () => {
  test("adds a passkey under the name that was typed, and signs another browser in with it", async () => {
    const device = await Authenticator.make();
    const account = await ScriptedPage.open(owner, "/", device, origin);
    expect(account.shown).toBe(true);
    account.name.value = "Laptop";
    await account.click("add");
    expect([account.wentTo, account.status.textContent]).toEqual(["/", ""]);
    expect(await (await owner.get("/")).text()).toContain("<strong>Laptop</strong>, a passkey");

    const other = PersonAtBrowser.at(origin);
    const request = await accessRequest(origin);
    await other.get(request);
    const signIn = await ScriptedPage.open(other, "/sign-in", device, origin);
    await signIn.click("use");
    expect(signIn.wentTo).toBe(request);
    expect(await (await other.get("/")).text()).toContain("Signed in as <strong>Local user</strong>");
  });

  test("says what went wrong: cancelled, or a passkey that nobody knows", async () => {
    const stranger = PersonAtBrowser.at(origin);
    const cancelled = await ScriptedPage.open(stranger, "/sign-in", undefined, origin);
    await cancelled.click("use");
    expect([cancelled.wentTo, cancelled.status.textContent]).toEqual([undefined, "Nothing was done: it was cancelled or took too long."]);

    const unknown = await ScriptedPage.open(stranger, "/sign-in", await Authenticator.make(), origin);
    await unknown.click("use");
    expect([unknown.wentTo, unknown.status.textContent]).toEqual([undefined, "This passkey does not sign you in. Try another one, or another way."]);
  });

  test("with a passkey the launcher prints no link any more", async () => {
    await product.restart();
    expect(product.signInUrl).toBeUndefined();
  });
});
