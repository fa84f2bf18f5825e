import { happenedAt, isInThread } from "../../memories/memory.ts";
import { askedType } from "./answer-types.ts";
import { timeMatch, timesIn } from "../../text/time-words.ts";
import { traitsOfMemory } from "../kept-words.ts";
import type { FusionCandidate } from "./candidates.ts";
import { namedBy, rarestAmong, topicIn, weightOf, type Question } from "./relevance.ts";
import { maxMatchedIdf } from "../weights.ts";

/**
 * What ranking and relevance are learned from: one row for each candidate of a search. A value without a unit is a share; `none`
 * says that there is nothing to compare. `scripts/ranker/` trains on rows made by this very code.
 */
export const featureNames = [
  // How its words match.
  "text", "textShare", "textRank", "covered", "coveredWithContext", "matchedIdf", "matchedTerms", "complete", "scattered", "rareMissing",
  // How near it is by meaning.
  "similarity", "similarityShare", "similarityGap", "vectorRank",
  // How near its words are to those of the question, each for itself.
  "wordMatch", "wordMatchGap", "wordMatchRank",
  // What it is called and belongs to, and where the graph leads.
  "name", "topic", "near", "graph", "alias", "opening",
  // What stands around it.
  "previousAsks", "previousText", "nextText", "neighbourSimilarity", "thread", "inThread",
  // What kind of text it is.
  "length", "asks", "you", "tellsTime", "hasNumber", "typed", "focus",
  // When it was.
  "when", "newer", "asksNewest", "asksOldest",
  // The question, and how well the candidates answer it all in all.
  "terms", "bestCovered", "bestSimilarity", "bestText", "unheld", "namesUnheld", "asksWho", "asksWhen", "asksWhere", "asksNumber", "asksYesNo", "small",
] as const;
export type FeatureName = (typeof featureNames)[number];

export interface FeatureOptions {
  /** A cosine on a scale that is the same for every model: 0 as unrelated texts, 1 as related ones. */
  similarityOf(cosine: number): number;
  /** The caller's clock, against which time words are read; ms since the epoch. */
  now: number;
}

const none = -9;
/** Similarities that differ by less say little of which memory is meant. */
const leastSpread = 1.5;
/** What is no better than by so much has the same rank. */
const alike = { text: 1.03, similarity: 0.15, wordMatch: 0.01 };
/** Turns of a thread that were stored one after the other; something of another thread may have come between. */
const nearTurns = 2;

/** A feature of all candidates: a value for each of them, or one that they have in common. */
type Column = readonly number[] | number;

/** One row for each of `found`, in its order; values in the order of `featureNames`. */
export function featuresOf(question: Question, found: readonly FusionCandidate[], { similarityOf, now }: FeatureOptions): Float32Array[] {
  const [nameOf, topicOf] = [namedBy(question), topicIn(question)];
  const all = Math.max(1e-6, question.weights.reduce((sum, weight) => sum + weight, 0));
  const rarest = Math.max(...question.weights, 1e-6);
  // A memory that belongs to a project counts as saying its name once in a text of average length, which in BM25 is worth just
  // the inverse document frequency: it seldom has that name in its text.
  const topics = found.map(({ memory }) => topicOf(memory));
  const { periods, words, prefers } = timesIn(question.text, now);
  const when = timeMatch(periods);
  const inTime = when ? found.map(({ memory }) => when(happenedAt(memory))) : none;
  const dated = question.terms.reduce((bits, { word }, i) => (words.has(word) ? (bits | (1 << i)) >>> 0 : bits), 0);
  // So does what happened when the question says: it seldom says the date itself. A turn of a talk tells of what was before it.
  const saysDate = found.map(({ memory }, i) => inTime !== none && at(inTime, i) === 1 && !isInThread(memory));
  const implied = topics.map((bits, i) => (saysDate[i] ? (bits | dated) >>> 0 : bits));
  const ownBits = found.map(({ evidence }, i) => (evidence.ownTerms | at(implied, i)) >>> 0);
  const spoken = found.map(({ text, aliasBoost = 0, evidence }, i) => (text?.score ?? 0) + aliasBoost + weightOf(question, (at(implied, i) & ~evidence.ownTerms) >>> 0));
  const bestSpoken = Math.max(1e-6, ...spoken);
  const hasText = spoken.some((score) => score > 0);
  const compared = found.map(({ vector, near }) => {
    // Beside words that match, its own vector knows that better than what it only mentions; elsewhere that may be all that is near.
    const cosine = hasText ? vector?.score : Math.max(vector?.score ?? -1, near?.score ?? -1);
    return cosine === undefined || cosine === -1 ? undefined : similarityOf(cosine);
  });
  // What was not embedded yet, or lives elsewhere, is taken to be as near as the others.
  const usual = mean(compared.filter((value) => value !== undefined));
  const similar = compared.map((value) => value ?? usual);
  const bestSimilar = Math.max(...similar);
  const worstSimilar = Math.min(bestSimilar - leastSpread, ...similar.filter((value) => value !== none));
  const met = found.map(({ wordMatch }) => wordMatch ?? none);
  const bestMet = Math.max(...met);
  const held = ownBits.map((bits) => weightOf(question, bits));
  const covered = held.map((weight) => weight / all);
  const heldByAny = found.reduce((bits, { evidence }) => (bits | evidence.allTerms) >>> 0, 0);
  const traits = found.map(({ memory }) => traitsOfMemory(memory));
  const { before, after, threads } = neighboursOf(found);
  const threadText = new Map([...threads].map(([thread, members]) => [thread, members.map((i) => at(spoken, i)).sort((a, b) => b - a).slice(0, 5).reduce((sum, score) => sum + score, 0)]));
  const bestThread = Math.max(1e-6, ...threadText.values());
  const [asked, focus] = [askedType(question.text), focusOf(question)];
  const terms = new Set(question.terms.map(({ term }) => term));
  // Whether it begins with a name that the question says, as whoever speaks does, or others do and it does not.
  const openings = traits.map(({ opening }) => opening !== "" && terms.has(opening.toLowerCase()) && question.text.includes(opening));
  const beside = (neighbours: ReadonlyMap<number, number>, values: readonly number[], otherwise: number): number[] => found.map((_, i) => values[neighbours.get(i) ?? -1] ?? otherwise);
  const [similarBefore, similarAfter] = [beside(before, similar, none), beside(after, similar, none)];

  return rowsOf(found.length, {
    text: spoken.map((score) => score / all),
    textShare: spoken.map((score) => score / bestSpoken),
    textRank: ranksIn(spoken, (score) => (score > 0 ? score * alike.text : undefined)),
    covered,
    coveredWithContext: found.map(({ evidence }, i) => weightOf(question, (at(ownBits, i) | evidence.contextTerms) >>> 0) / all),
    matchedIdf: held.map((weight) => Math.min(maxMatchedIdf, weight / question.rarest)),
    matchedTerms: ownBits.map(bitCount),
    complete: held.map((weight) => Number(weight >= all * 0.999)),
    scattered: found.map(({ evidence }, i) => Math.max(0, weightOf(question, evidence.allTerms) - at(held, i)) / all),
    rareMissing: ownBits.map((bits) => rarestMissing(question, bits) / rarest),
    similarity: similar,
    similarityShare: usual !== none && bestSimilar > worstSimilar ? similar.map((value) => (value - worstSimilar) / (bestSimilar - worstSimilar)) : none,
    similarityGap: similar.map((value) => bestSimilar - value),
    vectorRank: usual === none ? 0 : ranksIn(similar, (value) => value + alike.similarity),
    wordMatch: met,
    wordMatchGap: met.map((value) => (value === none ? none : bestMet - value)),
    wordMatchRank: ranksIn(met, (value) => (value === none ? undefined : value + alike.wordMatch)),
    name: traits.map(({ names }) => nameOf(names)),
    topic: topics.map((bits) => Number(bits > 0)),
    near: found.map(({ near }) => near?.score ?? 0),
    graph: found.map(({ graph }) => graph?.score ?? 0),
    alias: found.map(({ aliasBoost = 0 }) => aliasBoost / all),
    opening: openings.map((opens) => Number(opens) - Number(!opens && openings.includes(true))),
    previousAsks: beside(before, covered.map((share, i) => (traits[i]?.asks ? share : 0)), 0),
    previousText: beside(before, spoken, 0).map((score) => score / bestSpoken),
    nextText: beside(after, spoken, 0).map((score) => score / bestSpoken),
    neighbourSimilarity: similarBefore.map((value, i) => Math.max(none, value, at(similarAfter, i))),
    thread: found.map(({ memory }) => (threadText.get(memory.namespace) ?? 0) / bestThread),
    inThread: found.map(({ memory }) => Number(isInThread(memory))),
    length: found.map(({ memory }) => Math.log2(1 + memory.content.length)),
    asks: traits.map(({ asks }) => Number(asks)),
    you: traits.map(({ you }) => you),
    tellsTime: traits.map(({ tellsTime }) => Number(tellsTime)),
    hasNumber: traits.map(({ hasNumber }) => Number(hasNumber)),
    typed: asked === -1 ? 0.5 : traits.map(({ answerTypes }) => (answerTypes >>> asked) & 1),
    focus: focus === -1 ? 0.5 : ownBits.map((bits) => (bits >>> focus) & 1),
    when: inTime,
    newer: prefers === undefined || found.length < 2 ? 0.5 : newest(found).map((place) => 1 - place / (found.length - 1)),
    asksNewest: Number(prefers === "newest"),
    asksOldest: Number(prefers === "oldest"),
    terms: question.terms.length,
    bestCovered: Math.max(...covered),
    bestSimilarity: bestSimilar,
    bestText: bestSpoken / all,
    ...askedOf(question, all, heldByAny),
  });
}

const at = (values: readonly number[], i: number): number => values[i] as number;

/** The columns as rows, one after the other in one array. */
function rowsOf(count: number, columns: Record<FeatureName, Column>): Float32Array[] {
  const width = featureNames.length;
  const table = new Float32Array(count * width);
  for (const [place, name] of featureNames.entries()) {
    const column = columns[name];
    for (let i = 0; i < count; i += 1) table[i * width + place] = typeof column === "number" ? column : at(column, i);
  }
  return Array.from({ length: count }, (_, i) => table.subarray(i * width, (i + 1) * width));
}

/** One over the rank of each value: those above its bar stand before it. 0 for what has none. */
function ranksIn(values: readonly number[], barOf: (value: number) => number | undefined): number[] {
  const ascending = Float64Array.from(values).sort();
  return values.map((value) => {
    const bar = barOf(value);
    return bar === undefined ? 0 : 1 / (1 + countAbove(ascending, bar));
  });
}

function countAbove(ascending: Float64Array, bar: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) > bar) high = middle;
    else low = middle + 1;
  }
  return ascending.length - low;
}

/** The place of each by time, the newest first. */
function newest(found: readonly FusionCandidate[]): number[] {
  const times = found.map(({ memory }) => happenedAt(memory));
  const places = times.map(() => 0);
  for (const [place, i] of times.map((_, i) => i).sort((a, b) => at(times, b) - at(times, a)).entries()) places[i] = place;
  return places;
}

/** What does not depend on the candidate. */
function askedOf(question: Question, all: number, heldByAny: number): Pick<Record<FeatureName, number>, "unheld" | "namesUnheld" | "asksWho" | "asksWhen" | "asksWhere" | "asksNumber" | "asksYesNo" | "small"> {
  const { text } = question;
  const begins = (words: RegExp): number => Number(words.test(text));
  const names = question.terms.map(({ word }) => isNameIn(text, word));
  const missing = question.terms.filter((_, i) => names[i] && ((heldByAny >>> i) & 1) === 0).length;
  return {
    unheld: 1 - weightOf(question, heldByAny) / all,
    namesUnheld: missing / Math.max(1, names.filter(Boolean).length),
    asksWho: begins(/\bwho(?:se|m)?\b/i),
    asksWhen: begins(/\b(?:when|how long|what (?:date|day|month|year|time)|since)\b/i),
    asksWhere: begins(/\bwhere\b/i),
    asksNumber: begins(/\bhow (?:many|much|often|old|big|large|high)\b/i),
    asksYesNo: begins(/^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b/i),
    small: sizeOf(question),
  };
}

/** Of the memories that were searched: 1 for a few dozen, 0 from some 500 on. In steps: a finer one would name the set that the models learned from. */
const sizeOf = ({ rarest }: Question): number => (rarest < rarestAmong(64) ? 1 : rarest < rarestAmong(512) ? 0.5 : 0);

const asksWhat = /\b(?:what|which|how (?:many|much)|was f[uü]r|welche[mnrs]?|wie ?viele?|quel(?:le)?s?|combien de|qué|cuánt[oa]s?|cuál(?:es)?)\b/iu;

/**
 * The place of the word that says what is asked for, such as "hotel" in "In which hotel did Marit stay?": the first behind the question
 * word that is no name. −1 where there is none.
 */
function focusOf({ text, terms }: Question): number {
  const asks = asksWhat.exec(text);
  if (!asks) return -1;
  const from = asks.index + asks[0].length;
  const lower = text.toLowerCase();
  const isGerman = /^w/i.test(asks[0]) && !/^wh/i.test(asks[0]);
  return terms.findIndex(({ word }) => {
    const at = lower.indexOf(word, from);
    return at > 0 && (isGerman || !/\p{Lu}/u.test(text[at] ?? ""));
  });
}

/** A word that the question writes with a capital or a digit, but for its first. */
function isNameIn(text: string, word: string): boolean {
  if (/\d/.test(word)) return true;
  const at = text.toLowerCase().indexOf(word);
  return at > 0 && /\p{Lu}/u.test(text[at] ?? "");
}

const mean = (values: readonly number[]): number => (values.length === 0 ? none : values.reduce((sum, value) => sum + value, 0) / values.length);

function rarestMissing({ weights }: Question, bits: number): number {
  let most = 0;
  for (let i = 0; i < weights.length; i += 1) if (((bits >>> i) & 1) === 0 && at(weights, i) > most) most = at(weights, i);
  return most;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count += 1;
  return count;
}

/** The turns just before and after each one, among the candidates; and the members of each thread. */
function neighboursOf(found: readonly FusionCandidate[]): { before: Map<number, number>; after: Map<number, number>; threads: Map<string, number[]> } {
  const threads = new Map<string, number[]>();
  for (const [i, { memory }] of found.entries()) {
    if (!isInThread(memory)) continue;
    const members = threads.get(memory.namespace);
    if (members) members.push(i);
    else threads.set(memory.namespace, [i]);
  }
  const [before, after] = [new Map<number, number>(), new Map<number, number>()];
  const aliasOf = (i: number): number => (found[i] as FusionCandidate).memory.alias;
  for (const members of threads.values()) {
    members.sort((a, b) => aliasOf(a) - aliasOf(b));
    for (let at = 1; at < members.length; at += 1) {
      const [one, other] = [members[at - 1] as number, members[at] as number];
      if (aliasOf(other) - aliasOf(one) > nearTurns) continue;
      before.set(other, one);
      after.set(one, other);
    }
  }
  return { before, after, threads };
}
