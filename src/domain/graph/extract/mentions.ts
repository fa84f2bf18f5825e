import type { EntityType } from "../graph.ts";
import { codeName } from "./code.ts";
import type { Lexicon } from "./lexicon.ts";
import { isTechnology, isTechnologyPhrase, isTechnologyWithCapital, longestTechnology } from "./technologies.ts";
import { endsClause, type Token } from "./tokenizer.ts";
import { verbAt } from "./verbs.ts";

/** An entity where a sentence names it: the words `start` to `end`, the latter not included. */
export interface Mention {
  start: number;
  end: number;
  name: string;
  type: EntityType;
  confidence: number;
}

const capital = /^\p{Lu}[\p{L}\p{M}'’&.-]*$/u;
const contraction = /['’](?:ve|ll|re|m|d|t|s|all)$/iu;
const isCapitalised = ({ word }: Token): boolean => capital.test(word) && /\p{Ll}/u.test(word) && !contraction.test(word);
const isAcronym = ({ word }: Token): boolean => /^[A-Z][A-Z0-9&]{1,5}$/.test(word);

const honorifics = new Set(["dr", "mr", "mrs", "ms", "prof", "professor"]);
const particles = new Set(["van", "von", "de", "der", "da", "di", "la", "bin", "al"]);
const companyEndings = new Set(
  "Inc Corp Corporation GmbH Ltd LLC AG SE Labs Technologies Systems Software University Institute Foundation Bank Group Studios Solutions Ventures Partners Capital College Hospital Airlines".split(" "),
);
const roles = new Set(
  `cto ceo cfo coo ciso manager engineer developer colleague teammate coworker designer lead friend wife husband brother sister mom dad mother father boss mentor intern founder cofounder
  director analyst architect maintainer reviewer customer client user cousin aunt uncle son daughter neighbor teacher therapist partner`.split(/\s+/),
);
const personVerbs = new Set(
  "said says asked asks thinks thought prefers preferred likes liked loves loved hates hated lives lived joined told tells suggested suggests wants wanted wrote reviewed approved mentioned agreed complained reported recommended married met knows owns owned".split(" "),
);
/** Words after a word at the beginning of a sentence that show it to be a name. */
const verbsOfThings = new Set(
  "is was has had uses used runs replaced replaces supports requires depends works will does provides handles stores calls owns needs can cannot returns throws crashed crashes failed fails exposes serves hosts powers sends writes reads belongs and or".split(" "),
);
const commonEnding = /(?:ing|ed|tion|sion|ment|ness|ity|ance|ence|able|ible|ous|ive|ly|ize|ise|ship|ism|ers|ors|als|ics)$/;

export function mentionsIn(sentence: readonly Token[], lexicon: Lexicon, seen: ReadonlySet<string>): Mention[] {
  const heading = isHeading(sentence);
  const found: Mention[] = [];
  for (let i = 0; i < sentence.length; ) {
    const mention = technology(sentence, i, lexicon) ?? code(sentence, i, lexicon) ?? properName(sentence, i, lexicon, seen, heading);
    if (!mention) {
      i += 1;
      continue;
    }
    found.push(mention, ...versionAfter(sentence, mention));
    i = Math.max(i + 1, found.at(-1)?.end ?? 0);
  }
  return found;
}

/** In title case capitals say nothing. */
function isHeading(sentence: readonly Token[]): boolean {
  const words = sentence.filter(({ word }) => word.length > 3 && /^\p{L}+$/u.test(word));
  return words.length >= 3 && words.filter(isCapitalised).length >= words.length * 0.75;
}

/** `n` words from `i` as one name, unless a clause ends between them. */
function phrase(sentence: readonly Token[], i: number, n: number): string | undefined {
  const tokens = sentence.slice(i, i + n);
  if (tokens.length < n || tokens.slice(0, -1).some((token) => endsClause(token) || token.possessive) || tokens.slice(1).some(({ open }) => /[([{]/.test(open))) return undefined;
  return tokens.map(({ word }) => word).join(" ");
}

function technology(sentence: readonly Token[], i: number, lexicon: Lexicon): Mention | undefined {
  const token = sentence[i] as Token;
  for (let n = token.word !== token.lower || token.quoted ? longestTechnology : 1; n >= 2; n -= 1) {
    const name = phrase(sentence, i, n);
    if (name !== undefined && isTechnologyPhrase(name)) {
      return { start: i, end: i + n, name, type: "technology", confidence: 0.9 };
    }
  }
  const { word } = token;
  const known = { start: i, end: i + 1, name: word, type: "technology" as const, confidence: 0.9 };
  if (isTechnology(word) && lexicon.classOf(token.lower) !== "common") return known;
  if (!(isTechnologyWithCapital(word) || (isTechnology(word) && word !== token.lower))) return undefined;
  // Part of a longer name, such as Edge Cases or Linear Algebra.
  const next = sentence[i + 1];
  if (next && !endsClause(token) && isCapitalised(next) && !isTechnology(next.word) && lexicon.classOf(next.lower) !== "common") return undefined;
  if (!token.first || token.quoted) return { ...known, confidence: 0.8 };
  return next && !endsClause(token) && (verbsOfThings.has(next.lower) || /^v?\d/.test(next.word)) ? { ...known, confidence: 0.75 } : undefined;
}

function code(sentence: readonly Token[], i: number, lexicon: Lexicon): Mention | undefined {
  const found = codeName(sentence[i] as Token);
  if (!found) return undefined;
  const known = found.type === "code" && lexicon.classOf(found.name.toLowerCase()) === "organization";
  return { start: i, end: i + 1, name: found.versionOf ?? found.name, type: found.versionOf ? "version" : known ? "organization" : found.type, confidence: found.confidence };
}

/** `Node 22.3`, `React v19`: the version that follows a technology. A bare number only where nothing is counted by it. */
function versionAfter(sentence: readonly Token[], { end, name, type }: Mention): Mention[] {
  const last = sentence[end - 1] as Token;
  const token = sentence[end];
  if ((type !== "technology" && type !== "package") || !token || endsClause(last)) return [];
  const number = /^v?(\d+(?:\.\d+){1,3}(?:-[\w.]+)?|\d{1,3})$/.exec(token.word)?.[1];
  if (number === undefined) return [];
  const next = sentence[end + 1];
  const counted = !/[.v]/.test(token.word) && next !== undefined && !endsClause(token) && !/^(?:and|or|to|with|in|on|for|since|because|from|at|as|but|when)$/.test(next.lower) && !verbsOfThings.has(next.lower);
  return counted ? [] : [{ start: end, end: end + 1, name: `${name} ${number}`, type: "version", confidence: 0.9 }];
}

function properName(sentence: readonly Token[], i: number, lexicon: Lexicon, seen: ReadonlySet<string>, heading: boolean): Mention | undefined {
  const token = sentence[i] as Token;
  if (!isCapitalised(token) && !isAcronym(token)) return undefined;
  for (let n = 4; n >= 1; n -= 1) {
    const name = phrase(sentence, i, n);
    if (name === undefined || (n === 1 && !isCapitalised(token) && name.length < 3)) continue;
    const kind = lexicon.classOf(name.toLowerCase().replaceAll(".", ""));
    if (kind === "place" || kind === "organization") return { start: i, end: i + n, name, type: kind, confidence: 0.85 };
    if (kind === "person" && n > 1) return { start: i, end: i + n, name, type: "person", confidence: 0.9 };
  }
  const suffix = sentence[i + 1];
  if (!isCapitalised(token)) {
    // ACME Inc.
    return suffix && !endsClause(token) && companyEndings.has(suffix.word) ? { start: i, end: i + 2, name: `${token.word} ${suffix.word}`, type: "organization", confidence: 0.9 } : undefined;
  }
  const afterTitle = honorifics.has(sentence[i - 1]?.lower ?? "");
  const kind = lexicon.classOf(token.lower);
  const end = runEnd(sentence, i, lexicon);
  const name = sentence.slice(i, end).map(({ word }) => word).join(" ");
  if (honorifics.has(token.lower) || (companyEndings.has(name) && token.close !== ":") || name.replace(/[.'’-]/g, "").length < 3) return undefined;
  const several = end - i > 1;
  const last = sentence[end - 1] as Token;
  if (several && companyEndings.has(last.word.replace(/\.$/, ""))) return { start: i, end, name, type: "organization", confidence: 0.9 };
  if (kind === "person" || afterTitle) return { start: i, end, name, type: "person", confidence: several || afterTitle ? 0.95 : 0.85 };
  if (several && lexicon.classOf((sentence[i + 1] as Token).lower) === "surname" && !heading) return { start: i, end, name, type: "person", confidence: 0.85 };
  if (kind === "surname" && !token.first && !heading) return { start: i, end, name, type: "person", confidence: 0.7 };
  if (heading) return undefined;
  // A first word that is an everyday word owes its capital to its place: the name may begin after it.
  if (kind === "common" && (token.first || !several)) return undefined;
  // Hey Caroline: the person begins at her name.
  if (kind === "common" && sentence.slice(i + 1, end).some(({ lower }) => lexicon.classOf(lower) === "person")) return undefined;
  if (token.first && !seen.has(name) && !beginsAsName(sentence, end, name, several)) return undefined;
  return { start: i, end, name, ...typeByContext(sentence, i, end) };
}

function runEnd(sentence: readonly Token[], start: number, lexicon: Lexicon): number {
  let end = start + 1;
  while (end < sentence.length && end - start < 5) {
    const before = sentence[end - 1] as Token;
    const token = sentence[end] as Token;
    if (endsClause(before) && before.close !== "." ) break;
    if (before.close.includes(".") && before.word.length > 3) break;
    if (before.possessive || /[([{"“`]/.test(token.open)) break;
    if (particles.has(token.lower) && sentence[end + 1] && isCapitalised(sentence[end + 1] as Token) && lexicon.classOf((sentence[start] as Token).lower) === "person") {
      end += 1;
      continue;
    }
    if (!isCapitalised(token) || isTechnology(token.word)) break;
    // Alice Monday: what a calendar or a language has is no part of a name.
    if (lexicon.classOf(token.lower) === "common" && lexicon.classOf((sentence[start] as Token).lower) === "person") break;
    end += 1;
  }
  return end;
}

function beginsAsName(sentence: readonly Token[], end: number, name: string, several: boolean): boolean {
  const next = sentence[end];
  const last = sentence[end - 1] as Token;
  // DoorDash, NodeJS: the capital within is not owed to the place.
  if (/\p{Ll}\p{Lu}/u.test(name)) return true;
  if (last.possessive) return !commonEnding.test(name.toLowerCase());
  if (!next || endsClause(last)) return false;
  const verb = (several && verbsOfThings.has(next.lower)) || personVerbs.has(next.lower) || verbAt(sentence.map(({ lower }) => lower), end) !== undefined;
  return verb && (several || (name.length > 2 && !commonEnding.test(name.toLowerCase())));
}

function typeByContext(sentence: readonly Token[], start: number, end: number): { type: EntityType; confidence: number } {
  const before = sentence[start - 1]?.lower ?? "";
  const earlier = sentence[start - 2]?.lower ?? "";
  const next = sentence[end]?.lower ?? "";
  const after = sentence[end + 1]?.lower ?? "";
  if (/^(?:joined|joins|joining|acquired)$/.test(before) || (/^(?:at|for)$/.test(before) && /^(?:work|works|worked|working|employed|interned|job|engineer|manager)$/.test(earlier))) {
    return { type: "organization", confidence: 0.75 };
  }
  if (/^(?:in|to|from|near)$/.test(before) && /^(?:live|lives|lived|living|based|born|travelled|traveled|flew|relocated|office)$/.test(earlier)) return { type: "place", confidence: 0.7 };
  if (end - start <= 3 && (roles.has(before) || personVerbs.has(next) || (/^(?:works|worked)$/.test(next) && /^(?:at|for|on|with|as)$/.test(after)))) return { type: "person", confidence: 0.75 };
  return { type: "other", confidence: 0.6 };
}
