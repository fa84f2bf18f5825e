import type { MemoryField, MemoryFilter } from "../domain/memories/memory-fields.ts";
import { conditionsOf, type Condition } from "../domain/memories/memory-filters.ts";

/** Where a database keeps the fields of a memory. */
export interface FieldColumns {
  /** SQL of a field's value. */
  value(field: MemoryField): string;
  /** SQL that says whether a field that is a list holds `item`, an SQL expression. */
  holds(field: MemoryField, item: string): string;
}

export interface SqlCondition {
  /** With one `?`, for `parameter`. */
  sql: string;
  parameter: string | number;
}

/** The filter as SQL conditions, all of which must hold. Lists travel as JSON: no text of a caller becomes a part of the SQL. */
export const filterSql = (filter: MemoryFilter, columns: FieldColumns): SqlCondition[] =>
  conditionsOf(filter).map(({ field, test, value }) => ({
    sql: tests[test](columns, field),
    parameter: typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value),
  }));

const tests: Record<Condition["test"], (columns: FieldColumns, field: MemoryField) => string> = {
  equals: ({ value }, field) => `${value(field)} = ?`,
  "at least": ({ value }, field) => `${value(field)} >= ?`,
  "matches one": ({ value }, field) => `EXISTS (SELECT 1 FROM json_each(?) n WHERE CASE WHEN substr(n.value, -1) = '*'
    THEN substr(${value(field)}, 1, length(n.value) - 1) = substr(n.value, 1, length(n.value) - 1) ELSE ${value(field)} = n.value END)`,
  "holds all": ({ holds }, field) => `NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE NOT ${holds(field, "w.value")})`,
};
