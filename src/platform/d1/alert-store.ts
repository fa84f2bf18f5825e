import { and, desc, eq, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { type AlertRule, quietMs } from "../../domain/audit/anomalies.ts";
import type { Alert, AlertState, AlertStore } from "../../domain/audit/alerts.ts";
import type { AlertWriter, NewAlert, WatchProgress } from "../../domain/audit/watch.ts";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { alerts, auditProgress } from "./audit-schema.ts";
import { auditWhen, rowWhen } from "./directory-audit.ts";
import { directoryAudit, teams } from "./directory-schema.ts";

export class D1AlertStore implements AlertStore, AlertWriter {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async progressOf(source: string): Promise<WatchProgress> {
    const [row] = await this.#db.select({ lastId: auditProgress.lastId, windowId: auditProgress.windowId }).from(auditProgress).where(eq(auditProgress.source, source));
    return row ?? { lastId: 0, windowId: 0 };
  }

  async raise(source: string, before: WatchProgress, after: WatchProgress, raised: readonly NewAlert[]): Promise<NewAlert[]> {
    const [, ...inserted] = await this.#db.batch([
      this.#db
        .insert(auditProgress)
        .values({ source, ...after })
        .onConflictDoUpdate({ target: auditProgress.source, set: after, setWhere: eq(auditProgress.lastId, before.lastId) }),
      ...raised.map((alert) => this.#db.insert(alerts).select(rowWhen(alerts, alert, isNews(alert)))),
    ]);
    return raised.filter((_alert, i) => (inserted[i]?.meta.changes ?? 0) > 0);
  }

  async listAlerts({ teamId }: Principal, state: AlertState, { below, limit }: { below?: string | undefined; limit: number }): Promise<Alert[]> {
    const rows = await this.#db
      .select()
      .from(alerts)
      .where(and(eq(alerts.teamId, teamId), below === undefined ? undefined : lt(alerts.id, below), inState[state]))
      .orderBy(desc(alerts.id))
      .limit(limit);
    return rows.map((row) => ({ ...row, rule: row.rule as AlertRule }));
  }

  async acknowledgeAlert({ teamId, userId }: Principal, id: string, audit: AuditEntry): Promise<boolean | undefined> {
    const own = and(eq(alerts.id, id), eq(alerts.teamId, teamId));
    const open = sql`exists (select 1 from ${alerts} where id = ${id} and team_id = ${teamId} and acknowledged_at is null)`;
    // The audit row first: its condition is no longer true once the alert is acknowledged.
    const [, done, found] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, open)),
      this.#db.update(alerts).set({ acknowledgedAt: audit.at, acknowledgedBy: userId }).where(and(own, isNull(alerts.acknowledgedAt))),
      this.#db.select({ id: alerts.id }).from(alerts).where(own),
    ]);
    return found.length === 0 ? undefined : done.meta.changes > 0;
  }
}

const inState: Record<AlertState, SQL | undefined> = { open: isNull(alerts.acknowledgedAt), acknowledged: isNotNull(alerts.acknowledgedAt), all: undefined };

/** Nothing like it was raised shortly before, and its team was not erased in the meantime. */
const isNews = ({ rule, teamId, subject, value, at }: NewAlert): SQL => sql`not exists (
  select 1 from ${alerts} where subject = ${subject} and rule = ${rule} and value = ${value} and team_id is ${teamId} and at > ${at - quietMs}
) and (${teamId} is null or exists (select 1 from ${teams} where id = ${teamId}))`;
