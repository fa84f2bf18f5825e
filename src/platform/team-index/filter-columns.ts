import { initialFields, type MemoryField } from "../../domain/memories/memory-fields.ts";
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

/** The body leaves out a field that has its initial value; a list in it is empty then. */
const inBody = (field: MemoryField): string => {
  const initial = initialFields[field];
  const literal = typeof initial === "string" ? `'${initial}'` : typeof initial === "number" ? String(initial) : "NULL";
  return `coalesce(d.body ->> '$.${field}', ${literal})`;
};

/** The fields in `docs d`. */
export const docColumns: FieldColumns = {
  value: (field) => (columns[field] === undefined ? inBody(field) : `d.${columns[field]}`),
  holds: (field, item) => `${item} IN (SELECT value FROM json_each(${columns[field] === undefined ? `d.body, '$.${field}'` : `d.${columns[field]}`}))`,
  entries: (field) => `d.body, '$.${field}'`,
};
