import type { EntityType } from "../graph.ts";
import type { Lexicon } from "./lexicon.ts";
import type { Mention } from "./mentions.ts";
import { endsClause, type Token } from "./tokenizer.ts";
import { isAuxiliary, verbAt, type Verb } from "./verbs.ts";

export interface Relation {
  source: Named;
  type: string;
  target: Named;
  confidence: number;
  /** The word of the sentence that says so. */
  at: number;
}

export interface Named {
  name: string;
  type: EntityType;
  confidence: number;
}

/** The people that a text's pronouns mean, where that is known. */
export interface Referents {
  /** Who says `I`. */
  speaker: string | undefined;
  /** Who is `we`: the project that the memory belongs to. */
  group: string | undefined;
}

/** In words: what stands further apart seldom belongs together. */
const reach = 5;

/** A sentence with one of these does not say that it is so. */
const notSo = new Set(
  "not never no cannot can't don't doesn't didn't won't wouldn't isn't aren't wasn't weren't hasn't haven't shouldn't neither nor without should could might may would if whether unless maybe perhaps consider considering considered stop stopped avoid".split(" "),
);
const fillers = new Set(
  `a an the our its their his her my your this that these those some all both only just also still now already currently mostly mainly really always usually often has have had is are was were be been being will
  to new old main whole own primary internal latest default production local which who that then recently finally directly previously originally later`.split(/\s+/),
);
const articles = new Set(["a", "an", "the", "our", "its", "their", "his", "her", "my", "your"]);
const conjunctions = new Set(["and", "or", "&", "plus"]);
/** Where a thing without a name ends. */
const phraseEnds = new Set(
  `over to in on at for from with by of and or but because since when while after before as than instead that which who if so then is are was were has have will until during via per through into onto about rather now today
  yesterday tomorrow very much more it them him her us you me i we they he she this these those there here what how where not`.split(/\s+/),
);

export function relationsIn(sentence: readonly Token[], mentions: readonly Mention[], referents: Referents, lexicon: Lexicon): Relation[] {
  const words = sentence.map(({ lower }) => lower);
  if (sentence.at(-1)?.close.includes("?")) return [];
  const starts = new Map(mentions.map((mention) => [mention.start, mention]));
  const ends = new Map(mentions.map((mention) => [mention.end, mention]));
  const covered = new Set(mentions.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)));
  const found: Relation[] = exchanges(sentence, starts);
  let subjects: Named[] = [];
  for (let i = 0; i < words.length; ) {
    const match = covered.has(i) ? undefined : verbAt(words, i);
    if (!match || sentence.slice(i, match.end - 1).some(endsClause) || rangeHas(covered, i, match.end) || (words[i] === "used" && words[match.end] === "to")) {
      i += 1;
      continue;
    }
    const { verb, end } = match;
    const said = subjectsBefore(sentence, i, ends, covered, referents) ?? (continues(sentence, i) ? subjects : []);
    if (said.length > 0) subjects = said;
    const denied = words.slice(Math.max(0, i - 3), i).some((word) => notSo.has(word));
    const objects = denied || said.length === 0 || wrongVoice(verb, words, i) ? [] : objectsAfter(sentence, end, starts, covered, said[0]?.type === "person" && verb.anything === true, lexicon);
    for (const subject of said) {
      for (const object of objects) {
        const [source, target] = verb.passive ? [object, subject] : [subject, object];
        if (source.name !== target.name) found.push({ source, type: verb.type === "lives_in" && source.type !== "person" ? "located_in" : verb.type, target, confidence: Math.min(source.confidence, target.confidence, 0.85), at: i });
      }
    }
    // `moved from Berlin to Lisbon`
    const [origin] = objects;
    const goal = verb.type.endsWith("_from") && origin ? goalAfter(words, mentions, origin) : undefined;
    if (goal) for (const source of said) found.push({ source, type: verb.type.replace("_from", "_to"), target: goal, confidence: Math.min(source.confidence, goal.confidence, 0.85), at: i });
    i = end;
  }
  return found;
}

function goalAfter(words: readonly string[], mentions: readonly Mention[], origin: Named): Mention | undefined {
  const from = mentions.find(({ name }) => name === origin.name);
  return from && words[from.end] === "to" ? mentions.find(({ start }) => start === from.end + 1) : undefined;
}

function rangeHas(covered: ReadonlySet<number>, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (covered.has(i)) return true;
  return false;
}

/** `X was replaced Y` is no sentence, and `X replaced by Y` is one only with its auxiliary or as a note. */
const wrongVoice = (verb: Verb, words: readonly string[], i: number): boolean =>
  !verb.passive && isAuxiliary(words[i - 1]) && /^(?:used|replaced|called|owned|maintained|led|managed|created|built|caused|triggered|fixed|resolved|imported|acquired|supported|required)$/.test(words[i] ?? "") && !/^(?:on|with)$/.test(words[i + 1] ?? "");

/** The names that end right before the verb, but for words that do not count. Undefined when something else does the deed. */
function subjectsBefore(sentence: readonly Token[], verb: number, ends: ReadonlyMap<number, Mention>, covered: ReadonlySet<number>, referents: Referents): Named[] | undefined {
  for (let i = verb; i > 0 && verb - i <= reach; i -= 1) {
    const before = sentence[i - 1] as Token;
    const mention = ends.get(i);
    if (mention) {
      // A comma may part the name from what is said of it only before who and which.
      if (endsClause(before) && !/^(?:which|who)$/.test(sentence[i]?.lower ?? "") && !/^[):]+$/.test(before.close)) return undefined;
      if (before.possessive || mention.type === "date") return undefined;
      const place = sentence[mention.start - 1]?.lower ?? "";
      // A statement about `TS2345 in src/app.ts` is one about the error.
      const owner = placed.has(place) ? ends.get(mention.start - 1) : undefined;
      if (owner) return [owner];
      if (prepositions.has(place)) return [];
      return [mention, ...joinedBefore(sentence, mention, ends)];
    }
    if (covered.has(i - 1)) return undefined;
    if (i < verb && endsClause(before)) return undefined;
    const referent = referentOf(before.lower, sentence[i - 2]?.lower, referents);
    if (referent) return [referent];
    const named = namedThing(sentence, i, covered);
    if (named) return [named];
    if (!fillers.has(before.lower) && !/(?:ly|n't)$/.test(before.lower) && !notSo.has(before.lower) && !nounsOfNames.has(before.lower)) return undefined;
  }
  return undefined;
}

/** `The bug in getUser caused …`: the name is not what did it. */
const placed = new Set(["in", "on", "at", "of", "from", "for"]);
const prepositions = new Set(["of", "from", "with", "by", "about", "like", "than"]);
/** `the PostgreSQL cluster runs on …` still speaks of PostgreSQL. */
const nounsOfNames = new Set("gateway proxy store bucket site website repo repository cli codebase service services server team module cluster app application api component package library job worker script function class table database queue instance dashboard bot pipeline client frontend backend project".split(" "));

/** `the checkout service`: a thing of this team that goes by no name of its own. */
function namedThing(sentence: readonly Token[], end: number, covered: ReadonlySet<number>): Named | undefined {
  const noun = sentence[end - 1] as Token;
  if (!nounsOfNames.has(noun.lower)) return undefined;
  for (let start = end - 2; start >= 0 && end - start <= 3; start -= 1) {
    const article = sentence[start - 1]?.lower ?? "";
    const token = sentence[start] as Token;
    if (covered.has(start) || endsClause(token) || token.possessive || fillers.has(token.lower) || !/^\p{L}[\p{L}\p{N}-]+$/u.test(token.word)) return undefined;
    if (article === "the" || article === "our") return { name: sentence.slice(start, end).map(({ word }) => word).join(" "), type: "concept", confidence: 0.6 };
  }
  return undefined;
}

function referentOf(word: string, article: string | undefined, { speaker, group }: Referents): Named | undefined {
  if ((word === "i" || word === "i've" || word === "i'm") && speaker !== undefined) return { name: speaker, type: "person", confidence: 0.85 };
  const ours = /^(?:project|app|codebase|repo|repository|team)$/.test(word) && /^(?:the|our|this)$/.test(article ?? "");
  if ((ours || word === "we" || word === "we've" || word === "we're") && group !== undefined) return { name: group, type: "other", confidence: 0.75 };
  return undefined;
}

/** `Alice, Bob and Carol`: those before the last one. */
function joinedBefore(sentence: readonly Token[], last: Mention, ends: ReadonlyMap<number, Mention>): Named[] {
  const found: Named[] = [];
  for (let { start } = last; ; ) {
    const join = sentence[start - 1];
    const viaWord = join !== undefined && conjunctions.has(join.lower);
    const other = ends.get(viaWord ? start - 1 : start);
    const comma = sentence[(other?.end ?? 0) - 1]?.close === ",";
    if (!other || (!viaWord && (!comma || found.length === 0)) || other.type === "date") return found;
    found.push(other);
    ({ start } = other);
  }
}

/** `… and works at …`: the verb goes on with the subject of the one before. */
function continues(sentence: readonly Token[], verb: number): boolean {
  for (let i = verb - 1; i >= 0 && verb - i <= 3; i -= 1) {
    const { lower } = sentence[i] as Token;
    if (lower === "and" || lower === "but" || lower === "then") return true;
    if (!fillers.has(lower) && !lower.endsWith("ly")) return false;
  }
  return false;
}

function objectsAfter(
  sentence: readonly Token[],
  start: number,
  starts: ReadonlyMap<number, Mention>,
  covered: ReadonlySet<number>,
  anything: boolean,
  lexicon: Lexicon,
): Named[] {
  for (let i = start; i < sentence.length && i - start <= reach; i += 1) {
    const mention = starts.get(i);
    if (mention) return mention.type === "date" ? [] : [mention, ...joinedAfter(sentence, mention, starts)];
    const { lower } = sentence[i] as Token;
    if (covered.has(i) || (i > 0 && endsClause(sentence[i - 1] as Token))) return [];
    if (!fillers.has(lower) || conjunctions.has(lower)) {
      // Only an article may stand before a thing: `would like to hear` names none.
      return anything && sentence.slice(start, i).every((token) => articles.has(token.lower)) ? thing(sentence, i, covered, lexicon) : [];
    }
  }
  return [];
}

function joinedAfter(sentence: readonly Token[], first: Mention, starts: ReadonlyMap<number, Mention>): Named[] {
  const found: Named[] = [];
  for (let { end } = first; ; ) {
    const close = sentence[end - 1]?.close ?? "";
    if (close !== "" && close !== ",") return found;
    const viaWord = conjunctions.has(sentence[end]?.lower ?? "");
    const other = starts.get(viaWord ? end + 1 : end);
    // After "and" a new clause may begin, whose subject the name is.
    if (!other || (!viaWord && close !== ",") || other.type === "date" || verbAt(sentence.map(({ lower }) => lower), other.end)) return found;
    if (other.type !== "version") found.push(other);
    ({ end } = other);
  }
}

/** Up to three words that name a thing: `prefers dark mode`, `owns the payments module`. */
function thing(sentence: readonly Token[], start: number, covered: ReadonlySet<number>, lexicon: Lexicon): Named[] {
  const words: string[] = [];
  for (let i = start; i < sentence.length && words.length < 4; i += 1) {
    const token = sentence[i] as Token;
    if (covered.has(i) || phraseEnds.has(token.lower) || !/^[\p{L}][\p{L}\p{N}'’/+-]*$/u.test(token.word)) break;
    words.push(token.word);
    if (endsClause(token)) break;
  }
  const name = words.join(" ");
  const nominal = lexicon.mayBeNoun((words.at(-1) ?? "").toLowerCase()) && !words.slice(0, -1).some((word) => quantities.has(word.toLowerCase()));
  const telling = words.length > 0 && words.length <= 3 && name.length >= 3 && nominal && (words.length > 1 || /^(?:common|unknown)$/.test(lexicon.classOf(name))) && !/ly$|^(?:using|having|being|doing|working|making|getting|going)$/.test(words[0] ?? "");
  return telling ? [{ name, type: "concept", confidence: 0.6 }] : [];
}

const quantities = new Set("every each all both some any many few more most ones one two three no such".split(" "));

/** `replaced A with B`, `from A to B`, `B instead of A`: which thing took the place of which. */
function exchanges(sentence: readonly Token[], starts: ReadonlyMap<number, Mention>): Relation[] {
  const found: Relation[] = [];
  for (const [start, first] of starts) {
    const before = sentence[start - 1]?.lower ?? "";
    const join = sentence[first.end]?.lower ?? "";
    const last = sentence[first.end - 1] as Token;
    const skip = /^(?:the|our|a|an)$/.test(sentence[first.end + 1]?.lower ?? "") ? 1 : 0;
    const second = starts.get(first.end + 1 + skip);
    if (!second || endsClause(last) || !exchangeable(first) || !exchangeable(second) || second.name === first.name) continue;
    const earlier = sentence.slice(Math.max(0, start - 6), start).map(({ lower }) => lower);
    if (earlier.some((word) => notSo.has(word))) continue;
    const replaced = join === "with" && earlier.some((word) => /^(?:replace|replaced|replacing|replaces|swapped|swap)$/.test(word));
    const moved = join === "to" && before === "from" && earlier.some((word) => /^(?:switch|migrat|mov|port|chang|convert|went|transition|upgrad)\w*$/.test(word));
    if (replaced || moved) found.push({ source: second, type: "replaced", target: first, confidence: Math.min(first.confidence, second.confidence, 0.85), at: start });
  }
  for (const [start, second] of starts) {
    if (sentence[start - 1]?.lower !== "of" || sentence[start - 2]?.lower !== "instead") continue;
    const first = [...starts.values()].find(({ end }) => end === start - 2);
    if (first && exchangeable(first) && exchangeable(second)) found.push({ source: first, type: "preferred_over", target: second, confidence: 0.75, at: start });
  }
  return found;
}

const exchangeable = ({ type }: Mention): boolean => type === "technology" || type === "package" || type === "code" || type === "version" || type === "other" || type === "file";
