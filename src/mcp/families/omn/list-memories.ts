import * as z from "zod";
import * as field from "../../../domain/memories/fields.ts";
import { list } from "../../../domain/memories/list.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { preview } from "../../../domain/search/excerpt.ts";
import { omnMemory } from "../../render.ts";
import { sameFilters, toFilter } from "./filters.ts";

/** Characters of a content. */
const previewed = 120;

/** OmniMemory document 1.5. */
export const listMemories = defineTool({
  name: "omn_list_memories",
  family: "omn",
  title: "List memories",
  description: "Browse memories of your team, newest first, as previews. Continue with cursor.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    filters: sameFilters.optional(),
    key: field.keyPattern.optional(),
    archived: z.boolean().optional(),
    limit: z.number().int().min(1).max(200).default(20),
    cursor: field.filled("cursor", 50).optional(),
    full: z.boolean().optional(),
  }),
  output: z.looseObject({ memories: z.array(z.looseObject({})), next_cursor: z.string().optional() }),
  async handler(ctx, input) {
    const result = await list(ctx, {
      filter: toFilter(input.filters, ctx.now),
      ...(input.key === undefined ? {} : { keyPattern: input.key }),
      ...(input.archived === undefined ? {} : { archived: input.archived }),
      ...(input.cursor === undefined ? {} : { cursor: input.cursor }),
      limit: input.limit,
      shown: input.full ? Infinity : previewed,
    });
    const entries = result.memories.map((memory) =>
      input.full ? omnMemory(memory) : { ...omnMemory(memory), content: preview(memory.content, previewed), value: undefined },
    );
    const lines = result.memories.map((memory) => {
      // No key opens what is archived.
      const id = memory.archivedAt === null || memory.key === null ? "" : `, id ${memory.id}`;
      return `- ${memory.key ?? memory.id} (${memory.visibility}, ${memory.namespace}${id}): ${input.full ? memory.content : preview(memory.content, previewed)}`;
    });
    return {
      structured: { memories: entries, ...(result.nextCursor === undefined ? {} : { next_cursor: result.nextCursor }) },
      text: lines.length === 0 ? "No memories." : `${lines.join("\n")}${result.nextCursor === undefined ? "" : `\nMore: cursor "${result.nextCursor}"`}`,
    };
  },
});
