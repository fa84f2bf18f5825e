import { spaced } from "../../frame.ts";
import { findTerms } from "../find-terms.ts";
import { termOf, words } from "../../text/query-terms.ts";
import { cutTo, estimateTokens } from "../../text/token-count.ts";

const ellipsis = "…";

/** Ends of sentences and lines; CJK writes no space after its full stop. The point of "1. Januar" ends none; an abbreviation may end one too early, which only moves a cut. */
export const sentenceEnd = /(?<=[.!?…]["'”’)\]]?)(?<!(?:^|[\s(])\d\d?\.)\s+|(?<=[。!?])|\n+/gu;

const blankLines = /\n\s*\n\s*/g;
/** In characters. */
const longestHeading = 80;
const isHeading = (paragraph: string): boolean => paragraph.length <= longestHeading && !/\n|[.!?。！？]$/u.test(paragraph);

/** How far a cut inside a sentence stands before the first word asked for. */
const leadIn = 60;

export interface Span {
  start: number;
  end: number;
}

interface Sentence extends Span {
  /** Which of the words asked for it holds. */
  terms: ReadonlySet<string>;
}

/**
 * The part of a text that a question is about, in at most so many tokens: the paragraph that holds most of the words asked for,
 * or of a long one the sentences around them, with an ellipsis where something was cut; the beginning when none of the words
 * occurs.
 */
export function excerpt(text: string, terms: readonly string[], tokens: number): string {
  const total = estimateTokens(text);
  if (total <= tokens) return text;
  const wanted = new Set(terms.map(termOf));
  const room = Math.floor((text.length * tokens) / total);
  const about = startOfBest(text, wanted, room);
  // What would end behind the cut, where the part takes more tokens than the rest, may be the answer.
  const taken = estimateTokens(text.slice(about, about + room));
  const start = taken <= tokens ? about : startOfBest(text, wanted, Math.floor((room * tokens) / taken));
  return cutTo(start === 0 ? text : ellipsis + text.slice(start), tokens);
}

/** Where the next `room` characters hold most of the words asked for. */
function startOfBest(text: string, wanted: ReadonlySet<string>, room: number): number {
  const { start, end } = bestParagraph(text, wanted);
  return end - start <= room ? start : start + startOfSentences(text.slice(start, end), wanted, room);
}

/** The one that holds most of the words, rare ones first: words of two paragraphs are often about two things. */
function bestParagraph(text: string, wanted: ReadonlySet<string>): Span {
  const paragraphs = paragraphsOf(text).map((span) => ({ ...span, terms: termsIn(text.slice(span.start, span.end), wanted) }));
  const frequency = frequencyIn(paragraphs);
  const worth = ({ terms }: { terms: ReadonlySet<string> }): number => [...terms].reduce((sum, term) => sum + 1 / (frequency.get(term) as number), 0);
  return paragraphs.reduce((best, next) => (worth(next) > worth(best) ? next : best));
}

/** Paragraphs, separated by blank lines, each with the headings above it. */
export function paragraphsOf(text: string): Span[] {
  const found: Span[] = [];
  let start = 0;
  for (const end of [...[...text.matchAll(blankLines)].map((match) => match.index + match[0].length), text.length]) {
    if (end < text.length && isHeading(text.slice(start, end).trim())) continue;
    found.push({ start, end });
    start = end;
  }
  return found;
}

const termsOf = (text: string): string[] => words(text).map(termOf);
const termsIn = (text: string, wanted: ReadonlySet<string>): ReadonlySet<string> => new Set(findTerms(text, wanted, termsOf).hits.map(({ term }) => term));

/** In how many of these a word occurs. */
function frequencyIn(parts: readonly { terms: ReadonlySet<string> }[]): ReadonlyMap<string, number> {
  const frequency = new Map<string, number>();
  for (const { terms } of parts) for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  return frequency;
}

/** Where to begin so that the next `room` characters hold most of the words asked for, rare ones first. */
function startOfSentences(text: string, wanted: ReadonlySet<string>, room: number): number {
  const sentences = sentencesOf(text, wanted);
  const frequency = frequencyIn(sentences);
  let best = { from: -1, to: -1, worth: 0 };
  for (const [from, first] of sentences.entries()) {
    if (first.terms.size === 0) continue;
    const held = new Set<string>();
    let worth = 0;
    for (let to = from; to < sentences.length; to += 1) {
      const { end, terms } = sentences[to] as Sentence;
      if (to > from && end - first.start > room) break;
      for (const term of terms) {
        if (held.has(term)) continue;
        held.add(term);
        worth += 1 / (frequency.get(term) as number);
      }
      if (worth > best.worth) best = { from, to, worth };
    }
  }
  const [first, last, before] = [sentences[best.from], sentences[best.to], sentences[best.from - 1]];
  if (!first || !last) return 0;
  if (first.end - first.start > room) return insideOf(text, first, wanted);
  // The sentence before says what the words are about, if there is room for both.
  return before && last.end - before.start <= room ? before.start : first.start;
}

function sentencesOf(text: string, wanted: ReadonlySet<string>): Sentence[] {
  const ends = [...text.matchAll(sentenceEnd)].map((match) => ({ end: match.index, next: match.index + match[0].length }));
  let start = 0;
  return [...ends, { end: text.length, next: text.length }].map(({ end, next }) => {
    const sentence = { start, end, terms: termsIn(text.slice(start, end), wanted) };
    start = next;
    return sentence;
  });
}

/** A little before the first word asked for, at the beginning of a word. */
function insideOf(text: string, { start, end }: Sentence, wanted: ReadonlySet<string>): number {
  const sentence = text.slice(start, end);
  const match = [...sentence.matchAll(/[\p{L}\p{N}\p{M}_]+/gu)].find(([run]) => words(run).some((word) => wanted.has(termOf(word))));
  if (!match || match.index <= leadIn) return start;
  const boundary = sentence.slice(match.index - leadIn, match.index).search(/(?<=\s)\S/u);
  return start + (boundary < 0 ? match.index : match.index - leadIn + boundary);
}

/** The beginning of a text on one line. */
export function preview(text: string, length: number): string {
  const line = spaced(text).trim();
  return [...line].length <= length ? line : `${[...line].slice(0, length - 1).join("")}…`;
}
