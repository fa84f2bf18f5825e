import {
  calendarUnit, day, daySpan, dateSpan, isoWeek, latest, latestWeekday, monthSpan, partOf, quarterSpan, recentUnits, seasonSpan, type Span, type Unit, weekOf, yearOf, yearSpan,
} from "./time-calendar.ts";
import { type Lead, type Vocabulary, vocabulary } from "./time-vocabulary.ts";

export interface Word {
  /** In lower case, without marks. */
  text: string;
  /** It has a capital, and does not begin the sentence. */
  capital: boolean;
}

/** A time named by words. */
export interface Point {
  /** Of the word after it. */
  end: number;
  /** More than one where it may mean either. */
  spans: Span[];
  /** 0–1. */
  certainty: number;
}

/** Reads the time that begins at a word of a question. */
export class PhraseReader {
  readonly #words: readonly Word[];
  readonly #now: number;
  readonly #known: Vocabulary = vocabulary();
  #depth = 0;

  constructor(words: readonly Word[], now: number) {
    this.#words = words;
    this.#now = now;
  }

  /** `lead`: the preposition before it, if there is one. A time inside of another is read as well, but no chain of them. */
  read(i: number, lead: Lead | undefined): Point | undefined {
    if (this.#depth === maxDepth) return undefined;
    this.#depth += 1;
    const point = this.#part(i) ?? this.#number(i, lead) ?? this.#relative(i, lead) ?? this.#yearly(i, lead) ?? this.#weekday(i, lead);
    this.#depth -= 1;
    return point && this.#dayOfWeek(point);
  }

  /** `letzte Woche Montag`, `last week on Monday`. */
  #dayOfWeek(point: Point): Point {
    const [span] = point.spans;
    const at = point.end + (/^(?:on|am)$/.test(this.#text(point.end)) ? 1 : 0);
    const { weekdays, and, to } = this.#known;
    const [text, next] = [this.#text(at), this.#text(at + 1)];
    const weekday = weekdays.get(text);
    const isList = weekdays.has(this.#text(at + 2)) && (and.has(next) || to.has(next));
    return span && span.to - span.from === 7 * day && weekday !== undefined && !isList ? { ...point, end: at + 1, spans: [dayIn(span, weekday, text)] } : point;
  }

  /** `vor zwei Monaten`, `il y a deux mois`, `hace dos meses`: i is at the count. */
  ago(i: number): Point | undefined {
    const at = this.#text(i + 1) === "paar" ? i + 1 : i;
    const { count, most, end } = this.#range(at);
    const unit = this.#known.units.get(this.#text(end));
    return count > 0 && unit ? this.#one(end + 1, this.#back(unit, count, most)) : undefined;
  }

  /** The first word at or after this one that is no article. */
  past(i: number): number {
    let end = i;
    while (end < i + 4 && this.#known.articles.has(this.#text(end))) end += 1;
    return end;
  }

  #text(i: number): string {
    return this.#words[i]?.text ?? "";
  }

  #one(end: number, span: Span | undefined, certainty = 0.9): Point | undefined {
    return span && { end, spans: [span], certainty };
  }

  #count(i: number): number {
    const text = this.#text(i);
    return /^\d{1,3}$/.test(text) ? Number(text) : (said(this.#known.counts, text) ?? 0);
  }

  /** How many at least and at most: `2`, `2 to 3`, `zwei oder drei`, `between two and three`. */
  #range(i: number, lead?: Lead): { count: number; most: number; end: number } {
    const { or, to, and } = this.#known;
    const [count, join] = [this.#count(i), this.#text(i + 1)];
    const most = or.has(join) || to.has(join) || (lead === "between" && and.has(join)) ? this.#count(i + 2) : 0;
    return most > count ? { count, most, end: i + 3 } : { count, most: count, end: i + 1 };
  }

  #back(unit: Unit, count: number, most: number): Span {
    return { from: calendarUnit(unit, most, this.#now).from, to: calendarUnit(unit, count, this.#now).to };
  }

  /** `first` and `dritten` as digits. */
  #digit(i: number): string {
    return said(this.#known.ordinals, this.#text(i)) ?? this.#text(i);
  }

  /** Early October, the end of the year, the first half of 2026, H1 2026. A week has no parts. */
  #part(i: number): Point | undefined {
    const { parts, articles, units } = this.#known;
    const [text, next] = [this.#text(i), this.#text(i + 1)];
    const isHalf = /^hal[bf]/.test(next);
    const share = parts.get(isHalf ? `h${this.#digit(i)}` : text);
    // "start" and "end" may be verbs.
    if (!share || (/^(?:start|beginning|middle|end)$/.test(text) && !articles.has(next))) return undefined;
    const after = isHalf ? i + 2 : i + 1;
    const at = this.past(after);
    const unit = at > after ? units.get(this.#text(at)) : undefined;
    const whole = unit ? this.#one(at + 1, calendarUnit(unit, 0, this.#now)) : this.read(at, "in");
    const [first] = whole?.spans ?? [];
    return !whole || !first || first.to - first.from < 7 * day ? undefined : { ...whole, spans: whole.spans.map((span) => partOf(span, share)) };
  }

  /** 2026-05-12, 2026-05, 12.05.2026, 5/12/2026, 12 May, two weeks ago, the 3 last days. */
  #number(i: number, lead: Lead | undefined): Point | undefined {
    const text = this.#text(i);
    if (/^\d/.test(text)) {
      const point = this.#yearFirst(i) ?? this.#digits(i, text, lead);
      if (point) return point;
    }
    const { count, most, end } = this.#range(i, lead);
    if (count === 0 || this.#text(i - 1) === "half") return undefined;
    const after = this.#text(end) === "of" ? end + 1 : end;
    const unit = this.#known.units.get(this.#text(after));
    if (unit && this.#known.ago.has(this.#text(after + 1))) return this.#one(after + 2, this.#back(unit, count, most));
    if (unit && lead === "since") return this.#one(after + 1, recentUnits(unit, most, this.#now));
    const recent = said(this.#known.shifts, this.#text(end)) === 1 ? this.#known.units.get(this.#text(end + 1)) : undefined;
    return recent && this.#one(end + 2, recentUnits(recent, most, this.#now));
  }

  /** 2025 Q3, 2025 H1. */
  #yearFirst(i: number): Point | undefined {
    const [year, next] = [yearIn(this.#text(i)), this.#text(i + 1)];
    const { months, seasons, parts } = this.#known;
    if (year === undefined || months.has(next) || seasons.has(next)) return undefined;
    const half = /^h\d$/.test(next) && parts.get(next);
    if (half) return this.#one(i + 2, partOf(yearSpan(year), half), 1);
    const yearly = this.#yearlyAt(i + 1);
    return yearly && this.#one(yearly.end, yearly.of(year), 1);
  }

  #digits(i: number, text: string, lead: Lead | undefined): Point | undefined {
    const iso = /^((?:19|20)\d\d)[-/](\d\d?)(?:[-/](\d\d?))?(?:t.*)?$/.exec(text);
    if (iso) {
      const [year, month] = [Number(iso[1]), Number(iso[2]) - 1];
      if (month < 0 || month > 11) return undefined;
      return this.#one(i + 1, iso[3] === undefined ? monthSpan(year, month) : dateSpan(year, month, Number(iso[3])), 1);
    }
    const local = /^(\d\d?)([./])(\d\d?)(?:[./]((?:19|20)?\d\d)?)?$/.exec(text);
    if (local) {
      const [first, second, year = ""] = [Number(local[1]), Number(local[3]), local[4]];
      if (year.length === 4) return this.#local(i + 1, first, second, Number(year), local[2] === "/");
      // "3.11." and "3.11.26" may be versions: only what German says before a day makes them one.
      const isSaid = (text.endsWith(".") ? /^(?:am|zum|vom|de[mn]|seit|ab|bis|vor|nach|und|zwischen)$/ : /^am$/).test(this.#text(i - 1));
      if (!isSaid && !(text.endsWith(".") && this.#text(i + 1) === "bis")) return undefined;
      return year ? this.#local(i + 1, first, second, 2000 + Number(year), false) : this.#dated(i + 1, second - 1, first);
    }
    const date = dateIn(text);
    if (date === undefined) return undefined;
    const last = this.#lastDay(i + 1, date, lead);
    const at = this.past(last?.end ?? i + 1);
    const month = this.#known.months.get(this.#text(at));
    return month === undefined ? undefined : this.#dated(at + 1, month, date, last?.date);
  }

  /** Of `3 to 10` and `between 3 and 10`, from the word after the first. */
  #lastDay(i: number, first: number, lead: Lead | undefined): { date: number; end: number } | undefined {
    const { and, to } = this.#known;
    if (!to.has(this.#text(i)) && !(lead === "between" && and.has(this.#text(i)))) return undefined;
    const at = this.past(i + 1);
    const date = dateIn(this.#text(at));
    return date !== undefined && date > first ? { date, end: at + 1 } : undefined;
  }

  /** With slashes America writes the month first. */
  #local(end: number, first: number, second: number, year: number, either: boolean): Point | undefined {
    const spans = [dateSpan(year, second - 1, first), either && first !== second ? dateSpan(year, first - 1, second) : undefined].flatMap((span) => span ?? []);
    return spans.length === 0 ? undefined : { end, spans, certainty: spans.length === 1 ? 1 : 0.5 };
  }

  /** A day of a month, or its days up to another, in the year that follows or the latest that there was. */
  #dated(after: number, month: number, date: number, last = date): Point | undefined {
    const at = this.past(after);
    const year = yearIn(this.#text(at));
    const of = (year: number): Span | undefined => {
      const [first, end] = [dateSpan(year, month, date), dateSpan(year, month, last)];
      return first && end && { from: first.from, to: end.to };
    };
    return year === undefined ? this.#one(after, latest(of, this.#now), 0.8) : this.#one(at + 1, of(year), 1);
  }

  /** yesterday, last week, this month, semaine dernière; `hier` is here in German. */
  #relative(i: number, lead: Lead | undefined): Point | undefined {
    const text = this.#text(i);
    const { days, lastAfter, shifts, units } = this.#known;
    const back = days.get(text);
    if (back !== undefined) {
      if (text === "hier" && this.#words.some((word) => this.#known.german.has(word.text))) return undefined;
      return this.#one(i + (text === "aujourd" && this.#text(i + 1) === "hui" ? 2 : 1), calendarUnit("day", back, this.#now));
    }
    const [unit, next] = [units.get(text), this.#text(i + 1)];
    const around = unit && twoAway[`${next} ${this.#text(i + 2)}`];
    if (around) return this.#one(i + 3, calendarUnit(unit, around, this.#now));
    const shift = said(shifts, text);
    if (shift === 1) return this.#lastOne(i + 1);
    if (unit && lastAfter.has(next)) return this.#one(i + 2, calendarUnit(unit, 1, this.#now));
    if (unit === "week") return this.#weekAround(i, lead);
    const shifted = units.get(next);
    return shift === undefined || !shifted || (shift !== 0 && shifted === "day") ? undefined : this.#one(i + 2, calendarUnit(shifted, shift, this.#now));
  }

  /** After `last`. */
  #lastOne(i: number): Point | undefined {
    const text = this.#text(i);
    const { units, weekdays } = this.#known;
    const unit = units.get(text);
    // "the last weeks" are a few.
    const isMany = /^(?!mois$|mes$|jahres$).*(?:s|(?:[gtl]|ahr)en?|hen)$/.test(text);
    if (unit) return this.#one(i + 1, isMany ? recentUnits(unit, 3, this.#now) : calendarUnit(unit, 1, this.#now));
    const { most, end } = this.#range(i);
    const counted = units.get(this.#text(end));
    if (counted && most > 0) return this.#one(end + 1, recentUnits(counted, most, this.#now));
    const weekday = weekdays.get(text);
    if (weekday !== undefined) return this.#one(i + 1, daysOf(text, latestWeekday(weekday, this.#now, true)));
    const yearly = this.#yearlyAt(i);
    if (yearly) return this.#one(yearly.end, latest(yearly.of, this.#now, true));
    return text === "night" ? this.#one(i + 1, calendarUnit("day", 1, this.#now)) : undefined;
  }

  /** The week of 12 May. */
  #weekAround(i: number, lead: Lead | undefined): Point | undefined {
    const at = this.past(i + 1);
    const point = at === i + 1 || lead === "between" ? undefined : this.read(at, "in");
    const first = point?.spans[0];
    return point && first && first.to - first.from === daySpan(0).to ? { ...point, spans: point.spans.map(({ from }) => weekOf(from)) } : undefined;
  }

  /** A month, a season, Q3, third quarter, KW 45, week 45, 45. KW. */
  #yearlyAt(i: number): { of: (year: number) => Span | undefined; end: number } | undefined {
    const [text, next] = [this.#text(i), this.#text(i + 1)];
    const { months, seasons, named } = this.#known;
    const [month, season] = [months.get(text), seasons.get(text)];
    if (month !== undefined) return { of: (year) => monthSpan(year, month), end: i + 1 };
    if (season !== undefined) return named.has(next) ? undefined : { of: (year) => seasonSpan(year, season), end: i + 1 };
    const words = [this.#digit(i), next, this.#text(i + 2), this.#text(i + 3)].join(" ");
    for (const [pattern, of] of numbered) {
      const [all, ...groups] = pattern.exec(words) ?? [];
      if (all !== undefined) return { of: (year) => of(year, Number(groups.find(Boolean))), end: i + all.split(" ").length };
    }
    return undefined;
  }

  /** A name that may be something else is a month after a preposition, with a year, or with a capital inside the sentence; a season needs one of them. */
  #yearly(i: number, lead: Lead | undefined): Point | undefined {
    const { months, seasons, weakMonths, shortMonths, lastAfter, shifts } = this.#known;
    const isCurrent = said(shifts, this.#text(i)) === 0;
    const at = isCurrent ? i + 1 : i;
    const text = this.#text(at);
    const { of, end } = this.#yearlyAt(at) ?? {};
    if (!of || !end) return undefined;
    if (lastAfter.has(this.#text(end))) return this.#one(end + 1, latest(of, this.#now, true));
    const [month, date, year] = [months.get(text), dateIn(this.#text(end)), this.#yearAt(end)];
    if (month !== undefined && date !== undefined) {
      const last = this.#lastDay(end + 1, date, lead);
      // "March 3 to 10 April" and "10 users"
      const isDay = last && !months.has(this.#text(last.end)) && !this.#known.units.has(this.#text(last.end)) && !this.#known.named.has(this.#text(last.end));
      return isDay ? this.#dated(last.end, month, date, last.date) : this.#dated(end + 1, month, date);
    }
    if (year) {
      // Two winters touch a year.
      const spans = [...(seasons.get(text) === 3 ? [of(year.year - 1)] : []), of(year.year)].flatMap((span) => span ?? []);
      return { end: year.end, spans, certainty: 1 };
    }
    const isClear = lead !== undefined || isCurrent || !(seasons.has(text) || shortMonths.has(text) || (weakMonths.has(text) && !this.#words[at]?.capital));
    return isClear ? this.#one(end, latest(of, this.#now), 0.8) : undefined;
  }

  /** 2025, de 2025, last year. */
  #yearAt(i: number): { year: number; end: number } | undefined {
    const at = this.past(i);
    const year = yearIn(this.#text(at));
    if (year !== undefined) return { year, end: at + 1 };
    const { lastAfter, shifts, units } = this.#known;
    const isYear = (n: number): boolean => units.get(this.#text(n)) === "year";
    const shift = isYear(at + 1) ? said(shifts, this.#text(at)) : isYear(at) && lastAfter.has(this.#text(at + 1)) ? 1 : undefined;
    return shift === undefined ? undefined : { year: yearOf(this.#now) - shift, end: at + 2 };
  }

  /** Days of the week come back all the time: without a preposition they name none. A year needs one as well. */
  #weekday(i: number, lead: Lead | undefined): Point | undefined {
    const isCurrent = said(this.#known.shifts, this.#text(i)) === 0;
    const named = isCurrent ? i + 1 : i;
    const text = this.#text(named);
    const weekday = this.#known.weekdays.get(text);
    if (weekday !== undefined) {
      // "Friday, 13 November", "Monday last week"
      const at = this.past(named + 1);
      const whole = this.read(at, "in");
      const [span] = whole?.spans ?? [];
      const days = span ? (span.to - span.from) / day : 0;
      if (whole && span && (days === 1 || days === 7)) return this.#one(whole.end, days === 1 ? span : dayIn(span, weekday, text));
      if (this.#known.lastAfter.has(this.#text(named + 1))) return this.#one(named + 2, daysOf(text, latestWeekday(weekday, this.#now, true)));
      return lead || isCurrent ? this.#one(named + 1, daysOf(text, latestWeekday(weekday, this.#now)), 0.8) : undefined;
    }
    const at = this.#known.units.get(this.#text(i)) === "year" ? i + 1 : i;
    const year = lead && !this.#known.named.has(this.#text(at + 1)) ? yearIn(this.#text(at)) : undefined;
    return year === undefined ? undefined : this.#one(at + 1, yearSpan(year));
  }
}

/** `the week before last`, in units from the present one. */
const twoAway: Record<string, number> = { "before last": 2, "before yesterday": 2, "after tomorrow": -2 };

/** What a year has by number, and where the number stands. A low one beside "week" may count the weeks of a project. */
const numbered: [RegExp, (year: number, number: number) => Span | undefined][] = [
  [/^(?:q([1-4])|([1-4])(?:rd|th)? quart(?:er|al)(?! ago))\b/, (year, number) => quarterSpan(year, number - 1)],
  [/^(?:(?:[kc]w|kalenderwoche) ?(\d\d?)|(?:week|woche) (\d\d)(?! of (?!\d))|(\d\d?) (?:kw|kalenderwoche))(?![\w/])/, isoWeek],
];

/** Of a word that may have the ending of a German adjective. */
export const said = <T>(known: Map<string, T>, text: string): T | undefined => known.get(text) ?? known.get(text.replace(/e[nmrs]?$/, ""));

/** So deep is "Monday in the week of the 12th of May", and no deeper. */
const maxDepth = 4;

/** Of seven days, from whichever they begin. */
const dayIn = ({ from }: Span, weekday: number, text: string): Span => daysOf(text, daySpan(from + ((weekday - new Date(from).getUTCDay() + 7) % 7) * day));

/** A weekend is its Saturday and the day after. */
const daysOf = (text: string, { from, to }: Span): Span => ({ from, to: /ende?$/.test(text) ? to + day : to });

const yearIn = (text: string): number | undefined => (/^(?:19|20)\d\d$/.test(text) ? Number(text) : undefined);

function dateIn(text: string): number | undefined {
  const date = /^(\d{1,2})(?:st|nd|rd|th|er|\.)?$/.exec(text)?.[1];
  return date !== undefined && Number(date) >= 1 && Number(date) <= 31 ? Number(date) : undefined;
}
