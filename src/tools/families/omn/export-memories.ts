import * as z from "zod";
import { say } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { exportMemories } from "../../../domain/memories/export.ts";
import { bulkCost, defineTool, readOnly } from "../../define-tool.ts";
import { sameFilters, toFilter } from "./filters.ts";

/** OmniMemory document 1.6; users 10 (lossless round trip, verified by count and hash). */
export const exportMemoriesTool = defineTool({
  name: "omn_export_memories",
  title: "Export memories",
  description: "Export all you may see, with history, in pages. Pass data, sha256 and count of each to omn_import_memories.",
  scope: "memory:read",
  annotations: readOnly,
  cost: bulkCost,
  input: z.strictObject({
    format: z.enum(["ndjson", "json"]).default("ndjson").meta({ listed: null }),
    filters: sameFilters.optional(),
    include_history: z.boolean().default(true),
    include_secrets: z.boolean().default(false),
    limit: z.number().int().min(1).max(1_000).default(100).meta({ listed: null }),
    cursor: field.filled("cursor", 50).optional(),
  }),
  output: z.looseObject({ data: z.string(), count: z.number(), sha256: z.string(), format: z.string().meta({ listed: null }), next_cursor: z.string().optional() }),
  async handler(ctx, input) {
    const result = await exportMemories(ctx, {
      format: input.format,
      filter: toFilter(input.filters, ctx.now),
      includeHistory: input.include_history,
      includeSecrets: input.include_secrets,
      limit: input.limit,
      cursor: input.cursor,
    });
    return {
      structured: {
        format: input.format,
        count: result.count,
        sha256: result.sha256,
        data: result.data,
        next_cursor: result.nextCursor,
      },
      text: say`${result.framed}\n# count ${result.count}, sha256 ${result.sha256}${result.nextCursor === undefined ? "" : `, next cursor "${result.nextCursor}"`}`,
    };
  },
});
