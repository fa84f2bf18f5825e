import { memoryFilters, type MemoryField } from "../../domain/memories/memory-fields.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { FieldColumns } from "../filter-sql.ts";

/** Fields that filters ask for and that have a column of their own in `docs`. The others stand in `filtered`, a JSON object. */
const columns: Partial<Record<MemoryField, string>> = {
  namespace: "namespace",
  visibility: "visibility",
  type: "type",
  importance: "importance",
  tags: "tags",
  updatedAt: "updated_at",
  updatedBy: "author_id",
};

const others = [...new Set(Object.values(memoryFilters).map(({ field }): MemoryField => field))].filter((field) => columns[field] === undefined);

/** Belongs to the layout of the tables: an index that lacks a field is built anew. */
export const filteredLayout = others.join(",");

/** What `filtered` holds of a memory. */
export const filteredOf = (memory: Memory): string => JSON.stringify(Object.fromEntries(others.map((field) => [field, memory[field]])));

/** The fields in `docs d`. */
export const docColumns: FieldColumns = {
  value: (field) => (columns[field] === undefined ? `(d.filtered ->> '$.${field}')` : `d.${columns[field]}`),
  holds: (field, item) => `${item} IN (SELECT value FROM json_each(${columns[field] === undefined ? `d.filtered, '$.${field}'` : `d.${columns[field]}`}))`,
};
