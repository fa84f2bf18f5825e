import { isStopWord, queryTerms } from "../text/query-terms.ts";
import { verbatim } from "../verbatim.ts";

/** In characters: a longer text is a task and no question. In words after the one that asks: what says less leaves out what it asks about ("and for how long?"). */
const [longest, shortest] = [300, 2];
const mostParts = 3;

/** What a question begins with: a word that asks, or a verb with its subject. */
const opening = verbatim`(?:wh(?:o|om|ose|at|en|ere|ich|y|(?:o|at|en|ere)'s)|how|w(?:er|e[mn]|as|ann|o|o(?:her|hin|mit|für)|arum|ie)|welche[mnrs]?|où|qu(?:i|and|el(?:le)?s?)|comment|pourquoi|combien|¿?(?:qu(?:é|ién)|cuá\p{L}+|dónde|cómo)|(?:is|are|was|do|does|did|can|should) (?:it|we|i|you|they|there|the|our|an?))(?![\p{L}'-])`;
const asking = new RegExp(verbatim`^\P{L}*(?:\p{L}{1,4} ){0,2}?${opening}`, "iu");
/** Where the next question begins; a comma alone may stand before a clause of the same one. */
const joint = new RegExp(verbatim`(?:(?:\? +|,? )(?:and|und|et|y) |\? +)(?=(?:\p{L}{1,4} )?${opening})`, "iu");
const han = /\p{sc=Han}/u;
const hanJoint = /[？?，,；]|还有|以及/;
const hanAsking = /谁|什么|哪|何时|怎么|如何|多少|几/;
/** What stands for something that the question before it names. */
const pointing = /(?<!\p{L})(?:its?|they|them|their|he|him|his|she|her|sie|er|ihn|ih[mr]|(?:what|how) about|which (?:is|are|do|does|did)|that(?=\W*$))(?!\p{L})|^\P{L}*\p{L}+ (?:l[aeo]s?|s'en|en) |[它他她]|^.{1,5}$/iu;

/** The questions that a text asks: two or three where each asks something of its own, else itself. Where a later one points to what the first is about, its words go with it. */
export function partsOf(question: string): string[] {
  const isHan = han.test(question);
  const parts = question.length > longest ? [] : question.split(isHan ? hanJoint : joint).map((part) => part.trim()).filter(Boolean);
  if (parts.length < 2 || parts.length > mostParts || !parts.every(isHan ? isHanQuestion : isQuestion)) return [question];
  const about = queryTerms(parts[0] as string).map(({ word }) => word).join(" ");
  return parts.map((part, i) => (i > 0 && pointing.test(part) ? `${part} (${about})` : part));
}

const isHanQuestion = (part: string): boolean => part.length > shortest && hanAsking.test(part);

const isQuestion = (part: string): boolean =>
  asking.test(part) && part.replace(asking, "").trim().split(/\s+/).length >= shortest && queryTerms(part).some(({ word }) => !isStopWord(word));
