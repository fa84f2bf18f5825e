import { verbatim } from "../../verbatim.ts";
import { isNameOfPerson } from "./introductions.ts";

/** A sentence as it stands in a message. */
export interface Sentence {
  text: string;
  /** It ends like a question. */
  asks: boolean;
  /** Who is named before the line or, within a paragraph, before a line above. */
  speaker?: string | undefined;
}

/** In characters: what is longer is no sentence but a paste. Rules over sentences may look at each of them more than once. */
const longest = 600;

const fence = /^\s*(?:```|~~~)/;
/** Quotations, tables and indented blocks are not what the speaker says. */
const foreign = /^(?:>|\||\t| {4})/;
/** "Bob: I live here", as in a conversation that is told; "Work: I use Vim" names nobody. */
const labelled = /^(\p{Lu}\p{Ll}+(?: \p{Lu}\p{L}+)?): (.{0,9}\b(?:I|We|My|Our)\b.*)/u;
const marker = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const ends = verbatim`.!?…。！？`;
const closers = verbatim`"'”’)]」』）`;
const abbreviations = new Set("dr mr mrs ms prof st vs no nr ca bzw z.b d.h e.g i.e etc approx inc ltd co".split(" "));

/** Splits what somebody wrote into sentences; code, quotations and tables are left out. Linear in the length of the text. */
export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = [];
  let inCode = false;
  let speaker: string | undefined;
  for (const line of text.split("\n")) {
    if (fence.test(line)) inCode = !inCode;
    else if (!inCode && !foreign.test(line)) {
      const [, name, said = ""] = labelled.exec(line) ?? [];
      const isNamed = name !== undefined && (speaker !== undefined || isNameOfPerson(name));
      if (isNamed || line === "") speaker = name;
      splitLine((isNamed ? said : line).slice(0, 20_000).replace(marker, ""), speaker, found);
    }
  }
  return found;
}

function splitLine(line: string, speaker: string | undefined, found: Sentence[]): void {
  let start = 0;
  for (let i = 0; i <= line.length; i += 1) {
    if (i < line.length && !endsAt(line, i)) continue;
    let end = i + 1;
    while (end < line.length && (ends.includes(line.charAt(end)) || closers.includes(line.charAt(end)))) end += 1;
    const text = line.slice(start, end).trim();
    if (text.length > 1 && text.length <= longest) found.push({ text, speaker, asks: /[?？]["'”’)\]」』）]*$/.test(text) });
    start = end;
    i = end - 1;
  }
}

function endsAt(line: string, i: number): boolean {
  const sign = line.charAt(i);
  if (!ends.includes(sign)) return false;
  if (sign > "\u2fff") return true;
  const next = line.charAt(i + 1);
  if (next !== "" && !/\s/.test(next) && !closers.includes(next) && !ends.includes(next)) return false;
  if (sign !== ".") return true;
  const before = line.slice(Math.max(0, i - 12), i).split(/\s/).at(-1) ?? "";
  // "30. September", "Dr. Lee", "J. Smith"; "room 12. I work there" are two.
  return next === "" || !(/^\d{1,2}$/.test(before) && /^\s(?!(?:I|We|My|Our|The|It|He|She|They|Ich|Wir|Mein|Der|Die|Das|Er|Sie|Es)\b)\p{L}/u.test(line.slice(i + 1, i + 8)) || /^\p{Lu}$/u.test(before) || abbreviations.has(before.toLowerCase()));
}

export type Language = "en" | "de" | "fr" | "es" | "zh" | "ja";

const german = /(?<!\p{L})(?:ich|und|nicht|der|die|das|ist|wir|mein|meine|unser|unsere|ein|eine|bei|mit|für|auf|zu|im|vom|von|habe|haben|bin|sind|sie|ja|danke|bitte|wie|warum)(?!\p{L})|[äöüß]/giu;
const english = /(?<!\p{L})(?:i|and|not|the|is|we|my|our|a|an|at|with|for|on|to|of|have|has|are|you|it|yes|please|how|why)(?!\p{L})/giu;

const french = /(?<!\p{L})(?=(?:je|et|ne|pas|le|la|les|est|sont|nous|mon|ma|mes|notre|nos|un|une|des|du|de|chez|avec|pour|sur|dans|au|aux|que|qui|ai|suis|oui|merci|en|utilisons|utilise)(?!\p{L})|[jldcnm]['’]\p{L})|[éèêàçùœ]/giu;
const spanish = /(?<!\p{L})(?=(?:yo|y|el|la|los|las|es|son|un|una|de|del|en|con|para|por|mi|mis|nuestr[oa]s?|que|soy|tengo|vivo|trabajo|uso|usamos|se|muy|al|sí|gracias|prefiero|siempre|nunca|ya|mudé|llamo|pasad[oa]|est[ea]|hagas|directo|cambié|toco)(?!\p{L}))|[ñ¿¡áéíóú]/giu;
const functionWords: readonly (readonly [Language, RegExp])[] = [["en", english], ["de", german], ["fr", french], ["es", spanish]];

/** By script and function words; undefined where nothing says it. */
export function languageOf(text: string): Language | undefined {
  if (/[\u3040-\u30ff]/.test(text)) return "ja";
  if (/\p{sc=Han}/u.test(text)) return "zh";
  const part = text.slice(0, 2_000);
  const counts = functionWords.map(([language, words]) => ({ language, count: part.match(words)?.length ?? 0 })).sort((a, b) => b.count - a.count);
  const [first, second] = counts as [(typeof counts)[number], (typeof counts)[number]];
  return first.count > second.count ? first.language : undefined;
}
