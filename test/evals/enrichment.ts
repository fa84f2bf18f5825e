import { readFileSync } from "node:fs";
import { enrichByRules } from "../../src/domain/intelligence/rules/enrich.ts";
import { type LabelledNote, enrichmentGroups, type ScoredNote, scoreNote } from "./enrichment-score.ts";
import type { Measured, Miss } from "./evaluation.ts";
import { isHeld } from "./held.ts";
import { percent } from "./metrics.ts";

/**
 * Enrichment by rules, without a server: type, band of importance and keywords of labelled notes. Rules are written by looking at the half
 * that is not held; targets count on the other half, whose texts stay out of the misses. Beside them, memories that were written for other
 * sets, and so without types in mind: how often their type is one that a person accepts, and how often none is claimed.
 */

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`sets/${name}.json`, import.meta.url), "utf8"));
export const readNotes = (): LabelledNote[] => (read("notes") as { notes: LabelledNote[] }).notes;

export function enrichment(limit: number | undefined): Measured {
  const all = readNotes();
  const languages = [...new Set(all.map(({ language }) => language))];
  const notes = languages.flatMap((language) => all.filter((note) => note.language === language).slice(0, limit));
  const scored = notes.map((note) => scoreNote(note, enrichByRules));
  return { groups: enrichmentGroups(scored), notes: [besides(true), besides(false)], misses: scored.filter(isMissed).map(asMiss), recalls: [], faults: [] };
}

const isMissed = ({ note, figures }: ScoredNote): boolean => !note.held && figures.type === 0;

const asMiss = ({ note, found }: ScoredNote): Miss => ({
  id: note.id,
  question: note.text,
  args: { language: note.language },
  expected: [note.type],
  found: [{ key: found.type, relevance: found.confidence }],
});

interface Typed {
  set: string;
  key: string;
  types: string[];
}
interface Team {
  memories: { id?: string; key?: string; content: string }[];
}

function besides(held: boolean): string {
  const typed = (read("note-types") as { memories: Typed[] }).memories.filter(({ set, key }) => isHeld(`${set}/${key}`) === held);
  const teams = new Map<string, Team>();
  const outcomes = typed.map(({ set, key, types }) => {
    const team = teams.get(set) ?? (read(set) as Team);
    teams.set(set, team);
    const memory = team.memories.find((one) => (one.key ?? one.id) === key);
    if (!memory) throw new Error(`${set} has no ${key}`);
    const { type } = enrichByRules({ content: memory.content, key: memory.key });
    return types.includes(type) ? "right" : type === "standard" ? "none" : "wrong";
  });
  const share = (outcome: (typeof outcomes)[number]): string => percent(outcomes.filter((one) => one === outcome).length / outcomes.length);
  return `${held ? "Held" : "Other"} memories of teams (${outcomes.length}): type accepted ${share("right")}, none claimed ${share("none")}, a wrong one ${share("wrong")}.`;
}
