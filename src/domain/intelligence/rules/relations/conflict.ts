import { changeOf } from "./change.ts";
import { changeVerbs, changeWords, isAttribute, isRate, moves, negations, prepositions, scopes, weekday } from "./cues.ts";
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
  const pairs = [...between(earlier, later)].toSorted((a, b) => rank(b) - rank(a));
  const [found] = pairs;
  if (!found) return undefined;
  const replaced = new Set(pairs.map(({ clause }) => clause));
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
  const isWritten = (word: string): boolean => earlier.names.has(word) || later.names.has(word) || number.test(word);
  const isNear = isShort || shared(earlier.content, later.content) >= sameMatter;
  for (const old of earlier.statements) {
    if (old.words.some((word) => changeVerbs.has(word))) continue;
    for (const fresh of later.statements) {
      // A change that names its matter in full needs no further likeness of the texts.
      const isMeant = isNear || (fresh.isChange && telling(old.words).length >= 3);
      const pair = isMeant ? (differs(old, fresh, isWritten) ?? negates(old, fresh)) : undefined;
      if (pair) yield { ...pair, clause: old.words };
    }
  }
  for (const { clauses, isQuestion } of earlier.sentences) {
    if (isQuestion) continue;
    for (const clause of clauses) {
      for (const sentence of later.sentences) {
        // The same change told again.
        if (telling(sentence.clauses.flat()).every((word) => earlier.content.has(word))) continue;
        const change = changeOf(clause, sentence);
        if (change) yield { type: "supersedes", ...change, clause };
      }
    }
  }
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  return both / (a.size + b.size - both);
}

export const sameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.size === b.size && [...a].every((word) => b.has(word));

type Found = Omit<Pair, "clause"> | undefined;
const verdict = (isChange: boolean, strength: number, reason: string): Found => ({
  type: isChange ? "supersedes" : "contradicts",
  strength: isChange ? Math.max(strength, 0.85) : strength,
  reason: isChange ? `${reason} The later one says that it changed.` : reason,
});

/** Same subject, same relation, another value. `isWritten`: like a name, in one of the texts. */
function differs(old: Statement, fresh: Statement, isWritten: (name: string) => boolean): Found {
  if (old.isNegated || fresh.isNegated || !sameSet(old.subject, fresh.subject)) return undefined;
  const [was, is] = fresh.isTransition ? [valueOf(old), valueOf(fresh)] : slots(old.rest, fresh.rest);
  if (was.length === 0 || is.length === 0) return undefined;
  const kind = old.kind === "is" ? fresh.kind : old.kind;
  const reason = "Both say one thing of the same subject, with different values.";
  const frame = telling(old.rest.slice(1)).length > was.length;
  const isAbout = [...old.subject].some(isAttribute);
  if (kind === "role") return undefined;
  if (fresh.isBeside) return undefined;
  if (areQuantities(was, is)) {
    if (kind === "many" || (kind === "is" && !isAbout && !frame && !fresh.isChange && !areTimes(was, is))) return undefined;
    return verdict(fresh.isChange, 0.9, reason);
  }
  if (areTimes(was, is) || (isRate(was) && isRate(is))) return kind === "many" && !fresh.isChange ? undefined : verdict(fresh.isChange, 0.85, reason);
  if (!isName(was) || !isName(is)) return undefined;
  // Where it moved to says nothing of what it was, unless the two are of a kind.
  if (fresh.words.some((word) => moves.has(word))) return undefined;
  if (fresh.isChange && [...was, ...is].every(isWritten) && (kind === "is" || (kind === "many" && standsBehindPreposition(old, was)))) return verdict(true, 0.85, reason);
  if (kind === "is" && (isAbout || old.isLoose)) return verdict(fresh.isChange, old.isLoose || fresh.isLoose ? weak : 0.85, reason);
  // It may run on Linux and on Kubernetes, and somebody may prefer tea, and short meetings.
  if (kind === "one" && (frame || !isTaste(old.rest[0]))) return verdict(fresh.isChange, weak, reason);
  // "uses Jest for unit tests": one tool, as a rule.
  const purpose = old.rest.findIndex((word) => word === "for" || word === "für");
  const isPurpose = kind === "many" && !fresh.isTransition && /^(?:use|nutz|verwend)/.test(old.rest[0] ?? "") && purpose > old.rest.indexOf(was[0] as string);
  return isPurpose ? verdict(fresh.isChange, weak, reason) : undefined;
}

/** Enough to ask a person. */
const weak = 0.6;
const isTaste = (verb: string | undefined): boolean => verb !== undefined && /^(?:prefer|bevorzugt|喜欢用)/.test(verb);

/** "sent with SendGrid": by what something is done there is one, as a rule, and what is done there may be many. */
const standsBehindPreposition = ({ rest }: Statement, [first = ""]: readonly string[]): boolean => prepositions.has(rest[rest.indexOf(first) - 1] ?? "");

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
  return first?.unit === second?.unit && first?.value !== second?.value;
}

function quantityOf(slot: readonly string[]): { value: string; unit: string } | undefined {
  if (slot.length > 3) return undefined;
  const [word, another] = slot.filter((one) => number.test(one) || numerals.has(one));
  if (word === undefined || another !== undefined) return undefined;
  const [, value = "", attached = ""] = number.exec(word) ?? [word, numerals.get(word)];
  return { value, unit: [attached, ...slot.filter((one) => one !== word && !prepositions.has(one))].join(" ").trim() };
}

const numerals = new Map("one two three four five six seven eight nine ten".split(" ").map((word, i) => [word, String(i + 1)]));

const areTimes = (a: readonly string[], b: readonly string[]): boolean => [a, b].every((slot) => slot.length <= 2 && slot.some((word) => weekday.test(word)));

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
