import { repeats } from "../../memories/repetition.ts";
import { addsFacts } from "../../recall/selection/novelty.ts";
import type { Decisions } from "../answers.ts";
import type { Note } from "../intelligence.ts";
import { forgottenBy } from "./forgetting.ts";
import { isRate, isTime } from "./relations/cues.ts";
import { isNarrower } from "./relations/narrower.ts";
import { endedTerms, goesOn, leaving, negation, sameSubject, single, type Statement, standing, statementOf, termsOf } from "./statements.ts";

type Decision = Decisions["memory"][number];

/** How a fact stands to a memory, strongest first. */
const relations = ["says", "changes", "ends"] as const;
interface Found {
  relation: (typeof relations)[number];
  confidence: number;
  reasoning: string;
}

/**
 * What becomes of each fact, by rules. A memory is changed or ended only by a structure that both have in common: the same
 * subject and relation with another value, a change that names the old value, or an end that names what the memory says. A wrong
 * change costs a memory, a wrong addition a line: where anything is open, the fact is added. No memory is changed twice.
 */
export function decideByRules(facts: readonly string[], present: readonly Note[]): Decisions {
  const notes = present.map(({ content }) => statementOf(content));
  const taken = new Set<number>();
  const said = facts.map(statementOf);
  const decided = facts.map((text, i): Decision => {
    const forgotten = forgottenBy(text);
    if (forgotten !== undefined) return forgetting(text, forgotten, notes, present, taken);
    // A later sentence of the same conversation takes it back.
    const corrected = said.findIndex((later, at) => at > i && mayConcern(later, said[i] as Statement) && relationOf(later, said[i] as Statement, facts[at] as string, text)?.relation === "changes");
    if (corrected >= 0) return { event: "NONE", text, confidence: 0.8, reasoning: "The same conversation says otherwise later." };
    const found = notes.flatMap((note, target) => {
      const relation = mayConcern(said[i] as Statement, note) && relationOf(said[i] as Statement, note, text, (present[target] as Note).content);
      return relation ? [{ target, ...relation }] : [];
    });
    for (const relation of relations) {
      const first = found.find((one) => one.relation === relation && (relation === "says" || !taken.has(one.target)));
      if (!first) continue;
      const { target, confidence, reasoning } = first;
      if (relation !== "says") taken.add(target);
      return { event: relation === "says" ? "NONE" : relation === "changes" || goesOn(said[i] as Statement) ? "UPDATE" : "DELETE", target, text, confidence, reasoning };
    }
    // "I moved to Berlin" has replaced it: that it ended says nothing more.
    if (found.some(({ relation }) => relation === "ends")) return { event: "NONE", text, confidence: 0.8, reasoning: "What it ends is changed already." };
    return { event: "ADD", text, confidence: 0.7, reasoning: "Nothing that is stored says, changes or ends the same." };
  });
  return { memory: decided };
}

/** Of the memories that say it, or say of it little more, there has to be one: nobody knows which of several is meant. */
function forgetting(text: string, forgotten: string, notes: readonly Statement[], present: readonly Note[], taken: Set<number>): Decision {
  const fact = statementOf(forgotten);
  // "User's phone number" is a subject and says nothing.
  const isNamed = (note: Statement): boolean => note.subject !== "" && forgotten.toLowerCase().replace(/[.!]$/, "") === note.subject;
  const concerned = [...notes.keys()].filter((at) => mayConcern(fact, notes[at] as Statement));
  const saying = concerned.filter((at) => saysAll(fact, notes[at] as Statement, forgotten, (present[at] as Note).content));
  const [target, another] = saying.length > 0 ? saying.slice(0, 1) : concerned.filter((at) => isNamed(notes[at] as Statement) || endsIt(fact, notes[at] as Statement));
  if (target === undefined || another !== undefined || taken.has(target)) return { event: "NONE", text, confidence: 0.8, reasoning: "It is not plain which stored memory is to be forgotten." };
  taken.add(target);
  return { event: "DELETE", target, text, confidence: 0.85, reasoning: "It asks that what is stored be forgotten." };
}

/** What has nothing in common but its subject is compared no further. */
function mayConcern(fact: Statement, note: Statement): boolean {
  for (const term of fact.terms) if (note.terms.has(term) && term !== fact.subject) return true;
  return [fact, note].every(({ telling }) => telling.some((token) => maritalStatus.has(token)));
}

function relationOf(fact: Statement, note: Statement, text: string, noteText: string): Found | undefined {
  if (saysAll(fact, note, text, noteText)) return { relation: "says", confidence: 0.95, reasoning: "It is stored already." };
  if (fact.ends && !note.ends) return endsIt(fact, note) ? { relation: "ends", confidence: 0.85, reasoning: "It says that what is stored holds no more." } : undefined;
  if (note.ends && holdsAgain(fact, note)) return { relation: "changes", confidence: 0.85, reasoning: "It says that what ended holds again." };
  if (note.ends !== fact.ends) return undefined;
  if (changesIt(fact, note)) return { relation: "changes", confidence: 0.85, reasoning: "It says that the stored value was replaced by another." };
  if (hasNewHolder(fact, note)) return { relation: "changes", confidence: 0.85, reasoning: "It names somebody else who has it now." };
  if (!sameSubject(fact, note)) return undefined;
  if (hasOtherValue(fact, note) || hasNewEmployer(fact, note)) return { relation: "changes", confidence: 0.85, reasoning: "It gives the same property of the same subject another value." };
  if (extendsIt(fact, note)) return { relation: "changes", confidence: 0.8, reasoning: "It says all that is stored, and more of the same." };
  return undefined;
}

function saysAll(fact: Statement, note: Statement, text: string, noteText: string): boolean {
  if (fact.ends !== note.ends || fact.negates !== note.negates || !hasAll(note.terms, fact.terms)) return false;
  if (repeats(text, noteText)) return true;
  if (fact.isUnspaced) return plain(fact) === plain(note) && sameSubject(fact, note);
  return sameSubject(fact, note) && !addsFacts(fact.signature, note.signature) && isInOrder(fact, note);
}

/** "tabs over spaces" says something else than "spaces over tabs". */
function isInOrder(fact: Statement, note: Statement): boolean {
  const wanted = [...fact.terms];
  let met = 0;
  for (const term of note.terms) if (term === wanted[met]) met += 1;
  return met === wanted.length;
}
const hasAll = (all: ReadonlySet<string>, some: ReadonlySet<string>): boolean => [...some].every((one) => all.has(one));
const plain = ({ tokens }: Statement): string => tokens.join("").replaceAll(/(?:です|ます|[了的。])$/gu, "").replace(/^(?:私は|我)/u, "");

/** The fact names the old value that the note has; all else that the note says stands in the fact, too. */
function changesIt(fact: Statement, note: Statement): boolean {
  const { change } = fact;
  if (!change || note.isCompound) return false;
  const [from, to] = [termsOf(change.from), termsOf(change.to)];
  if (from.size === 0 || ![...from].every((term) => note.terms.has(term)) || [...to].some((term) => note.terms.has(term) && !from.has(term))) return false;
  const moves = fact.moves && note.lives;
  if (!moves && !note.uses) return false;
  if (moves && !sameSubject(fact, note)) return false;
  const relation = moves ? lives : uses;
  // "uses Vim as their editor" says what Vim is, and not what else it is for.
  const terms = termsOf(note.text.replace(/ as (?:an?|their|my|our)\b.*$/i, ""));
  const rest = [...terms].filter((term) => !from.has(term) && !relation.has(term) && term !== fact.speaker && !(note.subject.endsWith("team") && note.subject.includes(term)));
  return rest.every((term) => fact.terms.has(term));
}
const lives = new Set(["live", "base", "resid", "locat", "wohn", "wohne", "lebe", "住", "ん"]);
const uses = new Set(["run", "reli", "verwenden", "nutzen", "使", "用"]);

/** Of two things that a note names, the one may end without the other. */
const lists = / (?:and|or|und|oder|et|ou|y|o) /i;

/** All that the fact ends is what the note says, and the note says little else. */
function endsIt(fact: Statement, note: Statement): boolean {
  if (note.isCompound || !sameSubject(fact, note) || (leaving.test(fact.text) && !note.terms.has("work"))) return false;
  const ended = endedTerms(fact);
  const subject = termsOf(fact.subject);
  for (const term of subject) ended.delete(term);
  const rest = [...note.terms].filter((term) => !ended.has(term) && !subject.has(term));
  if (lists.test(note.text) && rest.some((term) => !fact.terms.has(term))) return false;
  const isSaid = (term: string): boolean => note.terms.has(term) || alike.some((forms) => forms.has(term) && [...forms].some((form) => note.terms.has(form)));
  return ended.size > 0 && [...ended].every(isSaid) && rest.length <= (fact.isUnspaced ? 4 : 3);
}
const holdsAgain = (fact: Statement, note: Statement): boolean =>
  !fact.negates && !note.isCompound && !goesOn(note) && sameSubject(fact, note) && hasAll(fact.terms, endedTerms(note)) && hasAll(note.terms, fact.terms);

/** Words for the same, and forms that the stemmer does not bring together. */
const alike = ["work job", "trinke trinkt trinken", "arbeite arbeitet arbeiten", "esse isst essen", "wohne wohnt wohnen", "nutze nutzt nutzen", "verwende verwendet verwenden", "飲 飲み み"].map((forms) => new Set(forms.split(" ")));

/** Somebody lives in one place; "in einer WG" says of none where it is. */
const home = /^\S+ (?:lives|wohn(?:e|t|en)|leb(?:e|t|en)) in$|^我住在|^(?:j'habite à|vivo en)$/u;
const unnamedHome = / in eine[mr] /i;
const isMeasure = (tokens: readonly string[]): boolean => tokens.length > 0 && tokens.every((token) => /\d/.test(token) || isTime(token));

/** The same words but for one value behind the verb: a number or day, or of a property of which there is one. */
function hasOtherValue(fact: Statement, note: Statement): boolean {
  if (note.isCompound || fact.isCompound || isNarrower(note.text, fact.text)) return false;
  if (isTurned(fact, note)) return true;
  const [a, b] = [fact.telling, note.telling];
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) begin += 1;
  let end = 0;
  while (end < a.length - begin && end < b.length - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [mine, theirs] = [a.slice(begin, a.length - end), b.slice(begin, b.length - end)];
  if (mine.length === 0 || theirs.length === 0 || mine.length > 4 || theirs.length > 4) return false;
  const before = a.slice(0, begin);
  // "We ship weekly now" after "We ship every two weeks", whatever the verb; "Max now reports to Tom".
  if (before.length > 1 && saysNow(fact) && !fact.negates && ([mine, theirs].every(isRate) || (before.at(-2) === "reports" && end === 0 && ![mine, theirs].some(isRestricted)))) return true;
  if (!fact.stands || fact.happened || before.length < 2 || !isBehindVerb(fact, begin, a)) return false;
  if (isMeasure(mine) && isMeasure(theirs)) return true;
  if (theirs.length === 1 && [mine, theirs].every(([status = ""]) => maritalStatus.has(status))) return true;
  // "200 in staging" after "100": elsewhere it may be as it was.
  if ([mine, theirs].every(([first = ""]) => /^\d/.test(first)) && isRestricted(mine) && !isRestricted(theirs)) return false;
  // "My manager is strict" says nothing of who it is.
  if (isName(note, theirs) && !isName(fact, mine)) return false;
  const frame = before.join(fact.isUnspaced ? "" : " ");
  // Two values may end with one character: 东京, 南京.
  // "We use spaces for indentation now": what is so now for the very same purpose.
  if (saysNow(fact) && (end > 1 ? /\b(?:uses?|nutz\w+|verwend\w+)$/ : /\bprefers?$/).test(frame)) return true;
  return end <= (fact.isUnspaced ? 1 : 0) && (single.test(frame) || (home.test(frame) && !unnamedHome.test(`${fact.text} ${note.text}`)));
}

/** Of which somebody has one. */
const maritalStatus = new Set(["single", "engaged", "married", "divorced", "widowed"]);

const isRestricted = (tokens: readonly string[]): boolean => tokens.some((token) => /^(?:in|for|on|at|with|within|during|until|für|bei|im|am|auf|mit|während|bis)$/.test(token));

const saysNow = ({ text }: Statement): boolean => /\b(?:now|jetzt|inzwischen)\b/i.test(text);

/** "now works at": somebody may have two employers, but hardly begins at one without having left the other. */
const hasNewEmployer = (fact: Statement, note: Statement): boolean => !note.isCompound && !fact.negates && !note.negates && saysNow(fact) && employed.test(fact.text) && employed.test(note.text);
const employed = /^\S+ (?:now )?(?:works (?:at|for)|arbeite[tn]? (?:jetzt |inzwischen )?bei) /i;

/** "Tom now owns the billing service": what has one owner. */
function hasNewHolder(fact: Statement, note: Statement): boolean {
  if (!saysNow(fact)) return false;
  const [now, then] = [fact, note].map(({ text }) => held.exec(text)?.groups);
  return now !== undefined && then !== undefined && now["who"] !== then["who"] && now["does"] === then["does"] && now["what"]?.toLowerCase() === then["what"]?.toLowerCase();
}
const held = /^(?<who>\p{Lu}\S+(?: \p{Lu}\S+)?) (?:now )?(?<does>owns|leads|manages|maintains) (?<what>(?:the|our) [^,;]+?)(?: now)?[.!]?$/u;

const isName = ({ text }: Statement, [first = ""]: readonly string[]): boolean => /\p{Lu}/u.test(text.charAt(text.toLowerCase().lastIndexOf(first)));

/** In English the value is no part of the subject; elsewhere the verb stands before it, or at the end. */
function isBehindVerb({ isUnspaced, subject }: Statement, begin: number, tokens: readonly string[]): boolean {
  if (isUnspaced) return /[是为はが]|住在/u.test(tokens.slice(0, begin).join(""));
  return begin > subject.split(" ").filter(Boolean).length && standing.test(tokens.slice(0, begin).join(" "));
}

/** "prefers A over B" after "prefers B over A", and "doesn't like" after "likes". */
function isTurned(fact: Statement, note: Statement): boolean {
  const choice = /\bprefers? (.{1,40}) (?:over|to) (.{1,40}?)[.!]?$/;
  const [now, then] = [fact, note].map(({ text }) => choice.exec(text.toLowerCase())?.slice(1));
  if (now && then) return now[0] === then[1] && now[1] === then[0];
  if (fact.negates === note.negates) return false;
  const [a, b] = [fact, note].map(({ text }) => [...termsOf(text.replace(negation, ""))].sort().join(" "));
  return a === b && a !== "";
}

/** Of the same kind: "loves hiking" says what "likes hiking" does. */
const likings = /\b(?:likes?|loves?|enjoys?|prefers?)\b/i;

/** The note's words, then more of the same behind a comma or preposition. */
function extendsIt(fact: Statement, note: Statement): boolean {
  if (note.isCompound || fact.isUnspaced) return false;
  const normal = ({ telling }: Statement): string => telling.join(" ").replace(likings, "likes");
  const [a, b] = [normal(fact), normal(note)];
  if (!a.startsWith(`${b} `) || b.split(" ").length < 3) return false;
  return /^(?:especially|in|with|and|for|because|since|at|on|particularly|including)\b/.test(a.slice(b.length + 1));
}
