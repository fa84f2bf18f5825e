import type { Group } from "./evaluation.ts";
import { isHeld } from "./held.ts";

export interface Conversation {
  id: string;
  /** Name of whoever speaks as user, where it is known. */
  speaker?: string;
  messages: ["system" | "user" | "assistant", string][];
  /** Contents of the memories that are there. */
  present: string[];
  /** What becomes of it ("UPDATE 0": of the first memory that is there), then the words that it must hold. */
  facts: [string, ...string[]][];
}

export interface Decided {
  event: string;
  target?: number | undefined;
  text: string;
  confidence: number;
}

export interface Rules {
  extract(messages: { role: "system" | "user" | "assistant"; text: string; name?: string | undefined }[]): { facts: { text: string; confidence: number; message?: number | undefined }[] };
  decide(facts: string[], present: { content: string }[]): { memory: Decided[] };
}

export interface Counts {
  expected: number;
  found: number;
  extracted: number;
  right: number;
  decided: number;
  decidedRight: number;
  changes: number;
  changesRight: number;
  changesExpected: number;
}

export interface Scored {
  conversation: Conversation;
  held: boolean;
  decided: Decided[];
  counts: Counts;
  missed: boolean;
  impossible: string[];
}

const says = (text: string, words: readonly string[]): boolean => words.every((word) => text.toLowerCase().includes(word.toLowerCase()));
const named = ({ event, target }: Decided): string => (target === undefined || event === "ADD" ? event : `${event} ${target}`);

/** An extracted fact is right when it holds the words of an expected one; its decision when event and memory are as expected. */
export function scoreConversation(conversation: Conversation, rules: Rules): Scored {
  const { messages, present, speaker } = conversation;
  const extracted = rules.extract(messages.map(([role, text]) => ({ role, text, ...(role === "user" && speaker ? { name: speaker } : {}) }))).facts;
  const decided = rules.decide(extracted.map(({ text }) => text), present.map((content) => ({ content }))).memory;
  const expected = conversation.facts.map(([decision, ...words]) => ({ decision, words }));
  const kept = decided.filter(({ event, target }) => event !== "NONE" || target !== undefined);
  const found = expected.filter(({ words }) => kept.some(({ text }) => says(text, words)));
  const right = kept.filter(({ text }) => expected.some(({ words }) => says(text, words)));
  const asExpected = (one: Decided): boolean => expected.some(({ decision, words }) => says(one.text, words) && decision === named(one));
  const changes = decided.filter(({ event }) => event === "UPDATE" || event === "DELETE");
  const counts: Counts = {
    expected: expected.length,
    found: found.length,
    extracted: kept.length,
    right: right.length,
    decided: found.length,
    decidedRight: found.filter(({ decision, words }) => kept.some((one) => says(one.text, words) && named(one) === decision)).length,
    changes: changes.length,
    changesRight: changes.filter(asExpected).length,
    changesExpected: expected.filter(({ decision }) => /^(?:UPDATE|DELETE)/.test(decision)).length,
  };
  const impossible = [
    ...(decided.length === extracted.length ? [] : [`${decided.length} decisions on ${extracted.length} facts`]),
    ...decided.flatMap(({ target }) => (target === undefined || target < present.length ? [] : [`a decision on memory ${target} of ${present.length}`])),
  ];
  const missed = counts.found < counts.expected || counts.right < counts.extracted || counts.decidedRight < counts.decided || counts.changesRight < counts.changes;
  return { conversation, held: isHeld(conversation.id), decided, counts, missed, impossible };
}

export const figureNames = ["fact recall", "fact precision", "decision accuracy", "change precision", "change recall"] as const;

const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole);

/** Over all facts of the group together: most conversations have two or three. */
function figuresOf(scored: readonly Scored[]): Record<(typeof figureNames)[number], number | undefined> {
  const sum = (name: keyof Counts): number => scored.reduce((total, { counts }) => total + counts[name], 0);
  return {
    "fact recall": share(sum("found"), sum("expected")),
    "fact precision": share(sum("right"), sum("extracted")),
    "decision accuracy": share(sum("decidedRight"), sum("decided")),
    "change precision": share(sum("changesRight"), sum("changes")),
    "change recall": share(sum("changesRight"), sum("changesExpected")),
  };
}

/** Each half, the held one first, then each by language. */
export function factGroups(scored: readonly Scored[]): Group[] {
  const halves = [true, false].map((held) => ({ name: held ? "held half" : "other half", all: scored.filter((one) => one.held === held) }));
  const languageOf = ({ conversation: { id } }: Scored): string => id.slice(0, id.indexOf("/"));
  const byLanguage = halves.flatMap(({ name, all }) => [...new Set(all.map(languageOf))].sort().map((language) => ({ name: `${name}, in ${language}`, all: all.filter((one) => languageOf(one) === language) })));
  return [...halves, ...byLanguage].filter(({ all }) => all.length > 0).map(({ name, all }) => ({ name, questions: all.length, figures: figuresOf(all) }));
}
