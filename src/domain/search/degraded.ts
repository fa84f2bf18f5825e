import type { LegReports } from "./receipt.ts";

const groups = [
  { name: "vector search", legs: ["memory_vector", "entity_vector", "relationship_vector"] },
  { name: "text search", legs: ["memory_text", "entity_text", "relationship_text"] },
  { name: "the graph", legs: ["graph"] },
  { name: "reranking", legs: ["rerank"] },
] as const;

/** What an answer had to do without, in words for a model; empty when every leg that was wanted answered. */
export function degradedBy(legs: LegReports): string[] {
  const broken = (status: string | undefined): boolean => status === "failed" || status === "timeout";
  const down = groups.filter((group) => group.legs.some((leg) => broken(legs[leg]?.status)));
  if (down.length === 0) return [];
  const answered = groups.slice(0, 2).filter((group) => !down.includes(group) && group.legs.some((leg) => legs[leg]?.status === "ok"));
  const from = answered.length > 0 ? `: answered from ${answered.map(({ name }) => name.split(" ")[0]).join(" and ")}` : "";
  const slow = down.every((group) => group.legs.every((leg) => legs[leg]?.status !== "failed"));
  return [`${down.map(({ name }) => name).join(", ")} ${down.length > 1 ? "are" : "is"} ${slow ? "late" : "down"}${from}`];
}
