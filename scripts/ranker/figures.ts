import { promising } from "../../src/domain/recall/weights.ts";

export interface Question {
  set: string;
  group: string;
  id: string;
  kind: string;
  /** How many memories answer, found or not. */
  total: number;
  labels: number[];
  rows: Float32Array[];
}

/** A question with its candidates, best first. */
export interface Scored {
  question: Question;
  ranked: { label: number; relevance: number }[];
}

const percent = (value: number): string => (100 * value).toFixed(1).padStart(5);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
/** LoCoMo's adversarial questions have evidence of somebody else. */
const isAnswered = ({ question }: Scored): boolean => question.total > 0 && !question.kind.includes("adversarial");

export function report(title: string, all: readonly Scored[]): void {
  const kinds = [...new Set(all.map(({ question }) => question.kind))];
  const lines = kinds.length > 1 && kinds.length < 8 ? [undefined, ...kinds] : [undefined];
  for (const kind of lines) {
    const some = all.filter(({ question }) => kind === undefined || question.kind === kind);
    const answerable = some.filter(({ question }) => question.total > 0);
    const without = some.filter((one) => !isAnswered(one));
    const recall = (k: number): number => mean(answerable.map(({ question, ranked }) => Math.min(1, ranked.slice(0, k).filter(({ label }) => label).length / question.total)));
    const hit = (k: number): number => mean(answerable.map(({ ranked }) => Number(ranked.slice(0, k).some(({ label }) => label))));
    const reciprocal = mean(answerable.map(({ ranked }) => 1 / (1 + ranked.findIndex(({ label }) => label)) || 0).map((value) => (Number.isFinite(value) ? value : 0)));
    const shown = ({ ranked }: Scored): Scored["ranked"] => ranked.slice(0, 10).filter(({ relevance }) => relevance >= promising);
    const byDefault = mean(answerable.map((one) => shown(one).filter(({ label }) => label).length / one.question.total));
    const answeredOnes = without.filter((one) => shown(one).length > 0).length;
    const sure = without.filter(({ ranked }) => (ranked[0]?.relevance ?? 0) >= 0.7).length;
    const top = (one: Scored): number => one.ranked[0]?.relevance ?? 0;
    const auc = without.length === 0 ? NaN : mean(some.filter(isAnswered).flatMap((a) => without.map((b) => (top(a) > top(b) ? 1 : top(a) === top(b) ? 0.5 : 0))));
    const answers = answerable.length === 0 ? "" : `hit@1 ${percent(hit(1))} @5 ${percent(hit(5))} | R@5 ${percent(recall(5))} R@10 ${percent(recall(10))} MRR ${percent(reciprocal)} | default ${mean(answerable.map((one) => shown(one).length)).toFixed(1)} shown, ${percent(byDefault)} of gold`;
    const none = without.length === 0 ? "" : ` | ${without.length} unanswerable: ${percent(answeredOnes / without.length)} answered, ${percent(sure / without.length)} at .7${Number.isNaN(auc) || !some.some(isAnswered) ? "" : `, AUC ${auc.toFixed(2)}`}`;
    process.stdout.write(`${kind === undefined ? title : `    ${kind}`} (${some.length}): ${answers}${none}\n`);
  }
}

/** How often what is shown with a relevance is evidence, by tenths, among the first ten of each question. */
export function reliability(title: string, all: readonly Scored[]): void {
  const shown = all.flatMap(({ ranked }) => ranked.slice(0, 10));
  const tenths = Array.from({ length: 10 }, (_, i) => shown.filter(({ relevance }) => Math.min(9, Math.floor(relevance * 10)) === i));
  process.stdout.write(`reliability, ${title}: ${tenths.map((some, i) => `${(i / 10).toFixed(1)}: ${some.length === 0 ? "–" : `${mean(some.map(({ relevance }) => relevance)).toFixed(2)}→${mean(some.map(({ label }) => label)).toFixed(2)} (${some.length})`}`).join("  ")}\n`);
}
