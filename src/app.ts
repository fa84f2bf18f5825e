import { logFault } from "./http/log.ts";
import { baseOf } from "./app/base.ts";
import { type Identity, identityOf } from "./app/identity.ts";
import { type Curation, curationOf } from "./app/curation.ts";
import { embeddersFor, type Indexing, indexingOf } from "./app/indexing.ts";
import { dependenciesOf } from "./app/health.ts";
import { type Jobs, jobsOf } from "./app/jobs.ts";
import { type Memory, memoryOf } from "./app/memory.ts";
import { type Recall, recallOf } from "./app/recall.ts";
import type { Config } from "./config.ts";
import type { AlertStore } from "./domain/audit/alerts.ts";
import type { AuditReader, AuditTrail } from "./domain/audit/audit-trail.ts";
import { CredentialUses } from "./domain/audit/uses.ts";
import type { WatchPorts } from "./domain/audit/watch.ts";
import type { Dependency } from "./domain/health/dependencies.ts";
import type { Intelligence } from "./domain/intelligence/intelligence.ts";
import { rules } from "./domain/intelligence/rules/rules.ts";
import type { IndexingQueue } from "./domain/indexing/indexing-queue.ts";
import { D1AlertStore } from "./platform/d1/alert-store.ts";
import { D1AuditFeed } from "./platform/d1/audit-feed.ts";
import { D1AuditStore } from "./platform/d1/audit-store.ts";
import { alertsWithEvents } from "./platform/team-index/told-events.ts";
import { CloudflareIndexingQueue } from "./platform/queue/cloudflare-indexing-queue.ts";

/** Everything the outer layers use, wired once per isolate. */
export interface Services extends Identity, Memory, Recall, Indexing, Curation, Jobs {
  config: Config;
  audit: AuditReader & AuditTrail;
  uses: CredentialUses;
  alerts: AlertStore;
  watch: WatchPorts;
  indexingQueue: IndexingQueue;
  dependencies: readonly Dependency[];
  /** What a call of a client asks. */
  intelligence: Intelligence;
  /** Writes one structured line to the log. Never holds memory text. */
  report(event: string, requestId: string, error: unknown): void;
}

/** The composition root: with `src/app/`, the only place that joins ports and platform. */
export function servicesOf(env: Env): Services {
  const base = baseOf(env);
  const { config, shardOf } = base;
  const embedders = embeddersFor(env, base);
  const indexingQueue = new CloudflareIndexingQueue(env.JOBS, base.report);
  const memory = memoryOf(env, base, indexingQueue);
  const recall = recallOf(env, base, embedders);
  const audit = new D1AuditStore(env.DB, shardOf);
  const alerts = new D1AlertStore(env.DB);
  return {
    config,
    ...identityOf(env, base, memory.erasure),
    ...memory,
    ...recall,
    ...indexingOf(env, base, embedders),
    ...curationOf(env, base),
    ...jobsOf(env, base, (teamId, events) => recall.events.publish(teamId, events)),
    audit,
    uses: new CredentialUses(audit),
    alerts,
    watch: { feed: new D1AuditFeed(env.DB, shardOf), alerts: alertsWithEvents(alerts, (teamId, events) => recall.events.publish(teamId, events)), report: base.report },
    indexingQueue,
    dependencies: dependenciesOf(env, base, recall, embedders),
    intelligence: rules,
    report: logFault,
  };
}
