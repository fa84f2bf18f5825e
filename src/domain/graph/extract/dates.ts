import type { Token } from "./tokenizer.ts";

/** A time named in a sentence; `from` and `to` bound it, in ms since the epoch, `to` exclusive. */
export interface TimeSpan {
  start: number;
  end: number;
  text: string;
  from: number;
  to: number;
  /** Such as `2026-03-01` or `2026-03`: a complete day or month becomes an entity of its own. */
  calendar?: string;
}

const day = 86_400_000;
const months = new Map(
  "january february march april may june july august september october november december"
    .split(" ")
    .flatMap((name, i) => [[name, i], [name.slice(0, 3), i]] as [string, number][]),
);
months.set("sept", 8);
const weekdays = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const counts = new Map("one two three four five six seven eight nine ten".split(" ").map((word, i) => [word, i + 1]));
const units = new Map([["day", 1], ["week", 7], ["month", 30], ["quarter", 91], ["year", 365]]);

const yearOf = (word: string | undefined): number | undefined => (word !== undefined && /^(?:19|20)\d\d$/.test(word) ? Number(word) : undefined);
const dayOf = (word: string | undefined): number | undefined => {
  const number = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word ?? "")?.[1];
  return number !== undefined && Number(number) >= 1 && Number(number) <= 31 ? Number(number) : undefined;
};

type DateMatch = Omit<TimeSpan, "start" | "text"> | undefined;

/** Complete dates, and those that `reference`, the time of the memory, completes. */
export function datesIn(sentence: readonly Token[], reference: number): TimeSpan[] {
  const spans: TimeSpan[] = [];
  for (let i = 0; i < sentence.length; ) {
    const found = absolute(sentence, i) ?? relative(sentence, i, reference);
    if (!found) {
      i += 1;
      continue;
    }
    spans.push({ start: i, text: sentence.slice(i, found.end).map(({ word }) => word).join(" "), ...found });
    i = found.end;
  }
  return spans;
}

const pad = (value: number): string => String(value).padStart(2, "0");

function calendarDay(year: number, month: number, date: number, end: number): DateMatch {
  const from = Date.UTC(year, month, date);
  if (new Date(from).getUTCDate() !== date) return undefined;
  return { end, from, to: from + day, calendar: `${year}-${pad(month + 1)}-${pad(date)}` };
}

const calendarMonth = (year: number, month: number, end: number): DateMatch => ({
  end,
  from: Date.UTC(year, month),
  to: Date.UTC(year, month + 1),
  calendar: `${year}-${pad(month + 1)}`,
});

function absolute(sentence: readonly Token[], i: number): DateMatch {
  const lower = (offset: number): string | undefined => sentence[i + offset]?.lower;
  const word = lower(0) as string;
  const iso = /^((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-([0-3]\d)(?:t[\d:.]+(?:z|[+-][\d:]+)?)?)?$/.exec(word);
  if (iso) {
    const [year, month] = [Number(iso[1]), Number(iso[2]) - 1];
    return iso[3] === undefined ? calendarMonth(year, month, i + 1) : calendarDay(year, month, Number(iso[3]), i + 1);
  }
  const quarter = /^q([1-4])$/.exec(word)?.[1];
  const quarterYear = yearOf(lower(1));
  if (quarter !== undefined && quarterYear !== undefined) {
    const first = (Number(quarter) - 1) * 3;
    return { end: i + 2, from: Date.UTC(quarterYear, first), to: Date.UTC(quarterYear, first + 3) };
  }
  const month = months.get(word);
  if (month !== undefined) {
    const [date, year] = [dayOf(lower(1)), yearOf(lower(2))];
    if (date !== undefined && year !== undefined) return calendarDay(year, month, date, i + 3);
    const plain = yearOf(lower(1));
    return plain === undefined ? undefined : calendarMonth(plain, month, i + 2);
  }
  const date = dayOf(word);
  const after = lower(1) === "of" ? 2 : 1;
  const named = date === undefined ? undefined : months.get(lower(after) ?? "");
  const year = named === undefined ? undefined : yearOf(lower(after + 1));
  if (date !== undefined && named !== undefined && year !== undefined) return calendarDay(year, named, date, i + after + 2);
  const bare = yearOf(word);
  const before = sentence[i - 1]?.lower;
  if (bare !== undefined && before !== undefined && /^(?:in|since|until|till|by|from|during|of|before|after|to|through)$/.test(before)) {
    return { end: i + 1, from: Date.UTC(bare, 0), to: Date.UTC(bare + 1, 0) };
  }
  return undefined;
}

function relative(sentence: readonly Token[], i: number, reference: number): DateMatch {
  const lower = (offset: number): string | undefined => sentence[i + offset]?.lower;
  const word = lower(0) as string;
  const today = Math.floor(reference / day) * day;
  const on = (days: number, end: number, length = 1): DateMatch => ({ end, from: today + days * day, to: today + (days + length) * day });
  if (word === "yesterday") return on(-1, i + 1);
  if (word === "today" || word === "tonight") return on(0, i + 1);
  if (word === "tomorrow") return on(1, i + 1);
  const next = lower(1) ?? "";
  if (word === "last" || word === "next" || word === "this") {
    const step = word === "last" ? -1 : word === "next" ? 1 : 0;
    const weekday = weekdays.indexOf(next);
    if (weekday >= 0 && step !== 0) {
      const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7 || 7;
      return on(step > 0 ? ahead : ahead === 7 ? -7 : ahead - 7, i + 2);
    }
    return stepOf(next, step, today, i + 2);
  }
  const count = counts.get(word) ?? (/^\d{1,3}$/.test(word) ? Number(word) : word === "a" || word === "an" ? 1 : undefined);
  const unit = units.get(next.replace(/s$/, ""));
  return count !== undefined && unit !== undefined && lower(2) === "ago" ? on(-count * unit, i + 3, unit) : undefined;
}

/** The calendar week, month, quarter or year before or after the one of `today`. */
function stepOf(unit: string, step: number, today: number, end: number): DateMatch {
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === "week") {
    const monday = today - ((date.getUTCDay() + 6) % 7) * day;
    return { end, from: monday + step * 7 * day, to: monday + (step + 1) * 7 * day };
  }
  if (unit === "month") return { end, from: Date.UTC(year, month + step), to: Date.UTC(year, month + step + 1) };
  if (unit === "quarter") {
    const first = Math.floor(month / 3) * 3;
    return { end, from: Date.UTC(year, first + step * 3), to: Date.UTC(year, first + (step + 1) * 3) };
  }
  return unit === "year" ? { end, from: Date.UTC(year + step, 0), to: Date.UTC(year + step + 1, 0) } : undefined;
}

export interface Validity {
  temporalContext: string | null;
  validFrom: number | null;
  validTo: number | null;
}

/** The validity that the times of a sentence give its facts: `since` opens, `until` closes, `from … to` does both. */
export function validityOf(sentence: readonly Token[], spans: readonly TimeSpan[]): Validity | undefined {
  if (spans.length === 0) return undefined;
  let validFrom: number | null = null;
  let validTo: number | null = null;
  const parts: string[] = [];
  for (const span of spans) {
    const before = sentence[span.start - 1]?.lower ?? "";
    const closes = /^(?:until|till|through|before|to)$/.test(before);
    if (closes) validTo ??= span.to;
    else validFrom ??= span.from;
    parts.push(/^(?:since|until|till|from|to|in|on|by|before|after|through|during)$/.test(before) ? `${before} ${span.text}` : span.text);
  }
  return { temporalContext: parts.join(" ").slice(0, 200), validFrom, validTo: validTo !== null && validFrom !== null && validTo <= validFrom ? null : validTo };
}
