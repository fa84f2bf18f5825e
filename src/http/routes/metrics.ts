import type { Services } from "../../app.ts";
import { forbidden } from "../../domain/errors.ts";
import { summaryOf, teamFigures } from "../../domain/metrics/prevention-stats.ts";
import type { PreventionRow } from "../../domain/metrics/prevention-store.ts";
import { requireAction } from "../../domain/tenancy/roles.ts";
import { findCaller, type RestEnv } from "./caller.ts";
import { Hono } from "../hono.ts";

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const textFormat = "text/plain; version=0.0.4; charset=utf-8";

interface Metric {
  name: string;
  help: string;
  type: "counter" | "gauge";
  samples: { labels?: Record<string, string>; value: number }[];
}

/** For a scraper with a key of an admin: what the calls of the key's team prevented, since they were first counted, and what its indexes wait for. */
export function metricsRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.use(findCaller(services));
  app.get("/", async (c) => {
    const caller = c.get("caller");
    if (caller.kind !== "key") throw forbidden("Metrics are of one team, which a key names.", "Send an API key that was granted memory:admin.");
    const { principal, now } = caller;
    requireAction(principal, teamFigures);
    const rows = await services.prevention.store.totals(principal);
    const vectors = (await services.memories.stats(principal, now)).vectors;
    const body = exposition([
      ...preventionMetrics(rows, services.prevention.pricePer1k),
      { name: "omnimemory_vectors_waiting", help: "Memories that the key's person may see and that wait for their vector.", type: "gauge", samples: [{ value: vectors.waiting }] },
      { name: "omnimemory_vectors_failed", help: "Those that were set aside after a failure.", type: "gauge", samples: [{ value: vectors.failed }] },
    ]);
    return c.body(body, 200, { "content-type": textFormat });
  });
  return app;
}

function preventionMetrics(rows: readonly PreventionRow[], pricePer1k: number): Metric[] {
  const byOperation = (name: string, help: string, value: (row: PreventionRow) => number): Metric => ({
    name, help, type: "counter", samples: rows.map((row) => ({ labels: { operation: row.operation }, value: value(row) })),
  });
  const cache: [level: string, result: string, value: (row: PreventionRow) => number][] = [
    ["l1", "hit", ({ l1Hits }) => l1Hits],
    ["l1", "miss", ({ l2Hits, cacheMisses }) => l2Hits + cacheMisses],
    ["l2", "hit", ({ l2Hits }) => l2Hits],
    ["l2", "miss", ({ cacheMisses }) => cacheMisses],
  ];
  return [
    byOperation("omnimemory_calls_total", "Calls that read memories.", ({ calls }) => calls),
    byOperation("omnimemory_calls_prevented_total", "Calls whose answer was shorter than what it was drawn from.", ({ preventedCalls }) => preventedCalls),
    byOperation("omnimemory_baseline_tokens_total", "Tokens of what the answers were drawn from.", ({ baselineTokens }) => baselineTokens),
    byOperation("omnimemory_actual_tokens_total", "Tokens of the answers.", ({ actualTokens }) => actualTokens),
    byOperation("omnimemory_tokens_prevented_total", "Tokens that clients did not read.", ({ preventedTokens }) => preventedTokens),
    byOperation("omnimemory_cost_saved_dollars_total", "Their price.", (row) => summaryOf(row, pricePer1k).costSaved),
    byOperation("omnimemory_prevention_percent_sum", "Sum of the percentages of the calls that had a baseline.", ({ percentSum }) => percentSum),
    byOperation("omnimemory_prevention_percent_count", "Calls that had a baseline.", ({ baselineCalls }) => baselineCalls),
    {
      name: "omnimemory_cache_requests_total",
      help: "Questions asked of the caches of answers, by level and result.",
      type: "counter",
      samples: cache.map(([level, result, value]) => ({ labels: { level, result }, value: rows.reduce((sum, row) => sum + value(row), 0) })),
    },
  ];
}

const exposition = (metrics: readonly Metric[]): string =>
  metrics
    .flatMap(({ name, help, type, samples }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(({ labels = {}, value }) => `${name}${labelled(labels)} ${value}`)])
    .map((line) => `${line}\n`)
    .join("");

function labelled(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, (character) => (character === "\n" ? String.raw`\n` : `\\${character}`))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
