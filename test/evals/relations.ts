import { readFileSync } from "node:fs";
import type { Note } from "../../src/domain/intelligence/intelligence.ts";
import { consolidateByRules } from "../../src/domain/intelligence/rules/consolidate.ts";
import { linkByRules } from "../../src/domain/intelligence/rules/link.ts";
import type { Group, Measured, Miss } from "./evaluation.ts";
import { isHeld } from "./held.ts";

/**
 * What the rules say of two notes, without a server: which contradict each other, which one supersedes the other, and how often notes
 * that both hold are taken for either. Rules are written by looking at the half that `isHeld` leaves open; targets count on the other half.
 */

const labels = ["contradiction", "supersession", "extends", "duplicate", "unrelated", "relation", "environment", "both"] as const;
export interface RelationPair {
  id: string;
  language: string;
  label: (typeof labels)[number];
  older: string;
  newer: string;
}

const file = new URL("sets/relations.json", import.meta.url);
export const readRelations = (): RelationPair[] => (JSON.parse(readFileSync(file, "utf8")) as { entries: RelationPair[] }).entries;

interface Judged {
  pair: RelationPair;
  isConflict: boolean;
  link: string | undefined;
  /** A run of consolidation that nobody watches would hide the older one. */
  isInvalidated: boolean;
  isMerged: boolean;
}

const day = 86_400_000;
/** What a run applies; below, it proposes. */
const sure = 0.8;

export function judgePair(pair: RelationPair): Judged {
  const [older, newer]: [Note, Note] = [{ content: pair.older, at: 0 }, { content: pair.newer, at: day }];
  const link = linkByRules(newer, [older]).links.find(({ type }) => type === "contradicts" || type === "supersedes")?.type;
  const verdict = consolidateByRules(older, newer);
  return {
    pair, link,
    isConflict: pair.label === "contradiction" || pair.label === "supersession",
    isInvalidated: verdict.decision === "supersede" && verdict.confidence >= sure,
    isMerged: verdict.decision === "merge" && verdict.confidence >= sure,
  };
}

const share = (part: readonly unknown[], whole: readonly unknown[], empty: number): number => (whole.length === 0 ? empty : part.length / whole.length);

export function figuresOf(judged: readonly Judged[]): Record<string, number> {
  const linked = judged.filter(({ link }) => link !== undefined);
  const said = judged.filter(({ link }) => link === "supersedes");
  const changed = judged.filter(({ pair }) => pair.label === "supersession");
  const invalidated = judged.filter(({ isInvalidated }) => isInvalidated);
  const conflicts = judged.filter(({ isConflict }) => isConflict);
  return {
    "contradiction precision": share(linked.filter(({ isConflict }) => isConflict), linked, 1),
    "contradiction recall": share(linked.filter(({ isConflict }) => isConflict), conflicts, 0),
    "supersession precision": share(said.filter(({ pair }) => pair.label === "supersession"), said, 1),
    "supersession recall": share(changed.filter(({ link }) => link === "supersedes"), changed, 0),
    "applied precision": share(invalidated.filter(({ isConflict }) => isConflict), invalidated, 1),
    "applied recall": share(invalidated.filter(({ isConflict }) => isConflict), conflicts, 0),
  };
}

export function relations(limit: number | undefined): Measured {
  const all = readRelations();
  const judged = labels.flatMap((label) => all.filter((pair) => pair.label === label).slice(0, limit)).map(judgePair);
  const [held, dev] = [true, false].map((wanted) => judged.filter(({ pair }) => isHeld(pair.id) === wanted)) as [Judged[], Judged[]];
  const group = (name: string, of: readonly Judged[]): Group => ({ name, questions: of.length, figures: figuresOf(of) });
  const languages = [...new Set(all.map(({ language }) => language))];
  return {
    groups: [group("held half", held), group("other half", dev), ...languages.map((language) => group(`held, ${language}`, held.filter(({ pair }) => pair.language === language)))],
    notes: [counted("Held half", held), counted("Other half", dev)],
    misses: dev.filter(({ isConflict, link, isInvalidated }) => isConflict !== (link !== undefined) || (isInvalidated && !isConflict)).map(asMiss),
    recalls: [],
    faults: [],
  };
}

/** Of pairs in which both notes hold, how many the rules would have broken; and how many the rules merge. */
function counted(name: string, of: readonly Judged[]): string {
  const both = of.filter(({ isConflict }) => !isConflict);
  const same = of.filter(({ pair }) => pair.label === "extends" || pair.label === "duplicate");
  const merged = of.filter(({ isMerged }) => isMerged);
  return `${name}: of ${both.length} pairs that both hold ${both.filter(({ link }) => link !== undefined).length} linked as conflicts, ${both.filter(({ isInvalidated }) => isInvalidated).length} invalidated; ${merged.filter((one) => same.includes(one)).length} of ${same.length} merged, ${merged.filter((one) => !same.includes(one)).length} wrongly`;
}

const asMiss = ({ pair, link }: Judged): Miss => ({
  id: pair.id,
  question: `${pair.older} | ${pair.newer}`,
  args: { label: pair.label, language: pair.language },
  expected: [pair.label],
  found: link === undefined ? [] : [{ key: link, relevance: 1 }],
});
