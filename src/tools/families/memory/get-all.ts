import * as z from "zod";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import { list } from "../../../domain/memories/list.ts";
import { scopeFilter } from "../../../domain/memories/session-scope.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { succeeded, successOf } from "./answer.ts";
import { filters, scopeIn, toFilter } from "./filters.ts";
import { recordOf } from "./record.ts";
import { contextOf, sessionScope } from "./scope.ts";

/** All memories of a scope, newest first. */
export const memoryGetAll = defineTool({
  name: "memory_get_all",
  title: "All memories",
  description: "All memories of a person, agent or conversation, or all you can see; newest first.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    ...sessionScope,
    limit: z.number().int().min(1).max(200).default(100),
    offset: z.number().int().min(0).max(100_000).default(0),
    filters: filters.meta({ listed: null }).optional(),
    include_metadata: z.boolean().default(true).meta({ listed: null }),
  }),
  output: successOf(z.looseObject({ results: z.array(z.looseObject({})) })),
  async handler(ctx, { limit, offset, filters: given, include_metadata, ...ids }) {
    const session = contextOf(ctx, scopeIn(ids, given));
    const { memories, nextCursor } = await list(ctx, { filter: { ...scopeFilter(session), ...toFilter(given) }, limit, offset, shown: Infinity });
    const authorOf = await authorsOf(ctx, memories);
    const results = memories.map((memory) => recordOf(memory, { author: authorOf(memory), bare: !include_metadata }));
    return succeeded(ctx, session, { results, count: results.length, has_more: nextCursor !== undefined });
  },
});
