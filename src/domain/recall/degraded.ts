import type { LegReports } from "./presentation/receipt.ts";

const groups = [
  { name: "text search", source: "text", legs: ["memory_text"] },
  { name: "vector search", source: "vectors", legs: ["memory_vector"] },
  { name: "the graph", source: undefined, legs: ["entity_text", "relationship_text", "entity_vector", "relationship_vector", "graph"] },
  { name: "reranking", source: undefined, legs: ["rerank"] },
] as const;

const isBroken = (status: string | undefined): boolean => status === "failed" || status === "timeout";

/** Public memories of other teams of the organization are missing. */
export const ownOnly = "the organization's index is down: only your own team was asked";

/** An organization's index holds the present only. */
export const ownPastOnly = "of the past only your own team's memories are searched";

/** Names the parts of the search that were missing, in words for a model; empty when every leg that was wanted answered. */
export function degradedBy(reports: LegReports): string[] {
  // Without vectors there is nothing near to ask the graph about; that is not the graph's fault.
  const { entity_vector: _entity, relationship_vector: _relationship, ...others } = reports;
  const legs: LegReports = isBroken(reports.memory_vector?.status) ? others : reports;
  const down = groups.filter((group) => group.legs.some((leg) => isBroken(legs[leg]?.status)));
  if (down.length === 0) return [];
  const answered = groups.filter((group) => !down.includes(group) && group.legs.some((leg) => legs[leg]?.status === "ok"));
  const sources = answered.flatMap(({ source }) => source ?? []);
  const from = sources.length > 0 ? `: answered from ${sources.join(" and ")}` : "";
  const slow = down.every((group) => group.legs.every((leg) => legs[leg]?.status !== "failed"));
  return [`${down.map(({ name }) => name).join(" and ")} ${down.length > 1 ? "are" : "is"} ${slow ? "late" : "down"}${from}`];
}
