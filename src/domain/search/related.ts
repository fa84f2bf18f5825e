import type { Candidate } from "./candidate.ts";
import { preview } from "./excerpt.ts";

/** A pointer to something near a memory that was found: enough to decide whether to fetch it. */
export interface Related {
  kind: Candidate["kind"];
  id: string;
  key?: string;
  /** One line, at most `titleLength` characters. */
  title: string;
  why: string;
  /** Its text was stored under quarantine. */
  quarantined?: boolean;
}

/** Unified Search Design, "minimal enrichment": 1–2 of the most directly related. */
export const maxRelated = 2;
const titleLength = 80;

/** Something named by this many memories connects everything with everything. */
const commonplace = 20;

/** What the graph knows around an answer, already reduced to what the caller may see. */
export interface GraphSlice {
  links: readonly { source: string; target: string; type: string; strength: number }[];
  /** Entities of the answer's memories: which memories of the slice name them, and how many there are in all. */
  entities: readonly { id: string; name: string; mentions: number; memories: readonly string[] }[];
  /** The memories at the other ends. */
  memories: ReadonlyMap<string, { key: string | null; content: string; trust: { quarantined: boolean } }>;
}

export const emptySlice: GraphSlice = { links: [], entities: [], memories: new Map() };

/** How a link reads from its target's side. */
const inverse: Record<string, string> = {
  extends: "extended by",
  contradicts: "contradicted by",
  implements: "implemented by",
  references: "referenced by",
  supersedes: "superseded by",
};

/**
 * For each memory of an answer the few things nearest to it: what it is linked with, strongest first; entities and relationships
 * that matched but are told by the memory itself; memories that name the same thing, the rarest thing first. Nothing that the
 * answer holds already, and nothing twice.
 */
export function relate(answer: readonly string[], slice: GraphSlice, attached: ReadonlyMap<string, readonly Candidate[]> = new Map()): Map<string, Related[]> {
  const told = new Set(answer);
  const found = new Map<string, Related[]>();
  for (const id of answer) {
    const own: Related[] = [];
    for (const related of nearest(id, slice, attached.get(id) ?? [])) {
      if (own.length === maxRelated) break;
      if (told.has(related.id)) continue;
      told.add(related.id);
      own.push(related);
    }
    if (own.length > 0) found.set(id, own);
  }
  return found;
}

function* nearest(id: string, slice: GraphSlice, attached: readonly Candidate[]): Generator<Related> {
  const links = slice.links.filter(({ source, target }) => source === id || target === id);
  for (const { source, target, type } of links.toSorted((a, b) => b.strength - a.strength)) {
    yield* memoryOf(source === id ? target : source, source === id ? type : (inverse[type] ?? type), slice);
  }
  for (const { kind, id: other, text } of attached) yield { kind, id: other, title: preview(text, titleLength), why: "matched, told here" };
  const shared = slice.entities.filter(({ memories, mentions }) => mentions < commonplace && memories.includes(id));
  for (const { name, memories } of shared.toSorted((a, b) => a.mentions - b.mentions)) {
    for (const other of memories) if (other !== id) yield* memoryOf(other, `also about ${preview(name, 40)}`, slice);
  }
}

function* memoryOf(id: string, why: string, slice: GraphSlice): Generator<Related> {
  const memory = slice.memories.get(id);
  if (!memory) return;
  const { key, content, trust } = memory;
  yield { kind: "memory", id, ...(key === null ? {} : { key }), title: preview(content, titleLength), why, ...(trust.quarantined ? { quarantined: true } : {}) };
}
