import * as z from "zod";
import { type Framed, joined, named, say } from "../../../domain/frame.ts";
import { stats } from "../../../domain/memories/list.ts";
import { rounded } from "../../../domain/rounded.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import type { LevelRate } from "../../../domain/recall/cache/recall-cache.ts";
import { ratesOf } from "../../render.ts";

const answersFor = {
  vectors: say`vectors (Vectorize is asked for the oldest)`,
  graph: say`graph (the database is asked for it)`,
} as const;

/** OmniMemory document 1.8. */
export const memoryStats = defineTool({
  name: "omn_memory_stats",
  title: "Memory statistics",
  description: "How many memories you can see, by namespace, type, scope and tag, and what was made of them: vectors, graph.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({}),
  output: z.looseObject({ total: z.number(), archived: z.number().meta({ listed: null }), versions: z.number().meta({ listed: null }), vectors: z.looseObject({}).meta({ listed: null }), quota: z.looseObject({}).meta({ listed: null }), graph: z.looseObject({}).optional().meta({ listed: null }) }),
  async handler(ctx) {
    const result = await stats(ctx);
    const listed = (counts: Record<string, number>): Framed => {
      const entries = Object.entries(counts).map(([name, count]) => say`${named(name)} ${count}`);
      return entries.length === 0 ? say`none` : joined(entries, ", ");
    };
    const percent = ({ hits, misses }: LevelRate) => `${hits === 0 ? 0 : Math.round((100 * hits) / (hits + misses))}%`;
    const rates = ctx.cache?.rates();
    const kept = rates ? ` Answered from cache: L1 ${percent(rates.l1)}, L2 ${percent(rates.l2)} of the rest; ${rates.tokens} tokens not fetched again.` : "";
    const { quota } = result;
    const expiring = result.expiringWithinDay > 0 ? ` ${result.expiringWithinDay} expire within a day.` : "";
    const storage = ` Storage of the team: ${quota.memoriesPercent}% of ${quota.maxMemories} memories, ${quota.bytesPercent}% of ${quota.maxBytes} bytes.`;
    const graph = result.graph ? ` Graph: ${result.graph.entities} entities, ${result.graph.relationships} relationships, ${result.graph.waiting} waiting.` : "";
    const beyond = result.index?.beyondMemory ?? [];
    const elsewhere = beyond.length === 0 ? say`` : say` Larger than the memory of the team's index: ${joined(beyond.map((what) => answersFor[what]), ", ")}.`;
    return {
      structured: {
        total: result.total,
        archived: result.archived,
        versions: result.versions,
        content_bytes: result.contentBytes,
        average_content_length: rounded(result.averageLength, 1),
        by_scope: result.byVisibility,
        by_namespace: result.byNamespace,
        by_type: result.byType,
        by_agent: result.byAgent,
        by_run: result.byRun,
        top_tags: result.topTags,
        expiring_within_day: result.expiringWithinDay,
        vectors: result.vectors,
        quota: {
          max_memories: quota.maxMemories,
          memories_percent: quota.memoriesPercent,
          max_bytes: quota.maxBytes,
          bytes_percent: quota.bytesPercent,
        },
        ...(result.graph ? { graph: result.graph } : {}),
        ...(result.index ? { index: { storage_percent: result.index.storagePercent, beyond_memory: beyond } } : {}),
        ...(rates ? { caches: ratesOf(rates) } : {}),
        ...(result.lastChangeAt === null ? {} : { last_change_at: new Date(result.lastChangeAt).toISOString() }),
      },
      text: say`${result.total} memories and ${result.archived} archived, ${result.versions} versions. Scopes: ${listed(result.byVisibility)}. Namespaces: ${listed(result.byNamespace)}. Types: ${listed(result.byType)}. Tags: ${listed(Object.fromEntries(result.topTags.map(({ tag, count }) => [tag, count])))}.${expiring} Vectors: ${result.vectors.indexed} indexed, ${result.vectors.waiting} waiting, ${result.vectors.failed} failed${result.vectors.missing > 0 ? `, ${result.vectors.missing} missing at the last comparison` : ""}.${storage}${graph}${elsewhere}${kept}`,
    };
  },
});
