import { newBootstrapLink, newRecoveryLink } from "../domain/tenancy/sign-in-link.ts";
import { D1SignInStore } from "../platform/d1/sign-in-store.ts";
import { local } from "./local-identity.ts";
import type { Runtime } from "./runtime.ts";

/** A link that signs the local person in with a browser: as long as they have no other way in, or when they lost theirs. */
export async function signInLink(runtime: Runtime, port: number, recovery: boolean): Promise<string | undefined> {
  const store = new D1SignInStore(await runtime.d1("DB"));
  const token = await (recovery ? newRecoveryLink : newBootstrapLink)(store, local.owner.id, Date.now(), { client: "launcher" });
  // `localhost` and not 127.0.0.1: browsers keep secure cookies and passkeys for the name only.
  return token && `http://localhost:${port}/sign-in/link?token=${token}`;
}
