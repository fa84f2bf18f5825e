import { verbatim } from "../../verbatim.ts";
import { conflictOf } from "../../intelligence/rules/relations/conflict.ts";
import { type Reading, read } from "../../intelligence/rules/relations/statements.ts";
import { stateAt } from "../../memories/supersede.ts";
import { isInThread, type Memory } from "../../memories/memory.ts";
import { isStopWord, wholeTerms } from "../../text/query-terms.ts";
import { findTerms } from "../find-terms.ts";
import { traitsOfMemory } from "../kept-words.ts";
import type { Ranked } from "./select-results.ts";

/** In hits: what is shown is among the first of these, and what may say it otherwise among the second. */
const [shownAtMost, lookedAtMost] = [4, 24];

/** In characters: longer texts say many things, of which one change is no change of all. */
const longest = 600;

/** A question about what is no more. */
const asksForFormer = /(?<!\p{L})(?:before|previous(?:ly)?|former(?:ly)?|old|original(?:ly)?|used to|was|were|did|früher\p{L}*|vorher\p{L}*|damals|war|waren|ursprünglich\p{L}*|avant|ancien\p{L}*|antes|anterior\p{L}*)(?!\p{L})|以前|之前|原来|前は/iu;
const [name, kana] = [verbatim`\p{sc=Latin}[\p{L}\p{N}.+#-]*`, verbatim`[\p{sc=Katakana}ー]{2,}`];
/** What stands behind one of these held until then: `switched from npm to pnpm`, `no longer use ArgoCD`. Data may come from anything. */
const former = new RegExp(
  [
    verbatim`(?<!\p{L})(?:switch|mov|migrat|chang|convert|upgrad|renam)\p{L}+ [^.\n]{0,24}?from (?:the )?(${name})`,
    verbatim`t(?:ook|aken) over [^.\n]{0,40}?from (${name})`,
    verbatim`(?<!\p{L})(?:instead of|no longer (?:\p{L}+ )?|not (?:\p{L}+ )?(?=.{2,40} any ?more)|replaces?d?|stopped using|dropped|abandoned|statt|anstatt|nicht mehr|kein(?:e|en)? (?=.{2,30} mehr)|ersetzt|abandonné|au lieu de|en vez de|ya no (?:\p{L}+ )?)\s?(?:the |our |der |die |das |den |le |la |el )?(${name})`,
    verbatim`(?<!\p{L})von (${name})(?= (?:auf|zu|nach) )`,
    verbatim`(?:不再(?:使用|用)?|代替|取代)\s?(${name}|${kana})|从\s?(${name})(?=.{0,12}[换迁改切升搬])|(${kana}|${name})(?:から|をやめ|の代わりに|ではなく)`,
  ].join("|"),
  "giu",
);

interface Found extends Ranked {
  trace: { matched: readonly string[] };
}

/**
 * Which memories that answer a question are out of date by what another one says, as far as a text shows: the later one by the id of the earlier. It says
 * that something changed, and names what held before or all that the earlier one says of the question's words; or both say one thing of the
 * same with different values. Nothing is marked: both are shown, the later first. What another team made public, or was kept back once, puts nothing out of date.
 */
export function laterWords(question: string, ranked: readonly Found[], minRelevance: number): Map<string, Memory> {
  const later = new Map<string, Memory>();
  if (asksForFormer.test(question)) return later;
  const near = ranked.slice(0, lookedAtMost).filter(({ memory }) => isComparable(memory));
  const latestFirst = near.toSorted((a, b) => stateAt(b.memory) - stateAt(a.memory));
  const readings = new Map<string, Reading>();
  const readingOf = ({ id, content }: Memory): Reading => {
    const known = readings.get(id) ?? read(content);
    readings.set(id, known);
    return known;
  };
  for (const old of near.slice(0, shownAtMost).filter(({ relevance }) => relevance >= minRelevance)) {
    const newest = latestFirst.find((fresh) => mayFollow(old.memory, fresh.memory) && isOutOfDate(old, fresh, readingOf));
    if (newest) later.set(old.memory.id, newest.memory);
  }
  return later;
}

const isComparable = ({ content, value, redaction, namespace, supersededBy }: Memory): boolean =>
  content.length <= longest && value === null && redaction === undefined && supersededBy === null && !isInThread({ namespace });

const mayFollow = (old: Memory, fresh: Memory): boolean =>
  fresh.teamId === old.teamId && !fresh.trust.quarantined && fresh.namespace === old.namespace && stateAt(fresh) > stateAt(old) && fresh.updatedAt >= old.updatedAt;

function isOutOfDate(old: Found, fresh: Found, readingOf: (memory: Memory) => Reading): boolean {
  const held = new Set(fresh.trace.matched);
  const { matched } = old.trace;
  const says = matched.length > 1 && matched.every((word) => held.has(word));
  const isChange = traitsOfMemory(fresh.memory).changes && !traitsOfMemory(old.memory).changes;
  if (isChange && (says || (isOfTheSame(old, held, readingOf) && saysOften(fresh.memory, old.memory)) || namesFormer(fresh.memory, old.memory))) return true;
  return says && conflictOf(readingOf(old.memory), readingOf(fresh.memory)) !== undefined;
}

/** Whether it says something of the question, and all that the earlier one has of it as its subject: on which port another service listens changes nothing here. */
function isOfTheSame({ memory, trace: { matched } }: Found, held: ReadonlySet<string>, readingOf: (memory: Memory) => Reading): boolean {
  const missing = matched.filter((word) => !held.has(word));
  if (missing.length === matched.length) return false;
  const subjects = new Set(readingOf(memory).statements.flatMap(({ subject }) => [...subject].flatMap(wholeTerms)));
  return !missing.flatMap(wholeTerms).some((term) => subjects.has(term));
}

const telling = (text: string): Set<string> => new Set(wholeTerms(text).filter((term) => !isStopWord(term)));

/** Whether both are about the same: three words and a third of what the earlier one says. */
function saysOften(fresh: Memory, old: Memory): boolean {
  const own = telling(fresh.content);
  const said = [...telling(old.content)];
  const shared = said.filter((term) => own.has(term)).length;
  return shared >= 3 && shared * 3 >= said.length;
}

/** Whether what the later text says to have held before stands in the earlier one. */
function namesFormer({ content }: Memory, old: Memory): boolean {
  const names = new Set([...content.matchAll(former)].flatMap(([, ...groups]) => wholeTerms(groups.find((group) => group !== undefined) ?? "")).filter((term) => !isStopWord(term)));
  return names.size > 0 && findTerms(old.content, names).hits.length > 0;
}
