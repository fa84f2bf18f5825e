import { sha256Hex } from "../hash.ts";
import { type Authentication, auditedFailuresPerMinute } from "./keys.ts";
import { parseSubject, type TokenStore } from "./grant-store.ts";
import type { MemberRef } from "./member-ref.ts";
import type { CallOrigin } from "./audit-entry.ts";
import type { KeyStore } from "./key-store.ts";

export interface TokenParts extends MemberRef {
  grantId: string;
}

/** Access tokens read `<person>.<team>:<grant>:<secret>`; all of it but the secret is only a claim until it is proven. */
const pattern = /^([\w.-]{1,160}):([\w-]{1,64}):[\w-]{16,128}$/;

export function parseAccessToken(token: string): TokenParts | undefined {
  const [, subject = "", grantId = ""] = pattern.exec(token) ?? [];
  const parsed = parseSubject(subject);
  return parsed && { ...parsed, grantId };
}

export interface TokenPorts {
  tokens: TokenStore;
  keys: Pick<KeyStore, "auditFailure">;
  /** Lets the answer go out before the work is done (`waitUntil`). */
  defer: (work: Promise<void>) => void;
}

/** `resource`: the address that is called; a token for another one is none. */
export async function authenticateToken(ports: TokenPorts, token: string, resource: string | undefined, now: number, from: CallOrigin = {}): Promise<Authentication> {
  const holder = resource === undefined || !parseAccessToken(token) ? undefined : await ports.tokens.tokenHolder(token, resource);
  if (!holder || holder.expiresAt <= now) {
    const subject = (await sha256Hex(token)).slice(0, 16);
    ports.defer(ports.keys.auditFailure({ ...from, at: now, action: "authenticate.token", success: false, subject }, auditedFailuresPerMinute));
    return { kind: "unknown" };
  }
  const { userId, teamId, organizationId, role, scopes, shard, grantId, clientId, preferences, expiresAt } = holder;
  return { kind: "ok", name: clientId, preferences, expiresAt, principal: { userId, teamId, organizationId, role, scopes, shard, credential: { kind: "grant", id: grantId, clientId } } };
}
