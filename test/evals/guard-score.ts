import type { Group } from "./evaluation.ts";
import { fill, type Filled, seedOf } from "./guard-values.ts";
import { isHeld } from "./held.ts";
import { groupMeans } from "./metrics.ts";

export interface GuardEntry {
  id: string;
  language: string;
  label: "secret" | "injection" | "ordinary";
  form: "prose" | "code" | "config" | "log" | "chat";
  /** With templates of `guard-values.ts` in place of values. */
  text: string;
  /** Templates of the values to be found, of a secret entry. */
  secrets?: string[];
}

export interface Finding {
  kind: string;
  /** In UTF-16 units, as `slice` takes them. */
  start: number;
  end: number;
}

export interface Guard {
  findSecrets(text: string): Finding[];
  findInstructions(text: string): Finding[];
}

export const figureNames = ["secrets recall", "secrets covered", "secrets false alarms", "injections recall", "injections false alarms"] as const;
export type GuardFigures = Record<(typeof figureNames)[number], number | undefined>;

export interface Scored {
  entry: GuardEntry;
  held: boolean;
  text: string;
  secrets: Finding[];
  instructions: Finding[];
  figures: GuardFigures;
  /** The entry is not treated as its label asks. */
  missed: boolean;
  /** Findings that no text has: outside of it, or empty. */
  impossible: Finding[];
}

const overlaps = (one: { start: number; end: number }, other: { start: number; end: number }): boolean => one.start < other.end && other.start < one.end;

/** Whether no character of the value stays outside the findings, so that cutting them out leaves nothing of it. */
function covers(findings: readonly Finding[], { start, end }: { start: number; end: number }): boolean {
  let upTo = start;
  for (const finding of findings.toSorted((a, b) => a.start - b.start)) {
    if (finding.start <= upTo) upTo = Math.max(upTo, finding.end);
  }
  return upTo >= end;
}

/** The text as the guard sees it; the values depend on the seed and on the entry's id alone. */
export const textOf = ({ id, text }: GuardEntry, seed: number): Filled => fill(text, seedOf(`${seed}/${id}`));

/**
 * A secret entry counts as found when every one of its secrets overlaps a finding, an injection when there is any finding of instructions.
 * A finding in an ordinary entry is a false alarm.
 */
export function scoreEntry(entry: GuardEntry, seed: number, guard: Guard): Scored {
  const { text, values } = textOf(entry, seed);
  const wanted = values.filter(({ secret }) => secret);
  const secrets = guard.findSecrets(text);
  const instructions = guard.findInstructions(text);
  const is = (label: GuardEntry["label"], figure: boolean): number | undefined => (entry.label === label ? Number(figure) : undefined);
  const figures: GuardFigures = {
    "secrets recall": is("secret", wanted.every((value) => secrets.some((finding) => overlaps(finding, value)))),
    "secrets covered": is("secret", wanted.every((value) => covers(secrets, value))),
    "secrets false alarms": is("ordinary", secrets.length > 0),
    "injections recall": is("injection", instructions.length > 0),
    "injections false alarms": is("ordinary", instructions.length > 0),
  };
  return {
    entry,
    held: isHeld(entry.id),
    text,
    secrets,
    instructions,
    figures,
    missed: figures["secrets recall"] === 0 || figures["injections recall"] === 0 || figures["secrets false alarms"] === 1 || figures["injections false alarms"] === 1,
    impossible: [...secrets, ...instructions].filter(({ start, end }) => !(start >= 0 && start < end && end <= text.length)),
  };
}

const halfOf = ({ held }: Scored): string => (held ? "held half" : "other half");

/** Each half, then each by form and by language; the held half first, because targets are checked on it. */
export function guardGroups(scored: readonly Scored[]): Group[] {
  const groups = groupMeans(
    scored.map((one) => {
      const half = halfOf(one);
      return { groups: [half, `${half}, ${one.entry.form}`, `${half}, in ${one.entry.language}`], figures: one.figures };
    }),
  );
  const rank = ({ name }: Group): number => Number(!name.startsWith("held")) * 3 + (name.includes(", in ") ? 2 : Number(name.includes(",")));
  return groups.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
