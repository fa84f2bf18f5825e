import * as z from "zod";
import { DomainError, invalid } from "../../domain/errors.ts";
import type { PublicKey } from "../../domain/sessions/issuer-keys.ts";
import type { RemoteIssuerKeys } from "../../domain/sessions/passport-issuers.ts";
import { mayFetch } from "../oauth/client-address.ts";
import { loopback } from "../oauth/resources.ts";
import { boundedFetch } from "../upstream/bounded-fetch.ts";
import { keySetPath } from "./well-known.ts";

const withinMs = 5_000;
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });
/** Keys of other kinds may stand beside ours. */
const issuerKey = z.looseObject({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), kid: z.string(), x: z.string() });

/**
 * Asks other servers for their public keys. Their addresses stand in documents that anybody may write, so only names of the public DNS
 * are asked, as with metadata documents of clients; on one machine also another server of the same machine. No redirect is followed.
 */
export function remoteIssuerKeys({ production }: { production: boolean }): RemoteIssuerKeys {
  const isReachable = (issuer: string): boolean => mayFetch(issuer) || (!production && isOfThisMachine(issuer));
  const requireReachable = (issuer: string): void => {
    if (!isReachable(issuer)) throw invalid("The passport was signed by a server that this one cannot ask for its public keys.", "Export it on a server with a public https address.");
  };
  return {
    requireReachable,
    async keysOf(issuer): Promise<PublicKey[]> {
      requireReachable(issuer);
      const parsed = keySet.safeParse(await keySetOf(issuer));
      if (!parsed.success) throw unreadable();
      return parsed.data.keys.flatMap((key) => issuerKey.safeParse(key).data ?? []).map(({ kid, x }) => ({ kid, x }));
    },
  };
}

function isOfThisMachine(issuer: string): boolean {
  const url = new URL(issuer);
  return url.protocol === "http:" && loopback.has(url.hostname);
}

async function keySetOf(issuer: string): Promise<unknown> {
  try {
    const answer = await boundedFetch(`${issuer}${keySetPath}`, { headers: { accept: "application/json" }, redirect: "manual", signal: AbortSignal.timeout(withinMs) });
    if (answer.status === 200) return await answer.json();
    await answer.body?.cancel();
  } catch {
    // Whatever it was, the server did not say its keys.
  }
  throw unreadable();
}

const unreadable = (): DomainError =>
  new DomainError("PROVIDER_ERROR", "The server that signed the passport does not tell its public keys now.", { hint: "Try again later, or export the passport again." });
