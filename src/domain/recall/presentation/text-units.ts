import { estimateTokens } from "../../text/token-count.ts";
import { paragraphsOf, sentenceEnd, type Span } from "./excerpt.ts";

/** A part of a text that is shown whole or not at all; the units of a text stand side by side without a gap. */
export interface Unit extends Span {
  /** In which paragraph it stands. */
  paragraph: number;
  tokens: number;
}

/** Units of at most so many tokens. */
export interface Cutting {
  tokens: number;
  shift: 0 | 1;
}

/** A block of code between fences, to the end of its last line. */
const fenced = /^(?<fence>`{3,}|~{3,})[^\n]*\n[^]*?^\k<fence>[^\n]*(?:\n|$)/gm;

/** Of a sentence that is too long, the parts at which it is cut: words with the space behind them, then what a word is made of. */
const parts = [/\S+\s*|\s+/gu, /[\p{L}\p{N}\p{M}_]+[^\p{L}\p{N}\p{M}_]*|[^\p{L}\p{N}\p{M}_]+/gu, /[^]{1,2}/gu] as const;

/**
 * Sentences, lines and blocks of code, none of more than so many tokens: a longer one is cut between words, and a longer word
 * anywhere. No two texts of `shift` 0 and 1 are cut inside a word at the same place.
 */
export function unitsOf(text: string, cutting: Cutting): Unit[] {
  return joinedAround(text, paragraphsOf(text)).flatMap(({ start, end }, paragraph) =>
    spansOf(text, { start, end }, cutting).map((span) => ({ ...span, paragraph, tokens: estimateTokens(text.slice(span.start, span.end)) })));
}

/** Paragraphs that a block of code goes through are one. */
function joinedAround(text: string, paragraphs: readonly Span[]): Span[] {
  const blocks = [...text.matchAll(fenced)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  const whole: Span[] = [];
  for (const { start, end } of paragraphs) {
    const before = whole.at(-1);
    if (before && blocks.some((block) => block.start < start && start < block.end)) before.end = end;
    else whole.push({ start, end });
  }
  return whole;
}

function spansOf(text: string, { start, end }: Span, cutting: Cutting): Span[] {
  const paragraph = text.slice(start, end);
  const blocks = [...paragraph.matchAll(fenced)].filter(([block]) => estimateTokens(block) <= cutting.tokens).map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  const borders = new Set(blocks.flatMap((block) => [block.start, block.end]));
  for (const { index, 0: gap } of paragraph.matchAll(sentenceEnd)) {
    const at = index + gap.length;
    if (!blocks.some((block) => block.start < at && at < block.end)) borders.add(at);
  }
  borders.add(paragraph.length);
  borders.delete(0);
  let from = 0;
  return [...borders].sort((a, b) => a - b).flatMap((to) => {
    const span = { start: start + from, end: start + to };
    from = to;
    return cut(text, span, cutting, 0);
  });
}

/** Pieces of the span that fit, each as long as it can be. */
function cut(text: string, span: Span, cutting: Cutting, level: number): Span[] {
  const part = parts[level];
  const said = text.slice(span.start, span.end);
  if (part === undefined || estimateTokens(said) <= cutting.tokens) return [span];
  const found: Span[] = [];
  /** Of the last one, as long as more may be put to it. */
  let spent = Infinity;
  for (const [piece, at] of piecesOf(said, part, level === parts.length - 1 ? cutting.shift : 0)) {
    const own = { start: span.start + at, end: span.start + at + piece.length };
    const size = estimateTokens(piece);
    const last = found.at(-1);
    if (size > cutting.tokens) {
      found.push(...cut(text, own, cutting, level + 1));
      spent = Infinity;
    } else if (last && spent + size <= cutting.tokens) {
      last.end = own.end;
      spent += size;
    } else {
      found.push(own);
      spent = size;
    }
  }
  return found;
}

function piecesOf(text: string, part: RegExp, shift: number): [piece: string, at: number][] {
  const first = shift === 0 ? "" : String.fromCodePoint(text.codePointAt(0) as number);
  const rest = [...text.slice(first.length).matchAll(part)].map(({ index, 0: piece }): [string, number] => [piece, first.length + index]);
  return first === "" ? rest : [[first, 0], ...rest];
}
