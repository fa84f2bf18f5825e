import { termOf, words, isStopWord } from "../text/query-terms.ts";
import { estimateTokens } from "../text/token-count.ts";
import { type Fact, type FactKind, factKinds, factsIn, isDecision, kindOf, nameFinder } from "./facts.ts";
import { type Segment, segmentsOf, shortened, textOf } from "./segments.ts";
import { selectSegments, type Weighed } from "./select-segments.ts";

export interface CompressOptions {
  /** At most so many tokens, as long as whole sentences fit. */
  targetTokens?: number | undefined;
  /** The share of facts, 0–1, that the result holds at least; it goes before the target. 0.95 where neither is said. */
  qualityThreshold?: number | undefined;
}

export interface Compressed {
  text: string;
  /** How many times fewer tokens. */
  ratio: number;
  originalTokens: number;
  tokens: number;
  /** The share of the facts of the text (`facts.ts`) that the result still holds. */
  retained: number;
  facts: Record<FactKind, { found: number; kept: number }>;
}

/** The share of facts that a text keeps unless something else is asked for (OmniMemory document, `omn_store_memory`). */
export const usualQuality = 0.95;
/** Without a target nothing is compressed further than this, however few facts it holds (the document's own figure). */
const mostRatio = 12;

/** Set on half of the notes of `test/evals/sets/long-notes.json`; a name alone says little of what was said of it. */
const worth: Record<FactKind, number> = { numbers: 1.5, identifiers: 1, names: 0.25, negations: 1, decisions: 1.5 };
/** What a word of the text's subject is worth at most. One that occurs once says little of it, and so does one of every sentence. */
const termWorth = 0.06;
const rareTermWorth = 0.02;
/** In a heading, which is shown for what stands below it. */
const headingShare = 0.25;
/** For the beginning of the text, which goes behind a number or a denial, of a section, and for a section about decisions. */
const bonuses = { opening: 0.75, section: 0.3, decisions: 0.6 };

/**
 * The sentences and lines that hold a text's facts, as they stand and in their order, without the rest. Nothing is said in other
 * words, and no sentence is cut: it is there whole, without phrases that say nothing, or not at all. The same text gives the same
 * result always.
 */
export function compress(text: string, { targetTokens, qualityThreshold }: CompressOptions = {}): Compressed {
  const originalTokens = estimateTokens(text);
  const whole = text.trim() === "" || (targetTokens !== undefined && originalTokens <= targetTokens);
  const { segments, speakers } = whole ? { segments: [], speakers: [] } : segmentsOf(text);
  const said = segments.map(shortened);
  // Some write every word of a heading with a capital.
  const names = nameFinder(whole ? [text] : said.filter((_, i) => !segments[i]?.isHeading), speakers);
  const found = whole ? [factsIn(text, names)] : segments.map(({ label }, i) => factsIn(label + (said[i] as string), names));
  const all = new Set(found.flatMap((facts) => [...facts]));
  const unchanged = (): Compressed => ({ text, ratio: 1, originalTokens, tokens: originalTokens, ...tally(all, all) });
  if (whole) return unchanged();

  const quality = qualityThreshold ?? (targetTokens === undefined ? usualQuality : 0);
  const target = targetTokens ?? Math.ceil(originalTokens / mostRatio);
  const weighed = weigh(segments, said, found);
  let best: { shown: string; tokens: number; kept: ReadonlySet<Fact> } | undefined;
  // Joined, sentences may take another number of tokens than each by itself.
  for (let room = target; room > 0 && (best === undefined || best.tokens > target); room -= best.tokens - target) {
    const chosen = chosenFor(weighed, { target: room, enough: quality * all.size, isOpen: quality > 0 });
    const kept = new Set(chosen.flatMap((at) => [...(found[at] as Set<Fact>)]));
    const shown = textOf(chosen.map((at) => ({ ...(segments[at] as Segment), text: said[at] as string })));
    const tokens = estimateTokens(shown);
    if (best !== undefined && tokens >= best.tokens) break;
    best = { shown, tokens, kept };
    if (quality > 0) break;
  }
  if (best === undefined || best.tokens >= originalTokens || best.shown.length >= text.length) return unchanged();
  return { text: best.shown, ratio: originalTokens / best.tokens, originalTokens, tokens: best.tokens, ...tally(all, best.kept) };
}

function chosenFor(weighed: readonly Weighed[], { target, enough, isOpen }: { target: number; enough: number; isOpen: boolean }): number[] {
  // What the target leaves out is added where the quality asks for it.
  const chosen = selectSegments(weighed, {
    room: isOpen ? Infinity : target,
    isEnough: (facts, tokens) => (isOpen ? tokens >= target && facts.size >= enough : false),
  });
  return chosen.sort((a, b) => a - b);
}

function weigh(segments: readonly Segment[], said: readonly string[], found: readonly ReadonlySet<Fact>[]): Weighed[] {
  const terms = said.map((text, i) => new Set(segments[i]?.isHeading ? [] : words(text, { parts: false }).map(termOf).filter((term) => !isStopWord(term))));
  const frequency = new Map<string, number>();
  for (const own of terms) for (const term of own) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const termWorths = new Map([...frequency].map(([term, count]) => [term, count === 1 ? rareTermWorth : termWorth * Math.min(2, Math.log2(count)) * (1 - count / said.length) ** 2]));
  const headings = segments.map(({ isHeading }, i) => isHeading && isDecision(said[i] as string));
  return segments.map((segment, i): Weighed => {
    const isUnderDecisions = segment.needs.some((at) => headings[at]);
    const isSectionStart = segments[i - 1]?.isHeading === true;
    return {
      // The end of a line is one.
      tokens: estimateTokens(said[i] as string) + (segments[i + 1]?.line === segment.line ? 0 : 1),
      labelTokens: segment.label === "" ? 0 : estimateTokens(segment.label),
      line: segment.line,
      needs: segment.needs,
      facts: new Map([...(found[i] as ReadonlySet<Fact>)].map((fact) => [fact, worth[kindOf(fact)] * (segment.isHeading ? headingShare : 1)])),
      terms: new Map([...(terms[i] as Set<string>)].map((term) => [term, termWorths.get(term) as number])),
      bonus: (i === 0 ? bonuses.opening : 0) + (isSectionStart ? bonuses.section : 0) + (isUnderDecisions ? bonuses.decisions : 0),
    };
  });
}

function tally(all: ReadonlySet<Fact>, kept: ReadonlySet<Fact>): Pick<Compressed, "retained" | "facts"> {
  const count = (facts: ReadonlySet<Fact>, kind: FactKind): number => [...facts].filter((fact) => kindOf(fact) === kind).length;
  const facts = Object.fromEntries(factKinds.map((kind) => [kind, { found: count(all, kind), kept: count(kept, kind) }])) as Compressed["facts"];
  return { retained: all.size === 0 ? 1 : kept.size / all.size, facts };
}
