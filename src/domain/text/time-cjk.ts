import { verbatim } from "../verbatim.ts";
import { calendarUnit, dateSpan, day, daySpan, latest, latestWeekday, monthSpan, quarterSpan, recentUnits, seasonSpan, type Span, type Unit, yearOf, yearSpan } from "./time-calendar.ts";
import type { Lead, Preference } from "./time-vocabulary.ts";

/** Time words of Chinese and Japanese, which are written without spaces. */
export interface CjkTime {
  spans: (Span | undefined)[];
  certainty: number;
  /** Said by what follows. */
  lead: Lead | undefined;
}

const digits = verbatim`〇一二三四五六七八九`;
const number = verbatim`(?:\d{1,3}|[一二两兩三四五六七八九十]{1,3})`;
const counted = verbatim`(?:[个個]?星期|[个個]月|[かヶカヵ]月間?|天|[日周週年]間?)`;

interface Patterns {
  times: RegExp;
  before: RegExp;
  since: RegExp;
  newest: RegExp;
  oldest: RegExp;
}

let made: Patterns | undefined;

const patterns = (): Patterns =>
  (made ??= {
    times: new RegExp(
      [
        verbatim`(?:(?<year>(?:19|20)\d\d)年|(?<relative>去年|昨年|前年|今年))の?(?:(?<month>${number})月(?:(?<date>${number})[日号號])?|(?<season>[春夏秋冬])|第?(?<quarter>[1-4一二三四])(?:季度|四半期))?`,
        verbatim`(?:最近|过去|過去|近|ここ)(?:の)?(?<recent>${number})(?<recentUnit>${counted})`,
        verbatim`(?<ago>${number})(?<agoUnit>${counted})(?:以前|之前|前)`,
        verbatim`(?<yearlyMonth>${number})月(?!間)(?:(?<yearlyDate>${number})[日号號])?`,
        verbatim`(?<![下来來每毎一二两兩三四五六七八九十\d])(?<past>上个?|上個|先)?(?:周|週|星期|礼拜|禮拜)(?<weekday>[一二三四五六日天])(?!間)`,
        verbatim`(?<kanjiDay>[日月火水木金土])曜`,
        `(?<word>${Object.keys(words).sort((a, b) => b.length - a.length).join("|")})`,
        verbatim`(?<yearly>[春夏秋冬])(?:天|季|に|の)`,
      ].join("|"),
      "gu",
    ),
    before: /^(?:より前|以前|之前|前)/,
    since: /^(?:以来|以來|から|以后|以後|之后|之後)/,
    newest: /最新|最近/,
    oldest: /最初|最早|第一次|最古/,
  });

const words: Record<string, [Unit, number]> = Object.fromEntries(
  ([
    ["day", 0, verbatim`今天 今日`], ["day", 1, verbatim`昨天 昨日 きのう`], ["day", 2, verbatim`前天 一昨日 おととい`],
    ["week", 0, verbatim`这星期 这个星期 這星期 這個星期 这周 這週 本周 本週 今週`], ["week", 1, verbatim`上星期 上个星期 上個星期 上周 上週 先週`],
    ["month", 0, verbatim`这月 这个月 這個月 本月 今月`], ["month", 1, verbatim`上月 上个月 上個月 先月`], ["quarter", 1, verbatim`上季度 上个季度 上個季度`],
    ["year", 0, "今年"], ["year", 1, verbatim`去年 昨年`], ["year", 2, "前年"],
  ] as const).flatMap(([unit, back, said]) => said.split(" ").map((word) => [word, [unit, back]])),
);

/** 12, 十二 and 二十三. */
function valueOf(said: string): number {
  if (/^\d/.test(said)) return Number(said);
  const plain = said.replaceAll(/[两兩]/gu, "二");
  const ten = plain.indexOf("十");
  const digit = (text: string, empty: number): number => (text === "" ? empty : Math.max(0, digits.indexOf(text)));
  return ten === -1 ? digit(plain, 0) : digit(plain.slice(0, ten), 1) * 10 + digit(plain.slice(ten + 1), 0);
}

const unitOf = (said: string): Unit => (/[天日]/.test(said) ? "day" : /[周週期]/.test(said) ? "week" : said.includes("月") ? "month" : "year");

export function cjkTimes(text: string, now: number): CjkTime[] {
  const { times, before, since } = patterns();
  return [...text.matchAll(times)].flatMap((match) => {
    const read = spansOf(match.groups ?? {}, now);
    if (!read) return [];
    const rest = text.slice(match.index + match[0].length);
    return [{ ...read, lead: before.test(rest) ? "before" : since.test(rest) ? "since" : undefined }];
  });
}

/** What stands beside the times; undefined of a text in another script. */
export const cjkRest = (text: string): string | undefined => (/[\p{Script=Han}\p{Script=Hiragana}]/u.test(text) ? text.replaceAll(patterns().times, "") : undefined);

export function cjkPreference(text: string): Preference | undefined {
  const { newest, oldest } = patterns();
  return newest.test(text) ? "newest" : oldest.test(text) ? "oldest" : undefined;
}

function spansOf(said: Said, now: number): Omit<CjkTime, "lead"> | undefined {
  const value = (name: string): number => valueOf(said[name] ?? "");
  if (said["year"] ?? said["relative"]) return { spans: dated(said, said["year"] ? Number(said["year"]) : yearOf(now) - (words[said["relative"] ?? ""]?.[1] ?? 0)), certainty: 1 };
  if (said["recent"] !== undefined) return counts(value("recent"), (count) => recentUnits(unitOf(said["recentUnit"] ?? ""), count, now));
  if (said["ago"] !== undefined) return counts(value("ago"), (count) => calendarUnit(unitOf(said["agoUnit"] ?? ""), count, now));
  if (said["yearlyMonth"] !== undefined) {
    const month = value("yearlyMonth") - 1;
    if (month < 0 || month > 11) return undefined;
    return { spans: [latest((year) => (said["yearlyDate"] === undefined ? monthSpan(year, month) : dateSpan(year, month, value("yearlyDate"))), now)], certainty: 0.8 };
  }
  if (said["weekday"] !== undefined) {
    const weekday = Math.max(0, verbatim`日一二三四五六`.indexOf(said["weekday"]));
    // 上周三 is the Wednesday of the week before, whatever day it is.
    const span = said["past"] === undefined ? latestWeekday(weekday, now) : daySpan(calendarUnit("week", 1, now).from + ((weekday + 6) % 7) * day);
    return { spans: [span], certainty: 0.8 };
  }
  if (said["kanjiDay"] !== undefined) return { spans: [latestWeekday(verbatim`日月火水木金土`.indexOf(said["kanjiDay"]), now)], certainty: 0.8 };
  if (said["yearly"] !== undefined) return { spans: [latest((year) => seasonSpan(year, verbatim`春夏秋冬`.indexOf(said["yearly"] ?? "")), now)], certainty: 0.6 };
  const known = words[said["word"] ?? ""];
  return known && { spans: [calendarUnit(known[0], known[1], now)], certainty: 0.9 };
}

const counts = (count: number, spanOf: (count: number) => Span): Omit<CjkTime, "lead"> | undefined => (count > 0 ? { spans: [spanOf(count)], certainty: 0.9 } : undefined);

type Said = Record<string, string | undefined>;

function dated({ month, date, season, quarter }: Said, year: number): (Span | undefined)[] {
  if (season !== undefined) return [seasonSpan(year, verbatim`春夏秋冬`.indexOf(season))];
  if (quarter !== undefined) return [quarterSpan(year, valueOf(quarter) - 1)];
  if (month === undefined) return [yearSpan(year)];
  const index = valueOf(month) - 1;
  if (index < 0 || index > 11) return [];
  return [date === undefined ? monthSpan(year, index) : dateSpan(year, index, valueOf(date))];
}
