import {
  calendarUnit, day, daySpan, dateSpan, latest, latestWeekday, monthSpan, quarterSpan, recentUnits, seasonSpan, type Span, weekOf, yearOf, yearSpan,
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

  constructor(words: readonly Word[], now: number) {
    this.#words = words;
    this.#now = now;
  }

  /** `lead`: the preposition before it, if there is one. */
  read(i: number, lead: Lead | undefined): Point | undefined {
    return this.#number(i) ?? this.#relative(i, lead) ?? this.#month(i, lead) ?? this.#season(i, lead) ?? this.#weekday(i, lead);
  }

  /** `vor zwei Monaten`, `il y a deux mois`, `hace dos meses`: i is at the count. */
  ago(i: number): Point | undefined {
    const count = this.#count(i);
    const unit = this.#known.units.get(this.#text(i + 1));
    return count > 0 && unit ? this.#one(i + 2, calendarUnit(unit, count, this.#now), 0.9) : undefined;
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

  #one(end: number, span: Span | undefined, certainty: number): Point | undefined {
    return span && { end, spans: [span], certainty };
  }

  #count(i: number): number {
    const text = this.#text(i);
    return /^\d{1,3}$/.test(text) ? Number(text) : (this.#known.counts.get(text) ?? 0);
  }

  /** 2026-05-12, 2026-05, 12.05.2026, 5/12/2026, Q3, 12 May, two weeks ago, the 3 last days. */
  #number(i: number): Point | undefined {
    const text = this.#text(i);
    if (/^\d/.test(text) || /^q[1-4]$/.test(text)) {
      const point = this.#digits(i, text);
      if (point) return point;
    }
    const count = this.#count(i);
    if (count === 0) return undefined;
    const after = this.#text(i + 1) === "of" ? i + 2 : i + 1;
    const unit = this.#known.units.get(this.#text(after));
    if (unit && this.#known.ago.has(this.#text(after + 1))) return this.#one(after + 2, calendarUnit(unit, count, this.#now), 0.9);
    const recent = this.#known.last.has(this.#text(i + 1)) ? this.#known.units.get(this.#text(i + 2)) : undefined;
    return recent && this.#one(i + 3, recentUnits(recent, count, this.#now), 0.9);
  }

  #digits(i: number, text: string): Point | undefined {
    const iso = /^((?:19|20)\d\d)[-/](\d\d?)(?:[-/](\d\d?))?(?:t.*)?$/.exec(text);
    if (iso) {
      const [year, month] = [Number(iso[1]), Number(iso[2]) - 1];
      if (month < 0 || month > 11) return undefined;
      return this.#one(i + 1, iso[3] === undefined ? monthSpan(year, month) : dateSpan(year, month, Number(iso[3])), 1);
    }
    const local = /^(\d\d?)([./])(\d\d?)[./]((?:19|20)\d\d)$/.exec(text);
    if (local) return this.#local(i + 1, Number(local[1]), Number(local[3]), Number(local[4]), local[2] === "/");
    const quarter = /^q([1-4])$/.exec(text)?.[1];
    if (quarter !== undefined) {
      const year = yearIn(this.#text(i + 1));
      const index = Number(quarter) - 1;
      return year === undefined ? this.#one(i + 1, latest((of) => quarterSpan(of, index), this.#now), 0.8) : this.#one(i + 2, quarterSpan(year, index), 1);
    }
    const date = dateIn(text);
    const at = this.past(i + 1);
    const month = date === undefined ? undefined : this.#known.months.get(this.#text(at));
    return month === undefined ? undefined : this.#dated(at + 1, month, date as number);
  }

  /** With slashes America writes the month first. */
  #local(end: number, first: number, second: number, year: number, either: boolean): Point | undefined {
    const spans = [dateIfMonth(year, second, first), ...(either && first !== second ? [dateIfMonth(year, first, second)] : [])].flatMap((span) => span ?? []);
    return spans.length === 0 ? undefined : { end, spans, certainty: spans.length === 1 ? 1 : 0.5 };
  }

  /** A day of a month, in the year that follows or the latest that there was. */
  #dated(after: number, month: number, date: number): Point | undefined {
    const at = this.past(after);
    const year = yearIn(this.#text(at));
    return year === undefined
      ? this.#one(after, latest((of) => dateSpan(of, month, date), this.#now), 0.9)
      : this.#one(at + 1, dateSpan(year, month, date), 1);
  }

  /** yesterday, last week, this month, semaine dernière; `hier` is here in German. */
  #relative(i: number, lead: Lead | undefined): Point | undefined {
    const text = this.#text(i);
    const { days, last, lastAfter, current, units } = this.#known;
    const back = days.get(text);
    if (back !== undefined) {
      if (text === "hier" && this.#words.some((word) => this.#known.german.has(word.text))) return undefined;
      return this.#one(i + (text === "aujourd" && this.#text(i + 1) === "hui" ? 2 : 1), calendarUnit("day", back, this.#now), 0.95);
    }
    if (text === "day" && this.#text(i + 1) === "before" && this.#text(i + 2) === "yesterday") return this.#one(i + 3, calendarUnit("day", 2, this.#now), 0.95);
    if (last.has(text)) return this.#lastOne(i + 1);
    const unit = units.get(text);
    if (unit && lastAfter.has(this.#text(i + 1))) return this.#one(i + 2, calendarUnit(unit, 1, this.#now), 0.9);
    if (unit === "week") return this.#weekAround(i, lead);
    const present = current.has(text) ? units.get(this.#text(i + 1)) : undefined;
    return present && this.#one(i + 2, calendarUnit(present, 0, this.#now), 0.9);
  }

  /** After `last`. */
  #lastOne(i: number): Point | undefined {
    const text = this.#text(i);
    const { units, months, weekdays, seasons } = this.#known;
    const over = (of: (year: number) => Span): Point | undefined => this.#one(i + 1, latest(of, this.#now, true), 0.9);
    const unit = units.get(text);
    if (unit) return this.#one(i + 1, calendarUnit(unit, 1, this.#now), 0.9);
    const counted = units.get(this.#text(i + 1));
    if (counted && this.#count(i) > 0) return this.#one(i + 2, recentUnits(counted, this.#count(i), this.#now), 0.9);
    const [month, season, weekday] = [months.get(text), seasons.get(text), weekdays.get(text)];
    if (month !== undefined) return over((year) => monthSpan(year, month));
    if (season !== undefined) return over((year) => seasonSpan(year, season));
    if (weekday !== undefined) return this.#one(i + 1, daysOf(text, latestWeekday(weekday, this.#now, true)), 0.9);
    return text === "night" ? this.#one(i + 1, calendarUnit("day", 1, this.#now), 0.9) : undefined;
  }

  /** The week of 12 May. */
  #weekAround(i: number, lead: Lead | undefined): Point | undefined {
    const at = this.past(i + 1);
    const point = at === i + 1 || lead === "between" ? undefined : (this.#number(at) ?? this.#month(at, "in"));
    const first = point?.spans[0];
    return point && first && first.to - first.from === daySpan(0).to ? { ...point, spans: point.spans.map(({ from }) => weekOf(from)) } : undefined;
  }

  /** A name that may be something else is a month after a preposition, with a year, or with a capital inside the sentence. */
  #month(i: number, lead: Lead | undefined): Point | undefined {
    const { months, weakMonths, shortMonths, lastAfter } = this.#known;
    const said = this.#text(i);
    const text = said.replace(/^(?:mid|mi)-/, "");
    const month = months.get(text);
    if (month === undefined) return undefined;
    if (lastAfter.has(this.#text(i + 1))) return this.#one(i + 2, latest((of) => monthSpan(of, month), this.#now, true), 0.9);
    const date = dateIn(this.#text(i + 1));
    if (date !== undefined) return this.#dated(i + 2, month, date);
    const year = this.#yearAt(i + 1);
    if (year) return this.#one(year.end, monthSpan(year.year, month), 1);
    const isClear = lead !== undefined || text !== said || (!shortMonths.has(text) && (!weakMonths.has(text) || this.#words[i]?.capital === true));
    return isClear ? this.#one(i + 1, latest((of) => monthSpan(of, month), this.#now), lead ? 0.8 : 0.6) : undefined;
  }

  /** 2025, de 2025, last year. */
  #yearAt(i: number): { year: number; end: number } | undefined {
    const at = this.past(i);
    const year = yearIn(this.#text(at));
    if (year !== undefined) return { year, end: at + 1 };
    const { last, lastAfter, current, units } = this.#known;
    const isYear = (n: number): boolean => units.get(this.#text(n)) === "year";
    const named = (back: number) => ({ year: yearOf(this.#now) - back, end: at + 2 });
    if (last.has(this.#text(at)) && isYear(at + 1)) return named(1);
    if (isYear(at) && lastAfter.has(this.#text(at + 1))) return named(1);
    return current.has(this.#text(at)) && isYear(at + 1) ? named(0) : undefined;
  }

  #season(i: number, lead: Lead | undefined): Point | undefined {
    const { seasons, lastAfter, current, named } = this.#known;
    const isCurrent = current.has(this.#text(i));
    const at = isCurrent ? i + 1 : i;
    const season = seasons.get(this.#text(at));
    const next = this.#text(at + 1);
    if (season === undefined || named.has(next)) return undefined;
    if (lastAfter.has(next)) return this.#one(at + 2, latest((of) => seasonSpan(of, season), this.#now, true), 0.9);
    const year = this.#yearAt(at + 1);
    if (year) {
      // Two winters touch a year.
      const spans = season === 3 ? [seasonSpan(year.year - 1, season), seasonSpan(year.year, season)] : [seasonSpan(year.year, season)];
      return { end: year.end, spans, certainty: season === 3 ? 0.6 : 0.9 };
    }
    return lead || isCurrent ? this.#one(at + 1, latest((of) => seasonSpan(of, season), this.#now), 0.7) : undefined;
  }

  /** Days of the week come back all the time: without a preposition they name none. A year needs one as well. */
  #weekday(i: number, lead: Lead | undefined): Point | undefined {
    const isCurrent = this.#known.current.has(this.#text(i));
    const named = isCurrent ? i + 1 : i;
    const text = this.#text(named);
    const weekday = this.#known.weekdays.get(text);
    if (weekday !== undefined) {
      if (this.#known.lastAfter.has(this.#text(named + 1))) return this.#one(named + 2, daysOf(text, latestWeekday(weekday, this.#now, true)), 0.9);
      return lead || isCurrent ? this.#one(named + 1, daysOf(text, latestWeekday(weekday, this.#now)), 0.8) : undefined;
    }
    const at = this.#known.units.get(this.#text(i)) === "year" ? i + 1 : i;
    const year = lead ? yearIn(this.#text(at)) : undefined;
    return year === undefined ? undefined : this.#one(at + 1, yearSpan(year), 0.9);
  }
}

/** A weekend is its Saturday and the day after. */
const daysOf = (text: string, { from, to }: Span): Span => ({ from, to: /ende?$/.test(text) ? to + day : to });

const yearIn = (text: string): number | undefined => (/^(?:19|20)\d\d$/.test(text) ? Number(text) : undefined);

function dateIn(text: string): number | undefined {
  const date = /^(\d{1,2})(?:st|nd|rd|th|er|\.)?$/.exec(text)?.[1];
  return date !== undefined && Number(date) >= 1 && Number(date) <= 31 ? Number(date) : undefined;
}

const dateIfMonth = (year: number, month: number, date: number): Span | undefined => (month >= 1 && month <= 12 ? dateSpan(year, month - 1, date) : undefined);
