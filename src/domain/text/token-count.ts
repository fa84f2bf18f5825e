import { charCodes } from "../recall/char-codes.ts";
import { forEachPiece, forEachPieceOf, isBreak } from "../recall/token-pieces.ts";
import { inRankOrder, unpackTokens } from "./packed-tokens.ts";
import { packedTokens } from "./token-ranks.ts";

/**
 * An upper estimate of how many o200k tokens a text takes, without shipping the vocabulary of 200,000 (1 MB compressed).
 * Byte pair encoding merges in the order of rank; this stops after the most frequent merges, and a merge left out can
 * only leave more tokens. So a budget kept by this estimate is kept (features U5); English is estimated some 20 to 30% too high.
 */
export function estimateTokens(text: string): number {
  const codes = charCodes(text);
  const { length } = text;
  let tokens = 0;
  for (let from = 0; from < length; ) {
    const to = stretchEnd(codes, from, length);
    tokens += tokensOfStretch(text, codes, from, to);
    from = to;
  }
  return tokens;
}

/**
 * The end of a few words, about sixteen, which the three characters before it tell, or of a string in JSON. So the same text has
 * the same stretches wherever it stands: an answer shows it in two forms, and is measured in several versions.
 */
function stretchEnd(codes: Uint16Array, from: number, length: number): number {
  for (let at = from + 3; at < length; at += 1) {
    const isSpace = codes[at] === space;
    if (!(isSpace || codes[at] === quote) || !isBreak(codes, at)) continue;
    if (!isSpace) return at;
    const mixed = Math.imul((codes[at - 1] as number) ^ ((codes[at - 2] as number) << 5) ^ ((codes[at - 3] as number) << 10), 0x9e3779b1);
    if (mixed >>> 28 === 0) return at;
  }
  return length;
}

const ellipsis = "…";

/** The longest beginning that fits, ending in an ellipsis, never inside a surrogate pair. */
export function cutTo(text: string, tokens: number): string {
  const ends: number[] = [];
  let spent = 0;
  const fits = forEachPiece(text, (codes, from, to) => {
    spent += tokensIn(codes, from, to);
    if (spent > tokens) return false;
    ends.push(to);
    return true;
  });
  if (fits) return text;
  // A beginning may split otherwise than it does within the whole, so the result is what is measured.
  while (ends.length > 0) {
    const cut = text.slice(0, ends.pop()).trimEnd() + ellipsis;
    if (estimateTokens(cut) <= tokens) return cut;
  }
  return ellipsis;
}

const [space, quote] = [0x20, 0x22] as const;

/**
 * Counts by piece or stretch: texts repeat their words, and an answer is measured in several forms. A part is known by two
 * hashes that begin at random, so that strangers, who choose the words, find no two of one name. Each has four places, newest
 * first: they can neither fill the memory nor empty the table.
 */
class CountTable {
  readonly #names = new Int32Array(ways * sets);
  readonly #checks = new Int32Array(ways * sets);
  /** 0 is not known: none, or too many for the table. */
  readonly #counts = new Uint16Array(ways * sets);
  readonly #seed = (2 ** 32 * Math.random()) | 0;
  readonly #checkSeed = (2 ** 32 * Math.random()) | 0;

  countOf(codes: Uint16Array, from: number, to: number, count: () => number): number {
    let name = this.#seed;
    let check = this.#checkSeed;
    for (let at = from; at < to; at += 1) {
      const code = codes[at] as number;
      name = Math.imul(name ^ code, 0x01000193);
      check = Math.imul(check ^ code, 0x85ebca6b);
    }
    const [names, checks, counts] = [this.#names, this.#checks, this.#counts];
    // The lowest bits of a product are its least mixed ones.
    const first = ways * ((name ^ (name >>> 15)) & (sets - 1));
    for (let i = first; i < first + ways; i += 1) if (names[i] === name && checks[i] === check && counts[i] !== 0) return counts[i] as number;
    const counted = count();
    for (const entries of [names, checks, counts]) entries.copyWithin(first + 1, first, first + ways - 1);
    names[first] = name;
    checks[first] = check;
    counts[first] = counted <= mostCounted ? counted : 0;
    return counted;
  }
}

/** 640 KB in all, for 65,536 parts. */
const sets = 2 ** 14;
const ways = 4;
const mostCounted = 2 ** 16 - 1;
let pieces: CountTable | undefined;
let stretches: CountTable | undefined;

const tokensIn = (codes: Uint16Array, from: number, to: number): number =>
  (pieces ??= new CountTable()).countOf(codes, from, to, () => merge(String.fromCharCode(...codes.subarray(from, to))));

const tokensOfStretch = (text: string, codes: Uint16Array, from: number, to: number): number =>
  (stretches ??= new CountTable()).countOf(codes, from, to, () => {
    let tokens = 0;
    forEachPieceOf(text, codes, from, to, (_, start, end) => {
      tokens += tokensIn(codes, start, end);
      return true;
    });
    return tokens;
  });

const ascii = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();
let ranks: Map<string, number> | undefined;

/** Bytes as the characters U+0000 to U+00FF. */
const bytesOf = (text: string): string => (ascii.test(text) ? text : String.fromCharCode(...encoder.encode(text)));

/** A token of the table that is no whole text is written as its bytes, in Braille. */
export const tokenOf = (written: string): string =>
  /[⠀-⣿]/.test(written) ? written.replaceAll(/[⠀-⣿]/g, (byte) => String.fromCharCode(byte.charCodeAt(0) & 255)) : bytesOf(written);

/** How many tokens are left when all mergers that the table knows are done. */
function merge(piece: string): number {
  ranks ??= new Map(unpackTokens(packedTokens).map(tokenOf).map((token, at) => [token, at < inRankOrder ? at : inRankOrder + token.length]));
  const bytes = bytesOf(piece);
  return bytes.length === 1 || ranks.has(bytes) ? 1 : mostTokens(ranks, [...bytes], { left: 24 });
}

/**
 * Merges by rank, and where that is not known the shorter first. Of two such that overlap either may come first: both are tried, `tries`
 * times in a piece, and what leaves more tokens counts.
 */
function mostTokens(table: Map<string, number>, tokens: string[], tries: { left: number }): number {
  const rankAt = (at: number): number => (at + 1 < tokens.length ? (table.get(`${tokens[at]}${tokens[at + 1]}`) ?? none) : none);
  const merges = tokens.map((_, at) => rankAt(at));
  for (;;) {
    let best = 0;
    for (let i = 1; i < merges.length; i += 1) if ((merges[i] as number) < (merges[best] as number)) best = i;
    const rank = merges[best] as number;
    if (rank === none) return tokens.length;
    const rivals = rank < inRankOrder ? [] : [best - 1, best + 1].filter((at) => (merges[at] ?? none) !== none);
    if (rivals.length > 0) {
      if (tries.left === 0) return tokens.length;
      tries.left -= 1;
      return Math.max(...[best, ...rivals].map((at) => mostTokens(table, merged(tokens, at), tries)));
    }
    tokens.splice(best, 2, `${tokens[best]}${tokens[best + 1]}`);
    merges.splice(best, 1);
    merges[best] = rankAt(best);
    if (best > 0) merges[best - 1] = rankAt(best - 1);
  }
}

const none = Number.POSITIVE_INFINITY;
const merged = (tokens: string[], at: number): string[] => tokens.toSpliced(at, 2, `${tokens[at]}${tokens[at + 1]}`);
