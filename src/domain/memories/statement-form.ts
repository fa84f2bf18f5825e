import { fillers } from "../compression/fact-words.ts";
import { stopWords } from "../text/query-terms.ts";
import { articles, markup, sentenceEnd, token } from "./repetition.ts";
import * as words from "./statement-words.ts";

/**
 * What a text states, in a form that two texts share only if they say the same: every word in its order, without courtesies,
 * English articles, case, and signs that mean nothing. Whatever is not known to be form stays, so a number, name, negation, tense or
 * direction always tells two texts apart. `telling` counts the words that say something, up to where it does not matter.
 */
export interface StatementForm {
  form: string;
  telling: number;
}

const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー`;
const scriptRuns = new RegExp(`[${unspaced}][${unspaced}\\p{M}]*|[^${unspaced}]+`, "gu");
const unspacedFirst = new RegExp(`^[${unspaced}]`, "u");
const isUnspaced = (word: string): boolean => word.charCodeAt(0) > 0x7f && unspacedFirst.test(word);

type Language = "en" | "de" | "other";

interface Token {
  /** As it is written. */
  raw: string;
  /** What stands between it and the one before it. */
  gap: string;
}

export function statementForm(text: string): StatementForm {
  const plain = plainText(text);
  const sentences = plain.split(sentenceEnd).filter((sentence) => anyWord.test(sentence)).map((sentence) => tokensOf(withoutFiller(sentence)));
  const all = sentences.flat();
  const isShouted = !/\p{Ll}/u.test(plain);
  const language = languageOf(all);
  const isExact = !isShouted && differsByCase(sentences);
  const said = sentences.map((sentence) => sentenceForm(sentence, language, { isShouted, isExact })).filter((one) => one !== "");
  return { form: said.reduce((form, one) => (form === "" ? one : form + boundary(form, one) + one), ""), telling: countTelling(said) };
}

const anyWord = /[\p{L}\p{N}\p{Sc}\p{Sm}\p{So}]/u;

/** What stands between two sentences: where words have no spaces, or behind a "no", their border says something. */
const boundary = (before: string, after: string): string =>
  isUnspaced(after) || words.interjections.has(before.slice(before.lastIndexOf(" ") + 1)) ? " , " : " ";

/** Most text is ASCII, for which the engine need not load the tables of Unicode. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** Full width as half width, and no characters that nobody sees. */
const plainText = (text: string): string => (isAscii(text) ? text : halfWidth(text)).replaceAll(markup, "");

const halfWidth = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll(/[！-～]/gu, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll(/[\u00ad\u200b\ufeff]/gu, "")
    .replaceAll("’", "'")
    .replaceAll(words.countedNumeral, (numeral) => words.numeralValues[numeral] ?? numeral);

/** Of several openers one stands behind the other. */
const mostOpeners = 3;

function withoutFiller(sentence: string): string {
  let rest = sentence;
  for (let i = 0; i < mostOpeners; i += 1) {
    const next = rest.replace(words.opener, "");
    if (next === rest) break;
    rest = next;
  }
  for (const filler of fillers) rest = rest.replace(filler, "");
  return rest.replace(words.closer, "").replace(words.softener, "").trim();
}

function tokensOf(sentence: string): Token[] {
  const found: Token[] = [];
  let end = 0;
  for (const { 0: word, index } of sentence.matchAll(token)) {
    let gap = sentence.slice(end, index);
    end = index + word.length;
    for (const part of isAscii(word) ? [word] : (word.match(scriptRuns) ?? [])) {
      const pieces = part.includes("-") && /^\p{L}{2,}(?:-\p{L}{2,})+$/u.test(part) ? part.split("-") : [part];
      for (const raw of pieces) {
        found.push({ raw, gap });
        gap = "";
      }
    }
  }
  return found;
}

function languageOf(tokens: readonly Token[]): Language {
  let language: Language = "en";
  for (const { raw } of tokens) {
    const word = raw.toLowerCase();
    if (words.germanWords.has(word)) return "de";
    if (words.romanceWords.has(word) && !stopWords.has(word)) language = "other";
  }
  return language;
}

/** Two words that differ by nothing but case mean two things, except at the beginning of a sentence. */
function differsByCase(sentences: readonly Token[][]): boolean {
  const written = new Map<string, string>();
  for (const sentence of sentences) {
    for (const { raw } of sentence.slice(1)) {
      const lower = raw.toLowerCase();
      const before = written.get(lower);
      if (before !== undefined && before !== raw) return true;
      written.set(lower, raw);
    }
  }
  return false;
}

const number = /^[-+]?\p{N}/u;
/** Bits, which are not bytes, and milli, which is not mega; what is written in one case may be either. */
const unit = /^(?:[-+]?[\d.]+)?(?:[KMGT]i?b(?:ps|\/s)?|m[WVA]h?)$/;

function sentenceForm(tokens: readonly Token[], language: Language, { isShouted, isExact }: { isShouted: boolean; isExact: boolean }): string {
  const lower = tokens.map(({ raw }, i) => (keepsCase(raw, tokens[i - 1]?.raw) || isExact && i > 0 ? raw : raw.toLowerCase()));
  const said = atOneEnd(tokens.map(({ gap }, i) => ({ raw: tokens[i]?.raw ?? "", gap, word: lower[i] ?? "" })), language);
  let form = "";
  let before = "";
  for (const [i, { raw, gap, word }] of said.entries()) {
    const [next, isNamed] = [said[i + 1]?.word, /^\p{Lu}$/u.test(raw) && i > 0 && !isShouted];
    if (language === "en" && articles.has(word) && !isNamed && !(word === "a" && (next === undefined || words.notAfterArticle.has(next)))) continue;
    if (words.courtesies.has(word) && !words.beforeVerb.has(before)) continue;
    const isAcronym = !isShouted && /^\p{Lu}{2,}$/u.test(raw) && stopWords.has(raw.toLowerCase());
    const spoken = isAcronym ? raw : isNamed ? raw : normal(word, language);
    form += between({ before, gap, word: spoken, names: [said[i - 1]?.raw, raw], language }) + spoken;
    before = spoken;
  }
  return withPlainEnd(form);
}

const isMixed = (raw: string): boolean => /\p{Lu}/u.test(raw) && /\p{Ll}/u.test(raw);
/** A name in code, an address or an id is another one in another case; a product's name (RabbitMQ) is not. */
const keepsCase = (raw: string, before: string | undefined): boolean =>
  (isMixed(raw) && /^\p{Ll}|[\d_/@#:]/u.test(raw)) || (unit.test(raw) && (number.test(raw) || (before !== undefined && number.test(before))));

const normal = (word: string, language: Language): string =>
  (language === "other" ? undefined : words.numberWords.get(word)) ?? words.respelled(words.expanded(word));

/** A sign counts where it parts what would belong together without it. */
function between({ before, gap, word, names: [last, raw], language }: { before: string; gap: string; word: string; names: [string | undefined, string]; language: Language }): string {
  if (before === "") return "";
  const isSet = /[,;:.!—–。、]/u.test(gap);
  if (isUnspaced(before) && isUnspaced(word)) return isSet ? " , " : "";
  if (!isSet) return " ";
  if (/\d$/.test(before) && /^\d/.test(word) && gap === ",") return language === "en" && /^\d{3}$/.test(word) && !before.includes(".") ? "" : " , ";
  const areNames = last !== undefined && /^\p{Lu}/u.test(last) && /^\p{Lu}/u.test(raw) && gap.startsWith(",");
  return areNames || words.interjections.has(before) || isUnspaced(before) || isUnspaced(word) ? " , " : " ";
}

const lastRun = new RegExp(`[${unspaced}]+$`, "u");

function withPlainEnd(form: string): string {
  if (!lastRun.test(form)) return form;
  let plain = form;
  for (const turned of words.subjectThenHabit) plain = plain.replace(turned, "$2$1");
  for (const [polite, end] of words.plainEnds) plain = plain.replace(polite, end);
  return plain;
}

type Placed = Token & { word: string };

/** A simple sentence with what happens regularly at its end, wherever it was said. */
function atOneEnd(tokens: Placed[], language: Language): Placed[] {
  if (language === "other" || tokens.length < 4 || tokens.length > 40 || !tokens.some(({ word }) => words.subjectWords.has(word))) return tokens;
  const habit = words.habit[language];
  const found: { at: number; length: number }[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!words.habitual.has(tokens[at]?.word ?? "")) continue;
    for (const length of [2, 1]) {
      if (at + length > tokens.length || !habit.test(tokens.slice(at, at + length).map(({ word }) => word).join(" "))) continue;
      found.push({ at, length });
      at += length - 1;
      break;
    }
  }
  const [only, ...others] = found;
  if (!only || others.length > 0) return tokens;
  const moved = tokens.slice(only.at, only.at + only.length);
  let rest = tokens.toSpliced(only.at, only.length);
  const isFirst = only.at === 0;
  if (!isFirst && only.at + only.length < tokens.length && language === "en") return tokens;
  const [first, second, ...others2] = rest;
  if (language === "de" && isFirst && first && second && words.subjectWords.has(second.word)) rest = [second, first, ...others2];
  if (!words.subjectWords.has(rest[0]?.word ?? "") || rest.some(({ word }, i) => i > 0 && words.joining.has(word))) return tokens;
  return [...rest, ...moved].map((one, i) => (i === 0 || i >= rest.length || one === first ? { ...one, gap: " " } : one));
}

function countTelling(sentences: readonly string[]): number {
  const found = new Set<string>();
  let characters = 0;
  for (const word of sentences.join(" ").split(" ")) {
    if (isUnspaced(word)) characters += word.length - 1;
    else if (/[\p{L}\p{N}]/u.test(word) && !stopWords.has(word)) found.add(word);
  }
  return found.size + characters;
}
