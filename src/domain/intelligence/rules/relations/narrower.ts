import { isStopWord, termOf, wholeTerms } from "../../../text/query-terms.ts";
import { isTime } from "./cues.ts";

/** The case that a number is for, behind it or at the beginning, and what stays as it is while something else changes. */
const ofCase =
  /(?:^(?=.{0,80}\d)|(?<!\S)\d\S{0,9} (?:(?!is|are|runs)\S{1,12} ){0,3})(?:for|in|on|für|im|auf|bei) (?:\p{L}{1,3} )?(\p{L}+)|(\p{L}{1,30}) (?:stays|remains|bleib\p{L}+)/u;

/** Whether an earlier text speaks of a case that a later one does not name: "25 MB for enterprise customers" is not replaced by "now 20 MB". */
export function isNarrower(earlier: string, later: string): boolean {
  const word = ofCase.exec(earlier.toLowerCase())?.slice(1).find(Boolean);
  return word !== undefined && !isStopWord(word) && !isTime(word) && !wholeTerms(later).includes(termOf(word));
}
