import { auditedFailuresPerMinute } from "../tenancy/keys.ts";
import type { CallOrigin } from "../tenancy/audit-entry.ts";
import type { Principal } from "../tenancy/principal.ts";
import type { AuditTrail } from "./audit-trail.ts";

/** As far as it is known who was refused. */
export interface Refused {
  userId: string;
  teamId?: string;
  organizationId?: string;
  credentialId: string;
}

export const refusedAs = ({ userId, teamId, organizationId, credential }: Principal): Refused => ({ userId, teamId, organizationId, credentialId: credential.id });

/** Somebody known wanted what they may not have. `what`: a tool or a route, never what was in the call. */
export const noteRefusal = (trail: Pick<AuditTrail, "auditFailure">, who: Refused, what: string, now: number, from: CallOrigin): Promise<void> =>
  trail.auditFailure({ ...from, ...who, at: now, action: "authorize.refused", success: false, subject: what }, auditedFailuresPerMinute);
