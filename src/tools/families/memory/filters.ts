import * as z from "zod";
import { defined } from "../../../domain/defined.ts";
import { invalid } from "../../../domain/errors.ts";
import * as field from "../../../domain/memories/fields.ts";
import { memoryTypes } from "../../../domain/memories/memory.ts";
import type { MemoryFilter } from "../../../domain/memories/memory-store.ts";
import { memoryType } from "./record.ts";
import { sessionScope } from "./scope.ts";

const day = 86_400_000;

/** The last instant that is meant: a date is its whole day. Becomes the first one after it. */
const end = z.string().transform((said, context) => {
  const parsed = field.instant.safeParse(said);
  if (!parsed.success) {
    for (const { message } of parsed.error.issues) context.addIssue({ code: "custom", message });
    return z.NEVER;
  }
  return parsed.data + (/^\d{4}-\d\d-\d\d$/.test(said) ? day : 1);
});

/** Filters of the document's search query (section 6). A date is when it happened, or else when it was stored. */
export const filters = z
  .strictObject({
    ...sessionScope,
    memory_type: memoryType.optional(),
    category: field.category.optional(),
    tags: field.tags.optional(),
    date_range: z
      .strictObject({ start: field.instant.optional(), end: end.optional() })
      .refine(({ start = -Infinity, end: until = Infinity }) => start < until, { path: ["start"], message: "must not be later than end, or nothing lies between them" })
      .optional(),
    custom_filters: field.entries.optional(),
  })
  .meta({ listed: { type: "object", description: "memory_type, category, tags[], date_range{start,end}, custom_filters{…}: entries of the metadata, user_id, agent_id, run_id" } });

type Filters = z.output<typeof filters>;

export const toFilter = ({ memory_type, category, tags, date_range, custom_filters }: Filters = {}): MemoryFilter =>
  defined({
    ...typesOf(memory_type),
    category: category === undefined ? undefined : { [field.categoryEntry]: category },
    tags: tags?.length ? tags : undefined,
    occurredAfter: date_range?.start,
    occurredBefore: date_range?.end,
    entries: custom_filters && Object.keys(custom_filters).length > 0 ? custom_filters : undefined,
  });

/** The document has three types: what is neither procedural nor of the graph is standard there, whatever else it is here. */
const standard = memoryTypes.filter((type) => type !== "procedural" && type !== "graph");
const typesOf = (type: Filters["memory_type"]): MemoryFilter => (type === undefined ? {} : type === "standard" ? { types: standard } : { type });

type Scope = Pick<Filters, "user_id" | "agent_id" | "run_id">;

/** The document has the ids in both places. @throws VALIDATION_ERROR where they differ */
export function scopeIn(given: Scope, inFilters: Scope = {}): Scope {
  for (const name of ["user_id", "agent_id", "run_id"] as const) {
    if (given[name] !== undefined && inFilters[name] !== undefined && given[name] !== inFilters[name]) throw invalid(`${name} and filters.${name} differ.`, "Give one of them.");
  }
  return { user_id: given.user_id ?? inFilters.user_id, agent_id: given.agent_id ?? inFilters.agent_id, run_id: given.run_id ?? inFilters.run_id };
}
