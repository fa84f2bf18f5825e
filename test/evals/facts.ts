import { readFileSync } from "node:fs";
import { decideByRules } from "../../src/domain/intelligence/rules/decide.ts";
import { extractByRules } from "../../src/domain/intelligence/rules/extract.ts";
import type { Measured, Miss } from "./evaluation.ts";
import { type Conversation, factGroups, type Rules, type Scored, scoreConversation } from "./facts-score.ts";

/**
 * Facts taken from conversations, and what becomes of them, without a server. Cues are written by looking at the half that `isHeld`
 * leaves open; the texts of the other half stay out of the misses.
 */

const file = new URL("sets/conversations.json", import.meta.url);
export const readConversations = (): Conversation[] => (JSON.parse(readFileSync(file, "utf8")) as { conversations: Conversation[] }).conversations;

const rules: Rules = { extract: extractByRules, decide: decideByRules };

export function facts(limit: number | undefined): Measured {
  const scored = readConversations().slice(0, limit).map((conversation) => scoreConversation(conversation, rules));
  return {
    groups: factGroups(scored),
    notes: [`${counted(scored, true)}; ${counted(scored, false)}.`],
    misses: scored.filter(({ held, missed }) => missed && !held).map(asMiss),
    recalls: [],
    faults: scored.flatMap(({ conversation, impossible }) => impossible.map((what) => `${conversation.id}: ${what}`)),
  };
}

function counted(scored: readonly Scored[], held: boolean): string {
  const half = scored.filter((one) => one.held === held);
  const sum = (of: (one: Scored) => number): number => half.reduce((total, one) => total + of(one), 0);
  return (
    `${held ? "Held half" : "other half"}: ${sum(({ counts }) => counts.found)} of ${sum(({ counts }) => counts.expected)} facts found, ` +
    `${sum(({ counts }) => counts.right)} of ${sum(({ counts }) => counts.extracted)} extracted ones right, ` +
    `${sum(({ counts }) => counts.changesRight)} of ${sum(({ counts }) => counts.changes)} updates and deletions right, of ${sum(({ counts }) => counts.changesExpected)} wanted`
  );
}

const asMiss = ({ conversation: { id, messages, present, facts: expected }, decided }: Scored): Miss => ({
  id,
  question: messages.map(([role, text]) => `${role}: ${text}`).join("\n"),
  args: { present },
  expected: expected.map((fact) => fact.join(" | ")),
  found: decided.map(({ event, target, text, confidence }) => ({ key: `${event}${target === undefined ? "" : ` ${target}`}: ${text}`, relevance: confidence })),
});
