/** Stretches of the calendar, in UTC. `to` is outside; ms since the epoch. */
export interface Span {
  from: number;
  to: number;
}

export type Unit = "day" | "week" | "month" | "quarter" | "year";

export const day = 86_400_000;

/** The ends of all instants there are (ECMA-262, time range). */
export const always: Span = { from: -8_640_000_000_000_000, to: 8_640_000_000_000_000 };

export const startOfDay = (instant: number): number => Math.floor(instant / day) * day;
export const yearOf = (instant: number): number => new Date(instant).getUTCFullYear();

export const daySpan = (from: number): Span => ({ from, to: from + day });

/** Undefined where the calendar has no such day. */
export function dateSpan(year: number, month: number, date: number): Span | undefined {
  const from = Date.UTC(year, month, date);
  return new Date(from).getUTCMonth() === month && date > 0 ? daySpan(from) : undefined;
}

export const monthSpan = (year: number, month: number, months = 1): Span => ({ from: Date.UTC(year, month), to: Date.UTC(year, month + months) });
export const quarterSpan = (year: number, quarter: number): Span => monthSpan(year, quarter * 3, 3);
export const yearSpan = (year: number): Span => monthSpan(year, 0, 12);

/** Spring is 0; a winter begins in December of its year (northern, meteorological). */
export const seasonSpan = (year: number, season: number): Span => monthSpan(year, 2 + season * 3, 3);

/** The week, from Monday, in which the instant lies. */
export function weekOf(instant: number): Span {
  const today = startOfDay(instant);
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * day;
  return { from: monday, to: monday + 7 * day };
}

/** The week of that number (ISO 8601): the first has the year's first Thursday. Undefined where the year has no such week. */
export function isoWeek(year: number, number: number): Span | undefined {
  const week = weekOf(Date.UTC(year, 0, 4 + (number - 1) * 7));
  return yearOf(week.from + 3 * day) === year ? week : undefined;
}

/** From one share of a span to another, 0–1; a week has no parts. */
export function partOf({ from, to }: Span, [begin, end]: readonly [number, number]): Span {
  const at = (share: number): number => startOfDay(from + share * (to - from) + day / 2);
  return to - from > 7 * day ? { from: at(begin), to: at(end) } : { from, to };
}

const monthsOf: Partial<Record<Unit, number>> = { month: 1, quarter: 3, year: 12 };

/** The calendar day, week … that lies so many before the one of `now`. */
export function calendarUnit(unit: Unit, back: number, now: number): Span {
  const [date, months] = [new Date(now), monthsOf[unit]];
  if (months) return monthSpan(date.getUTCFullYear(), (Math.floor(date.getUTCMonth() / months) - back) * months, months);
  return unit === "day" ? daySpan(startOfDay(now) - back * day) : weekOf(now - back * 7 * day);
}

/** The same day so many months before, or the last of a month that is shorter. */
function monthsBefore(instant: number, months: number): number {
  const date = new Date(instant);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() - months];
  return Math.min(Date.UTC(year, month, date.getUTCDate()), Date.UTC(year, month + 1, 0));
}

/** The last so many days, weeks … up to the end of today. */
export function recentUnits(unit: Unit, count: number, now: number): Span {
  const [to, months] = [startOfDay(now) + day, monthsOf[unit]];
  return { from: months ? monthsBefore(to, count * months) : to - count * (unit === "week" ? 7 : 1) * day, to };
}

/** Leap days come every four years, or eight. */
const yearsBack = 8;

/** What comes back each year: the latest that has begun, or that is over. */
export function latest(of: (year: number) => Span | undefined, now: number, over = false): Span | undefined {
  const year = yearOf(now);
  for (let back = 0; back <= yearsBack; back += 1) {
    const span = of(year - back);
    if (span && (over ? span.to : span.from) <= now) return span;
  }
  return undefined;
}

/** The latest such day of the week (Sunday is 0), today included or not. */
export function latestWeekday(weekday: number, now: number, over = false): Span {
  const today = startOfDay(now);
  const back = (new Date(today).getUTCDay() - weekday + 7) % 7;
  return daySpan(today - (back === 0 && over ? 7 : back) * day);
}
