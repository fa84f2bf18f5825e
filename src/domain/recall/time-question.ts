import type { MemoryType } from "../memories/memory-values.ts";
import type { HitTrace } from "./presentation/receipt.ts";
import type { FusionCandidate } from "./ranking/candidates.ts";
import type { Ranked } from "./selection/select-results.ts";
import { always, type Span } from "../text/time-calendar.ts";
import { cjkRest } from "../text/time-cjk.ts";
import { timesIn } from "../text/time-words.ts";
import { isStopWord, termOf } from "../text/query-terms.ts";

/** How sure it is at least that the words mean this time. */
const sure = 0.75;

/** What asks what happened, and says nothing of what: in lower case, without marks. English, German, French, Spanish. */
const generalWords = `
  do happen occur go went gone work make made change decide decision learn learnt discuss discussion talk speak spoke say said note store save remember memory record add write wrote written
  find found achieve accomplish complete finish get got thing anything something everything stuff update activity progress recap summary summarise summarize overview history log event
  fix bug bugfix break broke broken incident outage list show tell give please new news newest latest recent recently last lately like let gone done
  gemacht getan machten machte taten tat passiert passierte geschehen geschah gab gibt los war waren wurde wurden worden habe haben hat hatten hatte wir ich uns mir mich unser unsere man sich neues neue neuen neu
  gearbeitet arbeiteten geandert anderungen anderung entschieden beschlossen entscheidungen entscheidung beschlusse gelernt besprochen erledigt geschafft zusammenfassung uberblick fasse zusammen notizen
  welche welcher welches behoben fehler vorfall vorfalle storung storungen kaputt erinnerungen alles etwas zeig zeige die das den dem des ein eine es im der lief ging was woran woruber wo und von vom zum zur fur ist sind letzte letzten neueste neuesten kurzlich zuletzt
  fait faits faire avons avez ai ont on nous je j qu que qui quoi est ce cela c s se passe decidons appris nouveau nouveautes nouvelles neuf travaille
  resume souvenirs le la les l de du en au aux y il ete dernier derniers dernieres recents et tout sur
  hicimos hice hecho hizo paso pasado ocurrio sucedio decidimos decidido decisiones cambio cambios cambiado aprendimos nuevo nuevos nuevas novedades noticias trabajamos trabaje
  resumen notas recuerdos hay ha he hemos han nos lo los las el del al todo sobre ultimos ultimas reciente recientes`;
let known: ReadonlySet<string> | undefined;
const general = (): ReadonlySet<string> => (known ??= new Set(generalWords.trim().split(/\s+/).map(termOf)));

/** The same of Chinese and Japanese, which are written without spaces. */
const generalCjk = /私たち|变更|変更|変わ|更新|工作|作業|仕事|学习|讨论|[记記][录録]|笔记|总结|まとめ|なに|起こ|修复|修正|故障|障害|バグ|最近|最新|ニュース|発生|[我们們私什么麼哪些发發生做干有过過了的事情况況决決定变變化改新话話何起きあやり行まなしたてこともっをがはにのでか在和吗呢都\p{P}\s]/gu;

const news = /^(?=.*[^\p{L}]\p{L}).*\b(?:new|news|neues?|nouveau(?:tes)?|neuf|nuevo|novedades|noticias)\b/u;

/**
 * The time of a question that names nothing but a time ("What did we do last week?", "What is new?"): no word of it says what an answer holds, so the
 * answer is what happened then. Undefined of any other question, and of a time to come, of which notes tell that were written before.
 */
export function timeAskedFor(question: string, now: number): Span | undefined {
  if (question.length > 200) return undefined;
  const plain = question.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const { periods, words, prefers } = timesIn(question, now);
  const isNews = periods.length === 0 && (prefers === "newest" || news.test(plain));
  if (prefers === "oldest" || (periods.length === 0 && !isNews) || periods.some(({ certainty }) => certainty < sure) || /\bSpring\b/.test(question)) return undefined;
  if (!isGeneral(question, plain, words)) return undefined;
  if (isNews) return always;
  const span = { from: Math.min(...periods.map(({ from }) => from)), to: Math.max(...periods.map(({ to }) => to)) };
  return span.from > now ? undefined : span;
}

function isGeneral(question: string, plain: string, named: ReadonlySet<string>): boolean {
  const rest = cjkRest(question.normalize("NFKC"));
  if (rest !== undefined) return rest.replaceAll(generalCjk, "") === "";
  const times = new Set([...named].flatMap((word) => word.match(/[\p{L}\p{N}]+/gu) ?? []));
  const words = plain.replaceAll("so far", "").match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => /\p{L}/u.test(word)) && words.every((word) => times.has(word) || isStopWord(word) || general().has(termOf(word)));
}

/** What a question may ask for of a time: the words of notes and questions, and the type of memories. */
const kinds: readonly { words: RegExp; type: MemoryType }[] = [
  { words: /\b(?:deci(?:de[ds]?|sions?)|agreed|chose|entschieden|entscheidung(?:en)?|beschlossen|beschluss|décidé|décisions?|decidi(?:mos|do|ó)|decisión|decisiones)\b|决定|決定|決め/iu, type: "architecture_decision" },
  { words: /\b(?:bug(?:s|fix(?:es)?)?|fix(?:ed|es)?|br(?:eak|oken?)|incidents?|outages?|behoben|fehler|vorf[aä]lle?|störung(?:en)?|kaputt)\b|修复|修正|故障|障害|バグ/iu, type: "bug_fix" },
];

const kindsAskedFor = (question: string): typeof kinds => kinds.filter(({ words }) => words.test(question));

/** The types that a question of a time asks for. */
export const typesAskedFor = (question: string): MemoryType[] => kindsAskedFor(question).map(({ type }) => type);

/** What was found of a time, in its order: all of it answers. Where the question asks for decisions, or for what was broken and fixed, and some tell of it, these alone. */
export function byTime(question: string, found: readonly FusionCandidate[]): (Ranked & { trace: HitTrace })[] {
  const inOrder = found.toSorted((a, b) => (a.text?.rank ?? 0) - (b.text?.rank ?? 0));
  const asked = kindsAskedFor(question);
  const ofKind = inOrder.filter(({ memory }) => asked.some(({ words, type }) => memory.type === type || words.test(memory.content.slice(0, 2_000))));
  const shown = ofKind.length > 0 ? ofKind : inOrder;
  return shown.map(({ memory, text }, place) => {
    const score = 1 / (1 + place / shown.length);
    return { memory, relevance: 1, score, trace: { id: memory.id, score, parts: { recency: score }, legs: text ? { memory_text: text } : {}, matched: [] } };
  });
}
