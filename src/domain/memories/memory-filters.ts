import * as z from "zod";
import { defined } from "../defined.ts";
import type { Entries } from "./fields.ts";
import { filterShape, initialState, memoryFilters, type FilterDefinition, type FilterName, type MemoryFilter } from "./memory-fields.ts";
import { type Memory, withFormerNamespace } from "./memory.ts";

/** What a caller may filter by, in the names of the wire. */
export const filterInput = z.strictObject(filterShape).refine(
  ({ occurred_after: after, occurred_before: before }) => after === undefined || before === undefined || after < before,
  { path: ["occurred_after"], message: "must be earlier than occurred_before, or nothing lies between them" },
);
/** With what tools take beside their filters. */
export type FilterInput = z.output<typeof filterInput> & { valid_at?: number | undefined };

const filters = Object.entries<FilterDefinition>(memoryFilters) as [FilterName, FilterDefinition][];

export function toFilter(input: FilterInput | undefined, now: number): MemoryFilter {
  const given: Record<string, unknown> = input ?? {};
  const asked = filters.map(([filter, { name, from }]) => {
    const value = given[name];
    return [filter, value === undefined || !from ? value : from(value as never, now)];
  });
  return defined(Object.fromEntries(asked) as MemoryFilter);
}

/** As `toFilter`; what reads a project's place reads the one that it had under its former name as well. What changes or gives away memories names a place exactly. */
export function toReadFilter(input: FilterInput | undefined, now: number): MemoryFilter {
  const filter = toFilter(input, now);
  return filter.namespaces === undefined ? filter : { ...filter, namespaces: filter.namespaces.flatMap(withFormerNamespace) };
}

export interface Condition extends Pick<FilterDefinition, "field" | "otherwise" | "until" | "test"> {
  filter: FilterName;
  value: string | number | readonly string[] | Entries;
}

/** What is asked for, one condition for each filter; all must hold. */
export const conditionsOf = (filter: MemoryFilter): Condition[] =>
  filters.flatMap(([name, { field, otherwise, until, test }]) => {
    const value = filter[name];
    return value === undefined ? [] : [{ filter: name, field, ...defined({ otherwise, until }), test, value }];
  });

/** The filter for a memory in hand; `filter-sql.ts` states the same for databases. What is sealed of a secret meets no filter anywhere. */
export const matchesFilter = (memory: Memory, filter: MemoryFilter): boolean => matcherOf(filter)(memory);

/** The same for many. */
export function matcherOf(filter: MemoryFilter): (memory: Memory) => boolean {
  const conditions = conditionsOf(filter);
  return (given) => {
    const memory = given.sensitivity === "secret" ? { ...given, metadata: initialState.metadata } : given;
    return conditions.every(({ field, otherwise, until, test, value }) =>
      tests[test](memory[field] ?? (otherwise && memory[otherwise]) ?? null, value, until && memory[until]),
    );
  };
}

/** `value` is what the memory has, `asked` what the filter says; the table sees to it that their types belong together. */
const tests: Record<Condition["test"], (value: unknown, asked: unknown, until: unknown) => boolean> = {
  equals: (value, asked) => value === asked,
  "equals or none": (value, asked) => value === null || value === asked,
  "at least": (value, asked) => value !== null && (value as number) >= (asked as number),
  before: (value, asked) => value !== null && (value as number) < (asked as number),
  within: (value, asked, until) => (asked as number) >= ((value as number | null) ?? -Infinity) && (asked as number) < ((until as number | null) ?? Infinity),
  "matches one": (value, asked) => value !== null && (asked as string[]).some((pattern) => matchesPrefix(value as string, pattern)),
  "holds all": (value, asked) => (asked as string[]).every((item) => (value as string[]).includes(item)),
  "holds none": (value, asked) => !(asked as string[]).some((item) => (value as string[]).includes(item)),
  "holds entries": (value, asked) => Object.entries(asked as Entries).every(([name, entry]) => Object.hasOwn(value as object, name) && (value as Record<string, unknown>)[name] === entry),
};

const matchesPrefix = (text: string, pattern: string): boolean => (pattern.endsWith("*") ? text.startsWith(pattern.slice(0, -1)) : text === pattern);
