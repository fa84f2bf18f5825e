import { findInstructions } from "../guard/find-instructions.ts";
import { isStopWord, words } from "../text/query-terms.ts";

/**
 * Compares what a model answered with what it was given. A text that a model was talked into, or made up, says something that no
 * source says: an address, a command, a number, an order. Such an answer is no answer (OWASP LLM01 and LLM05: output of a model is
 * untrusted input). All of it is linear in the length of the texts.
 */

const breaks = /[\s"“”„«»「」『』（）()[\],;，。；！？、]+/u;
/** Paths, addresses, variables, options and code; a dot inside a word is a domain or a file. */
const machineText = /[/\\@$`{}<>|=_~]|[\p{L}\p{N}]\.\p{L}\p{L}|^--?\p{L}/u;
/** Not machine text although they look like it: `e.g.`, `z.B.`, `and/or`. */
const proseLike = /^(?:(?:\p{L}\.)+\p{L}|and\/or|he\/she|und\/oder|y\/o|n\/a)$/iu;

/** The parts of a text that a reader or a machine would act on: URLs, mail addresses, paths, options, names of variables and files. */
export const machineTexts = (text: string): string[] =>
  text.normalize("NFKC").split(breaks).map(withoutEdges).filter((piece) => machineText.test(piece) && !proseLike.test(piece));

const edge = new Set(".:!?*…'‘’");
/** Without the punctuation around it; by hand, because a regular expression that ends in `+$` looks from each place anew. */
function withoutEdges(piece: string): string {
  let [from, to] = [0, piece.length];
  while (from < to && edge.has(piece.charAt(from))) from += 1;
  while (to > from && edge.has(piece.charAt(to - 1))) to -= 1;
  return piece.slice(from, to);
}

/** Whether a text holds all of these pieces, in any case of letters. */
function holdsAll(text: string, pieces: readonly string[]): boolean {
  const whole = new Set(machineTexts(text));
  return [...new Set(pieces)].every((piece) => whole.has(piece) || text.includes(piece));
}

const folded = (texts: readonly string[]): string => texts.join("\n").normalize("NFKC").toLowerCase();

/** Digits as they are read: 1,000,000 is one number, and 07 is 7. */
export const numbers = (text: string): string[] =>
  [...text.normalize("NFKC").matchAll(/\d+(?:[,'’]\d{3}(?!\d))*/g)].map(([digits]) => digits.replaceAll(/\D/g, "").replace(/^0+(?=\d)/, ""));

const isContentWord = (word: string): boolean => word.length > 1 && !isStopWord(word);
const contentWords = (text: string): string[] => words(text).map((word) => word.toLowerCase()).filter(isContentWord);

/** What a text says that none of its sources says, or undefined. */
export function inventedIn(text: string, sources: readonly string[], { withNumbers = false } = {}): string | undefined {
  const said = folded(sources);
  if (!holdsAll(said, machineTexts(text.toLowerCase()))) return "an address, path or command";
  if (withNumbers && !hasNumbers(said, text)) return "a number";
  const order = findInstructions(text).find(({ start, end }) => !said.includes(folded([text.slice(start, end)])));
  return order === undefined ? undefined : "an order to a model";
}

/** Whether a text leaves out an address, a command or a number of its sources. */
export function leavesOut(text: string, sources: readonly string[]): boolean {
  const kept = folded([text]);
  return sources.some((source) => !hasNumbers(kept, source) || !holdsAll(kept, machineTexts(source.toLowerCase())));
}

function hasNumbers(text: string, part: string): boolean {
  const known = new Set(numbers(text));
  return numbers(part).every((number) => known.has(number));
}

/** The share of the content words of a text that its sources hold too, 0–1; 1 for a text without any. */
export function sharedWords(text: string, sources: readonly string[]): number {
  const known = new Set(sources.flatMap(contentWords));
  const own = contentWords(text);
  return own.length === 0 ? 1 : own.filter((word) => known.has(word)).length / own.length;
}
