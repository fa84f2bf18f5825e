import type { WordClass } from "./lexicon.ts";

/** The classes of words that are in the list; an entry is twice the place of its class here, plus one where the word may be a noun. */
export const listedClasses = ["common", "person", "surname", "place", "organization"] as const satisfies readonly WordClass[];

/** The forms that a word usually has beside itself. How they are spelt follows from its end, whether they may be nouns from their kind. */
export function inflected(word: string, noun: boolean): { form: string; noun: boolean }[] {
  const stem = /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : undefined;
  const isMute = word.endsWith("e");
  // `stop`, `stopped`.
  const doubled = /^[^aeiou]*[aeiou][bdgklmnprt]$/.test(word) ? `${word}${word.at(-1)}` : undefined;
  return [
    { noun, form: stem === undefined ? `${word}${/(?:s|x|z|ch|sh)$/.test(word) ? "es" : "s"}` : `${stem}es` },
    { noun: false, form: `${stem ?? doubled ?? word}${isMute ? "d" : "ed"}` },
    { noun: true, form: `${isMute ? word.slice(0, -1) : (doubled ?? word)}ing` },
  ];
}

/** The ends of common words of which some such forms are listed, too: twice the bits of these forms less one, and one more where the word may be a noun. */
export const formMarks = "!#%+,.5>?[]_{}";
const formsOf = new Map([...formMarks].map((mark, i) => [mark.charCodeAt(0), i]));

/**
 * Entries by word. The list is in the order of the alphabet, and each word has three parts: how many characters go from the end
 * of the word before (`A` to `P`: 1 to 16, added up; none: 0), what follows them, and its entry (`Q` to `Z`: 0 to 9) or its mark (`formMarks`).
 */
export function unpackLexicon(packed: string): Map<string, number> {
  const entries = new Map<string, number>();
  let word = "";
  let from = 0;
  for (let at = 0; at < packed.length; at += 1) {
    const code = packed.charCodeAt(at);
    const forms = formsOf.get(code);
    if (forms === undefined && (code < 0x41 || code > 0x5a)) continue;
    word += packed.slice(from, at);
    from = at + 1;
    if (forms !== undefined) {
      entries.set(word, forms % 2);
      for (const [i, { form, noun }] of inflected(word, forms % 2 === 1).entries()) if ((((forms >> 1) + 1) >> i) & 1) entries.set(form, Number(noun));
    } else if (code > 0x50) entries.set(word, code - 0x51);
    else word = word.slice(0, 0x40 - code);
  }
  return entries;
}
