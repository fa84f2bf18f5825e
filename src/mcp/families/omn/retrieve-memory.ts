import * as z from "zod";
import * as field from "../../../domain/memories/fields.ts";
import { recall, type Recalled } from "../../../domain/memories/recall.ts";
import { estimateTokens } from "../../../domain/search/tokens.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { memoryText, omnMemory } from "../../render.ts";
import { filters, toFilter } from "./filters.ts";

const structuredMemory = ({ memory, relevance, truncated }: Recalled): Record<string, unknown> =>
  omnMemory(memory, { truncated, ...(relevance === undefined ? {} : { relevance }) });

/** Of the structured answer around the memories. */
const frameTokens = 30;
/** Clients show a model the text or the structured answer; the budget holds for both. One more is what separates two memories. */
const costOf = (item: Recalled): number =>
  Math.max(estimateTokens(memoryText(item)), estimateTokens(JSON.stringify(structuredMemory(item)))) + 1;

function textOf(items: Recalled[], totalFound: number): string {
  if (items.length > 0) return items.map(memoryText).join("\n");
  return totalFound === 0 ? "No memory found." : `${totalFound} found, but max_tokens is too small for any. Raise it.`;
}

/** OmniMemory document 1.2; features A row 1. */
export const retrieveMemory = defineTool({
  name: "omn_retrieve_memory",
  family: "omn",
  title: "Recall memories",
  description:
    "Recall before you ask or assume: search by query in plain words, or get by key (* = wildcard) or id.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    query: field.filled("query", 4_000).optional(),
    key: field.keyPattern.optional(),
    id: field.memoryRef.optional(),
    filters: filters.optional(),
    limit: z.number().int().min(1).max(100).default(10),
    max_tokens: z.number().int().min(50).max(100_000).meta({ listed: { type: "integer", description: "budget for the answer" } }).optional(),
    min_relevance: field.fraction.optional(),
    as_of: field.instant.optional().describe("what was known then"),
    /** Of the document; content always comes whole. */
    decompress: z.boolean().optional().meta({ listed: null }),
  }),
  output: z.looseObject({ memories: z.array(z.looseObject({})), total_found: z.number(), query_time_ms: z.number().meta({ listed: null }) }),
  async handler(ctx, input) {
    const started = performance.now();
    const result = await recall(ctx, {
      ...(input.id === undefined ? {} : { id: input.id }),
      ...(input.key === undefined ? {} : { key: input.key }),
      ...(input.query === undefined ? {} : { query: input.query }),
      filter: toFilter(input.filters, ctx.now),
      limit: input.limit,
      ...(input.max_tokens === undefined ? {} : { budget: { maxTokens: input.max_tokens - frameTokens, costOf } }),
      minRelevance: input.min_relevance ?? 0,
      ...(input.as_of === undefined ? {} : { asOf: input.as_of }),
    });
    return {
      structured: {
        memories: result.items.map(structuredMemory),
        total_found: result.totalFound,
        query_time_ms: Math.round((performance.now() - started) * 100) / 100,
      },
      text: textOf(result.items, result.totalFound),
    };
  },
});
