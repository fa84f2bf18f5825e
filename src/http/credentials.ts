import type { Services } from "../app.ts";
import { parseApiKey } from "../domain/tenancy/api-key.ts";
import type { TokenStore } from "../domain/tenancy/grant-store.ts";
import { authenticate, type Authentication } from "../domain/tenancy/keys.ts";
import type { CallOrigin } from "../domain/tenancy/audit-entry.ts";
import type { KeyStore } from "../domain/tenancy/key-store.ts";
import type { Credential } from "../domain/tenancy/principal.ts";
import { authenticateToken, parseAccessToken } from "../domain/tenancy/access-token.ts";
import { sessionName } from "../session/session-call.ts";

export interface Presented {
  token: string;
  from: CallOrigin & { requestId: string };
  /** The resource that is called, where access tokens are accepted at all. */
  resource: string | undefined;
}

/** Where credentials are looked up. */
export interface Directory {
  keys: Pick<KeyStore, "authenticate" | "touchKey" | "auditFailure">;
  tokens: TokenStore;
}

type Defer = (work: Promise<unknown>) => void;

export const bearerToken = (header: string | null | undefined): string | undefined => /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? "")?.[1];

/** Proves a presented key or access token; audit and last use are written after the answer. */
export function proveCredential(services: Services, { keys, tokens }: Directory, presented: Presented, defer: Defer, now: number): Promise<Authentication> {
  const { token, from, resource } = presented;
  const later = (work: Promise<unknown>): void => defer(work.catch((error: unknown) => services.report("auth", from.requestId, error)));
  return parseAccessToken(token)
    ? authenticateToken({ tokens, keys, defer: later }, token, resource, now, from)
    : authenticate({ keys, defer: later }, token, now, from);
}

/**
 * The session of a credential never changes, so an isolate may remember it; the session decides whether the credential is
 * valid.
 */
const maxRemembered = 10_000;

export class CredentialOwners {
  readonly #sessions = new Map<string, string>();

  sessionOf(token: string): string | undefined {
    const key = parseApiKey(token);
    if (key) return this.#sessions.get(`api-key:${key.keyId}`);
    const parts = parseAccessToken(token);
    const session = parts && this.#sessions.get(`grant:${parts.grantId}`);
    return session !== undefined && session === sessionName(parts?.teamId ?? "", parts?.userId ?? "") ? session : undefined;
  }

  remember(credential: Credential, teamId: string, userId: string): string {
    if (this.#sessions.size >= maxRemembered) this.#sessions.clear();
    const name = sessionName(teamId, userId);
    this.#sessions.set(`${credential.kind}:${credential.id}`, name);
    return name;
  }
}
