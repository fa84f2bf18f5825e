import { cutTo, estimateTokens } from "../../text/token-count.ts";
import { findTerms } from "../find-terms.ts";
import { type Cutting, type Unit, unitsOf } from "./text-units.ts";

/** The terms of a question with their inverse document frequencies. */
export type TermWeights = ReadonlyMap<string, number>;

/** With the terms of the question that it holds. */
interface Telling extends Unit {
  terms: ReadonlySet<string>;
}

/** Units side by side, by their places. */
interface Window {
  from: number;
  to: number;
}

const ellipsis = "…";
/** In tokens, of the ellipses of two passages. */
const marks = 6;
/** So much is one unit at most, so that its neighbours find room. */
const unitShare = 0.5;
/** A second passage needs so much room, in tokens, and says so much of the question. */
const secondRoom = 30;
const secondShare = 0.2;
/** In tokens, of a heading or label. */
const mostOpening = 8;

/**
 * What a long text says of a question, in at most so many tokens: the sentences or lines that hold its heaviest words together,
 * and, where other words of it stand elsewhere, a second passage; around them as much of their paragraphs as there is room for.
 * "…" stands where something is left out. Where no word occurs, the opening. `cut` tells the units of the text.
 */
export function passage(text: string, weights: TermWeights, tokens: number, cut = (cutting: Cutting): readonly Unit[] => unitsOf(text, cutting)): string {
  if (estimateTokens(text) <= tokens) return text;
  const room = Math.max(1, tokens - marks);
  const wanted = new Set(weights.keys());
  const heaviest = heaviestIn(text, wanted, weights);
  const holdsIt = ({ terms }: Telling): boolean => heaviest !== undefined && terms.has(heaviest);
  const cutAt = (shift: 0 | 1): Telling[] =>
    cut({ tokens: Math.max(1, Math.floor(room * unitShare)), shift }).map((unit) => ({ ...unit, terms: termsIn(text.slice(unit.start, unit.end), wanted) }));
  const plain = cutAt(0);
  const units = heaviest === undefined || plain.some(holdsIt) ? plain : cutAt(1);
  const cores = coresOf(units, weights, room, heaviest);
  const grown = grow(units, cores, room).map((window, i) => withoutOpening(text, units, window, cores[i]?.to ?? window.to));
  const shown = [grown, cores, cores.slice(0, 1)].map((windows) => render(text, units, windows)).find((part) => estimateTokens(part) <= tokens);
  if (shown !== undefined) return shown;
  const only = Math.max(0, units.findIndex(holdsIt));
  return cutTo(render(text, units, [{ from: only, to: only }]), tokens);
}

function heaviestIn(text: string, wanted: ReadonlySet<string>, weights: TermWeights): string | undefined {
  return [...termsIn(text, wanted)].reduce<string | undefined>((best, term) => (best === undefined || weightIn(weights, term) > weightIn(weights, best) ? term : best), undefined);
}

const termsIn = (text: string, wanted: ReadonlySet<string>): Set<string> => new Set(findTerms(text, wanted).hits.map(({ term }) => term));

const weightIn = (weights: TermWeights, term: string): number => weights.get(term) ?? 0;

/** One or two windows that hold the words, in the order of the text. */
function coresOf(units: readonly Telling[], weights: TermWeights, room: number, heaviest: string | undefined): Window[] {
  if (heaviest === undefined) return [{ from: 0, to: 0 }];
  const worth = worthsOf(units, weights);
  const first = bestWindow(units, worth, room, (terms) => terms.has(heaviest));
  if (!first) return [{ from: 0, to: 0 }];
  const told = new Set(units.slice(first.from, first.to + 1).flatMap(({ terms }) => [...terms]));
  const left = new Map([...worth].filter(([term]) => !told.has(term)));
  const rest = room - sizeOf(units, first);
  if (rest < secondRoom || left.size === 0) return [first];
  const outside = units.map((unit, i) => (i >= first.from && i <= first.to ? { ...unit, terms: new Set<string>(), tokens: Infinity } : unit));
  const second = bestWindow(outside, left, rest, (terms) => totalOf(left, terms) >= secondShare * totalOf(worth, worth.keys()));
  return second ? [first, second].sort((a, b) => a.from - b.from) : [first];
}

/** A word that stands all over a text says little of where in it the answer is. */
function worthsOf(units: readonly Telling[], weights: TermWeights): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const { terms } of units) for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  return new Map([...frequency].map(([term, count]) => [term, weightIn(weights, term) / Math.sqrt(count)]));
}

const totalOf = (worth: ReadonlyMap<string, number>, terms: Iterable<string>): number => {
  let total = 0;
  for (const term of terms) total += worth.get(term) ?? 0;
  return total;
};

/** The shortest one that is worth the most and holds what it must. */
function bestWindow(units: readonly Telling[], worth: ReadonlyMap<string, number>, room: number, isEnough: (terms: ReadonlySet<string>) => boolean): Window | undefined {
  let best: (Window & { worth: number; tokens: number }) | undefined;
  for (const [from, { terms: begins }] of units.entries()) {
    if (![...begins].some((term) => worth.has(term))) continue;
    const held = new Set<string>();
    let tokens = 0;
    for (let to = from; to < units.length; to += 1) {
      const unit = units[to] as Telling;
      tokens += unit.tokens;
      if (to > from && tokens > room) break;
      const before = held.size;
      for (const term of unit.terms) if (worth.has(term)) held.add(term);
      if (held.size === before || !isEnough(held)) continue;
      const total = totalOf(worth, held);
      if (!best || total > best.worth + 1e-9 || (total > best.worth - 1e-9 && tokens < best.tokens)) best = { from, to, worth: total, tokens };
    }
  }
  return best;
}

const sizeOf = (units: readonly Unit[], { from, to }: Window): number => units.slice(from, to + 1).reduce((sum, { tokens }) => sum + tokens, 0);

/** The windows with what stands around them: first of their own paragraphs, then, when that is little, what follows. */
function grow(units: readonly Unit[], cores: readonly Window[], room: number): Window[] {
  const windows = cores.map((core) => ({ ...core }));
  let left = room - windows.reduce((sum, window) => sum + sizeOf(units, window), 0);
  const isFree = (at: number): boolean => at >= 0 && at < units.length && !windows.some(({ from, to }) => from <= at && at <= to);
  const take = (window: Window, step: 1 | -1, isWanted: (unit: Unit) => boolean): boolean => {
    const at = step === 1 ? window.to + 1 : window.from - 1;
    const unit = units[at];
    if (!unit || !isFree(at) || unit.tokens > left || !isWanted(unit)) return false;
    if (step === 1) window.to = at;
    else window.from = at;
    left -= unit.tokens;
    return true;
  };
  const fill = (isWanted: (window: Window) => (unit: Unit) => boolean, steps: readonly (1 | -1)[]): void => {
    let isGrowing = true;
    while (isGrowing) isGrowing = windows.map((window) => steps.map((step) => take(window, step, isWanted(window))).some(Boolean)).some(Boolean);
  };
  fill(({ from, to }) => {
    const own = new Set([units[from]?.paragraph, units[to]?.paragraph]);
    return ({ paragraph }) => own.has(paragraph);
  }, [-1, 1]);
  if (left > room / 2) fill(() => () => true, [1]);
  return windows;
}

/** A heading or label at the end of a passage says nothing without what it opens. */
function withoutOpening(text: string, units: readonly Unit[], { from, to }: Window, least: number): Window {
  const { start = 0, end = 0, tokens = 0 } = units[to] ?? {};
  const said = text.slice(start, end);
  const opens = tokens <= mostOpening && text[start - 1] === "\n" && (said.startsWith("#") || !said.includes("\n"));
  return { from, to: opens && to > least && to < units.length - 1 ? to - 1 : to };
}

/** Windows that meet are one. */
function render(text: string, units: readonly Unit[], windows: readonly Window[]): string {
  const spans: { start: number; end: number }[] = [];
  for (const { from, to } of windows) {
    const [start, end] = [units[from]?.start ?? 0, units[to]?.end ?? 0];
    const before = spans.at(-1);
    if (before && text.slice(before.end, start).trim() === "") before.end = end;
    else spans.push({ start, end });
  }
  const shown = spans.map(({ start, end }) => text.slice(start, end).trim()).join(` ${ellipsis} `);
  const isBeginning = text.slice(0, spans[0]?.start).trim() === "";
  const isEnd = text.slice(spans.at(-1)?.end).trim() === "";
  return `${isBeginning ? "" : ellipsis}${shown}${isEnd ? "" : ellipsis}`;
}
