import * as z from "zod";
import { aside, joined, say } from "../../../domain/frame.ts";
import { valueOf } from "../../../domain/memories/any-value.ts";
import { authorsOf, originOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { list } from "../../../domain/memories/list.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { dayOf, handleOf } from "../../render.ts";
import { filterOf, memoryScope, scopeOf, tokenSaverMemory, where, withoutReplaced } from "./scope.ts";

/** Token Saver document, core tool 3. */
export const listTokenSaver = defineTool({
  name: "list_memories",
  aliases: ["token_saver_list_memories"],
  title: "List memories",
  description: "List memories of this project, newest first, by scope, key pattern and tags.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    scope: memoryScope.optional(),
    pattern: field.keyPattern.optional(),
    tags: field.tags.optional(),
    limit: z.number().int().min(1).max(500).default(50),
    ...where,
  }),
  output: z.looseObject({ memories: z.array(z.looseObject({})) }),
  async handler(ctx, input) {
    const filter = { ...filterOf(ctx, input.scope, input), ...(input.tags?.length ? { tags: input.tags } : {}) };
    const { memories: found, nextCursor } = await list(ctx, { filter, limit: input.limit, shown: Infinity, keyPattern: input.pattern });
    const memories = withoutReplaced(ctx, input, found, (memory) => memory);
    const authorOf = await authorsOf(ctx, memories);
    const lines = memories.map((memory) => {
      const scope = scopeOf(memory) === "project" ? undefined : scopeOf(memory);
      return say`- ${handleOf(memory)}${aside(dayOf(memory), scope, memory.supersededBy === null ? undefined : "superseded", ...originOf(memory, authorOf(memory)))}: ${preview(textOf(valueOf(memory)), 120)}`;
    });
    if (nextCursor !== undefined) lines.push(say`More than limit: name a pattern, or raise it.`);
    return {
      structured: { memories: memories.map((memory) => tokenSaverMemory(memory, authorOf(memory))) },
      text: lines.length === 0 ? say`No memories.` : joined(lines),
    };
  },
});

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
