import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tokens } from "../e2e/support/client-memory.ts";
import type { Issuer } from "../e2e/support/issuers.ts";
import type { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { Device } from "./support/device.ts";
import { Profile } from "./support/profile.ts";
import { WaitingClient } from "./support/waiting-client.ts";
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

/** Each has somebody with that way in before the browser, signed out, and answers how they take it. */
const ways: Record<string, (person: Profile) => Promise<() => Promise<void>>> = {
  "a passkey": async (person) => {
    await person.followLink(product.signInUrl);
    await Device.plugInto(person.page);
    await person.page.getByLabel("Name of a new passkey").fill("Laptop");
    await person.press("Add a passkey");
    await person.page.getByText("Laptop, a passkey").waitFor();
    await person.press("Sign out");
    return () => person.press("Sign in with a passkey");
  },
  "an account at an OpenID provider": (person) => {
    person.allowRequestsTo(idp.issuer);
    return Promise.resolve(async () => {
      await person.press("Sign in with Example");
      await signInAtIssuer(person, "grace");
    });
  },
};

test.each(Object.entries(ways))("by %s: 401, metadata, registration, sign-in, consent, token, tools, refresh, revoked, refused [A13] [S2]", async (_way, prepare) => {
  const client = await WaitingClient.start(product);
  const person = await Profile.open(browser, product);
  person.allowRequestsTo(client.origin);
  const signIn = await prepare(person);

  await expect(client.connect()).rejects.toThrow(/unauthorized|401/i);
  await person.page.goto((client.memory.sentTo as URL).href);
  await signIn();
  await person.expectHeading("Let Waiting Client use your memory?");
  await person.press("Allow");
  await person.expectHeading("Back at the client");
  await client.finish();
  const first = client.memory.saved as Tokens;

  const connected = await client.connect();
  const store = { name: "omn_store_memory", arguments: { key: "way.home", content: "The way home leads past the mill." } };
  const read = { name: "omn_retrieve_memory", arguments: { query: "way past the mill" } };
  await connected.callTool(store);
  expect((await connected.callTool(read)).structuredContent).toMatchObject({ memories: [{ key: "way.home" }] });

  // An hour later: the access token is none any more.
  client.memory.saved = { ...first, access_token: `${first.access_token}x` };
  expect((await connected.callTool(read)).structuredContent).toMatchObject({ memories: [{ key: "way.home" }] });
  expect(client.memory.saved?.refresh_token).not.toBe(first.refresh_token);
  expect(client.memory.registrations).toBe(1);

  await client.revoke();
  await expect(connected.callTool(read)).rejects.toThrow(/unauthorized|401/i);
  await connected.close();
  await person.visit("/");
  await person.page.getByText("None yet.").waitFor();
  expect(person.complaints).toEqual([]);
  await client.stop();
});
