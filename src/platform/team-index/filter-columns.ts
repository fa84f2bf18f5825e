import type { MemoryField } from "../../domain/memories/memory-fields.ts";
import type { FieldColumns } from "../filter-sql.ts";

/** Fields that filters ask for and that have a column of their own in `docs`. The others are read from the body. */
const columns: Partial<Record<MemoryField, string>> = {
  namespace: "namespace",
  visibility: "visibility",
  type: "type",
  importance: "importance",
  tags: "tags",
  updatedAt: "updated_at",
  updatedBy: "author_id",
};

/** The fields in `docs d`. */
export const docColumns: FieldColumns = {
  value: (field) => (columns[field] === undefined ? `(d.body ->> '$.${field}')` : `d.${columns[field]}`),
  holds: (field, item) => `${item} IN (SELECT value FROM json_each(${columns[field] === undefined ? `d.body, '$.${field}'` : `d.${columns[field]}`}))`,
};
