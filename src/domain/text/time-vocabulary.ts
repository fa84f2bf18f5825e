import type { Unit } from "./time-calendar.ts";

/** Time words of English, German, French and Spanish, in lower case and without marks. */
export interface Vocabulary {
  months: Map<string, number>;
  /** Sunday is 0. */
  weekdays: Map<string, number>;
  /** Spring is 0. */
  seasons: Map<string, number>;
  units: Map<string, Unit>;
  counts: Map<string, number>;
  /** Of what is counted, without the ending of a German adjective. */
  ordinals: Map<string, string>;
  /** Shares of a time, its halves and thirds: of a year in whole months, leap years too. */
  parts: Map<string, readonly [number, number]>;
  /** Days before today. */
  days: Map<string, number>;
  leads: Map<string, Lead>;
  prefers: Map<string, Preference>;
  /** Month names that are also a name or a verb. */
  weakMonths: Set<string>;
  /** Short forms of months, which may be the name of a person even with a capital. */
  shortMonths: Set<string>;
  /** After what they belong to, as in `semaine dernière`. */
  lastAfter: Set<string>;
  /** How many units back, before a unit; without the ending of a German adjective. */
  shifts: Map<string, number>;
  articles: Set<string>;
  ago: Set<string>;
  and: Set<string>;
  or: Set<string>;
  to: Set<string>;
  /** Words of German, in which `hier` is no day. */
  german: Set<string>;
  /** What follows `spring`, `last` or a number where they are no time. */
  named: Set<string>;
}

export type Lead = "in" | "before" | "after" | "since" | "until" | "between" | "from" | "by";
export type Preference = "newest" | "oldest";

const list = (text: string): string[] => text.trim().split(/\s+/);
/** Each line holds the words for one value. */
const numbered = (lines: string, first = 0): Map<string, number> => new Map(lines.trim().split("\n").flatMap((line, i) => list(line).map((word): [string, number] => [word, i + first])));
const table = <T>(lines: Record<string, T>): Map<string, T> => new Map(Object.entries(lines).flatMap(([words, value]) => list(words).map((word): [string, T] => [word, value])));

let made: Vocabulary | undefined;

/** Made at first use: the start-up of the Worker is counted. */
export const vocabulary = (): Vocabulary => (made ??= make());

const make = (): Vocabulary => ({
  months: numbered(`
    january jan januar janner janvier janv enero ene
    february feb februar fevrier fevr fev febrero
    march mar marz mrz mars marzo
    april apr avril avr abril abr
    may mai mayo
    june jun juni juin junio
    july jul juli juillet juil julio
    august aug aout agosto
    september sept sep septembre septiembre setiembre
    october oct oktober okt octobre octubre
    november nov novembre noviembre
    december dec dezember dez decembre diciembre dic`),
  weekdays: numbered(`
    sunday sonntag dimanche domingo
    monday montag lundi lunes
    tuesday dienstag mardi martes
    wednesday mittwoch mercredi miercoles
    thursday donnerstag jeudi jueves
    friday freitag vendredi viernes
    saturday samstag sonnabend samedi sabado weekend week-end wochenende`),
  seasons: numbered(`
    spring fruhling fruhjahr printemps primavera
    summer sommer ete verano
    autumn fall herbst automne otono
    winter hiver invierno`),
  units: table<Unit>({
    "morning afternoon evening day days tag tage tagen jour jours dia dias": "day",
    "week weeks woche wochen semaine semaines semana semanas": "week",
    "month months monat monate monaten monats mois mes meses": "month",
    "quarter quarters quartal quartale quartalen trimestre trimestres": "quarter",
    "year years jahr jahre jahren jahres an ans annee annees ano anos": "year",
  }),
  counts: numbered(`
    a an one ein un une una uno
    two couple zwei deux dos
    three few several paar einig mehrer drei trois tres
    four vier quatre cuatro
    five funf cinq cinco
    six sechs seis
    seven sieben sept siete
    eight acht huit ocho
    nine neun neuf nueve
    ten zehn dix diez
    eleven elf onze once
    twelve zwolf douze doce`, 1),
  ordinals: table({ "first erst 1st": "1", "second zweit 2nd": "2", "third dritt": "3", "fourth viert": "4" }),
  parts: table({
    h1: [0, 0.496],
    h2: [0.496, 1],
    "early beginning start anfang debut principios": [0, 0.33],
    "mid middle mitte mi mediados": [0.33, 0.666],
    "late end ende fin finales": [0.666, 1],
  }),
  days: numbered(`
    ubermorgen
    tomorrow demain
    today tonight heute aujourd hoy
    yesterday gestern hier ayer
    vorgestern avant-hier anteayer antier`, -2),
  leads: table<Lead>({
    "in on at over during of for im am wahrend en au du le el de del by": "in",
    "before vor avant antes": "before",
    "after nach apres despues tras": "after",
    "since seit depuis desde ab": "since",
    "until till bis jusque jusqu hasta": "until",
    "between zwischen entre": "between",
    "from von": "from",
    by: "by",
  }),
  prefers: table<Preference>({
    "latest newest recent recently lately neuest neust jungst zuletzt neulich kurzlich recente recents recentes recemment reciente recientes recientemente": "newest",
    "first earliest oldest zuerst fruhest altest erste ersten erster erstes premier premiere ancien ancienne primer primero primera antiguo antigua": "oldest",
  }),
  weakMonths: new Set(list("may march april june august mars mai mayo")),
  shortMonths: new Set(list("jan feb mar apr jun jul aug sep sept oct nov dec okt dez mrz janv ene fev fevr avr abr juil dic")),
  lastAfter: new Set(list("dernier derniere passe passee pasado pasada anterior precedent precedente")),
  shifts: table({ "this current dies ce cet cette este esta": 0, "last past previous letzt vergangen vorig dernier derniers dernieres ultimo ultima ultimos ultimas pasado pasada pasados pasadas": 1, vorletzt: 2, "next nachst kommend": -1 }),
  articles: new Set(list("the of dem der den des die das vom zum zur le la l les los las el de del d du")),
  ago: new Set(list("ago earlier")),
  and: new Set(list("and und et y e")),
  or: new Set(list("or oder ou o")),
  to: new Set(list("to through until till bis a au hasta jusqu")),
  german: new Set(list("was wir ist haben hat der die das und wie wo wer wann welche welcher welches gibt es ich sind wurde wird nicht auf mit")),
  named: new Set(list("boot framework mvc cloud data security name names resort thing things ms kb mb gb bytes tokens requests users rows")),
});
