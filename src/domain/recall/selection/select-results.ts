import { memoryCandidate, type Candidate } from "./candidate.ts";
import { dedupe } from "./dedupe.ts";
import { diversify } from "./diversity.ts";
import type { Memory } from "../../memories/memory.ts";
import type { Drop } from "../presentation/receipt.ts";

export interface Ranked {
  memory: Memory;
  /** Calibrated, 0–1. */
  relevance: number;
  /** Orders the answer. */
  score: number;
  vector?: Float32Array;
}

export interface Selection<R extends Ranked> {
  selected: R[];
  /** Entities and relationships by the memory of the answer that mentions them. */
  attached: Map<string, Candidate[]>;
  drops: Drop[];
  /** How many were relevant and said something of their own. */
  found: number;
}

/**
 * Selects the results worth showing from a ranking: relevant, no repeats, diverse, at most `limit`. Entities and relationships
 * take part so that those mentioned by a memory of the answer go with it. Where there are stages, a later one gets the places that those before leave.
 */
export function selectResults<R extends Ranked>(
  ranked: readonly R[],
  concepts: readonly Candidate[],
  { limit, minRelevance, without, stageOf }: { limit: number; minRelevance: number; without: ReadonlySet<string>; stageOf?: ((entry: R) => number) | undefined },
): Selection<R> {
  const drops: Drop[] = [];
  const byId = new Map<string, R>();
  for (const entry of ranked) {
    if (entry.relevance >= minRelevance) byId.set(entry.memory.id, entry);
    else drops.push({ reason: "threshold", id: entry.memory.id });
  }
  const memories = [...byId.values()].map(({ memory, score, vector }) => memoryCandidate(memory, score, vector));
  const stages = new Map(stageOf ? [...byId].map(([id, entry]) => [id, stageOf(entry)]) : []);
  const stage = ({ id }: Candidate): number => stages.get(id) ?? (stageOf ? Infinity : 0);
  const candidates = [...memories, ...concepts].toSorted((a, b) => (stage(a) === stage(b) ? b.score - a.score : stage(a) - stage(b)));
  const { kept, repeats } = without.has("dedupe") ? { kept: candidates, repeats: [] } : dedupe(candidates, limit);
  const distinct = kept.filter(({ kind }) => kind === "memory");
  const inStages = [...Map.groupBy(distinct, stage).values()].flatMap((some) => diversify(some, { count: limit }));
  const shown = (without.has("diversity") ? distinct : inStages).slice(0, limit);

  const ids = new Set(shown.map(({ id }) => id));
  const attached = new Map<string, Candidate[]>();
  for (const { candidate, of } of repeats) {
    if (candidate.kind === "memory") drops.push({ reason: "duplicate", id: candidate.id, of: of.id });
    else if (ids.has(of.id)) attached.set(of.id, [...(attached.get(of.id) ?? []), candidate]);
  }
  for (const { id } of distinct.slice(0, limit)) if (!ids.has(id)) drops.push({ reason: "diversity", id });
  return { selected: shown.map(({ id }) => byId.get(id) as R), attached, drops, found: distinct.length };
}
