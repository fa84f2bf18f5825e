import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { cachedRecall } from "../../../domain/recall/cache/cached-recall.ts";
import { queryTerms } from "../../../domain/text/query-terms.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { excerpt, preview } from "../../../domain/recall/presentation/excerpt.ts";
import { audienceOf, outdatedBy, trustFieldOf } from "../../render.ts";
import { nothingCertain } from "../../render-recall.ts";
import { memoryUri } from "../omn/memory-resources.ts";

/** In tokens; enough to choose by, the whole is one fetch away. */
const shortText = 60;

/** The tool ChatGPT's connectors look for: `{query}` -> `{results: [{id, title, url}]}`, as JSON text. */
export const search = defineTool({
  name: "search",
  title: "Search memories",
  description: "Search the memory of this person and their team. Returns ids for fetch.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({ query: field.filled("query", 4_000) }),
  output: z.looseObject({ results: z.array(z.looseObject({ id: z.string(), title: z.string(), url: z.string() })) }),
  async handler(ctx, { query }) {
    const { items, degraded, uncertain } = await cachedRecall(ctx, { query, limit: ctx.preferences.search_defaults.max_results, minRelevance: ctx.preferences.search_defaults.min_relevance ?? undefined, project: ctx.project, session: ctx.sessionId }, "chatgpt");
    const terms = queryTerms(query).map(({ word }) => word);
    const results = items.map(({ memory, author, ...found }) => ({
      id: memory.id,
      title: memory.key ?? preview(memory.content, 60),
      url: memoryUri(memory.id),
      text: excerpt(memory.content, terms, shortText),
      ...audienceOf(memory, author),
      ...trustFieldOf(memory),
      ...outdatedBy(found),
    }));
    const answer = { ...(uncertain ? { uncertain: nothingCertain } : {}), results, ...(degraded.length > 0 ? { degraded } : {}) };
    return { structured: answer, text: json(answer) };
  },
});
