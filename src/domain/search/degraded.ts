import type { LegReports } from "./receipt.ts";

const groups = [
  { name: "text search", source: "text", legs: ["memory_text", "entity_text", "relationship_text"] },
  { name: "vector search", source: "vectors", legs: ["memory_vector", "entity_vector", "relationship_vector"] },
  { name: "the graph", source: undefined, legs: ["graph"] },
  { name: "reranking", source: undefined, legs: ["rerank"] },
] as const;

/** What other teams of the organization made public is missing. */
export const ownOnly = "the organization's index is down: only your own team was asked";

/** What an answer had to do without, in words for a model; empty when every leg that was wanted answered. */
export function degradedBy(legs: LegReports): string[] {
  const broken = (status: string | undefined): boolean => status === "failed" || status === "timeout";
  const down = groups.filter((group) => group.legs.some((leg) => broken(legs[leg]?.status)));
  if (down.length === 0) return [];
  const answered = groups.filter((group) => !down.includes(group) && group.legs.some((leg) => legs[leg]?.status === "ok"));
  const sources = answered.flatMap(({ source }) => source ?? []);
  const from = sources.length > 0 ? `: answered from ${sources.join(" and ")}` : "";
  const slow = down.every((group) => group.legs.every((leg) => legs[leg]?.status !== "failed"));
  return [`${down.map(({ name }) => name).join(" and ")} ${down.length > 1 ? "are" : "is"} ${slow ? "late" : "down"}${from}`];
}
