import * as z from "zod";
import { stats } from "../../../domain/memories/list.ts";
import { toIso } from "../../../domain/memories/memory-fields.ts";
import { scopeFilter } from "../../../domain/memories/session-scope.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { ratesOf } from "../../render.ts";
import { succeeded, successOf } from "./answer.ts";
import { contextOf, sessionScope } from "./scope.ts";

/** Memory Statistics of the document. */
export const memoryGetStats = defineTool({
  name: "memory_get_stats",
  aliases: ["memory_stats"],
  title: "Memory statistics",
  description: "How many memories there are, of a scope or of all you can see, and for which users, agents and runs.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject(sessionScope),
  output: successOf(z.looseObject({ total_memories: z.number(), embedding_count: z.number() })),
  async handler(ctx, ids) {
    const session = contextOf(ctx, ids);
    const { total, archived, versions, contentBytes, averageLength, lastCreatedAt, byType, byNamespace, byAgent, byRun, vectors } = await stats(ctx, scopeFilter(session));
    const users = Object.entries(byNamespace).filter(([namespace]) => namespace.startsWith("user:"));
    const named = (kind: string, counts: Record<string, number>) => Object.entries(counts).map(([name, count]) => [`${kind}:${name}`, count] as const);
    const rates = ctx.cache?.rates();
    return succeeded(ctx, session, {
      total_memories: total,
      embedding_count: vectors.indexed,
      storage_size: contentBytes,
      average_content_length: Math.round(averageLength * 10) / 10,
      ...(lastCreatedAt === null ? {} : { last_memory_created: toIso(lastCreatedAt) }),
      session_counts: Object.fromEntries([...users, ...named("agent", byAgent), ...named("run", byRun)]),
      /** The document's sessions are connections to a file; here the caches of this person's session stand in their place. */
      ...(rates ? { session_metrics: ratesOf(rates) } : {}),
      memory_types: Object.fromEntries(Object.entries(byType).map(([type, count]) => [type.toUpperCase(), count])),
      archived_memories: archived,
      versions,
    });
  },
});
