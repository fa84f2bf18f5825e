import { auditedFailuresPerMinute } from "../tenancy/keys.ts";
import type { CallOrigin } from "../tenancy/audit-entry.ts";
import type { AuditTrail } from "./audit-trail.ts";
import type { Refused } from "./refusals.ts";

/** The access log of resources (OmniMemory document, `resource_access_log`): who read which URI, and whether there was something. */
export function noteResourceRead(trail: Pick<AuditTrail, "write" | "auditFailure">, who: Refused, { uri, success }: { uri: string; success: boolean }, now: number, from: CallOrigin): Promise<void> {
  const entry = { ...from, ...who, at: now, action: "resource.read" as const, success, subject: uri };
  return success ? trail.write(entry) : trail.auditFailure(entry, auditedFailuresPerMinute);
}
