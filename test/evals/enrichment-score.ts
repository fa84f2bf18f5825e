import type { Enrichment } from "../../src/domain/intelligence/answers.ts";
import { indexTerms } from "../../src/domain/text/query-terms.ts";
import type { Group } from "./evaluation.ts";
import { groupMeans } from "./metrics.ts";

export interface LabelledNote {
  id: string;
  language: string;
  type: string;
  importance: "low" | "medium" | "high";
  /** The words by which a person would look for it. */
  keywords: string[];
  /** Nothing is looked at of these while rules are written. */
  held: boolean;
  text: string;
}

export interface ScoredNote {
  note: LabelledNote;
  found: Enrichment;
  figures: Record<"type" | "importance" | "keywords", number>;
}

/** What is below 0.4 is low, from 0.7 on high. */
export const bandOf = (importance: number): LabelledNote["importance"] => (importance < 0.4 ? "low" : importance < 0.7 ? "medium" : "high");

export function scoreNote(note: LabelledNote, enrich: (note: { content: string }) => Enrichment): ScoredNote {
  const found = enrich({ content: note.text });
  const words = new Set(found.keywords.flatMap(indexTerms));
  const isFound = (keyword: string): boolean => indexTerms(keyword).every((term) => words.has(term));
  return {
    note,
    found,
    figures: {
      type: Number(found.type === note.type),
      importance: Number(bandOf(found.importance) === note.importance),
      keywords: note.keywords.filter(isFound).length / note.keywords.length,
    },
  };
}

const halfOf = ({ note }: ScoredNote): string => (note.held ? "held half" : "other half");

/** Each half, then each by language and by type; the held half first, because targets are checked on it. */
export function enrichmentGroups(scored: readonly ScoredNote[]): Group[] {
  const groups = groupMeans(
    scored.map((one) => {
      const half = halfOf(one);
      return { groups: [half, `${half}, in ${one.note.language}`, `${half}: ${one.note.type}`], figures: one.figures };
    }),
  );
  const rank = ({ name }: Group): number => Number(!name.startsWith("held")) * 3 + (name.includes(", in ") ? 1 : name.includes(":") ? 2 : 0);
  return groups.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
