import { readFileSync } from "node:fs";
import { saysTheSame } from "../../src/domain/memories/same-statement.ts";
import type { Measured } from "./evaluation.ts";
import { isHeld } from "./held.ts";
import { groupMeans, percent } from "./metrics.ts";

/**
 * Pairs of notes that state the same in another form, or something else in almost the same words: which of them a store would merge. The rule
 * is written by looking at the half that `isHeld` leaves open; targets count on the other half, whose pairs stay out of the misses.
 */
interface Pair {
  id: string;
  language: string;
  label: "same" | "different";
  kind: string;
  a: string;
  b: string;
}

const file = new URL("sets/duplicates.json", import.meta.url);

export function duplicates(limit: number | undefined): Measured {
  const { pairs } = JSON.parse(readFileSync(file, "utf8")) as { pairs: Pair[] };
  const judged = pairs.slice(0, limit).map((pair) => ({ pair, held: isHeld(pair.id), isMerged: saysTheSame(pair.a, pair.b) }));
  const scored = judged.map(({ pair, held, isMerged }) => ({
    groups: [halfName(held), `${halfName(held)}, in ${pair.language}`],
    figures: {
      precision: isMerged ? Number(pair.label === "same") : undefined,
      recall: pair.label === "same" ? Number(isMerged) : undefined,
    },
  }));
  const counts = (held: boolean): string => {
    const merged = judged.filter((one) => one.held === held && one.isMerged);
    return `${halfName(held)}: ${merged.length} pairs merged, ${merged.filter(({ pair }) => pair.label === "different").length} of them wrongly, of ${judged.filter((one) => one.held === held).length}`;
  };
  return {
    groups: groupMeans(scored).toSorted((a, b) => Number(b.name.startsWith("held")) - Number(a.name.startsWith("held")) || a.name.localeCompare(b.name)),
    notes: [`${counts(true)}; ${counts(false)}; other half by kind, same but apart: ${apart(judged)}.`],
    misses: judged
      .filter(({ pair, held, isMerged }) => !held && isMerged !== (pair.label === "same"))
      .map(({ pair, isMerged }) => ({ id: pair.id, question: pair.a, args: { kind: pair.kind, other: pair.b }, expected: [pair.label], found: [{ key: isMerged ? "merged" : "apart", relevance: 1 }] })),
    recalls: [],
    faults: [],
  };
}

const halfName = (held: boolean): string => (held ? "held half" : "other half");

function apart(judged: readonly { pair: Pair; held: boolean; isMerged: boolean }[]): string {
  const same = judged.filter(({ pair, held }) => !held && pair.label === "same");
  const missed = same.filter(({ isMerged }) => !isMerged);
  return `${missed.map(({ pair }) => pair.kind).join(", ")} (${percent(missed.length / same.length)})`;
}
