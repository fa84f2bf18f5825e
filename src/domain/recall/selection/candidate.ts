import { type Memory, topicOf } from "../../memories/memory.ts";
import type { VectorKind } from "../../embedding/vector-index.ts";
import { isMasked } from "../../guard/mask.ts";
import { wordsOfMemory } from "../kept-words.ts";

/** Something that a search may answer with. Lists of candidates are ranked, best first. */
export interface Candidate {
  kind: VectorKind;
  id: string;
  /** Everything that it says, for comparing it with others. */
  text: string;
  /** Its words as `wordHashes` gives them, where they are known. */
  words?: Int32Array;
  score: number;
  /** When it was last changed, ms since the epoch. */
  at: number;
  /** The memories that an entity or relationship was drawn from. */
  sources?: readonly string[];
  /** Unit vector. */
  vector?: Float32Array;
}

/**
 * A memory says more than its content: the same words under another key, of another project or on another day state
 * another fact.
 */
export function comparableText(memory: Memory): string {
  const { key, namespace, occurredAt, content, value, redaction } = memory;
  return [
    key ?? "",
    topicOf(namespace),
    occurredAt === null ? "" : new Date(occurredAt).toISOString().slice(0, 10),
    // Two secrets that are not shown do not repeat each other.
    redaction === undefined && !isMasked(content) ? content : memory.id,
    value === null ? "" : JSON.stringify(value),
  ].filter(Boolean).join("\n");
}

export function memoryCandidate(memory: Memory, score: number, vector?: Float32Array): Candidate {
  const text = comparableText(memory);
  return { kind: "memory", id: memory.id, text, words: wordsOfMemory(memory, text), score, at: memory.updatedAt, ...(vector ? { vector } : {}) };
}
