import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { exportResult } from "../../domain/transfers/export-result.ts";
import type { Job } from "../../domain/transfers/job-store.ts";
import { cancelJob, findJob, type JobsContext, listJobs, type Listed, maxEntries, startExport, startImport } from "../../domain/transfers/jobs.ts";
import { parseTransfer } from "../../domain/transfers/parse.ts";
import type { CuratorRun } from "../../domain/curation/run-store.ts";
import * as field from "../../domain/memories/fields.ts";
import { requireScope } from "../../domain/tenancy/principal.ts";
import { bulkCost } from "../../tools/define-tool.ts";
import { parsed } from "./body.ts";
import { callerInTeam, type RestEnv } from "./caller.ts";
import { withFile } from "./file-body.ts";
import { charge } from "./limits.ts";
import { ndjson } from "./ndjson.ts";
import { memoryContext } from "./proposals.ts";
import { withQuery } from "./query.ts";
import { iso, isoOrNull } from "./wire.ts";
import { Hono } from "../hono.ts";

export const listing = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) });
export const importing = z.strictObject({
  on_conflict: z.enum(["update", "skip"]).default("update"),
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits").optional(),
  count: z.coerce.number().int().nonnegative().optional(),
  idempotency_key: field.idempotencyKey.optional(),
});
export const exporting = z.strictObject({ include_history: z.boolean().default(true), include_secrets: z.boolean().default(false), idempotency_key: field.idempotencyKey.optional() });

/** Entries of an import for which `bulkCost` is paid. */
const paidEntries = 1_000;

/** Long imports, exports and runs of the curator, below a team's path: one way to ask how far they are. */
export function jobRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = async (c: Request<RestEnv>): Promise<JobsContext> => {
    const { principal, now } = await callerInTeam(services, c);
    const { jobs, jobQueue, runs } = services;
    return { principal, now, tool: principal.credential.kind === "web-session" ? "web" : "rest", jobs, jobQueue, runs };
  };
  app.get("/", withQuery(listing, async (c, asked) => c.json({ jobs: (await listJobs(await context(c), asked)).map(shown) })));
  app.post("/import", withQuery(importing, async (c, { on_conflict: onConflict, sha256, count, idempotency_key: idempotencyKey }) => {
    const ctx = await context(c);
    // Before a long body is read.
    requireScope(ctx.principal, "memory:write");
    let paid = 1;
    const pay = async (cost: number): Promise<void> => {
      if (cost > paid) await charge(services, c, cost - paid);
      paid = cost;
    };
    // To read and check a long body is work, whatever it turns out to be.
    const job = await withFile(c.req.raw, () => pay(bulkCost), async (data) => {
      const records = await parseTransfer(data, { sha256, count });
      // More than an import may have are refused.
      if (records.length <= maxEntries) await pay(Math.ceil(records.length / paidEntries) * bulkCost);
      return startImport(ctx, { records, onConflict, idempotencyKey });
    });
    return c.json({ job: shown({ job, isOwn: true }) }, 202);
  }));
  app.post("/export", async (c) => {
    const ctx = await context(c);
    const { include_history: includeHistory, include_secrets: includeSecrets, idempotency_key: idempotencyKey } = await parsed(c.req.raw, exporting);
    await charge(services, c, bulkCost - 1);
    return c.json({ job: shown({ job: await startExport(ctx, { includeHistory, includeSecrets, idempotencyKey }), isOwn: true }) }, 202);
  });
  app.get("/:job", async (c) => c.json({ job: shown(await findJob(await context(c), c.req.param("job"))) }));
  app.post("/:job/cancel", async (c) => c.json({ job: shown({ job: await cancelJob(await context(c), c.req.param("job")), isOwn: true }) }));
  app.get("/:job/result", async (c) => {
    const ctx = await memoryContext(services, c);
    return ndjson(services, c, "omnimemory.ndjson", (cursor) => exportResult(ctx, services.jobs, c.req.param("job"), cursor));
  });
  return app;
}

const shown = (one: Listed): Record<string, unknown> => ("run" in one ? shownRun(one.run) : shownJob(one.job, one.isOwn));

const shownJob = ({ id, options, state, requestedBy, requestedAt, startedAt, endedAt, done, total, counts, failed, error }: Job, isOwn: boolean): Record<string, unknown> => ({
  job: id,
  kind: options.kind,
  state,
  requested_by: requestedBy,
  requested_at: iso(requestedAt),
  started_at: isoOrNull(startedAt),
  ended_at: isoOrNull(endedAt),
  done,
  total,
  counts,
  // Which entries they are is for who sent them.
  ...(isOwn && failed.length > 0 ? { failed: failed.map(([entry, code]) => ({ entry, error: code })) } : {}),
  ...(isOwn && failed.some(([, code]) => code === "QUOTA_EXCEEDED") ? { hint: quarantineFull } : {}),
  ...(error === null ? {} : { error }),
});

/** No other quota is about one entry. */
const quarantineFull = "Your quarantine is full, so entries with QUOTA_EXCEEDED are not stored: release or discard what waits there (GET …/quarantine), then import these entries again.";

/** A run of the curator in the same form; `…/runs/<run>` says more of it, stops and undoes it. */
const shownRun = ({ id, kind, state, isDry, requestedBy, requestedAt, startedAt, endedAt, counts, error }: CuratorRun): Record<string, unknown> => ({
  job: id,
  kind,
  state: state === "stopped" ? "cancelled" : state,
  requested_by: requestedBy,
  requested_at: iso(requestedAt),
  started_at: isoOrNull(startedAt),
  ended_at: isoOrNull(endedAt),
  done: counts["looked_at"] ?? 0,
  total: null,
  counts,
  ...(isDry ? { dry_run: true } : {}),
  ...(error === null ? {} : { error }),
});
