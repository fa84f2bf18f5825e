import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Evaluation, Measured } from "./evaluation.ts";
import { loadLocomo, locomoFiles } from "./locomo.ts";
import type { Memories } from "./memories.ts";
import { groupMeans } from "./metrics.ts";

/**
 * Resuming a project: each conversation of LoCoMo is what a project has stored. Four of its turns are held back and say under the
 * keys of the Token Saver document where the work stands; they are stored first, so that everything else is newer. A briefing has
 * to say all of them, in at most 500 tokens and a tenth of what is stored.
 */
const stateKeys = ["current.task", "current.progress", "current.blockers", "current.next_steps"];
const mostTokens = 500;

export const resumeFiles = locomoFiles;

export async function resume(dataDir: string, memories: Memories, limit: number | undefined): Promise<Evaluation> {
  const projects = loadLocomo(readFileSync(`${dataDir}/${locomoFiles[0]}`, "utf8"))
    .slice(0, limit)
    .map(({ tag, turns }) => {
      const every = Math.floor(turns.length / (stateKeys.length + 1));
      const state = stateKeys.map((key, i) => ({ key, content: (turns[(i + 1) * every] as (typeof turns)[number]).text }));
      const heldBack = new Set(state.map(({ content }) => content));
      return { tag, state, rest: turns.filter(({ text }) => !heldBack.has(text)) };
    });
  for (const { tag, state, rest } of projects) {
    const namespace = `project:${tag}`;
    await memories.store(state.map((memory) => ({ ...memory, namespace })));
    await memories.store(rest.map(({ id, text }) => ({ key: `discovered.${id.replaceAll(":", "_")}`, content: text, namespace })));
  }
  return { measure: () => measure(memories, projects) };
}

async function measure(memories: Memories, projects: readonly { tag: string; state: { key: string; content: string }[]; rest: { text: string }[] }[]): Promise<Measured> {
  const measured: Omit<Measured, "groups"> = { notes: [], misses: [], recalls: [], faults: [] };
  const scored: { groups: string[]; figures: Record<"said" | "fewer", number> }[] = [];
  const sizes: string[] = [];
  for (const { tag, state, rest } of projects) {
    const { text, ms } = await memories.resume(tag);
    const tokens = countTokens(text);
    const stored = countTokens([...state.map(({ content }) => content), ...rest.map((turn) => turn.text)].join("\n"));
    const missing = state.filter(({ content }) => !text.includes(content));
    if (tokens > mostTokens) measured.faults.push(`the briefing of ${tag} has ${tokens} tokens`);
    for (const { key, content } of missing) measured.misses.push({ id: `${tag}/${key}`, question: "smart_resume", args: { project_path: tag }, expected: [content], found: [] });
    measured.recalls.push({ ms, tokens });
    sizes.push(`${tokens} of ${stored}`);
    scored.push({ groups: ["all"], figures: { said: 1 - missing.length / state.length, fewer: 1 - tokens / stored } });
  }
  measured.notes.push(`Tokens of the briefings, and of what is stored: ${sizes.join(", ")}.`);
  return { ...measured, groups: groupMeans(scored) };
}
