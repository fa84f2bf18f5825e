import type { Arguments, Recall } from "./memories.ts";

/** A data set whose memories are stored: its questions can be asked again and again. */
export interface Evaluation {
  /** With these arguments added to every question. */
  measure(args: Arguments): Promise<Measured>;
}

export interface Measured {
  /** Each with the same figures, the first being the one that counts. */
  groups: Group[];
  /** Whatever else the set tells. */
  notes: string[];
  misses: Miss[];
  /** What a client pays that asks with default arguments. */
  recalls: Pick<Recall, "ms" | "tokens">[];
  /** What may never happen, whatever the figures. */
  faults: string[];
}

export interface Group {
  name: string;
  questions: number;
  figures: Record<string, number | undefined>;
}

export interface Miss {
  id: string;
  question: string;
  /** Of the call, so that it can be repeated. */
  args: Arguments;
  expected: string[];
  found: { key: string; relevance: number }[];
  receipt?: unknown;
}
