import { percentile } from "../bench/measure.ts";
import { millis, table, whole } from "../bench/table.ts";
import type { Measured } from "./evaluation.ts";
import { mean } from "./metrics.ts";
import type { SetName } from "./options.ts";
import type { Target } from "./targets.ts";

const share = (value: number | undefined): string => (value === undefined ? "–" : (100 * value).toFixed(1));

export function setTable(title: string, measured: Measured): string {
  const names = Object.keys(measured.groups[0]?.figures ?? {});
  const rows = measured.groups.map(({ name, questions, figures }) => [name, whole(questions), ...names.map((figure) => share(figures[figure]))]);
  const faults = measured.faults.map((fault) => `FAULT: ${fault}`);
  return [table([title, "n", ...names], rows), ...(measured.recalls.length === 0 ? [] : [costs(measured)]), ...measured.notes, ...faults].join("\n");
}

function costs({ recalls }: Measured): string {
  const times = recalls.map(({ ms }) => ms);
  const tokens = recalls.map((recall) => recall.tokens);
  return (
    `${whole(recalls.length)} queries: p50 ${millis(percentile(times, 0.5))} ms, p95 ${millis(percentile(times, 0.95))} ms; ` +
    `tokens returned: mean ${whole(mean(tokens))}, p95 ${whole(percentile(tokens, 0.95))}`
  );
}

export interface VariantResult {
  name: string;
  /** Not there when the server does not know the arguments. */
  measured: Measured | undefined;
}

/** The first group of each variant, and how far it is from the first variant. */
export function variantTable(title: string, results: readonly VariantResult[]): string {
  const base = results[0]?.measured?.groups[0]?.figures ?? {};
  const names = Object.keys(base);
  const rows = results.map(({ name, measured }, index) => {
    if (!measured) return [name, ...names.map(() => ""), "", "not available yet"];
    const figures = measured.groups[0]?.figures ?? {};
    const cells = names.map((figure) => {
      const difference = 100 * ((figures[figure] ?? 0) - (base[figure] ?? 0));
      return share(figures[figure]) + (index === 0 ? "" : ` (${difference < 0 ? "" : "+"}${difference.toFixed(1)})`);
    });
    return [name, ...cells, millis(percentile(measured.recalls.map(({ ms }) => ms), 0.5)), ""];
  });
  return table([title, ...names, "p50 ms", "note"], rows);
}

export interface Verdict extends Target {
  value: number | undefined;
  bound: number;
  met: boolean;
}

export function judge(targets: readonly Target[], held: boolean, results: ReadonlyMap<SetName, Measured>): Verdict[] {
  return targets.flatMap((target) => {
    const measured = results.get(target.set);
    if (!measured) return [];
    const value = measured.groups[0]?.figures[target.figure];
    const bound = held ? target.held : target.least;
    return [{ ...target, value, bound, met: value !== undefined && (target.atMost ? value <= bound : value >= bound) }];
  });
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ set, figure, value, least, held, bound, met, source, atMost }) => [
    `${set} ${figure}`, share(value), (atMost ? "≤ " : "") + share(least), share(held), met ? "PASS" : `MISSED (${share(bound)})`, source,
  ]);
  return table(["figure", "value", "target", "held", "", "note"], rows);
}
