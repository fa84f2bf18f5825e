import { happenedAt, isInThread, type Memory } from "../../memories/memory.ts";
import { timeMatch, timePreference } from "../../text/time-words.ts";
import type { FusionCandidate } from "./candidates.ts";
import { namedBy, topicIn, weightOf, type Question } from "./relevance.ts";
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
  "length", "asks", "you", "tellsTime", "hasNumber",
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
/** Of a long text the first characters show its kind. */
const looked = 2_000;
/** Turns of a thread that were stored one after the other; something of another thread may have come between. */
const nearTurns = 2;

const timeWords = /\b(?:yesterday|today|tomorrow|tonight|last|next|ago|since|week|month|year|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|(?:19|20)\d\d|\d+(?:st|nd|rd|th))\b/i;
const secondPerson = /\b(?:you|your|yours|you're|you've|u)\b/gi;

/** One row for each of `found`, in its order; values in the order of `featureNames`. */
export function featuresOf(question: Question, found: readonly FusionCandidate[], { similarityOf, now }: FeatureOptions): Float32Array[] {
  const [nameOf, topicOf] = [namedBy(question), topicIn(question)];
  const all = Math.max(1e-6, question.weights.reduce((sum, weight) => sum + weight, 0));
  const rarest = Math.max(...question.weights, 1e-6);
  // A memory that belongs to a project counts as saying its name once in a text of average length, which in BM25 is worth just
  // the inverse document frequency: it seldom has that name in its text.
  const topics = found.map(({ memory }) => topicOf(memory));
  const ownBits = found.map(({ evidence }, i) => (evidence.ownTerms | (topics[i] as number)) >>> 0);
  const spoken = found.map(({ text, aliasBoost = 0, evidence }, i) => (text?.score ?? 0) + aliasBoost + weightOf(question, ((topics[i] as number) & ~evidence.ownTerms) >>> 0));
  const hasText = spoken.some((score) => score > 0);
  const compared = found.map(({ vector, near }) => {
    // Beside words that match, its own vector knows that better than what it only mentions; elsewhere that may be all that is near.
    const cosine = hasText ? vector?.score : Math.max(vector?.score ?? -1, near?.score ?? -1);
    return cosine === undefined || cosine === -1 ? undefined : similarityOf(cosine);
  });
  // What was not embedded yet, or lives elsewhere, is taken to be as near as the others.
  const usual = mean(compared.flatMap((value) => value ?? []));
  const similar = compared.map((value) => value ?? usual);
  const bestSpoken = Math.max(1e-6, ...spoken);
  const bestSimilar = Math.max(...similar);
  const worstSimilar = Math.min(bestSimilar - leastSpread, ...similar.filter((value) => value !== none));
  const met = found.map(({ wordMatch }) => wordMatch ?? none);
  const bestMet = Math.max(...met);
  const [when, prefers] = [timeMatch(question.text, now), timePreference(question.text)];
  const byTime = new Map(found.map((_, i) => i).sort((a, b) => happenedAt((found[b] as FusionCandidate).memory) - happenedAt((found[a] as FusionCandidate).memory)).map((i, place) => [i, place]));
  const own = ownBits.map((bits) => weightOf(question, bits) / all);
  const withContext = found.map(({ evidence }, i) => weightOf(question, ((ownBits[i] as number) | evidence.contextTerms) >>> 0) / all);
  const heldByAny = found.reduce((bits, { evidence }) => (bits | evidence.allTerms) >>> 0, 0);
  const { before, after, threads } = neighboursOf(found);
  const threadText = new Map([...threads].map(([thread, members]) => [thread, members.map((i) => spoken[i] as number).sort((a, b) => b - a).slice(0, 5).reduce((sum, score) => sum + score, 0)]));
  const bestThread = Math.max(1e-6, ...threadText.values());
  const opening = question.terms.map(({ term }) => term);
  const asked = askedOf(question, all, heldByAny);

  return found.map((one, i) => {
    const { memory, evidence } = one;
    const head = memory.redaction === undefined ? memory.content.slice(0, looked) : "";
    const [previous, next] = [before.get(i), after.get(i)];
    const bits = ownBits[i] as number;
    const held = weightOf(question, bits);
    const row: Record<FeatureName, number> = {
      text: (spoken[i] as number) / all,
      textShare: (spoken[i] as number) / bestSpoken,
      textRank: (spoken[i] as number) > 0 ? 1 / (1 + above(spoken, (spoken[i] as number) * alike.text)) : 0,
      covered: own[i] as number,
      coveredWithContext: withContext[i] as number,
      matchedIdf: Math.min(maxMatchedIdf, held / question.rarest),
      matchedTerms: bitCount(bits),
      complete: Number(held >= all * 0.999),
      scattered: Math.max(0, weightOf(question, evidence.allTerms) - held) / all,
      rareMissing: rarestMissing(question, bits) / rarest,
      similarity: similar[i] as number,
      similarityShare: usual !== none && bestSimilar > worstSimilar ? ((similar[i] as number) - worstSimilar) / (bestSimilar - worstSimilar) : none,
      similarityGap: bestSimilar - (similar[i] as number),
      vectorRank: usual === none ? 0 : 1 / (1 + above(similar, (similar[i] as number) + alike.similarity)),
      wordMatch: met[i] as number,
      wordMatchGap: bestMet === none || met[i] === none ? none : bestMet - (met[i] as number),
      wordMatchRank: met[i] === none ? 0 : 1 / (1 + above(met, (met[i] as number) + alike.wordMatch)),
      name: nameOf(memory),
      topic: Number((topics[i] as number) > 0),
      near: one.near?.score ?? 0,
      graph: one.graph?.score ?? 0,
      alias: (one.aliasBoost ?? 0) / all,
      opening: beginsWithName(head, question.text, opening),
      previousAsks: previous !== undefined && asks((found[previous] as FusionCandidate).memory) ? (own[previous] as number) : 0,
      previousText: previous === undefined ? 0 : (spoken[previous] as number) / bestSpoken,
      nextText: next === undefined ? 0 : (spoken[next] as number) / bestSpoken,
      neighbourSimilarity: Math.max(none, ...[previous, next].map((at) => (at === undefined ? none : (similar[at] as number)))),
      thread: (threadText.get(memory.namespace) ?? 0) / bestThread,
      inThread: Number(isInThread(memory)),
      length: Math.log2(1 + memory.content.length),
      asks: Number(asks(memory)),
      you: ((head.match(secondPerson)?.length ?? 0) * 20) / (20 + head.length / 6),
      tellsTime: Number(timeWords.test(head)),
      hasNumber: Number(/\d/.test(head)),
      when: when ? when(happenedAt(memory)) : none,
      newer: prefers === undefined || found.length < 2 ? 0.5 : 1 - (byTime.get(i) as number) / (found.length - 1),
      asksNewest: Number(prefers === "newest"),
      asksOldest: Number(prefers === "oldest"),
      terms: question.terms.length,
      bestCovered: Math.max(...own),
      bestSimilarity: bestSimilar,
      bestText: bestSpoken / all,
      ...asked,
    };
    return Float32Array.from(featureNames, (name) => row[name]);
  });
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
const rarestAmong = (memories: number): number => Math.log(1 + (memories - 0.5) / 1.5);

/** A word that the question writes with a capital or a digit, but for its first. */
function isNameIn(text: string, word: string): boolean {
  if (/\d/.test(word)) return true;
  const at = text.toLowerCase().indexOf(word);
  return at > 0 && /\p{Lu}/u.test(text[at] ?? "");
}

function above(values: readonly number[], bar: number): number {
  let count = 0;
  for (const value of values) if (value > bar) count += 1;
  return count;
}

const mean = (values: readonly number[]): number => (values.length === 0 ? none : values.reduce((sum, value) => sum + value, 0) / values.length);

/** Whether a text begins with a name that the question says: whoever speaks stands first. */
function beginsWithName(head: string, asked: string, terms: readonly string[]): number {
  const first = /^[\p{L}\p{N}'-]+/u.exec(head)?.[0] ?? "";
  if (!/^\p{Lu}/u.test(first)) return 0;
  const lower = first.toLowerCase();
  return Number(terms.includes(lower) && asked.includes(first));
}

const asks = ({ content }: Memory): boolean => content.length < looked && content.includes("?");

function rarestMissing({ weights }: Question, bits: number): number {
  let most = 0;
  for (const [i, weight] of weights.entries()) if (((bits >>> i) & 1) === 0 && weight > most) most = weight;
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
