import { readFileSync } from "node:fs";
import { findInstructions } from "../../src/domain/guard/find-instructions.ts";
import { findSecrets } from "../../src/domain/guard/find-secrets.ts";
import type { Measured, Miss } from "./evaluation.ts";
import { type Finding, type GuardEntry, guardGroups, type Scored, scoreEntry } from "./guard-score.ts";

/**
 * The write guard by itself, without a server: which secrets and which orders to a model it finds in notes, and how often it takes an
 * ordinary note for either. Rules are written by looking at the half that `isHeld` leaves open; targets count on the other half, whose texts
 * and ids stay out of the misses.
 */

const read = (file: string): GuardEntry[] => (JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as { entries: GuardEntry[] }).entries;
export const readGuardSet = (): GuardEntry[] => read("sets/guard.json");
/** A second set, of forms of real incidents; targets count on the first. */
export const readBroadSet = (): GuardEntry[] => read("sets/guard-broad.json");
/** A third, of secrets and look-alikes in words that the rules had not met. */
export const readFreshSet = (): GuardEntry[] => read("sets/guard-fresh.json");
/** A fourth, of what people have their assistants remember of how to work, and of attacks worded so. */
export const readRulesSet = (): GuardEntry[] => read("sets/guard-rules.json");

/** Draws the values in the texts. Tests take others. */
const seed = 1;
const labels = ["secret", "injection", "ordinary"] as const;

export function guard(limit: number | undefined): Measured {
  const score = (all: readonly GuardEntry[]): Scored[] =>
    labels.flatMap((label) => all.filter((entry) => entry.label === label).slice(0, limit)).map((entry) => scoreEntry(entry, seed, { findSecrets, findInstructions }));
  const scored = score(readGuardSet());
  const others = [
    ["broad", score(readBroadSet())],
    ["fresh", score(readFreshSet())],
    ["rules", score(readRulesSet())],
  ] as const;
  const all = [...scored, ...others.flatMap(([, set]) => set)];
  const said = (set: readonly Scored[]): string[] => [`${counted(set, true)}; ${counted(set, false)}.`, `${besides(set, true)}; ${besides(set, false)}.`];
  return {
    groups: [...guardGroups(scored), ...others.flatMap(([name, set]) => guardGroups(set).filter((group) => !group.name.includes(",")).map((group) => ({ ...group, name: `${name} set, ${group.name}` })))],
    notes: [...said(scored), ...others.flatMap(([name, set]) => said(set).map((note) => `${name.charAt(0).toUpperCase()}${name.slice(1)} set: ${note}`))],
    misses: all.filter(({ held, missed }) => missed && !held).map(asMiss),
    recalls: [],
    faults: all.filter(({ impossible }) => impossible.length > 0).map(({ entry }) => `${entry.id}: a finding outside of the text`),
  };
}

const halfName = (held: boolean): string => (held ? "Held half" : "other half");

function counted(scored: readonly Scored[], held: boolean): string {
  const half = scored.filter((one) => one.held === held);
  const missed = (label: GuardEntry["label"], is: (one: Scored) => boolean): string => {
    const labelled = half.filter(({ entry }) => entry.label === label);
    return `${labelled.filter(is).length} of ${labelled.length}`;
  };
  return (
    `${halfName(held)}: ${missed("secret", ({ figures }) => figures["secrets recall"] === 0)} secret entries missed, ` +
    `${missed("injection", ({ figures }) => figures["injections recall"] === 0)} injections missed, false alarms on ` +
    `${missed("ordinary", ({ secrets }) => secrets.length > 0)} (secrets) and ${missed("ordinary", ({ instructions }) => instructions.length > 0)} (injections) ordinary ones`
  );
}

/** A note with a secret is no order, and the other way round. */
function besides(scored: readonly Scored[], held: boolean): string {
  const half = scored.filter((one) => one.held === held);
  const both = (label: GuardEntry["label"], found: (one: Scored) => Finding[]): number => half.filter((one) => one.entry.label === label && found(one).length > 0).length;
  return `${halfName(held)}: instructions found in ${both("secret", ({ instructions }) => instructions)} secret entries, secrets in ${both("injection", ({ secrets }) => secrets)} injections`;
}

const asMiss = ({ entry, text, secrets, instructions }: Scored): Miss => ({
  id: entry.id,
  question: text,
  args: { label: entry.label, language: entry.language, form: entry.form },
  expected: entry.label === "secret" ? (entry.secrets ?? []) : entry.label === "injection" ? ["instructions"] : [],
  found: [...secrets, ...instructions].map(({ kind, start, end }) => ({ key: `${kind}: ${text.slice(start, end)}`, relevance: 1 })),
});
