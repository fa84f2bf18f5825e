import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import { invalid } from "../../../domain/errors.ts";
import * as field from "../../../domain/memories/fields.ts";
import { cachedRecall } from "../../../domain/recall/cache/cached-recall.ts";
import { nearestFirst } from "../../../domain/recall/selection/project.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { filterOf, memoryScope, projectOf, readableMemory, scopeOf, sessionOf, tokenSaverMemory, where, withoutReplaced } from "./scope.ts";

/** Token Saver document, core tool 2: a memory for an exact key, with the other scopes that hold one of that key; an array for a pattern, null when absent. */
export const readMemory = defineTool({
  name: "read_memory",
  aliases: ["token_saver_read_memory"],
  title: "Read memory",
  description: "Read by exact key (one memory or null), by pattern such as project.* (a list), or a whole scope.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    key: field.keyPattern.optional(),
    pattern: field.keyPattern.optional(),
    scope: memoryScope.optional(),
    tags: field.tags.optional(),
    ...where,
  }),
  output: z.looseObject({ memory: z.unknown() }),
  async handler(ctx, input) {
    const key = input.pattern ?? input.key ?? (input.scope === undefined && input.tags === undefined ? undefined : "*");
    if (key === undefined) throw invalid("Neither key, pattern, scope nor tags were given.", "Name a key, or a pattern such as project.*");
    const filter = { ...filterOf(ctx, input.scope, input), ...(input.tags?.length ? { tags: input.tags } : {}) };
    const outcome = await cachedRecall(ctx, { key, filter, limit: 100 }, "token-saver");
    const items = withoutReplaced(ctx, input, outcome.items, ({ memory }) => memory);
    const [nearest] = nearestFirst(items.map(({ memory }) => memory), { project: projectOf(ctx, input), session: sessionOf(ctx, input) });
    const others = items.filter(({ memory }) => memory !== nearest).map(({ memory }) => scopeOf(memory));
    const answer = (show: typeof tokenSaverMemory) => {
      if (key.includes("*")) return items.map(({ memory, author }) => show(memory, author));
      const found = items.find(({ memory }) => memory === nearest);
      return found ? { ...show(found.memory, found.author), ...(others.length > 0 ? { also_in: others } : {}) } : null;
    };
    return { structured: { memory: answer(tokenSaverMemory) }, text: json(answer(readableMemory)) };
  },
});
