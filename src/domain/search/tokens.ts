import { frequentTokens } from "./token-ranks.ts";

/** How o200k_base splits text before it looks for tokens (openai/tiktoken, `tiktoken_ext/openai_public.py`). */
const pieces = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join("|"),
  "gu",
);

/** A text without spaces is one piece to the tokenizer; merging takes time by the square of its length. */
const longestPiece = 48;

const ascii = /^[\0-\x7f]*$/; // oxlint-disable-line no-control-regex -- the range is what is meant
const encoder = new TextEncoder();

let ranks: Map<string, number> | undefined;

/**
 * An upper estimate of how many o200k tokens a text takes, without shipping the vocabulary of 200,000 (1 MB compressed).
 * Byte pair encoding merges in the order of rank; this stops after the most frequent merges, and a merge left out can
 * only leave more tokens. So a budget kept by this estimate is kept (features U5); English is estimated about 20% too high.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) {
    if (piece.length <= longestPiece) tokens += pieceTokens(piece);
    else for (const part of partsOf(piece)) tokens += pieceTokens(part);
  }
  return tokens;
}

function* partsOf(piece: string): Generator<string> {
  let from = 0;
  while (from < piece.length) {
    let to = from + longestPiece;
    if (/[\ud800-\udbff]/.test(piece.charAt(to - 1))) to -= 1;
    yield piece.slice(from, to);
    from = to;
  }
}

/** Bytes as the characters U+0000 to U+00FF, which is how the table writes them. */
const bytesOf = (piece: string): string => (ascii.test(piece) ? piece : String.fromCharCode(...encoder.encode(piece)));

function pieceTokens(piece: string): number {
  ranks ??= new Map(frequentTokens.split("\v").map((token, rank) => [token, rank]));
  const table = ranks;
  const bytes = bytesOf(piece);
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
