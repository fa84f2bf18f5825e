import { verbatim } from "../verbatim.ts";
import { type Finding, outermost } from "./finding.ts";
import { findOrders } from "./order-score.ts";

/** Characters that nobody sees: tags, zero-width ones in numbers, and those that turn the direction of text. */
const hidden = /(?<![\u{1f3f4}\u{e0000}-\u{e007f}])[\u{e0000}-\u{e007f}]{2,}|(?:[\u200b\u2060\ufeff]|\u200d(?!\p{Extended_Pictographic})|\u200c(?!\p{L})){3,}|(?:[\p{sc=Latin}\p{sc=Han}]\s?[\u200b-\u200d\u2060\ufeff]\s?){4,}|[\u202d\u202e\u2066\u2067][^\u202c\u2069\n]{3,}/gu;
const invisible = /[\u{e0000}-\u{e007f}\u200b\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069\u180e]/gu;
/** Each costs as much as the text. */
const mostDecoded = 8;
const base64 = /[A-Za-z0-9+/_-]{32,}={0,2}/g;
/** Between letters that stand alone. */
const spacing = /[ .\-_*·](?=\p{L}(?!\p{L}))(?<=(?<!\p{L})\p{L}.)/gu;
/** Fewer are initials, or a list of options. */
const leastSpaced = 6;
/** Words with digits or signs in the place of letters; fewer are names of models and standards. */
const mixedWord = /(?<![\w@$])(?:[A-Za-z]+[013457@$!]+[A-Za-z]+|\d[A-Za-z]{2,})[\w@$!]*/g;
const leastMixed = 3;
/** Letters of other scripts that look like Latin ones (Unicode Technical Standard 39), and digits in their place. */
const lookAlikes: Readonly<Record<string, string>> = Object.fromEntries([...verbatim`аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwɡgӏlνvοoαaρpτtκkιiυuηn`.matchAll(/(..)/gu)].map(([pair]) => [pair.charAt(0), pair.charAt(1)]));
/** Most letters of other scripts look like none. */
const alike = new RegExp(`[${Object.keys(lookAlikes).join("")}]`, "giu");
const leet: Readonly<Record<string, string>> = { "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s", "!": "i" };

/**
 * Finds text that is aimed at the model which reads it, also where it is spelt, encoded or hidden so that people miss it. 10,000
 * characters take a few milliseconds.
 */
export function findInstructions(text: string): Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(hidden)) found.push({ kind: "hidden characters", start: match.index, end: match.index + match[0].length });
  found.push(...findOrders(text));
  if (found.length > 0) return outermost(found);
  for (const match of [...text.matchAll(base64)].slice(0, mostDecoded)) {
    const decoded = decode(match[0]);
    if (decoded !== undefined && findOrders(decoded).length > 0) found.push({ kind: "an encoded order", start: match.index, end: match.index + match[0].length });
  }
  const respelt = respellings(text);
  if (found.length === 0 && respelt.some((spelling) => findOrders(spelling).length > 0)) found.push({ kind: "a disguised order", start: 0, end: text.length });
  return outermost(found);
}

/** The text as somebody reads it who sees through disguises; only where there is one. */
function respellings(text: string): string[] {
  const folded = text.normalize("NFKC").replaceAll(invisible, "").replaceAll(alike, (letter) => lookAlikes[letter.toLowerCase()] ?? letter);
  const joined = (folded.match(spacing)?.length ?? 0) < leastSpaced ? folded : folded.replaceAll(spacing, "");
  const isLeet = (folded.match(mixedWord)?.length ?? 0) >= leastMixed;
  const words = !isLeet ? folded : folded.replaceAll(/(?<![\w])(?=[\w@$!]{0,40}[A-Za-z])[\w@$!]{3,}/g, (word) => word.replaceAll(/[013457@$!]/g, (sign) => leet[sign] ?? sign));
  const rotated = /\brot-?13\b/i.test(text) ? [folded.replaceAll(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + (/[a-m]/i.test(letter) ? 13 : -13)))] : [];
  return [folded, joined, words, ...rotated].filter((spelling, i, all) => spelling !== text && all.indexOf(spelling) === i);
}

function decode(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")), (character) => character.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return /^[\p{L}\p{M}\p{N}\p{P}\p{S}\s]+$/u.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
