import { behindFormer, beforeFormer, changeVerbs, changeWords, isAttribute, isVerbWord, negations, prepositions, scopes } from "./cues.ts";
import { type Reading, type Statement, telling } from "./statements.ts";

/** How a later text stands against an earlier one. */
export interface Conflict {
  /** `supersedes`: the later one says that things changed. */
  type: "contradicts" | "supersedes";
  /** 0–1: how sure it is that both mean the same thing at the same place and cannot both hold. */
  strength: number;
  reason: string;
  /** Whether the later text says again, or replaces, all that the earlier one says. */
  isWhole: boolean;
}

/** Share of words in common of texts with several sentences: less, and they may be about different things. */
const sameMatter = 0.5;

/**
 * Two statements conflict where subject and relation are the same, the relation holds for one value at a time, and nothing
 * differs but that value; or where the later text names the value of the earlier one as what held before. Whatever else differs
 * (environment, version, period, person) stands in the words of the subject or in a second difference, and leaves both as they are.
 */
export function conflictOf(earlier: Reading, later: Reading): Conflict | undefined {
  const found = [...between(earlier, later)].toSorted((a, b) => rank(b) - rank(a))[0];
  if (!found) return undefined;
  const replaced = new Set([...between(earlier, later)].map(({ clause }) => clause));
  const isWhole = earlier.clauses.every((clause) => replaced.has(clause) || telling(clause).every((word) => later.content.has(word)));
  const { type, strength, reason } = found;
  return { type, strength, reason, isWhole };
}

const rank = ({ type, strength }: Pair): number => strength + (type === "supersedes" ? 1 : 0);

interface Pair extends Pick<Conflict, "type" | "strength" | "reason"> {
  /** Of the earlier text. */
  clause: readonly string[];
}

function* between(earlier: Reading, later: Reading): Generator<Pair> {
  const isShort = earlier.sentences.length === 1 && later.sentences.length === 1;
  const isNear = isShort || shared(earlier.content, later.content) >= sameMatter;
  for (const old of earlier.statements) {
    if (old.isChange) continue;
    for (const fresh of later.statements) {
      // A change that names its matter in full needs no further likeness of the texts.
      const isMeant = isNear || (fresh.isChange && telling(old.words).length >= 3);
      const pair = isMeant ? (differs(old, fresh) ?? negates(old, fresh)) : undefined;
      if (pair) yield { ...pair, clause: old.words };
    }
    for (const { clauses, isQuestion } of later.sentences) if (!isQuestion && replaces(old, clauses.flat())) yield { type: "supersedes", strength: 0.9, reason: "The later one names what the earlier one says as what held before.", clause: old.words };
  }
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  return both / (a.size + b.size - both);
}

const sameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.size === b.size && [...a].every((word) => b.has(word));

type Found = Omit<Pair, "clause"> | undefined;
const verdict = (isChange: boolean, strength: number, reason: string): Found => ({
  type: isChange ? "supersedes" : "contradicts",
  strength: isChange ? Math.max(strength, 0.85) : strength,
  reason: isChange ? `${reason} The later one says that it changed.` : reason,
});

/** Same subject, same relation, another value. */
function differs(old: Statement, fresh: Statement): Found {
  if (old.isNegated || fresh.isNegated || !sameSet(old.subject, fresh.subject)) return undefined;
  const [was, is] = fresh.isTransition ? [valueOf(old), valueOf(fresh)] : slots(old.rest, fresh.rest);
  if (was.length === 0 || is.length === 0) return undefined;
  const kind = old.kind === "is" ? fresh.kind : old.kind;
  const reason = "Both say one thing of the same subject, with different values.";
  const frame = telling(old.rest.slice(1)).length > was.length;
  const isAbout = [...old.subject].some(isAttribute);
  if (kind === "role") return undefined;
  if (areQuantities(was, is)) {
    if (kind === "many" || (kind === "is" && !isAbout && !frame && !fresh.isTransition && !areTimes(was, is))) return undefined;
    return verdict(fresh.isChange, 0.9, reason);
  }
  if (areTimes(was, is)) return kind === "many" ? undefined : verdict(fresh.isChange, 0.85, reason);
  if (!isName(was) || !isName(is)) return undefined;
  if (kind === "is" && (isAbout || old.isLoose)) return verdict(fresh.isChange, old.isLoose || fresh.isLoose ? weak : 0.85, reason);
  // It may run on Linux and on Kubernetes, and somebody may prefer tea, and short meetings.
  if (kind === "one" && (frame || !isTaste(old.rest[0]))) return verdict(fresh.isChange, weak, reason);
  // "uses Jest for unit tests": one tool, as a rule.
  const isPurpose = kind === "many" && /^(?:use|nutz|verwend)/.test(old.rest[0] ?? "") && old.rest.some((word) => word === "for" || word === "für");
  return isPurpose ? verdict(fresh.isChange, weak, reason) : undefined;
}

/** Enough to ask a person. */
const weak = 0.6;
const isTaste = (verb: string | undefined): boolean => verb !== undefined && /^(?:prefer|bevorzugt|喜欢用)/.test(verb);

/** What differs between two lists of words: what is left when what they begin and end with alike is gone. */
function slots(a: readonly string[], b: readonly string[]): [readonly string[], readonly string[]] {
  // Another verb is another relation.
  if (a[0] !== b[0]) return [[], []];
  let start = 1;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

/** What stands behind the verb and its prepositions. */
const valueOf = ({ rest }: Statement): readonly string[] => telling(rest.slice(1)).filter((word) => !changeVerbs.has(word));

const number = /^[~$€£#v]*(\d[\d.,:_]*)([a-zµ%°€]*)$/;
/** One number each, of the same unit, that differ. */
function areQuantities(a: readonly string[], b: readonly string[]): boolean {
  const [first, second] = [quantityOf(a), quantityOf(b)];
  return first !== undefined && second !== undefined && first.unit === second.unit && first.value !== second.value;
}

function quantityOf(slot: readonly string[]): { value: string; unit: string } | undefined {
  if (slot.length > 3) return undefined;
  const numbers = slot.flatMap((word) => number.exec(word) ?? numerals.get(word) ?? []);
  const matched = slot.filter((word) => number.test(word) || numerals.has(word));
  if (matched.length !== 1) return undefined;
  const [word] = matched as [string];
  const [, value = "", attached = ""] = number.exec(word) ?? [word, numerals.get(word), ""];
  return numbers.length === 0 ? undefined : { value, unit: [attached, ...slot.filter((one) => one !== word && !prepositions.has(one))].filter(Boolean).join(" ") };
}

const numerals = new Map("one two three four five six seven eight nine ten".split(" ").map((word, i) => [word, String(i + 1)]));

const time = /^\d{1,2}:\d{2}$|^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:mon|diens|donners|frei|sams|sonn)tags?$|^mittwochs?$|[周期拜][一二三四五六日天]|[一二三四五六七八九十两\d]点|曜日?$/;
const areTimes = (a: readonly string[], b: readonly string[]): boolean => a.length <= 2 && b.length <= 2 && [a, b].every((slot) => slot.some((word) => time.test(word)));

/** Up to three words that may name something, and say nothing of when or where it holds. */
const isName = (slot: readonly string[]): boolean =>
  slot.length <= 3 && !slot.some((word) => prepositions.has(word) || scopes.has(word) || negations.has(word) || number.test(word) || changeVerbs.has(word) || changeWords.has(word));

/** The same words with and without a negation. */
function negates(old: Statement, fresh: Statement): Found {
  if (old.isNegated === fresh.isNegated || !sameSet(old.subject, fresh.subject)) return undefined;
  const of = ({ rest }: Statement): string => telling(rest).join(" ");
  if (of(old) !== of(fresh) || of(old) === "") return undefined;
  return verdict(fresh.isChange, 0.75, "One says that it is so, the other that it is not.");
}

/** The later sentence names the subject of the earlier statement, and its value behind `from`, `instead of`, `no longer`. */
function replaces(old: Statement, words: readonly string[]): boolean {
  if (old.isNegated || !words.some((word) => beforeFormer.has(word) || behindFormer.has(word))) return false;
  const { value, about } = partsOf(old);
  if (value.length === 0 || value.length > 4 || about.length === 0) return false;
  const named = new Set(words);
  if (!about.every((word) => named.has(word))) return false;
  const lean = words.filter((word) => beforeFormer.has(word) || behindFormer.has(word) || !isForm(word));
  // "from 300 to 900 seconds": the unit may stand once, at the end.
  const bare = value.filter((_, i) => i === 0 || !number.test(value[i - 1] as string));
  return [value, bare].some((sought) => lean.some((word, i) => (beforeFormer.has(word) && holds(lean, i + 1, sought)) || (behindFormer.has(word) && holds(lean, i - sought.length, sought))));
}

const isForm = (word: string): boolean => telling([word]).length === 0;

/** The value of a statement, and what it is the value of: `uses Jest for unit tests`, `deploys the dashboard to Heroku`. */
function partsOf({ subject, rest }: Statement): { value: string[]; about: string[] } {
  const said = rest.slice(1);
  const purpose = said.findIndex((word, i) => i > 0 && (word === "for" || word === "für"));
  const core = purpose < 0 ? said : said.slice(0, purpose);
  const place = core.findIndex((word) => prepositions.has(word));
  const value = telling(core.slice(place + 1));
  const beside = telling([...core.slice(0, Math.max(0, place)), ...(purpose < 0 ? [] : said.slice(purpose))]).filter((word) => !isVerbWord(word));
  return { value, about: [...subject, ...beside] };
}

const holds = (words: readonly string[], at: number, value: readonly string[]): boolean => at >= 0 && value.every((word, i) => words[at + i] === word);
