import type { Services } from "../app.ts";
import { parseApiKey } from "../domain/tenancy/api-key.ts";
import { authenticate, type Authentication } from "../domain/tenancy/keys.ts";
import type { KeyDirectory } from "../domain/tenancy/ports.ts";
import { sessionName } from "../session/call.ts";

export interface Presented {
  token: string;
  requestId: string;
  address: string | undefined;
}

type Keys = Pick<KeyDirectory, "authenticate" | "touchKey" | "auditFailure">;
type Defer = (work: Promise<unknown>) => void;

export const bearerToken = (header: string | null | undefined): string | undefined => /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? "")?.[1];

/** Proves a presented key against `keys`; audit and last use are written after the answer. */
export function proveKey(services: Services, keys: Keys, presented: Presented, defer: Defer, now: number): Promise<Authentication> {
  const { token, requestId, address } = presented;
  return authenticate(
    { keys, defer: (work) => defer(work.catch((error: unknown) => services.report("auth", requestId, error))) },
    token,
    now,
    { requestId, ...(address ? { address } : {}) },
  );
}

/** Whose session a key belongs to never changes, so an isolate may remember it; whether it is valid, the session says. */
const maxRemembered = 10_000;

export class KeyOwners {
  readonly #sessions = new Map<string, string>();

  sessionOf(token: string): string | undefined {
    const parts = parseApiKey(token);
    return parts && this.#sessions.get(parts.keyId);
  }

  remember(keyId: string, teamId: string, userId: string): string {
    if (this.#sessions.size >= maxRemembered) this.#sessions.clear();
    const name = sessionName(teamId, userId);
    this.#sessions.set(keyId, name);
    return name;
  }
}
