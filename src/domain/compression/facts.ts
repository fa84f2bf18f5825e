import { count, decision, doing, germanWord, type Mark, negation } from "./fact-words.ts";

/**
 * What a compressed text must not lose. This is the one definition of a fact:
 * - numbers: a number with the word behind it (`12 servers`), amounts, dates, times, weekdays and months, number words;
 * - identifiers: code, addresses, paths, file names, versions, tickets, flags, names with an inner capital or underscore;
 * - names: words with a capital inside a sentence, speakers, abbreviations, Latin and Katakana words among Chinese and Japanese;
 * - negations: a sentence that denies something, by what it denies;
 * - decisions: a sentence that decides, requires, forbids or gives a reason, by what it says of it.
 * The same fact said twice counts once.
 */
export const factKinds = ["numbers", "names", "identifiers", "negations", "decisions"] as const;
export type FactKind = (typeof factKinds)[number];

/** `kind:what`, in lower case. */
export type Fact = `${FactKind}:${string}`;

export const kindOf = (fact: Fact): FactKind => fact.slice(0, fact.indexOf(":")) as FactKind;

/** In Chinese and Japanese a number stands right behind a letter. */
const number = /(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}_])[#$€£¥]?\p{Nd}+(?:[.,:/'’–-]?\p{Nd}+)*(?:\s?[%‰°€$£]|[\s-]?\p{L}[\p{Ll}\p{M}]{0,20})?/gu;
/** Whatever may be an identifier, with the punctuation behind it. */
const token = /[A-Za-z0-9_@#$~\\/.:+-]+/g;
const quotedCode = /`[^`\n]+`/g;
const isIdentifier = (word: string): boolean =>
  /\w_\w|:\/\/|\w@\w|[\w.]\/\w+[./\w]|[a-z][A-Z]|^--?[a-z]|^[@#]\w|[A-Za-z]-?\d|\d[A-Za-z]\w*\d|[A-Za-z]\w+\.\w*[A-Za-z]|::/.test(word) && !/^\d+[a-z]{1,3}$/.test(word);
/** Of what is longer the beginning tells which it is, in characters. */
const longestWord = 100;
const capital = /(?<![\p{L}\p{M}\p{Nd}_])\p{Lu}[\p{L}\p{M}\p{Nd}'’-]*/gu;
const isAbbreviation = (word: string): boolean => /^\p{Lu}[\p{Lu}\p{Nd}]+$/u.test(word);
const unspacedName = /[\p{Script=Katakana}ー]{3,}|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。、：（])[A-Za-z][A-Za-z0-9]+|[\p{Script=Han}]{1,3}(?=さん|様|氏|部長|くん)|[\p{Script=Han}]{2,3}(?=说|表示|负责|提出|建议|认为|反对|补充|跟进)/gu;
/** Of a denial or a decision, so much of what follows tells it from others, in characters. */
const telling = 40;

/** The people and things that a whole text names. */
export interface NameFinder {
  namesIn(sentence: string): string[];
}

/**
 * In German every noun has a capital, so that only what is named like a person or a product counts: speakers, two capitals side
 * by side, and who does something at the beginning of a sentence.
 */
export function nameFinder(sentences: readonly string[], speakers: readonly string[]): NameFinder {
  const isGerman = looksGerman(sentences);
  const known = new Set(speakers);
  for (const sentence of sentences) {
    let endOfLast = -2;
    let last = "";
    for (const { 0: word, index } of sentence.matchAll(capital)) {
      const isFirst = !/[\p{L}\p{Nd}]/u.test(sentence.slice(0, index));
      const isBeside = index === endOfLast + 1;
      if (isAbbreviation(word)) known.add(word);
      else if (isFirst) {
        if (doing.test(sentence.slice(index + word.length)) && word.length > 2 && !startsAnything.test(word)) known.add(word);
      } else if (!isGerman) known.add(word);
      else if (isBeside && last !== "") known.add(last).add(word);
      endOfLast = index + word.length;
      last = isFirst && startsAnything.test(word) ? "" : word;
    }
  }
  for (const word of common) known.delete(word);
  return {
    namesIn: (sentence) => [...(sentence.match(capital) ?? []).filter((word) => known.has(word)), ...(unspaced.test(sentence) ? (sentence.match(unspacedName) ?? []) : [])],
  };
}

const common = ["I", "I’m", "I'm", "I’ll", "I'll", "I’ve", "I've", "OK", "The", "A", "We", "It", "If"];
/** Words that begin sentences of any subject. */
const startsAnything = /^(?:The|This|That|These|It|He|She|We|They|You|There|Here|Who|What|Which|Nobody|Everyone|Everything|Nothing|One|Each|All|Some|Der|Die|Das|Es|Er|Sie|Wir|Ein|Eine|Im|In|Am|Le|La|Les|Il|Elle|On|El|Los|Las|Se|Un|Una|Une)$/;

export function factsIn(sentence: string, names: NameFinder): Set<Fact> {
  const found = new Set<Fact>();
  const add = (kind: FactKind, what: string): void => void found.add(`${kind}:${what.toLowerCase()}`);
  for (const [what] of sentence.matchAll(number)) add("numbers", what.replaceAll(/\s+/g, " "));
  for (const [what] of sentence.matchAll(quotedCode)) add("identifiers", what);
  for (const [run] of sentence.matchAll(token)) {
    const what = run.slice(0, longestWord).replace(/\W+$/, "");
    if (isIdentifier(what)) add("identifiers", what);
  }
  for (const what of names.namesIn(sentence)) add("names", what);
  const from: Record<"negations" | "decisions", number | undefined> = { negations: undefined, decisions: undefined };
  for (const { 0: said, index } of sentence.matchAll(word)) {
    const lower = said.toLowerCase();
    if (negation.word.test(lower)) from.negations ??= index;
    if (decision.word.test(lower)) from.decisions ??= index;
    if (count.word.test(lower)) add("numbers", lower);
  }
  if (unspaced.test(sentence)) {
    from.negations ??= placeOf(sentence, negation);
    from.decisions ??= placeOf(sentence, decision);
    for (const [what] of sentence.matchAll(count.unspaced)) add("numbers", what);
  }
  for (const kind of ["negations", "decisions"] as const) {
    const at = from[kind];
    if (at !== undefined) add(kind, sentence.slice(at, at + telling).replaceAll(/\s+/g, " ").trim());
  }
  return found;
}

/** The end of "don't" belongs to it. */
const word = /[\p{L}\p{M}]+(?:['’]t(?![\p{L}\p{M}]))?/gu;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const placeOf = (sentence: string, mark: Mark): number | undefined => mark.unspaced.exec(sentence)?.index;

/** Whether the text says that something is decided, required or the reason. */
export const isDecision = (text: string): boolean =>
  (text.match(word) ?? []).some((said) => decision.word.test(said.toLowerCase())) || decision.unspaced.test(text);

/** Enough of a text to tell its language, in words. */
const sample = 300;

function looksGerman(sentences: readonly string[]): boolean {
  let german = 0;
  let all = 0;
  for (const sentence of sentences) {
    if (all > sample) break;
    for (const [said] of sentence.matchAll(word)) {
      all += 1;
      if (germanWord.test(said)) german += 1;
    }
  }
  return german > all / 20;
}
