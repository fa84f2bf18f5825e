import { verbatim } from "../../verbatim.ts";
import { conflictOf } from "../../intelligence/rules/relations/conflict.ts";
import { movedOn } from "../../intelligence/rules/relations/moved.ts";
import { isNarrower } from "../../intelligence/rules/relations/narrower.ts";
import { type Reading, read } from "../../intelligence/rules/relations/statements.ts";
import { romanceWords } from "../../memories/statement-words.ts";
import { stateAt } from "../../memories/supersede.ts";
import { isInThread, type Memory } from "../../memories/memory.ts";
import { isStopWord, wholeTerms } from "../../text/query-terms.ts";
import { askedType, heldTypes } from "../ranking/answer-types.ts";
import type { Ranked } from "./select-results.ts";

/** In hits: what is shown is among the first of these, and what may say it otherwise among the second. */
const [shownAtMost, lookedAtMost] = [4, 24];

/** In characters: longer texts say many things, of which one change is no change of all. In words: shorter ones say little beside a name in them. */
const [longest, brief] = [600, 6];

/** A question about what is no more. */
const asksForFormer = /(?<!\p{L})(?:before|previous(?:ly)?|former(?:ly)?|old|original(?:ly)?|used to|(?<=.)was|were|did|früher\p{L}*|vorher\p{L}*|damals|war|waren|ursprünglich\p{L}*|avant|ancien\p{L}*|antes|anterior\p{L}*)(?!\p{L})|以前|之前|原来|前は/iu;
const asks = /[?？]|^(?:wh|how|we[rnm]|wa[ns]|w[io]|qu|où|combien|cuá|dónde)/i;
const ended = verbatim`gone|removed|cancell?ed|replaced|retired|dropped|abandon(?:ed|né)|gekündigt|entfernt|abgeschafft|ersetzt`;
/** A text that says that something is otherwise than before. */
const change = new RegExp(
  verbatim`^(?:no|nope|nein|non),|(?<!\p{L})(?:${ended}|now|no longer|any ?more|instead|since|as of|from (?:now|\d+ \p{L}+|ju\p{L}+) on|(?:switch|migrat|renam)(?:ed|ing)|moved|relocated|died|shortened|extended|revers(?:ed?|ing)|turned out|after all|t(?:ook|akes?|aken) over|has left|changed|raised|lowered|increased|reduced|upgraded|bumped|stopped|correction|scrap that|not [^.,\n]{2,30},? but|jetzt|nun|nicht mehr|statt|umgestellt|gewechselt|(?:um)?gezogen|übernommen|revidiert|doch (?:nicht|kein\p{L}*)|seit|ab (?:\d+\.|\p{L}+(?:[ln]i|ber|[rz]t))|désormais|maintenant|remplac\p{L}*|quitté|depuis|ahora|ya no|reemplaz\p{L}*|cambi\p{L}*)(?!\p{L})|现在|不再|改[用为成]|换成|变更|搬到|今は|変更|に変わり|切り替え|移行`,
  "iu",
);
const [name, kana] = [verbatim`\p{sc=Latin}(?:[\p{L}\p{N}+#]|[._/-](?=[\p{L}\p{N}]))*`, verbatim`[\p{sc=Katakana}ー]{2,}`];
/** What happens at another time than was planned changes no more than that. */
const putOff = /(?<!\p{L})(?:slipped|postponed|delayed|rescheduled|brought forward|pushed back|verschoben|vorgezogen)(?!\p{L})/iu;
const saysWhen = (content: string): boolean => ((heldTypes(content) >> askedType("when")) & 1) === 1;
/** What stands in one of these places held until then: `switched from npm to pnpm`, `no longer use ArgoCD`, `Percy was cancelled`. Data may come from anything. */
const former = new RegExp(
  [
    verbatim`(?<!\p{L})(?:(?:switch|mov|migrat|chang|convert|upgrad|renam)\p{L}+|t(?:ook|akes?|aken) over) [^.\n]{0,32}?from (?:the )?(${name})`,
    verbatim`(?<!\p{L})(?:${ended}|instead of|no longer (?:\p{L}+ )?|(?:not (?:\p{L}+ )?|keine?n? )(?=.{2,40} (?:any ?more|mehr))|replaces?|stopped using|(?:an)?statt|nicht mehr|au lieu de|en vez de|ya no (?:\p{L}+ )?)\s?(?:(?:the|our|d[aei][esrn]|l[ae]|el) )?(${name})`,
    verbatim`(?<!\p{L})von (${name})(?= (?:auf|zu|nach) )`,
    verbatim`(?<!\p{L})(${name}) (?:died|(?:is|was|has|ist|wurde) (?:${ended}|left the (?:company|team)|no longer))`,
    verbatim`(?:不再(?:使用|用)?|代替|取代)\s?(${name}|${kana})|从\s?(${name})(?=.{0,12}[换迁改切升搬])|(${kana}|${name})(?:から|をやめ|の代わりに|ではなく)`,
  ].join("|"),
  "giu",
);
const named = new RegExp(`${name}|${kana}`, "gu");
/** What tells of one day: it was so then, whatever is so now, and changes nothing by itself. */
const record = /^(?:session summary|retro|log:|fixed)|\d[T ]\d\d:\d\d:\d\d/i;

interface Found extends Ranked {
  trace: { matched: readonly string[] };
}

/**
 * Which memories that answer a question are out of date by what another one says, as far as a text shows: the later one by the id of the earlier. It says
 * that something changed, and names what held before, or all or most that the earlier one says of the question; or both say one thing of the
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
    const newest = latestFirst.find((fresh) => mayFollow(old.memory, fresh.memory) && isOutOfDate(question, old, fresh, readingOf) && !isNarrower(old.memory.content, fresh.memory.content));
    if (newest) later.set(old.memory.id, newest.memory);
  }
  return later;
}

const isComparable = ({ content, value, redaction, namespace, supersededBy, type }: Memory): boolean =>
  content.length <= longest && type !== "bug_fix" && !record.test(content) && value === null && redaction === undefined && supersededBy === null && !isInThread({ namespace });

const mayFollow = (old: Memory, fresh: Memory): boolean =>
  fresh.teamId === old.teamId && !fresh.trust.quarantined && fresh.namespace === old.namespace && stateAt(fresh) > stateAt(old) && fresh.updatedAt >= old.updatedAt;

function isOutOfDate(question: string, old: Found, fresh: Found, readingOf: (memory: Memory) => Reading): boolean {
  const held = new Set(fresh.trace.matched);
  const matched = old.trace.matched.filter(tells);
  const all = matched.length > 1 && matched.every((word) => held.has(word));
  const isChange = change.test(fresh.memory.content) || (putOff.test(fresh.memory.content) && saysWhen(old.memory.content));
  if (isChange) {
    const gone = formersOf(fresh.memory.content);
    if (namesFormer(gone, old, held)) return true;
    const own = old.memory.content.toLowerCase();
    // What held before is named, and is something else than the earlier one speaks of.
    if (gone.length > 0 && !gone.some(([name]) => own.includes(name.toLowerCase()))) return false;
    // Words without a question name what both are about ("mobile app"), of which there is much to say.
    const says = all && (asks.test(question) || matched.length * 2 > telling(own).size);
    if (!change.test(old.memory.content) && (says || (isOfTheSame(matched, held, readingOf(old.memory)) && saysOften(fresh.memory, old.memory)))) return true;
  }
  if (!all && !isChange) return false;
  const [earlier, later] = [readingOf(old.memory), readingOf(fresh.memory)];
  const conflict = conflictOf(earlier, later);
  if (conflict && (all || (conflict.type === "supersedes" && conflict.isWhole))) return true;
  // "moved to Bonn" after "lives in Kiel", whatever words the question has.
  return isChange && movedOn(earlier, later);
}

/** Whether it says most of what the earlier one has of the question, and all of it that is its subject or a name: on which port another service listens changes nothing here. */
function isOfTheSame(matched: readonly string[], held: ReadonlySet<string>, { names, statements }: Reading): boolean {
  const missing = matched.filter((word) => !held.has(word));
  const subjects = new Set([names, ...statements.map(({ subject }) => subject)].flatMap((words) => [...words].flatMap(wholeTerms)));
  return missing.length * 2 < matched.length && !missing.flatMap(wholeTerms).some((term) => subjects.has(term));
}

const tells = (word: string): boolean => !isStopWord(word) && !romanceWords.has(word);
const telling = (text: string): Set<string> => new Set(wholeTerms(text).filter(tells));

/** Whether both are about the same: three words and a third of what the earlier one says. */
function saysOften(fresh: Memory, old: Memory): boolean {
  const own = telling(fresh.content);
  const said = [...telling(old.content)];
  const shared = said.filter((term) => own.has(term)).length;
  return shared >= 3 && shared * 3 >= said.length;
}

/**
 * Whether a name that the later text says to have held before stands in the earlier one, whole and in the same letters, and both say something else of the
 * question, or neither says much else: another matter may have the same name in it. A plain word is a name only where it is most of what is said.
 */
function namesFormer(formers: ReturnType<typeof formersOf>, { memory: { content }, trace }: Found, held: ReadonlySet<string>): boolean {
  const names = ` ${content.match(named)?.join(" ")} `;
  return formers.some(([gone, upTo]) => {
    const own = telling(gone);
    return (
      own.size > 0 && names.includes(` ${gone} `) && !formersOf(content).flat().includes(gone) &&
      ((telling(content).size <= brief && telling(upTo).size < 3) ||
        (/[^\p{Ll}]/u.test(gone) && trace.matched.some((word) => word.length > 3 && held.has(word) && !wholeTerms(word).some((term) => own.has(term)))))
    );
  });
}

/** What a text says to have held before, each with all that it says up to there. */
const formersOf = (content: string): [name: string, upTo: string][] =>
  [...content.matchAll(former)].map((match) => {
    const upTo = content.slice(0, match.index + match[0].length);
    return [match.slice(1).find(Boolean) + (/^(?: \p{Lu}[\p{L}\p{N}]*)+/u.exec(content.slice(upTo.length))?.[0] ?? ""), upTo];
  });
