import { nothingFound, type Expanded, type Expansion, type NearConcepts } from "../../graph/graph-store.ts";
import type { SearchMode, SearchFeature } from "../recall.ts";
import type { SearchHit } from "./text-retriever.ts";
import type { Legs } from "./legs.ts";
import type { Leg, LegReport } from "../presentation/receipt.ts";
import type { VectorKind } from "../../embedding/vector-index.ts";
import { mostConcepts, tied, walked } from "../weights.ts";

/** The graph may only make an answer better, ms. */
const deadline = 800;

const textLegs = ["entity_text", "relationship_text", "graph"] as const;
const vectorLegs = { entity: "entity_vector", relationship: "relationship_vector" } as const;

interface Wanted {
  mode: SearchMode;
  without: readonly SearchFeature[];
  asOf?: number;
  graphDepth?: number;
}

/** The kinds of vectors to ask for. Vectors cover the present only. */
export function vectorKindsOf({ mode, without, asOf }: Wanted): VectorKind[] {
  if (mode === "text" || without.includes("vector") || asOf !== undefined) return [];
  return ["memory", ...(without.includes("entities") ? [] : ["entity" as const]), ...(without.includes("relationships") ? [] : ["relationship" as const])];
}

/**
 * Expands the search through the graph: from the question's words, the best hits, and concepts near by meaning, in one round
 * trip.
 */
export async function askGraph(
  graph: { expand(asked: Expansion): Promise<Expanded> }, legs: Legs, input: Wanted, asked: { terms: string[]; hits: SearchHit[]; near: NearConcepts; hasRoom: boolean },
): Promise<Expanded> {
  const { terms, near } = asked;
  const { mode, without, asOf } = input;
  const own = asked.hits.filter(({ place }) => !place).map(({ id }) => id);
  const isOn = mode === "hybrid" && asOf === undefined && terms.length > 0;
  const isTied = isOn && !without.includes("graph") && own.length > 0;
  const wanted = { entity_text: isOn && !without.includes("entities"), relationship_text: isOn && !without.includes("relationships"), graph: isTied && asked.hasRoom };
  const on: Leg[] = textLegs.filter((leg) => wanted[leg]);
  for (const leg of textLegs) if (!on.includes(leg)) legs.skip(leg);

  const isNear = near.entities.length + near.relationships.length > 0;
  noteVectors(legs, vectorKindsOf(input), legs.reports.memory_vector);
  if (on.length === 0 && !isNear && !isTied) return nothingFound();
  const [first = isNear ? vectorLegs.entity : "graph"] = on;
  const expanded = await legs.run(
    first, deadline,
    () =>
      graph.expand({
        ...(on.includes("entity_text") ? { entities: { terms, limit: mostConcepts } } : {}),
        ...(on.includes("relationship_text") ? { relationships: { terms, limit: mostConcepts } } : {}),
        ...(on.includes("graph") ? { walk: { memoryIds: own.slice(0, walked.starts), limits: { ...walked.limits, depth: input.graphDepth ?? walked.limits.depth } } } : {}),
        ...(isTied ? { ties: { memoryIds: own.slice(0, tied.starts), limit: tied.limit } } : {}),
        ...(isNear ? { near } : {}),
      }),
    nothingFound(), () => 0,
  );
  const report = legs.reports[first] as LegReport;
  const counts = { entity_text: expanded.entities.length, relationship_text: expanded.relationships.length, graph: expanded.walked.length };
  for (const leg of textLegs) if (on.includes(leg)) legs.reports[leg] = { ...report, candidates: counts[leg] };
  // Counted as the truth has them: what is near may be somebody else's, or gone.
  if (isNear) noteVectors(legs, vectorKindsOf(input), report, { entity: expanded.near.entities.length, relationship: expanded.near.relationships.length });
  return expanded;
}

function noteVectors(legs: Legs, kinds: VectorKind[], report: LegReport | undefined, counts = { entity: 0, relationship: 0 }): void {
  for (const kind of ["entity", "relationship"] as const) {
    if (report && kinds.includes(kind)) legs.reports[vectorLegs[kind]] = { ...report, candidates: counts[kind] };
    else legs.skip(vectorLegs[kind]);
  }
}
