import { stemmer } from "stemmer";

/**
 * English function words that carry no topic. Dropped from queries, because an OR query that keeps them ranks
 * by how chatty a memory is (retrieval baselines: R@10 57.5 with them, 63.4 without); never dropped from memories. `use` is
 * among them: it alone brought a third of what was wrongly returned by default (PrecisionMemBench), and nothing that was right.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are aren as at be because been before being below
  between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from
  further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it
  its itself just ll m me might more most must mustn my myself needn no nor not now o of off on once only or other
  our ours ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them
  themselves then there these they this those through to too under until up us use used uses using ve very was wasn we were weren what
  when where which while who whom why will with won would wouldn y you your yours yourself yourselves`.split(/\s+/),
);

export const isStopWord = (word: string): boolean => stopWords.has(word);

/** What asks and says nothing of what is asked for; in capitals it is a name (WER). */
const questionWords: ReadonlySet<string> = new Set(
  `still already yet ever currently please noch schon bereits bitte wer wem wen wann wie wo warum wieso wofur welche welchem welchen welcher welches`.split(" "),
);
const commands = "(?:list|show|name|tell|give|liste|zeige?|nenne?) ";
/** Words before "about" that leave the subject as all that is asked for ("List everything you know about"). */
const fillers = `${[...stopWords].join("|")}|mir|alles?|everything|anything|known?|remember|notes|memories|facts|info\\w*|wissen|weißt|wir|du|notizen`;
/** `many`, `list` and `show` are words like others elsewhere, and so are `notes` and `everything`. Where a pronoun is the subject, nothing but these is left to look up. */
const asking = new RegExp(
  String.raw`\b(?:how (?:many|much)|wie viele?)\b|^\W*(?:please |bitte |\w+ you )?(?:(?:${commands}|(?:${fillers}) ){1,9}(?:(?<=\b(?:all|everything|anything|me|us|known?|have|remember|memories) .*)(?:about|on)|über|zu) (?!(?:me|us|it|him|her|them)\W*$)|${commands}(?=(?:me|us|all|the|our|which|what|who|mir|uns|alle|die|das|den)\b))|(?<=^liste .*) auf(?=\W*$)`,
  "gi",
);

const maxTerms = 32;
const maxTermLength = 64;

const lastAscii = 0x7f;
/** Scripts written without spaces, with the marks and length signs inside their words. */
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー`;
const unspacedRun = new RegExp(`^[${unspaced}]`, "u");
const isUnspaced = (run: string): boolean => run.charCodeAt(0) > lastAscii && unspacedRun.test(run);
const runs = new RegExp(String.raw`[${unspaced}][${unspaced}\p{M}]*|(?:(?![${unspaced}])[\p{L}\p{N}\p{M}])+`, "gu");

/** Pairs of neighbouring characters: languages written without spaces have no words a tokenizer could find. */
function bigrams(run: string): string[] {
  const characters = [...run];
  return characters.length < 2 ? characters : characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** Most text is ASCII, for which the engine need not load the tables of Unicode. */
const isPlain = /^[ -~\n\r\t]*$/;
const plainRuns = /[A-Za-z0-9]+/g;
/** Without a capital inside there is nothing to split. */
const hasInnerCapital = /.\p{Lu}/su;

/** One form for what looks the same, and letters with marks as plain ones; in scripts without spaces marks are part of the word. */
const folded = (text: string): string =>
  text.normalize("NFKC").replaceAll(/[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+/gu, (run) => run.normalize("NFD").replaceAll(/\p{M}/gu, ""));

/**
 * Splits text into words: letters and digits, with the parts of identifiers (`getUserId` -> get, User, Id) beside
 * the whole, and bigrams for scripts without spaces.
 */
export function words(text: string, options = { parts: true }): string[] {
  const found: string[] = [];
  for (const run of (isPlain.test(text) ? text.match(plainRuns) : folded(text).match(runs)) ?? []) {
    if (isUnspaced(run)) {
      found.push(...bigrams(run));
      continue;
    }
    found.push(run);
    if (!options.parts || !hasInnerCapital.test(run)) continue;
    const parts = run.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    // A part of two letters says nothing by itself: TSLint is not about TS.
    if (parts.length > 1) found.push(...parts.filter((part) => part.length > 2));
  }
  return found;
}

/**
 * Stems by word. Texts repeat their words; bounded, since strangers choose them. Two generations: when the younger is full it
 * becomes the older one, and what nobody asked for meanwhile goes with the one before, so that a large vocabulary never
 * empties the cache of its frequent words.
 */
let stems = new Map<string, string>();
let olderStems = new Map<string, string>();
const maxYoungStems = 20_000;

function keepStem(word: string, stem: string): string {
  if (stems.size >= maxYoungStems) {
    olderStems = stems;
    stems = new Map();
  }
  stems.set(word, stem);
  return stem;
}

/** The form under which a word is indexed and looked up: lower case, English endings cut off (Porter 1980). */
export function termOf(word: string): string {
  const lower = word.toLowerCase().slice(0, maxTermLength);
  const known = stems.get(lower);
  if (known !== undefined) return known;
  if (!/^[a-z]{3,}$/.test(lower)) return lower;
  const older = olderStems.get(lower);
  if (older !== undefined) return keepStem(lower, older);
  const cut = withFinalY(stemmer(lower), lower);
  // `one` would become the stop word `on`, and match it.
  return keepStem(lower, stopWords.has(cut) ? lower : cut);
}

/** Porter makes `deploy` and `deploys` to `deploi`, but `deployment` to `deploy`; in his later rules (Porter2) a y after a vowel stays. */
const withFinalY = (stem: string, word: string): string => (/[aeou]i$/.test(stem) && word[stem.length - 1] === "y" ? `${stem.slice(0, -1)}y` : stem);

/** The terms of a text as the index holds them, repeats included: a single character of a script without spaces is a term there, too. */
export const indexTerms = (text: string): string[] =>
  words(text).flatMap((word) => (isUnspaced(word) && word.length > 1 ? [word, ...word] : termOf(word)));

/** The same without the parts of identifiers: `ReactJS` is one name, not three. */
export const wholeTerms = (text: string): string[] => words(text, { parts: false }).map((word) => (isUnspaced(word) ? word : termOf(word)));

export interface QueryTerm {
  /** As it is looked up. */
  term: string;
  /** As it was asked. */
  word: string;
}

/** The distinct words of a question worth looking up; all of its words when it has none but stop words. */
export function queryTerms(text: string): QueryTerm[] {
  const all = words(text).map((word) => word.toLowerCase());
  const telling = words(text.replaceAll(asking, "")).flatMap((word) => {
    const lower = word.toLowerCase();
    return stopWords.has(lower) || (questionWords.has(lower) && word !== word.toUpperCase()) ? [] : [lower];
  });
  const byTerm = new Map<string, QueryTerm>();
  for (const word of telling.length > 0 ? telling : all) {
    const term = termOf(word);
    if (!byTerm.has(term)) byTerm.set(term, { term, word });
    if (byTerm.size === maxTerms) break;
  }
  return [...byTerm.values()];
}
