import { always, day, type Span, startOfDay, yearOf } from "./time-calendar.ts";
import { cjkPreference, cjkTimes } from "./time-cjk.ts";
import { PhraseReader, type Point, said, type Word } from "./time-phrases.ts";
import { type Lead, type Preference, type Vocabulary, vocabulary } from "./time-vocabulary.ts";

/** When something was, as a question says it: UTC, ms since the epoch, `to` outside. */
export interface Period extends Span {
  /** 0–1: how sure it is that this is what the words mean. */
  certainty: number;
}

export interface QuestionTime {
  periods: Period[];
  /** The words that name them, in lower case; of Chinese and Japanese none. */
  words: ReadonlySet<string>;
  /** The question asks for what is newest, or for what was first. */
  prefers: Preference | undefined;
}

/** Of a question, in characters and times that it names; what has more is a text. */
const [maxLength, maxPeriods] = [1_000, 8];
const month = 30 * day;
const isPlain = /^[ -~\n\r\t]*$/;

interface Tokens {
  plain: RegExp;
  any: RegExp;
  unspaced: RegExp;
}
let made: Tokens | undefined;
/** Made at first use: the start-up of the Worker is counted. */
const tokens = (): Tokens =>
  (made ??= {
    plain: /\d\d?\.\d\d?\.(?!\d)|\d[\d./-]*\d(?:T[\d:.]+Z?)?(?:st|nd|rd|th)?|\d(?:st|nd|rd|th)?|mid?(?=-)|[A-Za-z]+\d{0,2}(?:-[A-Za-z]+)*|[.!?]/gi,
    any: /\d\d?\.\d\d?\.(?!\d)|\d[\d./-]*\d(?:T[\d:.]+Z?)?(?:st|nd|rd|th|er)?|\d(?:st|nd|rd|th|er)?|mid?(?=-)|\p{L}[\p{L}\p{M}]*\d{0,2}(?:-\p{L}[\p{L}\p{M}]*)*|[.!?]/giu,
    unspaced: /[\p{Script=Han}\p{Script=Hiragana}]/u,
  });

/** The times that a question names, and whether it wants what is newest or oldest. `now` is the caller's clock. */
export function timesIn(question: string, now: number): QuestionTime {
  const text = question.slice(0, maxLength);
  const plain = isPlain.test(text);
  const normal = stretched(plain ? text : text.normalize("NFKC"));
  const words = wordsOf(normal, plain);
  const known = vocabulary();
  const named = new Set<string>();
  const periods = words.some(({ text: word }) => mayName(word, known)) ? spoken(words, known, now, named, ahead.test(text)) : [];
  let prefers = preferenceOf(words, known);
  if (!plain && tokens().unspaced.test(normal)) {
    for (const { spans, certainty, lead } of cjkTimes(normal, now)) {
      for (const span of spans) if (span) periods.push(led(span, lead, certainty, now));
    }
    prefers ??= cjkPreference(normal);
  }
  return { periods: periods.filter(({ from, to }) => from < to).slice(0, maxPeriods), words: named, prefers };
}

/** How well an instant fits the best of these times, 0–1: 1 inside, half as much a length of the period away from it. Undefined where there are none. */
export const timeMatch = (periods: readonly Period[]): ((instant: number) => number) | undefined =>
  periods.length === 0 ? undefined : (instant) => Math.max(...periods.map((period) => fit(period, instant)));

function fit({ from, to }: Period, instant: number): number {
  const away = instant < from ? from - instant : instant >= to ? instant - to + 1 : 0;
  const isOpen = from === always.from || to === always.to;
  return away === 0 ? 1 : 2 ** (-away / (isOpen ? month : to - from));
}

/** "3-10 March" and "3.–10.3." with the word for the dash, and the month of the second, or the one before: "28.–3.4." */
const stretched = (text: string): string =>
  text
    .replaceAll(/(?<![\w./-])(\d\d?)\. ?(?:[–—-]|bis(?: zum)?) ?(?=(\d\d?)\.(\d\d?)\.((?:20)?\d\d)?(?!\d))/g, (_, first: string, last: string, month: string, year = "") => {
      const back = Number(first) > Number(last);
      return `${first}.${back ? ((Number(month) + 10) % 12) + 1 : month}.${back && year && Number(month) === 1 ? Number(year) - 1 : year} bis `;
    })
    .replaceAll(/(?<![\w./-])(\d\d?(?:\.(?:\d\d?\.)?|st|nd|rd|th)?) ?[–—-] ?(?=\d\d?(?:st|nd|rd|th)?(?![\w-]))/g, (_, first: string) => `${first} ${first.endsWith(".") ? "bis" : "to"} `);

function wordsOf(text: string, plain: boolean): Word[] {
  const words: Word[] = [];
  let begins = true;
  for (const found of text.match(plain ? tokens().plain : tokens().any) ?? []) {
    if (/^[.!?]$/.test(found)) {
      // "12. Mai": the point after a number ends no sentence.
      begins = !/^\d/.test(words.at(-1)?.text ?? "");
      continue;
    }
    const lower = found.toLowerCase();
    words.push({ text: plain ? lower : lower.normalize("NFD").replaceAll(/\p{M}/gu, ""), capital: !begins && found !== lower });
    begins = false;
  }
  return words;
}

/** Whether a time may begin or be told here; most questions name none. */
const mayName = (word: string, known: Vocabulary): boolean =>
  word.charCodeAt(0) <= 57 || isNamed(word, known) || known.days.has(word) || /^(?:[qh]\d|last|[kc]w\d*|kalenderwoche|halbjahr)$/.test(word);

const isNamed = (word: string, { months, weekdays, seasons, units }: Vocabulary): boolean => [months, weekdays, seasons, units].some((names) => names.has(word));

/** What stands in words, from left to right. */
function spoken(words: Word[], known: Vocabulary, now: number, named: Set<string>, isAhead: boolean): Period[] {
  const reader = new PhraseReader(words, now);
  const text = (i: number): string => words[i]?.text ?? "";
  const periods: Period[] = [];
  for (let i = 0; i < words.length && periods.length < maxPeriods; ) {
    const begin = i;
    const lead = known.leads.get(text(i));
    const ago = agoAt(text, i);
    const point = ago === undefined ? undefined : reader.ago(ago);
    const at = point ?? reader.read(i, undefined) ?? (lead ? reader.read(reader.past(i + 1), lead) : undefined);
    if (!at) {
      i += 1;
      continue;
    }
    const isOpen = isDeadline(text, i, lead) || (isAhead && (at.certainty < 0.9 || lead === "until" || lead === "before"));
    const joined = point ? undefined : secondOf(reader, known, text, at.end, lead);
    const first = at.spans[0] as Span;
    const last = joined?.spans[0];
    // "from March to May 2025"
    if (last && first.from > last.from && joined.certainty === 1 && at.certainty < 1) first.from = new Date(first.from).setUTCFullYear(yearOf(last.from));
    const end = joined?.end ?? at.end;
    i = end;
    if (isOpen) continue;
    if (last) periods.push({ from: first.from, to: first.from < last.to ? last.to : always.to, certainty: Math.min(at.certainty, (joined as Point).certainty) });
    else for (const span of at.spans) periods.push(led(span, point ? undefined : lead, at.certainty, now));
    for (const { text: word } of words.slice(begin, end)) named.add(word);
  }
  return periods;
}

/** Asks for what is to come: a time without its year is then hardly the last, and what is said of it has been written at another. */
const ahead = /\b(?:due(?! to\b)|must|will|needs|deadlines?|fällig|muss|müssen|(?:is|are|ist|sind) .*(?:planned|scheduled|geplant))\b/i;

/** "by May", "not before May" and "later than May" say what may be at any time. */
function isDeadline(text: (i: number) => string, i: number, lead: Lead | undefined): boolean {
  const before = `${text(i - 2)} ${text(i - 1)}`;
  return lead === "by" || /(?:spatestens|(?:lat|earli|old|new)er than)$/.test(before) || (/(?:\bnot?|nicht|never|pas)$/.test(before) && /^(?:before|until|after)$/.test(lead ?? ""));
}

/** Where the count stands in `vor zwei Monaten`, `il y a deux mois` and `hace dos meses`. */
function agoAt(text: (i: number) => string, i: number): number | undefined {
  if (text(i) === "vor" || text(i) === "hace") return i + 1;
  return text(i) === "il" && text(i + 1) === "y" && text(i + 2) === "a" ? i + 3 : undefined;
}

/** The other end of `between March and May` and of `from March to May`. */
function secondOf(reader: PhraseReader, { and, to }: Vocabulary, text: (i: number) => string, i: number, lead: Lead | undefined): Point | undefined {
  const joins = to.has(text(i)) || (lead === "between" && and.has(text(i)));
  return joins && lead !== "before" ? reader.read(reader.past(i + 1), "in") : undefined;
}

/** What the preposition makes of a time. What was after or since then has been by the end of today. */
function led(span: Span, lead: Lead | undefined, certainty: number, now: number): Period {
  const tomorrow = startOfDay(now) + day;
  const since = (from: number): Period => ({ from, to: from < tomorrow ? tomorrow : always.to, certainty });
  switch (lead) {
    case "before": return { from: always.from, to: span.from, certainty };
    case "until": return { from: always.from, to: span.to, certainty };
    case "since": return since(span.from);
    // After a time that is not over means since it began.
    case "after": return since(span.to < tomorrow ? span.to : span.from);
    default: return { ...span, certainty };
  }
}

/** `first`, but neither `first May` nor a name such as `first-class`; `last` is newest where it is no time. */
function preferenceOf(words: Word[], known: Vocabulary): Preference | undefined {
  for (const [i, { text }] of words.entries()) {
    const next = words[i + 1]?.text ?? "";
    const isTime = isNamed(next, known) || known.named.has(next) || said(known.counts, next) || /^\d/.test(next);
    if (isTime || next === "of" && known.months.has(words[i + 2]?.text ?? "")) continue;
    const preference = said(known.prefers, text);
    if (preference) return preference;
    if (text === "last" && words[i - 1]?.text !== "at" && next !== "night") return "newest";
  }
  return undefined;
}
