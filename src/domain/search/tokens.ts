import { frequentTokens } from "./token-ranks.ts";

/** How o200k_base splits text before it looks for tokens (openai/tiktoken, `tiktoken_ext/openai_public.py`). */
const splitter = (upper: string, lower: string, letter: string, digit: string): RegExp => {
  const ending = "(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?";
  const before = String.raw`[^\r\n${letter}${digit}]?`;
  const word = `${before}[${upper}]*[${lower}]+${ending}|${before}[${upper}]+[${lower}]*${ending}`;
  return new RegExp(String.raw`${word}|[${digit}]{1,3}| ?[^\s${letter}${digit}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`, "gu");
};

/** Most text is ASCII, for which the engine need not load the tables of Unicode. */
const asciiPieces = splitter("A-Z", "a-z", "A-Za-z", "0-9");
const unicodePieces = splitter(
  String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`, String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`, String.raw`\p{L}`, String.raw`\p{N}`,
);
const ascii = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();

/** A text without spaces is one piece to the tokenizer; merging takes time by the square of its length. */
const longestPiece = 48;

const piecesOf = (text: string): string[] =>
  (text.match(ascii.test(text) ? asciiPieces : unicodePieces) ?? []).flatMap((piece) => (piece.length <= longestPiece ? piece : parts(piece)));

function parts(piece: string): string[] {
  const found: string[] = [];
  for (let from = 0; from < piece.length; ) {
    const whole = from + longestPiece;
    const to = /[\ud800-\udbff]/.test(piece.charAt(whole - 1)) ? whole - 1 : whole;
    found.push(piece.slice(from, to));
    from = to;
  }
  return found;
}

/**
 * An upper estimate of how many o200k tokens a text takes, without shipping the vocabulary of 200,000 (1 MB compressed).
 * Byte pair encoding merges in the order of rank; this stops after the most frequent merges, and a merge left out can
 * only leave more tokens. So a budget kept by this estimate is kept (features U5); English is estimated about 20% too high.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const piece of piecesOf(text)) tokens += tokensIn(piece);
  return tokens;
}

const ellipsis = "…";

/** The longest beginning that fits, ending in an ellipsis, never inside a surrogate pair. */
export function cutTo(text: string, tokens: number): string {
  const ends: number[] = [];
  let end = 0;
  let spent = 0;
  for (const piece of piecesOf(text)) {
    spent += tokensIn(piece);
    if (spent > tokens) break;
    end += piece.length;
    ends.push(end);
  }
  if (spent <= tokens) return text;
  // A beginning may split otherwise than it does within the whole, so the result is what is measured.
  while (ends.length > 0) {
    const cut = text.slice(0, ends.pop()).trimEnd() + ellipsis;
    if (estimateTokens(cut) <= tokens) return cut;
  }
  return ellipsis;
}

/** Texts repeat their words, and an answer is measured in several forms. Bounded, since strangers choose the words. */
const counts = new Map<string, number>();
const maxCounts = 20_000;
/** From 13 characters on V8 keeps a part of a string as a view, which would hold on to the whole text. */
const longestKept = 12;

function tokensIn(piece: string): number {
  const known = counts.get(piece);
  if (known !== undefined) return known;
  const count = merge(piece);
  if (piece.length > longestKept) return count;
  if (counts.size >= maxCounts) counts.clear();
  counts.set(piece, count);
  return count;
}

let ranks: Map<string, number> | undefined;

/** How many tokens are left when all mergers that the table knows are done. */
function merge(piece: string): number {
  ranks ??= new Map(frequentTokens.split("\v").map((token, rank) => [token, rank]));
  const table = ranks;
  // Bytes as the characters U+0000 to U+00FF, which is how the table writes them.
  const bytes = ascii.test(piece) ? piece : String.fromCharCode(...encoder.encode(piece));
  if (bytes.length === 1 || table.has(bytes)) return 1;

  /** Where each token begins, and the end; beside it the rank of its merger with the next. */
  const starts = Array.from({ length: bytes.length + 1 }, (_, i) => i);
  const rankAt = (i: number): number => {
    const end = starts[i + 2];
    return end === undefined ? Number.POSITIVE_INFINITY : (table.get(bytes.slice(starts[i], end)) ?? Number.POSITIVE_INFINITY);
  };
  const merges = starts.map((_, i) => rankAt(i));
  for (;;) {
    let best = 0;
    for (let i = 1; i < merges.length; i += 1) if ((merges[i] as number) < (merges[best] as number)) best = i;
    if (merges[best] === Number.POSITIVE_INFINITY) return starts.length - 1;
    starts.splice(best + 1, 1);
    merges.splice(best + 1, 1);
    merges[best] = rankAt(best);
    if (best > 0) merges[best - 1] = rankAt(best - 1);
  }
}
