import { charCodes } from "./char-codes.ts";

/**
 * How o200k_base splits text before it looks for tokens (openai/tiktoken, `tiktoken_ext/openai_public.py`). An answer is
 * measured several times, in two forms, so this reads plain ASCII character by character, five times faster than the regular
 * expression, which stays for the rest.
 */
const upper = String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`;
const lower = String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`;
const ending = "(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?";
const word = String.raw`[^\r\n\p{L}\p{N}]?[${upper}]*[${lower}]+${ending}|[^\r\n\p{L}\p{N}]?[${upper}]+[${lower}]*${ending}`;
const anyPiece = new RegExp(String.raw`${word}|[\p{N}]{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`, "gu");

/** A text without spaces is one piece to the tokenizer; merging takes time by the square of its length. */
const longestPiece = 48;

/** Takes a piece, `from` to `to` in the code units of the text; false ends the walk. */
export type PieceVisitor = (codes: Uint16Array, from: number, to: number) => boolean;

/** Visits the pieces of a text in order, each at most 48 characters; whether it came to the end. */
export const forEachPiece = (text: string, visit: PieceVisitor): boolean => forEachPieceOf(text, charCodes(text), 0, text.length, visit);

/** The same for the part `from` to `to`, which begins and ends where a piece does. */
export function forEachPieceOf(text: string, codes: Uint16Array, from: number, to: number, visit: PieceVisitor): boolean {
  for (let at = from; at < to; ) {
    const foreign = nextForeign(codes, at, to);
    const plainEnd = foreign === to ? to : lastBreak(codes, at, foreign);
    while (at < plainEnd) {
      const end = asciiPieceEnd(codes, at, plainEnd);
      if (!visitParts(codes, at, end, visit)) return false;
      at = end;
    }
    if (at === to) break;
    const end = nextBreak(codes, foreign, to);
    for (const [piece] of text.slice(at, end).matchAll(anyPiece)) {
      if (!visitParts(codes, at, at + piece.length, visit)) return false;
      at += piece.length;
    }
  }
  return true;
}

function visitParts(codes: Uint16Array, from: number, to: number, visit: PieceVisitor): boolean {
  let start = from;
  while (to - start > longestPiece) {
    const whole = start + longestPiece;
    const end = isHighSurrogate(codes[whole - 1] as number) ? whole - 1 : whole;
    if (!visit(codes, start, end)) return false;
    start = end;
  }
  return visit(codes, start, to);
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

const lastAscii = 0x7f;
const [capital, small, digit, newline, blank, sign] = [0, 1, 2, 3, 4, 5] as const;
const kinds = Uint8Array.from({ length: lastAscii + 1 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Z]/.test(character)) return capital;
  if (/[a-z]/.test(character)) return small;
  if (/[0-9]/.test(character)) return digit;
  if (/[\r\n]/.test(character)) return newline;
  return /\s/.test(character) ? blank : sign;
});
const kindAt = (codes: Uint16Array, at: number): number => kinds[codes[at] as number] as number;

const [space, quote, apostrophe, slash] = [0x20, 0x22, 0x27, 0x2f] as const;

/** Where the piece ends that begins here, in ASCII text that goes to `end`: the alternatives of the expression, in their order. */
function asciiPieceEnd(codes: Uint16Array, from: number, end: number): number {
  const first = kindAt(codes, from);
  const second = from + 1 < end ? kindAt(codes, from + 1) : -1;
  // A word, with one character before it that is neither letter, digit nor end of line.
  if (first <= small) return wordEnd(codes, from, end);
  if ((first === blank || first === sign) && (second === capital || second === small)) return wordEnd(codes, from + 1, end);
  if (first === digit) {
    let at = from + 1;
    while (at < end && at < from + 3 && kindAt(codes, at) === digit) at += 1;
    return at;
  }
  if (first === sign || (second === sign && codes[from] === space)) {
    let at = from + 1;
    while (at < end && kindAt(codes, at) === sign) at += 1;
    while (at < end && (kindAt(codes, at) === newline || codes[at] === slash)) at += 1;
    return at;
  }
  return gapEnd(codes, from, end);
}

function wordEnd(codes: Uint16Array, from: number, end: number): number {
  let at = from;
  while (at < end && kindAt(codes, at) === capital) at += 1;
  while (at < end && kindAt(codes, at) === small) at += 1;
  if (at + 1 >= end || codes[at] !== apostrophe) return at;
  const next = smallAt(codes, at + 1);
  if (next === "s" || next === "t" || next === "m" || next === "d") return at + 2;
  const two = at + 2 < end ? next + smallAt(codes, at + 2) : "";
  return two === "re" || two === "ve" || two === "ll" ? at + 3 : at;
}

const smallAt = (codes: Uint16Array, at: number): string => String.fromCharCode(codes[at] as number).toLowerCase();

/** White space up to its last end of line; without one all but its last character, which goes with what follows. */
function gapEnd(codes: Uint16Array, from: number, end: number): number {
  let at = from;
  let afterLine = from;
  for (let kind; at < end && ((kind = kindAt(codes, at)) === blank || kind === newline); at += 1) if (kind === newline) afterLine = at + 1;
  if (afterLine > from) return afterLine;
  return at === end || at === from + 1 ? at : at - 1;
}

function nextForeign(codes: Uint16Array, from: number, end: number): number {
  let at = from;
  while (at < end && (codes[at] as number) <= lastAscii) at += 1;
  return at;
}

/** Between a letter or digit and a space or quotation mark one piece always ends and another begins, whatever stands around them. */
export const isBreak = (codes: Uint16Array, at: number): boolean =>
  (codes[at] === space || codes[at] === quote) && (kinds[codes[at - 1] as number] ?? sign) <= digit;

/** The last break before a character that is not ASCII, or `from`. */
function lastBreak(codes: Uint16Array, from: number, foreign: number): number {
  let at = foreign - 1;
  while (at > from && !isBreak(codes, at)) at -= 1;
  return Math.max(at, from);
}

function nextBreak(codes: Uint16Array, foreign: number, end: number): number {
  let at = foreign + 1;
  while (at < end && !isBreak(codes, at)) at += 1;
  return at;
}
