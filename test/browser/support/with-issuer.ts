import { freePort } from "../../launcher/free-port.ts";
import { client, type Issuer, startProvider } from "../../e2e/support/issuers.ts";
import { Product } from "../../e2e/support/product.ts";
import type { Profile } from "./profile.ts";

/** The product, and an OpenID provider `Example` that it lets people sign in at. */
export async function startWithIssuer(): Promise<{ product: Product; idp: Issuer }> {
  const port = await freePort();
  const idp = await startProvider([`http://localhost:${port}/sign-in/callback/idp`]);
  const SIGN_IN_PROVIDERS = JSON.stringify([{ id: "idp", name: "Example", issuer: idp.issuer, ...client }]);
  return { product: await Product.start({ OMNIMEMORY_RATE_LIMIT: "off", SIGN_IN_PROVIDERS }, port), idp };
}

/** On the provider's own pages. */
export async function signInAtIssuer(profile: Profile, login: string): Promise<void> {
  await profile.page.getByPlaceholder("Enter any login").fill(login);
  await profile.page.getByPlaceholder("and password").fill("any");
  await profile.press("Sign-in");
  await profile.press("Continue");
}
