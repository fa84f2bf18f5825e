import { readFileSync } from "node:fs";
import { compress } from "../../src/domain/compression/compress.ts";
import { estimateTokens } from "../../src/domain/text/token-count.ts";
import type { Evaluation, Measured } from "./evaluation.ts";
import { groupMeans, mean, percent } from "./metrics.ts";
import { isHeld } from "./held.ts";

/**
 * Long notes in six languages: minutes, reports of incidents, designs, chats and instructions, in which what matters stands among
 * what is said in passing. Each has facts that a reader would look for. A fact is retained when all its strings stand in the
 * compressed text. Only the half of the notes counts on which nothing was set.
 */
interface Note {
  id: string;
  language: string;
  kind: string;
  text: string;
  facts: string[][];
}

const ratios = [2, 4, 8, 12] as const;
type Figure = ".95" | `${(typeof ratios)[number]}x`;

export function compression(limit: number | undefined): Evaluation {
  const file = readFileSync(new URL("sets/long-notes.json", import.meta.url), "utf8");
  const notes = (JSON.parse(file) as { notes: Note[] }).notes.filter(({ id }) => isHeld(`notes/${id}`)).slice(0, limit);
  return { measure: () => Promise.resolve(measure(notes)) };
}

function measure(notes: readonly Note[]): Measured {
  const measured: Omit<Measured, "groups"> = { notes: [], misses: [], recalls: [], faults: [] };
  const scored: { groups: string[]; figures: Record<Figure, number> }[] = [];
  const reached = new Map<Figure, { ratio: number; retained: number }[]>();
  for (const { id, language, kind, text, facts } of notes) {
    const tokens = estimateTokens(text);
    const share = (figure: Figure, options: Parameters<typeof compress>[1]): number => {
      const startedAt = performance.now();
      const result = compress(text, options);
      if (figure === ".95") measured.recalls.push({ ms: performance.now() - startedAt, tokens: result.tokens });
      if (result.tokens > tokens) measured.faults.push(`${id} got longer`);
      reached.set(figure, [...(reached.get(figure) ?? []), result]);
      return facts.filter((strings) => strings.every((string) => result.text.includes(string))).length / facts.length;
    };
    const figures = Object.fromEntries([
      [".95", share(".95", { qualityThreshold: 0.95 })],
      ...ratios.map((ratio) => [`${ratio}x`, share(`${ratio}x`, { targetTokens: Math.floor(tokens / ratio) })]),
    ]) as Record<Figure, number>;
    scored.push({ groups: ["all", language, kind], figures });
  }
  for (const [figure, results] of reached) {
    const by = (of: "ratio" | "retained"): number => mean(results.map((result) => result[of])) ?? 0;
    measured.notes.push(`Asked for ${figure}: ${by("ratio").toFixed(2)}x reached, and ${percent(by("retained"))} of the facts by the product's own count.`);
  }
  return { ...measured, groups: groupMeans(scored) };
}
