import type { AuditEntry, CallOrigin } from "../tenancy/audit-entry.ts";
import type { Principal } from "../tenancy/principal.ts";
import type { AuditTrail } from "./audit-trail.ts";

const hourMs = 3_600_000;
/** One row a day says that a credential is in use, and from where; one for each request would say no more. */
const rowEveryMs = 24 * hourMs;
/** In between the database is asked only so often. */
const askEveryMs = hourMs;
const maxRemembered = 2_000;

/** Notes which credential is used by which client from where. Remembers what it noted, so that most requests cost nothing. */
export class CredentialUses {
  readonly #trail: Pick<AuditTrail, "noteUse">;
  readonly #noted = new Map<string, number>();

  constructor(trail: Pick<AuditTrail, "noteUse">) {
    this.#trail = trail;
  }

  /** Answers the write to wait for, if there is one. */
  note({ userId, teamId, organizationId, credential }: Principal, from: CallOrigin, now: number): Promise<void> | undefined {
    const use = JSON.stringify([credential.id, from.client, from.address, from.country]);
    if ((this.#noted.get(use) ?? Number.NEGATIVE_INFINITY) > now - askEveryMs) return undefined;
    if (this.#noted.size >= maxRemembered) this.#noted.clear();
    this.#noted.set(use, now);
    const action = credential.kind === "grant" ? "grant.use" : "key.use";
    const entry: AuditEntry = { ...from, at: now, action, success: true, organizationId, teamId, userId, subject: credential.id, credentialId: credential.id };
    return this.#trail.noteUse(entry, now - rowEveryMs);
  }
}
