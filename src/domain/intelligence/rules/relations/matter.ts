import type { Note } from "../../intelligence.ts";
import type { Reading } from "./statements.ts";

/** Words of keys that name no subject. */
const generic = new Set("note notes fact facts info memory memories current now new old latest update updated project team decision decisions general misc config setting settings value".split(" "));

/**
 * Whether what two notes leave unsaid is the same. Notes of other places are about other things: `other`. A key may say more than
 * its text (`shop.api_port`: "Port is 8080"); where what the keys add differs, it is not certain: `unsure`.
 */
export function matterOf(a: { note: Note; reading: Reading }, b: { note: Note; reading: Reading }): "same" | "unsure" | "other" {
  if (a.note.context && b.note.context && a.note.context !== b.note.context) return "other";
  const said = new Set([...a.reading.content, ...b.reading.content]);
  return unsaid(a.note.key, said) === unsaid(b.note.key, said) ? "same" : "unsure";
}

/** Words of a key that stand in no text, numbers and dates aside. */
function unsaid(key: string | null | undefined, said: ReadonlySet<string>): string {
  const words = (key ?? "").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => /\p{L}/u.test(word) && !generic.has(word));
  const isSaid = (word: string): boolean => said.has(word) || said.has(word.replace(/s$/, "")) || [...said].some((one) => one.length > word.length && word.length >= 3 && one.split(/[-_./]/).includes(word));
  return [...new Set(words.filter((word) => !isSaid(word)))].sort().join(" ");
}
