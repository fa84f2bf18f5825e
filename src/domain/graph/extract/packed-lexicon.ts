import type { WordClass } from "./lexicon.ts";

/** The classes of words that are in the list; an entry is twice the place of its class here, plus one where the word may be a noun. */
export const listedClasses = ["common", "person", "surname", "place", "organization"] as const satisfies readonly WordClass[];

/**
 * Entries by word. The list is in the order of the alphabet, and each word has three parts: how many characters go from the end
 * of the word before (`A` to `P`: 1 to 16, added up; none: 0), what follows them, and its entry (`Q` to `Z`: 0 to 9).
 */
export function unpackLexicon(packed: string): Map<string, number> {
  const entries = new Map<string, number>();
  let word = "";
  let from = 0;
  for (let at = 0; at < packed.length; at += 1) {
    const code = packed.charCodeAt(at);
    if (code < 0x41 || code > 0x5a) continue;
    word += packed.slice(from, at);
    from = at + 1;
    if (code > 0x50) entries.set(word, code - 0x51);
    else word = word.slice(0, 0x40 - code);
  }
  return entries;
}
