import * as z from "zod";
import { defined } from "../defined.ts";
import { filterShape, memoryFilters, type FilterDefinition, type FilterName, type MemoryFilter } from "./memory-fields.ts";
import type { Memory } from "./memory.ts";

/** What a caller may filter by, in the names of the wire. */
export const filterInput = z.strictObject(filterShape);
export type FilterInput = z.output<typeof filterInput>;

const filters = Object.entries<FilterDefinition>(memoryFilters) as [FilterName, FilterDefinition][];

export function toFilter(input: FilterInput | undefined, now: number): MemoryFilter {
  const given: Record<string, unknown> = input ?? {};
  const asked = filters.map(([filter, { name, from }]) => {
    const value = given[name];
    return [filter, value === undefined || !from ? value : from(value as never, now)];
  });
  return defined(Object.fromEntries(asked) as MemoryFilter);
}

export interface Condition {
  filter: FilterName;
  field: FilterDefinition["field"];
  test: FilterDefinition["test"];
  value: string | number | readonly string[];
}

/** What is asked for, one condition for each filter; all must hold. */
export const conditionsOf = (filter: MemoryFilter): Condition[] =>
  filters.flatMap(([name, { field, test }]) => {
    const value = filter[name];
    return value === undefined ? [] : [{ filter: name, field, test, value }];
  });

/** The filter for a memory in hand; `filter-sql.ts` states the same for databases. */
export const matchesFilter = (memory: Memory, filter: MemoryFilter): boolean => conditionsOf(filter).every(({ field, test, value }) => tests[test](memory[field], value));

/** `value` is what the memory has, `asked` what the filter says; the table sees to it that their types belong together. */
const tests: Record<Condition["test"], (value: unknown, asked: unknown) => boolean> = {
  equals: (value, asked) => value === asked,
  "at least": (value, asked) => value !== null && (value as number) >= (asked as number),
  "matches one": (value, asked) => value !== null && (asked as string[]).some((pattern) => matchesPrefix(value as string, pattern)),
  "holds all": (value, asked) => (asked as string[]).every((item) => (value as string[]).includes(item)),
};

const matchesPrefix = (text: string, pattern: string): boolean => (pattern.endsWith("*") ? text.startsWith(pattern.slice(0, -1)) : text === pattern);
