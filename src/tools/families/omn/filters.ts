import { filterInput } from "../../../domain/memories/memory-filters.ts";

/** Filters of the OmniMemory document, plus namespace, author and type. */
export const filters = filterInput;

/** For the other tools of a list, which need not say it all again. */
export const sameFilters = filters.meta({ listed: { type: "object", description: "as in omn_retrieve_memory" } });

export { toFilter, toReadFilter } from "../../../domain/memories/memory-filters.ts";
