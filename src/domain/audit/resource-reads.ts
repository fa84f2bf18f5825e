import { auditedFailuresPerMinute } from "../tenancy/keys.ts";
import type { CallOrigin } from "../tenancy/audit-entry.ts";
import type { AuditTrail } from "./audit-trail.ts";
import type { Refused } from "./refusals.ts";

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * The access log of resources (OmniMemory document, `resource_access_log`): who read what kind of resource, and whether there was
 * something. Which memory or session it was is not kept: it may be private, or become so.
 */
export function noteResourceRead(trail: Pick<AuditTrail, "write" | "auditFailure">, who: Refused, { uri, success }: { uri: string; success: boolean }, now: number, from: CallOrigin): Promise<void> {
  const entry = { ...from, ...who, at: now, action: "resource.read" as const, success, subject: uri.replaceAll(uuid, "…") };
  return success ? trail.write(entry) : trail.auditFailure(entry, auditedFailuresPerMinute);
}
