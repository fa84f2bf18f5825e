import type { Memory } from "../../memories/memory.ts";
import type { GraphHit } from "../retrievers/concepts.ts";
import type { Evidence } from "./relevance.ts";

/** A memory that any leg found, with its place in each leg. */
export interface FusionCandidate {
  memory: Memory;
  evidence: Evidence;
  text?: Place;
  vector?: Place;
  /** Added to the text score when the memory uses another name of an entity in the question. */
  aliasBoost?: number;
  /** The memory mentions an entity or relationship near the question: its similarity, weighed. */
  near?: GraphHit;
  graph?: GraphHit;
  /** How well its words meet those of the question by meaning, 0–1; absent where the words themselves answer. */
  wordMatch?: number;
}

export interface Place {
  rank: number;
  score: number;
}
