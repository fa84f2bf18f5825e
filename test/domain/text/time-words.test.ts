import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeMatch, timesIn } from "../../../src/domain/text/time-words.ts";

const day = 86_400_000;
/** A Wednesday. */
const now = Date.UTC(2026, 10, 18, 15);
const iso = (instant: number): string => (Math.abs(instant) > 8e15 ? "…" : new Date(instant).toISOString().slice(0, 10));
const read = (question: string): string[] => timesIn(question, now).periods.map(({ from, to }) => `${iso(from)}/${iso(to)}`);

const yesterday = "2026-11-17/2026-11-18";
const lastWeek = "2026-11-09/2026-11-16";
const twoOrThreeWeeks = "2026-10-26/2026-11-09";
const september = "2026-09-01/2026-10-01";
const may2025 = "2025-05-01/2025-06-01";
const twelfthOfMay = "2026-05-12/2026-05-13";
const marchToMay = "2026-03-01/2026-06-01";
const sinceJune = "2026-06-01/2026-11-19";
const beforeMarch = "…/2026-03-01";

describe("what a question says of time", () => {
  test.each([
    ["What did we decide yesterday?", yesterday],
    ["the day before yesterday", "2026-11-16/2026-11-17"],
    ["what was said today", "2026-11-18/2026-11-19"],
    ["What did we do last week?", lastWeek],
    ["the plan of this month", "2026-11-01/2026-12-01"],
    ["What was changed two months ago?", september],
    ["what broke last weekend", "2026-11-14/2026-11-16"],
    ["incidents over the weekend", "2026-11-14/2026-11-16"],
    ["was ist am Wochenende passiert", "2026-11-14/2026-11-16"],
    ["3 days ago", "2026-11-15/2026-11-16"],
    ["a couple of weeks ago", "2026-11-02/2026-11-09"],
    ["in the last 3 days", "2026-11-16/2026-11-19"],
    ["what did we release in May?", "2026-05-01/2026-06-01"],
    ["what did we plan in December", "2025-12-01/2026-01-01"],
    ["May 2025", may2025],
    ["March last year", "2025-03-01/2025-04-01"],
    ["12 May 2026", twelfthOfMay],
    ["May 12th, 2026", twelfthOfMay],
    ["the 12th of May", twelfthOfMay],
    ["2026-05-12", twelfthOfMay],
    ["2025-05", may2025],
    ["12.05.2026", twelfthOfMay],
    ["29 February", "2024-02-29/2024-03-01"],
    ["the week of 12 May", "2026-05-11/2026-05-18"],
    ["everything before March", beforeMarch],
    ["since June", sinceJune],
    ["after June", "2026-07-01/2026-11-19"],
    ["after yesterday", "2026-11-18/2026-11-19"],
    ["until March", "…/2026-04-01"],
    ["what did we do in spring?", marchToMay],
    ["summer 2025", "2025-06-01/2025-09-01"],
    ["last autumn", "2025-09-01/2025-12-01"],
    ["last year", "2025-01-01/2026-01-01"],
    ["in 2024", "2024-01-01/2025-01-01"],
    ["in the year 2024", "2024-01-01/2025-01-01"],
    ["Q3", "2026-07-01/2026-10-01"],
    ["Q3 2025", "2025-07-01/2025-10-01"],
    ["on Monday", "2026-11-16/2026-11-17"],
    ["last Wednesday", "2026-11-11/2026-11-12"],
    ["between March and May", marchToMay],
    ["from March to May", marchToMay],
    ["What happened in march?", "2026-03-01/2026-04-01"],
    ["what became of the plan May had", "2026-05-01/2026-06-01"],
    // German
    ["Was haben wir gestern entschieden?", yesterday],
    ["letzte Woche", lastWeek],
    ["vor zwei Monaten", september],
    ["vor März", beforeMarch],
    ["im Mai 2025", may2025],
    ["am 12. Mai", twelfthOfMay],
    ["seit Juni", sinceJune],
    ["zwischen März und Mai", marchToMay],
    ["letzten Sommer", "2026-06-01/2026-09-01"],
    // French
    ["Qu'avons-nous décidé hier ?", yesterday],
    ["la semaine dernière", lastWeek],
    ["il y a deux mois", september],
    ["en mai 2025", may2025],
    ["le 12 mai", twelfthOfMay],
    ["depuis juin", sinceJune],
    ["l'été dernier", "2026-06-01/2026-09-01"],
    ["aujourd'hui", "2026-11-18/2026-11-19"],
    // Spanish
    ["ayer", yesterday],
    ["la semana pasada", lastWeek],
    ["hace dos meses", september],
    ["en mayo de 2025", may2025],
    ["el 12 de mayo de 2026", twelfthOfMay],
    ["desde junio", sinceJune],
    ["entre marzo y mayo", marchToMay],
    // Chinese
    ["昨天我们决定了什么", yesterday],
    ["上周", lastWeek],
    ["上个月的计划", "2026-10-01/2026-11-01"],
    ["上周三", "2026-11-11/2026-11-12"],
    ["三天前", "2026-11-15/2026-11-16"],
    ["2025年5月", may2025],
    ["去年三月", "2025-03-01/2025-04-01"],
    ["3月以前", beforeMarch],
    // Japanese
    ["昨日の会議", yesterday],
    ["先週", lastWeek],
    ["二か月前", september],
    ["2026年5月12日", twelfthOfMay],
    ["6月以来", sinceJune],
  ])("%s", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ["Was haben wir vorletzte Woche beschlossen?", "2026-11-02/2026-11-09"], ["Welche Incidents gab es im vorletzten Monat?", september], ["What did we ship the week before last?", "2026-11-02/2026-11-09"],
    ["Was haben wir vorgestern deployt?", "2026-11-16/2026-11-17"], ["Was ist in den letzten Tagen passiert?", "2026-11-16/2026-11-19"], ["What changed in the last weeks?", "2026-10-29/2026-11-19"],
    ["Was haben wir vor ein paar Tagen geändert?", "2026-11-15/2026-11-16"], ["what did we decide several weeks ago", "2026-10-26/2026-11-02"], ["Was hat sich seit zwei Wochen geändert?", "2026-11-05/2026-11-19"],
    ["what did we deploy this morning", "2026-11-18/2026-11-19"], ["What did we deploy on Monday last week?", "2026-11-09/2026-11-10"], ["am Montag vorletzter Woche", "2026-11-02/2026-11-03"],
  ])("days and weeks counted back from today: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ["What happens the day after tomorrow?", "2026-11-20/2026-11-21"], ["Was steht übermorgen an?", "2026-11-20/2026-11-21"], ["what is planned for next week", "2026-11-23/2026-11-30"],
    ["Was ist nächste Woche geplant?", "2026-11-23/2026-11-30"], ["the goals of next quarter", "2027-01-01/2027-04-01"], ["im nächsten Monat", "2026-12-01/2027-01-01"],
  ])("what is to come: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ["Was haben wir in KW 45 gemacht?", "2026-11-02/2026-11-09"], ["Was wurde in KW45 released?", "2026-11-02/2026-11-09"], ["Planung Kalenderwoche 45", "2026-11-02/2026-11-09"], ["in der 45. Kalenderwoche", "2026-11-02/2026-11-09"],
    ["what did we do in week 45", "2026-11-02/2026-11-09"], ["incidents of calendar week 45", "2026-11-02/2026-11-09"], ["in week 45 of 2025", "2025-11-03/2025-11-10"], ["what was released in CW 3 2026", "2026-01-12/2026-01-19"],
    ["since KW 45", "2026-11-02/2026-11-19"], ["KW 53", "2020-12-28/2021-01-04"], ["KW 1", "2025-12-29/2026-01-05"],
  ])("a week by its number is that of ISO 8601: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ["Was war am 25.10.?", "2026-10-25/2026-10-26"], ["Was war am 25.10 los?", "2026-10-25/2026-10-26"], ["Was geschah am 5.10.26?", "2026-10-05/2026-10-06"], ["Was hat sich seit dem 3.11. geändert?", "2026-11-03/2026-11-19"],
    ["vom 3.11. bis zum 10.11.", "2026-11-03/2026-11-11"], ["zwischen dem 3.11. und dem 10.11.", "2026-11-03/2026-11-11"], ["am 25. Oktober", "2026-10-25/2026-10-26"],
    ["what was decided on Friday, 13 November", "2026-11-13/2026-11-14"], ["Was wurde am Freitag, den 6.11. entschieden?", "2026-11-06/2026-11-07"], ["from March to May 2025", "2025-03-01/2025-06-01"],
  ])("a date without its year is the latest: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    "between 3 and 10 March", "from 3 to 10 March", "from the 3rd through the 10th of March", "3-10 March", "3 – 10 March", "March 3-10", "March 3rd–10th", "between March 3 and 10", "from March 3 to 10, 2026", "vom 3. bis 10. März", "zwischen dem 3. und dem 10. März",
    "3.–10. März", "3.-10.3.", "3.–10.3.2026", "vom 3. bis zum 10.3.", "3.3.–10.3.", "du 3 au 10 mars", "entre le 3 et le 10 mars", "entre el 3 y el 10 de marzo", "du 3 mars au 10 mars",
  ])("the days from one of a month to another: %s [D5]", (question) => {
    expect(read(question)).toEqual(["2026-03-03/2026-03-11"]);
  });

  test.each([
    ["between 10 and 25 November", "2026-11-10/2026-11-26"], ["between 3 and 10 March 2025", "2025-03-03/2025-03-11"], ["from 10 to 3 March", "2026-03-03/2026-03-04"], ["March 3 to 10 users", "2026-03-03/2026-03-04"],
    ["between 30 and 31 February", "2026-02-01/2026-03-01"], ["2025-3-10", "2025-03-10/2025-03-11"], ["9-5 in March", "2026-03-01/2026-04-01"],
  ])("days that go on, or are no stretch of a month: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ["2-3 weeks ago", twoOrThreeWeeks], ["two or three weeks ago", twoOrThreeWeeks], ["What broke 2 to 3 weeks ago?", twoOrThreeWeeks], ["between 2 and 3 weeks ago", twoOrThreeWeeks], ["Was haben wir vor 2-3 Wochen entschieden?", twoOrThreeWeeks],
    ["vor zwei bis drei Wochen", twoOrThreeWeeks], ["vor zwei oder drei Wochen", twoOrThreeWeeks], ["il y a deux ou trois semaines", twoOrThreeWeeks], ["il y a 2 à 3 semaines", twoOrThreeWeeks], ["hace dos o tres semanas", twoOrThreeWeeks],
    ["2–3 months ago", "2026-08-01/2026-10-01"], ["in the last 2-3 days", "2026-11-16/2026-11-19"], ["in den letzten zwei bis drei Tagen", "2026-11-16/2026-11-19"], ["seit 2-3 Tagen", "2026-11-16/2026-11-19"], ["3 or 2 weeks ago", "2026-11-02/2026-11-09"],
  ])("so many or so many back are the stretch between them: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ["28.–3.4.", "2026-03-28/2026-04-04"], ["vom 28. bis zum 3.4.", "2026-03-28/2026-04-04"], ["28.-3.4.2025", "2025-03-28/2025-04-04"], ["28.–3.1.", "2025-12-28/2026-01-04"], ["28.–3.1.2025", "2024-12-28/2025-01-04"],
  ])("days that go on into the next month: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ["2025 Q3", "2025-07-01/2025-10-01"], ["in 2025-Q3", "2025-07-01/2025-10-01"], ["in 2025 H1", "2025-01-01/2025-07-01"], ["in 2025 week 45", "2025-11-03/2025-11-10"], ["2025 third quarter", "2025-07-01/2025-10-01"], ["2025 tokens in Q3", "2026-07-01/2026-10-01"],
  ])("a year before its quarter, half or week: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ["letzte Woche Montag", "2026-11-09/2026-11-10"], ["letzte Woche am Montag", "2026-11-09/2026-11-10"], ["am Montag letzter Woche", "2026-11-09/2026-11-10"], ["last week on Monday", "2026-11-09/2026-11-10"], ["this week Friday", "2026-11-20/2026-11-21"],
    ["la semaine dernière lundi", "2026-11-09/2026-11-10"], ["KW 45 Montag", "2026-11-02/2026-11-03"], ["letzte Woche Wochenende", "2026-11-14/2026-11-16"], ["last week Monday and Tuesday", lastWeek],
    ["in the last 7 days on Monday", "2026-11-16/2026-11-17"],
  ])("a day of a week that stands before it: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  // The clock of workerd stands still while code runs, so the limit of the test is the measure: by the square, the first took 18 s.
  test.each(["h1 ", "early Monday ", "week of ", "weekend ", "mi "])("a time word repeated takes time in proportion: %s [D5]", { timeout: 6_000 }, (word) => {
    for (let i = 0; i < 300; i += 1) expect(timesIn(word.repeat(300).slice(0, 1_000), now).periods.length).toBeLessThan(1_000);
  });

  test.each([
    ["what did we plan in early October", "2026-10-01/2026-10-11"], ["Was geschah Anfang Oktober?", "2026-10-01/2026-10-11"], ["mid-May", "2026-05-11/2026-05-22"], ["Mitte Oktober", "2026-10-11/2026-10-22"], ["late October", "2026-10-22/2026-11-01"],
    ["at the end of October", "2026-10-22/2026-11-01"], ["until the end of October", "…/2026-11-01"], ["Was wurde Ende 2025 entschieden?", "2025-09-01/2026-01-01"], ["in early 2024", "2024-01-01/2024-05-01"], ["Ende letzter Woche", lastWeek],
    ["in the first half of 2026", "2026-01-01/2026-07-01"], ["im ersten Halbjahr 2024", "2024-01-01/2024-07-01"], ["in der zweiten Hälfte 2025", "2025-07-01/2026-01-01"], ["H1 2026", "2026-01-01/2026-07-01"],
    ["the second half of October", "2026-10-16/2026-11-01"], ["im dritten Quartal", "2026-07-01/2026-10-01"], ["3. Quartal 2025", "2025-07-01/2025-10-01"], ["third quarter of 2025", "2025-07-01/2025-10-01"], ["Q3/2025", "2025-07-01/2025-10-01"],
    ["did it start last year", "2025-01-01/2026-01-01"],
  ])("a part of a month or year: %s [D5]", (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    "What is due by 15 December?", "What must be done until Friday?", "Was muss bis Freitag fertig sein?", "Was ist bis 15. Dezember fällig?", "Which tasks are due on Friday?", "What is due before Monday?", "What should be finished by the end of October?",
    "no later than 15 December", "spätestens am 15. Dezember", "what is planned in December", "Who will be on call in December?",
  ])("what is to be done by then has been said at another time: %s [D5]", (question) => {
    const { periods, words } = timesIn(question, now);
    expect([periods, [...words]]).toEqual([[], []]);
  });

  test.each(["not before November", "Was darf nicht vor November live gehen?", "not until March", "Is anything older than March 2026?"])("what is denied of a time is not at it: %s [D5]", (question) => {
    expect(read(question)).toEqual([]);
  });

  test("what was due in the past, or due to something, still has its time [D5]", () => {
    expect(read("Which tasks were due last week?")).toEqual([lastWeek]);
    expect(read("What was the outage in May due to?")).toEqual(["2026-05-01/2026-06-01"]);
    expect(read("what did we do until October")).toEqual(["…/2026-11-01"]);
  });

  test.each([
    "What changed in version 25.11?", "What is new in NixOS 25.11.", "upgrade to 25.11", "Why is 3.2.1 broken?", "What changed from 3.2. to 3.4.", "pages 3-10", "version 2-3", "What changed between version 2 and 3?", "step 2 or 3 of the onboarding", "2-3 weeks of work", "a delivery in 2-3 days", "Who owns 10.0.0.1?", "Is 10.1.2.2026 our gateway?", "What does section 3.2. say?", "a limit of 2048 tokens", "timeout of 2000 ms", "What runs on 12.4?",
    "KW 60", "KW 45/2025", "what happens in week 3 of the onboarding", "week 12 of the trial", "the h1 heading", "next day delivery", "the first half of the migration", "half a year ago", "Is the end user asked?",
  ])("numbers of versions, addresses and amounts, and what may mean several times, are none: %s [D5]", (question) => {
    expect(read(question)).toEqual([]);
  });

  test.each([
    ["in the last 1 month", Date.UTC(2026, 2, 30), "2026-02-28/2026-03-31"], ["in the last 2 months", Date.UTC(2026, 11, 14), "2026-10-15/2026-12-15"],
    ["in the last 1 quarter", Date.UTC(2026, 4, 30), "2026-02-28/2026-05-31"], ["in the last 2 years", Date.UTC(2024, 1, 28), "2022-02-28/2024-02-29"],
  ])("the last of a shorter month stands for the same day of it: %s [D5]", (question, at, period) => {
    expect(timesIn(question, at).periods.map(({ from, to }) => `${iso(from)}/${iso(to)}`)).toEqual([period]);
  });

  test("either where it may mean two, and both where two are named", () => {
    expect(read("on 5/12/2026")).toEqual(["2026-12-05/2026-12-06", twelfthOfMay]);
    expect(read("in winter 2026")).toEqual(["2025-12-01/2026-03-01", "2026-12-01/2027-03-01"]);
    expect(read("the budget for May and for June")).toEqual(["2026-05-01/2026-06-01", "2026-06-01/2026-07-01"]);
  });

  test.each([
    "How may I march on?", "May we use it?", "Which database does the shop use?", "Does Spring Boot start in a container?", "What is in Spring Boot?", "Ask Jan about the sun",
    "Was haben wir hier entschieden?", "Why does it fall over?", "2024 tokens", "ten weeks of work", "the Monday meeting", "version 1.2.3", "1234", "每周三的会议", "", "!?",
  ])("nothing: %s", (question) => {
    expect(read(question)).toEqual([]);
    expect(timeMatch(timesIn(question, now).periods)).toBeUndefined();
  });

  test.each([
    ["What is the most recent decision?", "newest"], ["the latest release", "newest"], ["when did we last deploy", "newest"], ["das neueste Release", "newest"],
    ["la décision la plus récente", "newest"], ["lo más reciente", "newest"], ["最新的版本", "newest"], ["最近の決定", "newest"],
    ["What was our first database?", "oldest"], ["the earliest note", "oldest"], ["Was war zuerst da?", "oldest"], ["最初のデータベース", "oldest"],
    ["last week", undefined], ["the first of May", undefined], ["the first week", undefined], ["the last name", undefined], ["at last", undefined], ["Which database?", undefined],
  ])("%s prefers %s", (question, preferred) => {
    expect(timesIn(question, now).prefers).toBe(preferred);
  });

  test("an instant fits inside of the period, and less the farther it is away in lengths of it", () => {
    const may = timeMatch(timesIn("What did we decide in May?", now).periods);
    const [first, last] = [Date.UTC(2026, 4, 1), Date.UTC(2026, 5, 1) - 1];
    expect([first, last].map((instant) => may?.(instant))).toEqual([1, 1]);
    const away = [1, 10, 31, 90, 400].map((days) => may?.(last + days * day) ?? 1);
    expect(away).toEqual(away.toSorted((a, b) => b - a));
    expect(away[2]).toBeCloseTo(0.5);
    expect(away.at(-1)).toBeLessThan(0.001);
    expect(may?.(first - 31 * day)).toBeCloseTo(0.5);
    expect(timeMatch(timesIn("everything before March", now).periods)?.(0)).toBe(1);
  });
});

describe("whatever is asked", () => {
  const pieces = fc.constantFrom(
    "KW", "45", "25.10.", "Ende", "next", "first half of", "H1", "mid-", "vorletzte", "by", "last", "week", "may", "May", "march", "in", "before", "since", "between", "and", "from", "to", "12", "31", "0", "999", "2025", "1999", "2026-02-31", "2026-13-01", "99/99/2026", "q4", "ago", "days", "years",
    "vor", "zwei", "Monaten", "il y a", "hace", "hier", "semaine", "dernière", "31 February", "上", "周三", "年前", "十", "二十三", "月", "日", "前", "去年", "2026年99月99日", "最近", "week of", "winter", "this", ".", "-", "é",
  );
  const questions = fc.oneof(fc.string({ unit: "grapheme", maxLength: 60 }), fc.array(pieces, { maxLength: 8 }).map((list) => list.join(" ")), fc.array(pieces, { maxLength: 6 }).map((list) => list.join("")));
  const clocks = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2090, 0) });

  test("it never throws, periods are not empty, and the match is between 0 and 1", () => {
    fc.assert(
      fc.property(questions, clocks, fc.integer({ min: 0, max: Date.UTC(2200, 0) }), (question, clock, instant) => {
        for (const { from, to, certainty } of timesIn(question, clock).periods) {
          expect(from).toBeLessThan(to);
          expect(certainty).toBeGreaterThan(0);
          expect(certainty).toBeLessThanOrEqual(1);
        }
        const fits = timeMatch(timesIn(question, clock).periods)?.(instant) ?? 0;
        expect(fits).toBeGreaterThanOrEqual(0);
        expect(fits).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });

  test("words of the past end by tomorrow", () => {
    const past = fc.constantFrom(
      "yesterday", "last week", "last month", "last quarter", "last year", "last May", "last Monday", "last summer", "3 days ago", "two weeks ago", "five months ago", "a year ago", "since June", "the last 7 days",
      "gestern", "letzte Woche", "vor drei Tagen", "hier", "la semaine dernière", "il y a un an", "ayer", "el mes pasado", "hace tres años", "昨天", "上周", "上个月", "三年前", "昨日", "先週", "去年",
    );
    fc.assert(fc.property(past, clocks, (words, clock) => {
      const { periods } = timesIn(words, clock);
      expect(periods).toHaveLength(1);
      for (const { to } of periods) expect(to).toBeLessThanOrEqual(clock + day);
    }), { numRuns: 500 });
  });

  test("a date comes back as the day that it is, however it is written", () => {
    const named = (language: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
    const forms = ["en-GB", "en-US", "de", "fr", "es", "ja", "zh"].map((language) => named(language, { day: "numeric", month: "long", year: "numeric" }));
    const days = fc.integer({ min: Date.UTC(1950, 0) / day, max: Date.UTC(2099, 0) / day });
    fc.assert(fc.property(days, fc.constantFrom(...forms, undefined), clocks, (number, form, clock) => {
      const from = number * day;
      const written = form ? form.format(from) : new Date(from).toISOString().slice(0, 10);
      expect(timesIn(`what about ${written}?`, clock).periods.map((period) => [period.from, period.to]), written).toEqual([[from, from + day]]);
    }), { numRuns: 700 });
  });

  test("a month without a year is the latest that has begun", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 11 }), clocks, (month, clock) => {
      const name = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" }).format(Date.UTC(2026, month));
      const [period] = timesIn(`what did we do in ${name}?`, clock).periods;
      expect(new Date(period?.from ?? 0).getUTCMonth()).toBe(month);
      expect(period?.from).toBeLessThanOrEqual(clock);
      expect(clock - (period?.from ?? 0)).toBeLessThanOrEqual(366 * day);
    }));
  });
});
