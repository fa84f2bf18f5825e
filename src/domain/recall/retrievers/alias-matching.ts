import { normalName } from "../../graph/graph.ts";
import { inOnePiece } from "../../graph/one-piece.ts";
import type { Scored, SourcedEntity } from "../../graph/graph-store.ts";
import type { Memory } from "../../memories/memory.ts";
import { isStopWord, termOf, wholeTerms, words, type QueryTerm } from "../../text/query-terms.ts";
import { bitsOf, termsHeld } from "../ranking/relevance.ts";

/** Words of a question that are looked at as names, and of how many words a name may be. */
const maxWords = 32;
const maxNameWords = 3;

/** The words of a question, and neighbours joined, as names in one piece; with the terms that each is made of. */
function piecesOf(text: string): Map<string, string[]> {
  const all = words(text, { parts: false }).slice(0, maxWords).map((word) => word.toLowerCase());
  const pieces = new Map<string, string[]>();
  for (let at = 0; at < all.length; at += 1) {
    for (let n = 1; n <= maxNameWords && at + n <= all.length; n += 1) {
      const run = all.slice(at, at + n);
      if (!run.every(isStopWord)) pieces.set(termOf(run.join("")), run.map(termOf));
    }
  }
  return pieces;
}

/** Something that the question calls by one of its several names. */
export interface AliasMatch {
  entity: SourcedEntity;
  /** As a share of the best entity's. */
  score: number;
  /** Bits of the question's terms that are its name. */
  bits: number;
  /** All its names, each as terms: one that is held whole says it. */
  names: string[][];
}

/** Those of the entities that have several names, one of which the question says. */
export function matchAliases(text: string, terms: QueryTerm[], entities: Scored<SourcedEntity>[]): AliasMatch[] {
  const several = entities.filter(({ item }) => item.aliases.length > 0);
  if (several.length === 0) return [];
  const pieces = piecesOf(text);
  const bitOf = bitsOf(terms);
  const best = entities[0]?.score ?? 1;
  return several.flatMap(({ item, score }) => {
    const all = [item.name, ...item.aliases];
    const wholes = all.flatMap((name) => inOnePiece(normalName(name, item.type)) ?? []);
    const bits = wholes.flatMap((whole) => pieces.get(whole) ?? []).reduce((sum, term) => (sum | (bitOf.get(term) ?? 0)) >>> 0, 0);
    const names = [...wholes.map((whole) => [whole]), ...all.map((name) => wholeTerms(name).filter((term) => !isStopWord(term)))];
    return bits === 0 ? [] : { entity: item, score: score / best, bits, names: names.filter(({ length }) => length > 0) };
  });
}

/** The bits of the question's terms that a memory says by other names, beside those that it holds. */
export function aliasBits(matches: AliasMatch[], ownTerms: number, memory: Memory): number {
  const open = matches.filter(({ bits }) => (bits & ~ownTerms) !== 0);
  if (open.length === 0) return 0;
  const held = termsHeld(memory, new Set(open.flatMap(({ names }) => names.flat())));
  const said = open.filter(({ names }) => names.some((name) => name.every((term) => held.has(term))));
  return said.reduce((sum, { bits }) => (sum | (bits & ~ownTerms)) >>> 0, 0);
}
