import type { Candidate } from "./candidate.ts";
import { NearDuplicateIndex } from "./near-duplicate-index.ts";
import { closeScores, sameContent } from "../weights.ts";

export interface Repeat<C> {
  candidate: C;
  /** The candidate that it repeats: kept, or mentioned by a memory that is. */
  of: C;
  /** Its words stand there, or it was drawn from there. */
  why: "similar" | "source";
}

export interface Deduped<C> {
  /** In their former order. */
  kept: C[];
  repeats: Repeat<C>[];
}

/**
 * Order in which candidates are kept: memories before the entities and relationships concluded from them (Unified Search
 * Design).
 */
const preference = { memory: 0, entity: 1, relationship: 2 } as const;

/**
 * Removes what another candidate says already. Of the same kind the better ranked stays, or the newer where they rank alike.
 * An entity or relationship gives way to a memory only within the first `limit`, which is what will be shown. Whatever adds
 * a fact stays.
 */
export function dedupe<C extends Candidate>(ranked: readonly C[], limit: number, threshold: number = sameContent): Deduped<C> {
  const rank = new Map(ranked.map((candidate, i) => [candidate, i]));
  const rankOf = (candidate: C): number => rank.get(candidate) as number;
  const preferred = ranked.toSorted((a, b) => preference[a.kind] - preference[b.kind] || rankOf(a) - rankOf(b));
  const index = new NearDuplicateIndex<C>(ranked, threshold);
  const successors = new Map<C, C>();
  const similar: [repeat: C, of: C][] = [];
  /** Said by a memory, too: only dropped when that is shown. */
  const overshadowed = new Map<C, C>();

  for (const candidate of preferred) {
    const holder = index.findDuplicateOf(candidate);
    if (!holder) {
      index.add(candidate);
    } else if (holder.kind !== candidate.kind) {
      overshadowed.set(candidate, holder);
      index.add(candidate);
    } else if (candidate.at > holder.at && candidate.score >= closeScores * holder.score && index.covers(candidate, holder)) {
      index.replace(holder, candidate);
      rank.set(candidate, rankOf(holder));
      successors.set(holder, candidate);
      similar.push([holder, candidate]);
    } else {
      similar.push([candidate, holder]);
    }
  }

  const ordered = index.kept().toSorted((a, b) => rankOf(a) - rankOf(b));
  const { kept, traced } = traceSources(ordered, limit, overshadowed);
  const last = (of: C): C => {
    let newest = of;
    for (let next = successors.get(newest); next; next = successors.get(newest)) newest = next;
    return newest;
  };
  return { kept, repeats: [...similar.map(([candidate, of]) => ({ candidate, of: last(of), why: "similar" as const })), ...traced] };
}

/** Drops entities and relationships whose memory is shown anyway. Each one dropped may let a further memory be shown, and so on. */
function traceSources<C extends Candidate>(ordered: C[], limit: number, overshadowed: ReadonlyMap<C, C>): { kept: C[]; traced: Repeat<C>[] } {
  const traced: Repeat<C>[] = [];
  let kept = ordered;
  for (;;) {
    const shown = new Map(kept.slice(0, limit).filter(({ kind }) => kind === "memory").map((memory) => [memory.id, memory]));
    const repeatOf = (candidate: C): Repeat<C> | undefined => {
      if (candidate.kind === "memory") return undefined;
      const source = [...shown.values()].find(({ id }) => candidate.sources?.includes(id));
      if (source) return { candidate, of: source, why: "source" };
      const holder = overshadowed.get(candidate);
      return holder && shown.has(holder.id) ? { candidate, of: holder, why: "similar" } : undefined;
    };
    const found = kept.flatMap((candidate) => repeatOf(candidate) ?? []);
    if (found.length === 0) return { kept, traced };
    traced.push(...found);
    const gone = new Set(found.map(({ candidate }) => candidate));
    kept = kept.filter((candidate) => !gone.has(candidate));
  }
}
