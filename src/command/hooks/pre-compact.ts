import { createHash } from "node:crypto";
import { recordExchange } from "./conversation.ts";
import type { HookRun } from "./hooks.ts";
import { type Said, saidIn } from "./transcript.ts";

/** Mnemosyne document, pre-compact.sh: the markers, what says the most first. */
const markers = [/\bdecided\b|\bdecision\b/i, /\barchitecture\b|\bconstraint\b/i, /\bimportant\b|\bcritical\b/i];
const most = 5;
const shortest = 20;
const longest = 400;

/** Up to five statements that say what was decided, in the order in which they were made. */
export function statementsIn(said: readonly Said[]): string[] {
  const seen = new Set<string>();
  const marked = said.flatMap(({ content }) => sentencesOf(content)).flatMap((text, at) => {
    const rank = markers.findIndex((marker) => marker.test(text));
    const isNew = rank >= 0 && seen.size !== seen.add(text.toLowerCase()).size;
    return isNew ? [{ text, at, rank }] : [];
  });
  // Of equally telling ones the later: what was said last holds.
  return marked.sort((a, b) => a.rank - b.rank || b.at - a.at).slice(0, most).sort((a, b) => a.at - b.at).map(({ text }) => text);
}

const sentencesOf = (content: string): string[] =>
  content
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .split(/\n+|(?<=[.!?])\s+(?=[\p{Lu}"'(])/u)
    .map((text) => text.replace(/^[\s>#*+-]+/, "").replaceAll(/\s+/g, " ").trim())
    .filter((text) => text.length >= shortest && text.length <= longest && !text.endsWith("?"));

/** Keeps what a summary of the conversation could lose. */
export async function preCompact(run: HookRun): Promise<undefined> {
  const { input, memory } = run;
  if (input.transcript_path === undefined) return undefined;
  const said = saidIn(input.transcript_path);
  const statements = statementsIn(said);
  if (statements.length > 0) {
    const content = `Decided in a conversation, kept before it was compacted:\n\n${statements.map((text) => `- ${text}`).join("\n")}`;
    const digest = createHash("sha256").update(content).digest("hex").slice(0, 32);
    await memory.call("omn_store_memory", {
      content,
      metadata: { tags: ["pre-compact", "decision"], importance: 0.8, context: "Conversation before it was compacted" },
      idempotency_key: `compact:${input.session_id.slice(0, 100)}:${digest}`,
    });
  }
  await recordExchange(run, said);
  return undefined;
}
