/**
 * Whether a text says nothing but what another one said. Wrongly yes loses a fact, wrongly no costs a line that the next
 * recall folds away: so only the form may differ (case, white space, markup, quotes, articles), and what is left out must
 * be whole sentences. One word more, less or moved within a sentence is another statement: "not", "5", "from A to B".
 */
export function repeats(text: string, other: string): boolean {
  const [said, told] = [statementsOf(text), statementsOf(other)];
  if (!isStatement(said.all)) return false;
  if (said.all === told.all) return true;
  const known = new Set(told.sentences);
  return said.all.length >= shortestQuotation && said.sentences.every((sentence) => known.has(sentence));
}

/** Fewer words, or characters of a script without spaces, are a value such as "in progress", not something that was said. */
const isStatement = (words: string): boolean =>
  words.split(" ").length >= 4 || /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{6}/u.test(words);

/** In characters. A shorter part of a text is a phrase that anybody may use. */
const shortestQuotation = 40;

/** Hashes by which two texts can be compared without keeping them; `all` is empty when the text states nothing. */
export interface Fingerprint {
  all: string;
  sentences: string[];
}

export function fingerprintOf(text: string): Fingerprint {
  const { all, sentences } = statementsOf(text);
  return { all: isStatement(all) ? hash64(all) : "", sentences: all.length >= shortestQuotation ? sentences.map(hash64) : [] };
}

/** As `repeats`, for fingerprints; of a whole text that is shorter than a quotation only the whole counts. */
export function mayRepeat(text: Fingerprint, other: { all: string; sentences: ReadonlySet<string> }): boolean {
  if (text.all === "") return false;
  return text.all === other.all || (text.sentences.length > 0 && text.sentences.every((sentence) => other.sentences.has(sentence)));
}

interface Statements {
  all: string;
  sentences: string[];
}

/** Our own tags around recalled text, fences and marks at the beginning of lines, and marks of emphasis around words. */
export const markup = /<\/?memory\b[^>]*>|^[ \t]*(?:```|~~~).*$|^[ \t]*(?:#{1,6}|[-*+•>])[ \t]+|(?<![\p{L}\p{N}])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\p{L}\p{N}])/gmu;

/**
 * Words, with the signs that make a path, a flag, a version, an identifier or a number of them, and signs that mean something
 * alone. Commas, full stops, brackets, quotes and dashes are form.
 */
export const token = /[-+/.~$@!]{0,4}[\p{L}\p{N}\p{M}_]+(?:[.'’\-/:@#]+[\p{L}\p{N}\p{M}_]+)*#?|!=+|[\p{Sc}\p{Sm}\p{So}%&?\\^*]/gu;

export const articles: ReadonlySet<string> = new Set(["a", "an", "the"]);

export const sentenceEnd = /(?<=[.!?…]["'”’)\]]{0,4})\s+|(?<=[。！？])/u;

/** NFC, not NFKC: "10²" is not "102". */
function statementsOf(text: string): Statements {
  const plain = text.normalize("NFC").replaceAll(markup, "").toLowerCase();
  const sentences = plain.split(sentenceEnd).map(wordsOf).filter(Boolean);
  return { all: sentences.join(" "), sentences };
}

function wordsOf(sentence: string): string {
  const words = sentence.match(token) ?? [];
  return words.map((word) => word.replaceAll("’", "'")).filter((word) => !articles.has(word)).join(" ");
}

/** Two 32-bit FNV-1a of different beginnings. What they propose is compared in full, so a collision costs a look, not a fact. */
export function hash64(text: string): string {
  let [low, high] = [0x811c9dc5, 0xcbf29ce4];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code ^ (low >>> 16), 0x01000193);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36).padStart(7, "0");
}
