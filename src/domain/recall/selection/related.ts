import type { LinkType } from "../../graph/graph.ts";
import type { Tie } from "../../graph/graph-store.ts";
import type { Memory } from "../../memories/memory.ts";
import type { AuthorOf } from "../../memories/authorship.ts";
import type { Candidate } from "./candidate.ts";
import { preview } from "../presentation/excerpt.ts";

/** A pointer to something near a memory that was found: enough to decide whether to fetch it. */
export interface Related {
  kind: Candidate["kind"];
  id: string;
  key?: string;
  /** One line, at most `titleLength` characters. */
  title: string;
  why: string;
  /** Unless the reader wrote it. */
  author?: string;
  /** Its text was stored under quarantine. */
  quarantined?: boolean;
}

/** Unified Search Design, "minimal enrichment": 1–2 of the most directly related. */
export const maxRelated = 2;
const titleLength = 80;

/** How a link reads from its target's side. */
const inverse: Record<LinkType, string> = {
  extends: "extended by",
  contradicts: "contradicted by",
  implements: "implemented by",
  references: "referenced by",
  supersedes: "superseded by",
};

/**
 * For each memory of an answer the few things nearest to it: what replaced it, its links, strongest first, then entities and relationships that
 * matched and that the memory mentions. `successors` go by the id of what they replaced. Nothing that the answer holds already, and nothing twice.
 */
export function relate(
  answer: readonly string[],
  ties: readonly Tie[],
  attached: ReadonlyMap<string, readonly Candidate[]>,
  authorOf: AuthorOf,
  successors: ReadonlyMap<string, Memory> = new Map(),
): Map<string, Related[]> {
  const told = new Set(answer);
  const found = new Map<string, Related[]>();
  for (const id of answer) {
    const own: Related[] = [];
    for (const related of [...replacedBy(successors.get(id), authorOf), ...linked(id, ties, authorOf), ...(attached.get(id) ?? []).map(matched)]) {
      if (own.length === maxRelated) break;
      if (told.has(related.id)) continue;
      told.add(related.id);
      own.push(related);
    }
    if (own.length > 0) found.set(id, own);
  }
  return found;
}

/** What was asked for and is archived, beside what stands in its place. */
export const inPlaceOf = (archived: Memory, authorOf: AuthorOf): Related => titled({ ...archived, quarantined: archived.trust.quarantined }, "merged into this", authorOf);

const replacedBy = (successor: Memory | undefined, authorOf: AuthorOf): Related[] =>
  successor ? [titled({ ...successor, quarantined: successor.trust.quarantined }, "replaced by", authorOf)] : [];

const linked = (id: string, ties: readonly Tie[], authorOf: AuthorOf): Related[] =>
  ties
    .filter(({ source, target }) => source === id || target === id)
    .toSorted((a, b) => b.strength - a.strength)
    .map(({ source, type, other }) => titled(other, source === id ? type : inverse[type], authorOf));

function titled(other: Tie["other"], why: string, authorOf: AuthorOf): Related {
  const author = authorOf(other);
  return {
    kind: "memory",
    id: other.id,
    ...(other.key === null ? {} : { key: other.key }),
    title: preview(other.content, titleLength),
    why,
    ...(author === undefined ? {} : { author }),
    ...(other.quarantined ? { quarantined: true } : {}),
  };
}

const matched = ({ kind, id, text }: Candidate): Related => ({ kind, id, title: preview(text, titleLength), why: "matched, told here" });
