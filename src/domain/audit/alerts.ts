import { notFound } from "../errors.ts";
import type { AuditEntry } from "../tenancy/audit-entry.ts";
import type { Principal } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import { auditOf, type TenantContext } from "../tenancy/teams.ts";
import type { NewAlert } from "./watch.ts";

export interface Alert extends NewAlert {
  acknowledgedAt: number | null;
  acknowledgedBy: string | null;
}

export const alertStates = ["open", "acknowledged", "all"] as const;
export type AlertState = (typeof alertStates)[number];

export interface AlertStore {
  /** The principal's team's alerts, last raised first. */
  listAlerts(principal: Principal, state: AlertState, page: { below?: string | undefined; limit: number }): Promise<Alert[]>;
  /** With the audit row; `false` when somebody did before, `undefined` when the team has no such alert. */
  acknowledgeAlert(principal: Principal, id: string, audit: AuditEntry): Promise<boolean | undefined>;
}

type Alerted = TenantContext & { alerts: AlertStore };

export async function listAlerts(ctx: Alerted, input: { state: AlertState; below?: string | undefined; limit: number }): Promise<Alert[]> {
  requireAction(ctx.principal, "read the audit");
  return ctx.alerts.listAlerts(ctx.principal, input.state, input);
}

/** Somebody has looked at it. Twice is no error. */
export async function acknowledgeAlert(ctx: Alerted, input: { id: string }): Promise<{ acknowledged: boolean }> {
  requireAction(ctx.principal, "acknowledge alerts");
  const acknowledged = await ctx.alerts.acknowledgeAlert(ctx.principal, input.id, auditOf(ctx, "alert.acknowledge", input.id));
  if (acknowledged === undefined) throw notFound("The team has no such alert.", "List the alerts to see their ids.");
  return { acknowledged };
}
