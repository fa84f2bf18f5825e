import { saidIn } from "../../memories/memory-fields.ts";
import type { Memory } from "../../memories/memory.ts";
import { heldTypes } from "./answer-types.ts";
import { isStopWord, wholeTerms } from "../../text/query-terms.ts";

/** What ranking reads out of a memory's text and names, whatever the question is. */
export interface TextTraits {
  /** Names of the memory, each as its terms. */
  names: readonly (readonly string[])[];
  /** The word with which it begins, where that has a capital; else "". */
  opening: string;
  asks: boolean;
  /** How often it says you, for a text of usual length. */
  you: number;
  tellsTime: boolean;
  hasNumber: boolean;
  /** Bits of the kinds of answers of which it holds something (`heldTypes`). */
  answerTypes: number;
}

/** Of a long text the first characters show its kind. */
const looked = 2_000;

const timeWords = /\b(?:yesterday|today|tomorrow|tonight|last|next|ago|since|week|month|year|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|(?:19|20)\d\d|\d+(?:st|nd|rd|th))\b/i;
const secondPerson = /\b(?:you|your|yours|you're|you've|u)\b/gi;

export function textTraits(memory: Memory): TextTraits {
  const { content, redaction } = memory;
  const head = redaction === undefined ? content.slice(0, looked) : "";
  const first = /^[\p{L}\p{N}'-]+/u.exec(head)?.[0] ?? "";
  return {
    names: namesOf(memory),
    opening: /^\p{Lu}/u.test(first) ? first : "",
    asks: content.length < looked && content.includes("?"),
    you: ((head.match(secondPerson)?.length ?? 0) * 20) / (20 + head.length / 6),
    tellsTime: timeWords.test(head),
    hasNumber: /\d/.test(head),
    answerTypes: heldTypes(head),
  };
}

/** The names of a memory: its tags, and the end of its key. */
export function namesOf(memory: Pick<Memory, "key" | "tags" | "enrichment">): string[][] {
  return [...saidIn(memory, "tags"), ...(memory.key === null ? [] : [endOf(memory.key)])].map((name) => [...new Set(wholeTerms(name))].filter((term) => !isStopWord(term))).filter((terms) => terms.length > 0);
}

/** The last part of a key. A number alone names nothing: of `adr.12` it is both parts. */
function endOf(key: string): string {
  const parts = key.split(/[.:/]/);
  return parts.slice(/\p{L}/u.test(parts.at(-1) as string) ? -1 : -2).join(" ");
}
