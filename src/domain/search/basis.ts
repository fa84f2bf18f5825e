import type { IndexState } from "../ports.ts";
import { isSlip, mayBeSlip } from "./spelling.ts";

/**
 * What a kept answer rests on, so that it can outlive changes that have nothing to do with it. Only an answer whose threshold
 * no memory passes without a word of the question has one (`wordless` in relevance.ts): a change then concerns it if it is one
 * of a memory that was considered, or of one that now holds such a word. Other changes move it by nothing but the rarity of
 * words, which follows the number of documents.
 */
export interface Basis {
  /** Of the question, as they were asked and as they were looked up. */
  terms: string[];
  /** Memories that the answer shows, passed over or points to. */
  ids: string[];
  /** How many documents the words were rare among. */
  documents: number;
}

/** Of the documents; the rarity of a word moves by ln 1.1 at most then, a fiftieth of that of a rare one among thousands. */
const mostGrowth = 0.1;

/** For what the indexes say: whether an answer may be another one since, as far as its basis tells. */
export function outdatedBy({ changes, documents }: IndexState): (basis: Basis) => boolean {
  if (!changes) return () => true;
  const { ids, terms } = changes;
  const changed = new Set(ids);
  const held = new Set(terms);
  // A word that occurred nowhere was taken for a slip, or would have been had there been a word like it.
  const byInitial = Map.groupBy(held, (term) => term[0]);
  const mayBeMeant = (term: string): boolean => mayBeSlip(term) && (byInitial.get(term[0]) ?? []).some((known) => isSlip(term, known));
  return (basis) =>
    Math.abs(documents - basis.documents) > mostGrowth * basis.documents ||
    basis.ids.some((id) => changed.has(id)) ||
    basis.terms.some((term) => held.has(term) || mayBeMeant(term));
}
