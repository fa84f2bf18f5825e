import * as z from "zod";
import { defined } from "../../../domain/defined.ts";
import { aside, joined, named, say } from "../../../domain/frame.ts";
import { attributed, authorsOf, originOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { list } from "../../../domain/memories/list.ts";
import { initialState } from "../../../domain/memories/memory-fields.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { audienceOf, dayOf, handleOf, idBeside, memoryText, omnMemory } from "../../render.ts";
import { sameFilters, toReadFilter } from "./filters.ts";

/** Characters of a content. */
const previewed = 120;

/** OmniMemory document 1.5. */
export const listMemories = defineTool({
  name: "omn_list_memories",
  title: "List memories",
  description: "Browse memories of your team, newest first, as previews.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    filters: sameFilters.optional(),
    key: field.keyPattern.optional(),
    valid_at: field.instant.optional().meta({ listed: null }),
    archived: z.boolean().optional(),
    limit: z.number().int().min(1).max(200).default(20).meta({ listed: { type: "integer", default: 20 } }),
    cursor: field.filled("cursor", 50).optional(),
    full: z.boolean().optional(),
  }),
  output: z.looseObject({ memories: z.array(z.looseObject({})), next_cursor: z.string().optional() }),
  async handler(ctx, input) {
    const result = await list(ctx, {
      filter: toReadFilter({ ...input.filters, valid_at: input.valid_at }, ctx.now),
      keyPattern: input.key,
      archived: input.archived,
      withoutMessages: true,
      cursor: input.cursor,
      limit: input.limit,
      shown: input.full ? Infinity : previewed,
    });
    const authorOf = await authorsOf(ctx, result.memories);
    const items = result.memories.map((memory) => ({ ...attributed(memory, authorOf), truncated: false }));
    const seen = new Set<string | null>();
    const repeated = new Set(result.memories.map(({ key }) => key).filter((key) => seen.size === seen.add(key).size));
    const entries = items.map(({ memory, ...item }) =>
      input.full ? omnMemory(memory, item) : defined({ ...omnMemory(memory, item), content: preview(memory.content, previewed), value: undefined, tool: undefined }),
    );
    const lines = items.map((item) => {
      if (input.full) return memoryText(item);
      const { memory, author } = item;
      // No key opens what is archived, nor which of several is meant.
      const isByKey = memory.key !== null && memory.archivedAt === null && !repeated.has(memory.key);
      const id = isByKey ? undefined : idBeside(memory);
      const namespace = memory.namespace === initialState.namespace ? undefined : named(memory.namespace);
      const { scope } = audienceOf(memory, undefined);
      return say`- ${handleOf(memory)}${aside(dayOf(memory), scope, namespace, id, ...originOf(memory, author))}: ${preview(memory.content, previewed)}`;
    });
    if (result.nextCursor !== undefined) lines.push(say`More: cursor "${result.nextCursor}"`);
    return {
      structured: defined({ memories: entries, next_cursor: result.nextCursor }),
      text: lines.length === 0 ? say`No memories.` : joined(lines),
    };
  },
});
