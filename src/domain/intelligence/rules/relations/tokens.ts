import { phrases, uncutCues } from "./cues.ts";

/** A sentence, as the words of its clauses. */
export interface Sentence {
  clauses: string[][];
  isQuestion: boolean;
  /** Words that are written like a name: with a capital letter where no sentence begins, with a digit, or in Latin letters within Chinese or Japanese. */
  names: ReadonlySet<string>;
}

/** Beyond these a text is a document, which other rules are for. */
const mostSentences = 24;
const mostWords = 60;
const longestText = 6_000;
/** In characters. */
const longestSentence = 500;

/** Ends of sentences. A full stop within a name or number has no space behind it. */
const sentenceEnd = /(?<=[.!?]["')\]]{0,2})\s+|(?<=[。！？])|\n+|;\s+|；/u;
/** A comma with a space behind it; in a number there is none. */
const clauseEnd = /,\s+|[，、]\s*(?=.{6})/u;
const run = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々]+|[-+/.~$@!#%]*[\p{L}\p{N}\p{M}_]+(?:[.'’\-/:@#%?=&]+[\p{L}\p{N}\p{M}_]+)*%?|=/gu;
const isUncut = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々]/u;

/** "12,500", "12.500" and "12'500" as "12500": that one of them became another is no change that anybody can be sure of. A space parts numbers, too. */
export const withPlainNumbers = (text: string): string => text.replaceAll(/(?<=\d)[.,'’\xa0](?=\d{3}(?!\d))/g, "");

/** The first sentences of a text, as far as their length is one of a statement. */
export function sentencesOf(text: string): Sentence[] {
  const parts = withPlainNumbers(text.slice(0, longestText)).normalize("NFKC").split(sentenceEnd).map((part) => part.trim()).filter(({ length }) => length > 0 && length <= longestSentence);
  return parts.slice(0, mostSentences).flatMap((part): Sentence[] => {
    const clauses = part.split(clauseEnd).map((clause) => wordsOf(clause)).filter(({ length }) => length > 0);
    const count = clauses.reduce((sum, { length }) => sum + length, 0);
    return count === 0 || count > mostWords ? [] : [{ clauses, isQuestion: /[?？]\W*$|か[。？]?$/u.test(part), names: namesIn(part) }];
  });
}

/** `Port: 9100` says what `Port is 9100` does. */
const wordsOf = (clause: string): string[] => withPhrases((clause.replace(/(?<=[\p{L}\p{N}]):\s+(?=\S)/u, " is ").match(run) ?? []).flatMap((word) => (isUncut.test(word) ? cut(word) : [fold(word)])));

function namesIn(part: string): ReadonlySet<string> {
  const isUncutText = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(part);
  const found = (part.match(run) ?? []).filter((word, i) => !isUncut.test(word) && (isUncutText || /.\p{Lu}|\d/u.test(word) || (i > 0 && /^\p{Lu}/u.test(word))));
  return new Set(found.map(fold));
}

/** One form of units, and of the plural where English and German have one. */
const forms = new Map(
  "s:second sec:second sek:second sekunde:second sekunden:second min:minute minuten:minute std:hour stunde:hour stunden:hour h:hour hr:hour tag:day tage:day tagen:day wochen:woche monate:monat monaten:monat megabyte:mb gigabyte:gb kilobyte:kb anfragen:anfrage"
    .split(" ").map((pair) => pair.split(":") as [string, string]),
);
function fold(word: string): string {
  // Not the month.
  if (word === "may") return "might";
  const lower = word.toLowerCase().replace(/[’']s$/, "").replaceAll("’", "'");
  const singular = /^[a-z]{2,}[^siu'\W\d]s$/.test(lower) ? lower.slice(0, -1) : lower;
  return forms.get(singular) ?? singular;
}

const cuesByFirst = Map.groupBy(uncutCues.toSorted((a, b) => b.length - a.length), (cue) => cue[0] as string);
const scriptOf = (character: string): "han" | "hiragana" | "katakana" => (/[\p{sc=Katakana}ー]/u.test(character) ? "katakana" : /\p{sc=Hiragana}/u.test(character) ? "hiragana" : "han");

/** Cuts a run without spaces at its cues, and where the script changes. */
function cut(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  const end = (at: number): void => {
    if (at > from) found.push(text.slice(from, at));
  };
  for (let i = 0; i < text.length; ) {
    const cue = cuesByFirst.get(text[i] as string)?.find((one) => text.startsWith(one, i));
    if (cue) {
      end(i);
      found.push(cue);
      i += cue.length;
      from = i;
      continue;
    }
    if (i > from && scriptOf(text[i] as string) !== scriptOf(text[i - 1] as string)) {
      end(i);
      from = i;
    }
    i += 1;
  }
  end(text.length);
  return found;
}

function withPhrases(words: string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < words.length; ) {
    const phrase = phrases.find(([from]) => from.every((word, k) => words[i + k] === word));
    found.push(...(phrase ? phrase[1] : [words[i] as string]));
    i += phrase ? phrase[0].length : 1;
  }
  return found;
}
