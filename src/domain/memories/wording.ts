import { articles, token } from "./repetition.ts";

/**
 * Of two texts that state the same, the one that says it plainly, whichever came first: not in capitals, without emphasis, in fewer
 * words ("Please note that …" says nothing), as a whole sentence. Where both are alike in all of that, the newer one, whose form is
 * the one that somebody wants today.
 */
export function plainerOf(present: string, fresh: string): string {
  const [a, b] = [marksOf(present), marksOf(fresh)];
  const at = a.findIndex((mark, i) => mark !== b[i]);
  return at >= 0 && (a[at] as number) < (b[at] as number) ? present : fresh;
}

/** What speaks against a wording, in the order of its weight. */
function marksOf(text: string): number[] {
  const plain = text.trim();
  const isShouted = /\p{Lu}/u.test(plain) && !/\p{Ll}/u.test(plain);
  const isLoud = /[!！]|\p{Extended_Pictographic}|\*\*|__/u.test(plain);
  const words = (plain.toLowerCase().match(token) ?? []).filter((word) => !articles.has(word)).length;
  const isWhole = /^[^\p{Ll}]/u.test(plain) && /[.。．?？]["'”’)\]]*$/u.test(plain);
  return [Number(isShouted), Number(isLoud), words, Number(!isWhole)];
}
