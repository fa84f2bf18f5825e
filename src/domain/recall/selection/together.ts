import type { Searched } from "../search-memories.ts";
import type { Shown } from "./certainty.ts";
import type { Ranked } from "./select-results.ts";

/** What was found for a question, or for one of several in one. */
export interface Part extends Searched {
  shown: Shown;
  /** The best of each part, by their ids: their stages, before all others. */
  firsts?: Map<string, number>;
  /** The parts about which nothing is certain. */
  doubtful?: string[];
}

/**
 * The answers to the parts of a question as one: of each part is shown what would be of it alone, its best before all others, and each memory is as relevant as it
 * is to the part that it answers best.
 */
export function together(parts: readonly Part[], limit: number, stageOf: (entry: Ranked) => number = () => 0): Part {
  const [first] = parts as [Part];
  const own = parts.map(({ ranked, shown }) => ranked.filter(({ relevance }) => relevance >= shown.minRelevance).slice(0, shown.leads ? shown.limit : ranked.length));
  const isShown = new Set(own.flat().map(({ memory }) => memory.id));
  const minRelevance = Math.min(1, ...own.flat().map(({ relevance }) => relevance));
  // Of two entries for one memory the later one stays.
  const entries = parts.flatMap(({ ranked }) => ranked).sort((a, b) => a.relevance - b.relevance);
  const best = new Map(entries.map((entry) => [entry.memory.id, isShown.has(entry.memory.id) ? entry : { ...entry, relevance: Math.min(entry.relevance, minRelevance / 2) }]));
  return {
    ...first,
    question: { ...first.question, terms: parts.flatMap(({ question }) => question.terms), weights: parts.flatMap(({ question }) => question.weights) },
    ranked: [...best.values()].sort((a, b) => b.score - a.score),
    firsts: new Map(own.flatMap((shown, i) => shown.toSorted((a, b) => stageOf(a) - stageOf(b)).slice(0, 1).map(({ memory }) => [memory.id, i - parts.length]))),
    doubtful: parts.flatMap(({ shown, question }) => (shown.uncertain ? question.text : [])),
    shown: { minRelevance, limit, uncertain: parts.every(({ shown }) => shown.uncertain), leads: parts.every(({ shown }) => shown.leads) },
    concepts: parts.flatMap(({ concepts }) => concepts),
    ties: parts.flatMap(({ ties }) => ties),
    // Of each leg the report that says most of what is missing.
    legs: Object.fromEntries(parts.flatMap(({ legs }) => Object.entries(legs)).sort(([, a], [, b]) => statuses.indexOf(a.status) - statuses.indexOf(b.status))),
    // A state of which only some parts know is none that an answer may be kept for.
    generation: parts.every(({ generation }) => generation === first.generation) ? first.generation : undefined,
    withoutOthers: parts.some(({ withoutOthers }) => withoutOthers),
    others: parts.some(({ others }) => others),
  };
}

const statuses = ["off", "ok", "timeout", "failed"];
