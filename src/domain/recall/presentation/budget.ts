import type { Recalled, RecallOutcome } from "../recall.ts";
import { excerpt } from "./excerpt.ts";
import type { Related } from "../selection/related.ts";
import { estimateTokens } from "../../text/token-count.ts";

/** How an answer will look: clients show a model the text or the structured answer, so a budget must hold for every form. */
export interface Rendering {
  answer(outcome: RecallOutcome): string[];
  item(item: Recalled): string[];
}

/** In tokens of content; a shorter preview says too little, and more previews say more than one long one. */
const shortestPreview = 15;
const goodPreview = 100;

/** Tokens between two items, and those that may merge where two texts meet. */
const joint = 2;

export const tokensOf = (forms: readonly string[]): number => Math.max(...forms.map(estimateTokens));

/** What an item costs within an answer. */
export const costOf = (item: Recalled, rendering: Rendering): number => tokensOf(rendering.item(item)) + joint;

/**
 * Fits an answer into so many tokens, for certain: whole items by worth per token, then previews of what is left, then the
 * ids of the rest, then what is related. The first item comes before all others. The order stays.
 */
export function pack(outcome: RecallOutcome, maxTokens: number, rendering: Rendering, terms: readonly string[], stageOf: (item: Recalled) => number = () => 0): RecallOutcome {
  const frame = tokensOf(rendering.answer({ ...outcome, items: [], more: [] }));
  const plain = outcome.items.map(({ related: _related, ...item }): Recalled => item);
  const costs = plain.map((item) => costOf(item, rendering));
  const whole = wholeItems(plain, costs, maxTokens - frame, stageOf);
  const rest = plain.filter((item) => !whole.has(item));
  let room = maxTokens - frame - sum(plain.flatMap((item, i) => (whole.has(item) ? [costs[i] as number] : [])));

  const previews = new Map<Recalled, Recalled>();
  if (rest.length > 0) {
    const ids = tokensOf(rendering.answer({ ...outcome, items: [], more: rest.map(({ memory }) => memory.id) })) - frame;
    // Naming the rest must not cost what would show part of it.
    let left = room - (room < 2 * goodPreview ? 0 : Math.min(Math.ceil(room / 4), Math.max(0, ids)));
    const count = Math.max(1, Math.min(rest.length, Math.floor(left / goodPreview)));
    for (const [i, item] of rest.slice(0, count).entries()) {
      const share = Math.floor(left / (count - i));
      const total = costs[plain.indexOf(item)] as number;
      const preview = previewOf({ ...item, tokensTotal: item.tokensTotal ?? total }, share - joint, rendering, terms);
      if (!preview) continue;
      previews.set(item, preview);
      const cost = tokensOf(rendering.item(preview)) + joint;
      left -= cost;
      room -= cost;
    }
  }
  const items = plain.flatMap((item) => (whole.has(item) ? item : (previews.get(item) ?? [])));
  const more = rest.filter((item) => !previews.has(item)).map(({ memory }) => memory.id);
  const fits = once((attempt: RecallOutcome) => tokensOf(rendering.answer(attempt)) <= maxTokens);
  const cut = rest.length > 0 ? { needed: frame + sum(costs) } : {};
  const packed = withRelated(shorten({ ...outcome, items, more, ...cut }, fits), outcome.items, fits);
  if (packed.items.length > 0 || outcome.items.length === 0) return packed;
  const { needed: _ofAll, ...bare } = packed;
  const hint = { ...bare, needed: frame + Math.min(costs[0] ?? 0, 2 * goodPreview) };
  // With less room still, the budget that would do says more than ids.
  return [hint, { ...hint, more: [] }].find(fits) ?? bare;
}

/** Positions by rank, or by worth per token within a stage, whichever is worth more in all: the greedy answer to the knapsack problem. */
function wholeItems(items: readonly Recalled[], costs: readonly number[], room: number, stageOf: (item: Recalled) => number): Set<Recalled> {
  const worth = (i: number): number => (items[i]?.relevance ?? 1 / (i + 1)) + 0.01;
  const ranks = items.map((_, i) => i);
  const stages = items.map(stageOf);
  const byDensity = [...ranks.slice(0, 1), ...ranks.slice(1).sort((a, b) => (stages[a] as number) - (stages[b] as number) || worth(b) / (costs[b] as number) - worth(a) / (costs[a] as number))];
  const take = (order: readonly number[]): number[] => {
    let left = room;
    return order.filter((i) => {
      // If the first item is too long to come whole, half the room is kept for a preview.
      if (i === 0 && (costs[0] as number) > room) left = Math.floor(room / 2);
      if ((costs[i] as number) > left) return false;
      left -= costs[i] as number;
      return true;
    });
  };
  const [ranked, dense] = [take(ranks), take(byDensity)];
  const best = sum(dense.map(worth)) > sum(ranked.map(worth)) ? dense : ranked;
  return new Set(best.map((i) => items[i] as Recalled));
}

function previewOf(item: Recalled, tokens: number, rendering: Rendering, terms: readonly string[]): Recalled | undefined {
  const { tokensSaved: _ofWholeForm, ...rest } = item;
  const cut = (content: string): Recalled => ({ ...rest, memory: { ...item.memory, content, value: null, summary: null, metadata: {} }, truncated: true });
  let room = tokens - tokensOf(rendering.item(cut("")));
  while (room >= shortestPreview) {
    const preview = cut(excerpt(item.memory.content, terms, room));
    // Rendered, a text may cost more than by itself: quotes and line ends are escaped.
    const excess = tokensOf(rendering.item(preview)) - tokens;
    if (excess <= 0) return preview;
    room -= excess;
  }
  return undefined;
}

/** To render and count an answer takes time; each is measured once. */
function once(fits: (attempt: RecallOutcome) => boolean): (attempt: RecallOutcome) => boolean {
  const known = new WeakMap<RecallOutcome, boolean>();
  return (attempt) => {
    const fitting = known.get(attempt) ?? fits(attempt);
    known.set(attempt, fitting);
    return fitting;
  };
}

/** Gives up from the end what does not fit: ids, then items, then words about the answer itself. */
function shorten(outcome: RecallOutcome, fits: (attempt: RecallOutcome) => boolean): RecallOutcome {
  if (fits(outcome)) return outcome;
  const withIds = (count: number): RecallOutcome => ({ ...outcome, more: outcome.more.slice(0, count) });
  const most = withIds(longest(outcome.more.length, (count) => fits(withIds(count))));
  const withItems = (count: number): RecallOutcome => (count === most.items.length ? most : { ...most, items: most.items.slice(0, count) });
  let count = most.items.length;
  while (count > 0 && !fits(withItems(count))) count -= 1;
  const attempt = withItems(count);
  const { passages: _, compressed: __, ...plain } = attempt;
  return [attempt, plain].find(fits) ?? { ...plain, degraded: [] };
}

/** What is related to the items, as far down the answer as it fits. */
function withRelated(packed: RecallOutcome, original: readonly Recalled[], fits: (attempt: RecallOutcome) => boolean): RecallOutcome {
  const relatedOf = new Map(original.map(({ memory, related }) => [memory.id, related]));
  const all = packed.items.filter(({ memory }) => relatedOf.get(memory.id));
  const withFirst = (count: number): RecallOutcome => {
    const enriched = new Set(all.slice(0, count));
    const items = packed.items.map((item) => (enriched.has(item) ? { ...item, related: relatedOf.get(item.memory.id) as Related[] } : item));
    return { ...packed, items };
  };
  const count = longest(all.length, (count) => count === 0 || fits(withFirst(count)));
  return count === 0 ? packed : withFirst(count);
}

/** The greatest count up to `most` for which it holds; 0 when for none. */
function longest(most: number, holds: (count: number) => boolean): number {
  if (holds(most)) return most;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
