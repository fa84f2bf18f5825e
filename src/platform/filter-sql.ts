import type { MemoryField, MemoryFilter } from "../domain/memories/memory-fields.ts";
import { conditionsOf, type Condition } from "../domain/memories/memory-filters.ts";

/** Where a database keeps the fields of a memory. */
export interface FieldColumns {
  /** SQL of a field's value. */
  value(field: MemoryField): string;
  /** SQL that says whether a field that is a list holds `item`, an SQL expression. */
  holds(field: MemoryField, item: string): string;
  /** SQL arguments of `json_each` over a field that is an object. */
  entries(field: MemoryField): string;
}

export interface SqlCondition {
  /** With one `?`, for `parameter`. */
  sql: string;
  parameter: string | number;
}

/** The filter as SQL conditions, all of which must hold. Lists travel as JSON: no text of a caller becomes a part of the SQL. */
export const filterSql = (filter: MemoryFilter, columns: FieldColumns): SqlCondition[] =>
  conditionsOf(filter).map(({ value, ...condition }) => ({
    sql: tests[condition.test](columns, condition),
    parameter: typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value),
  }));

type Place = Pick<Condition, "field" | "otherwise" | "until">;

/** Beyond every instant there is (ECMA-262, time range). */
const ever = 8_640_000_000_000_001;

const valueOf = ({ value }: FieldColumns, { field, otherwise }: Place): string => (otherwise === undefined ? value(field) : `coalesce(${value(field)}, ${value(otherwise)})`);

const tests: Record<Condition["test"], (columns: FieldColumns, place: Place) => string> = {
  equals: (columns, place) => `${valueOf(columns, place)} = ?`,
  "equals or none": (columns, place) => `nullif(${valueOf(columns, place)}, ?) IS NULL`,
  "at least": (columns, place) => `${valueOf(columns, place)} >= ?`,
  before: (columns, place) => `${valueOf(columns, place)} < ?`,
  // Instants are whole numbers: the last one inside lies 1 before the end.
  within: ({ value }, { field, until }) => `? BETWEEN coalesce(${value(field)}, -${ever}) AND coalesce(${until === undefined ? "NULL" : value(until)}, ${ever}) - 1`,
  "matches one": (columns, place) => `EXISTS (SELECT 1 FROM json_each(?) n WHERE CASE WHEN substr(n.value, -1) = '*'
    THEN substr(${valueOf(columns, place)}, 1, length(n.value) - 1) = substr(n.value, 1, length(n.value) - 1) ELSE ${valueOf(columns, place)} = n.value END)`,
  // The type tells true from 1 and null from a text.
  "holds entries": ({ entries }, { field }) => `NOT EXISTS (SELECT 1 FROM json_each(?) w
    WHERE NOT EXISTS (SELECT 1 FROM json_each(${entries(field)}) e WHERE e.key = w.key AND e.value IS w.value AND replace(e.type, 'real', 'integer') = replace(w.type, 'real', 'integer')))`,
  "holds none": ({ holds }, { field }) => `NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE ${holds(field, "w.value")})`,
  "holds all": ({ holds }, { field }) => `NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE NOT ${holds(field, "w.value")})`,
};
