import * as z from "zod";
import * as field from "../../../domain/memories/fields.ts";
import type { MemoryFilter } from "../../../domain/ports.ts";

const day = 86_400_000;

/** Filters of the OmniMemory document, plus namespace, author and type. */
export const filters = z.strictObject({
  tags: field.tags.optional(),
  scope: field.visibility.optional(),
  namespace: field.namespaceFilter.optional(),
  min_importance: field.fraction.meta({ listed: { type: "number" } }).optional(),
  max_age_days: z.number().positive().max(36_500).meta({ listed: { type: "number" } }).optional(),
  author: field.filled("author", 100).optional(),
  type: field.memoryType.meta({ listed: { type: "string" } }).optional(),
});

/** For the other tools of a list, which need not say it all again. */
export const sameFilters = filters.meta({ listed: { type: "object", description: "as in omn_retrieve_memory" } });

export function toFilter(input: z.output<typeof filters> | undefined, now: number): MemoryFilter {
  const filter = {
    tags: input?.tags?.length ? input.tags : undefined,
    visibility: input?.scope,
    namespaces: input?.namespace === undefined ? undefined : [input.namespace],
    minImportance: input?.min_importance,
    changedSince: input?.max_age_days === undefined ? undefined : now - input.max_age_days * day,
    author: input?.author,
    type: input?.type,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as MemoryFilter;
}
