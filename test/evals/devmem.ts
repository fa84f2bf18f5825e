import { readFileSync } from "node:fs";
import type { Evaluation, Measured } from "./evaluation.ts";
import type { Arguments, Memories } from "./memories.ts";
import { groupMeans, mean, percent, recallAt, reciprocalRank } from "./metrics.ts";

/**
 * DevMemBench: 25 sessions of a developer with a coding assistant. Each session is one memory, as in the baseline of
 * 91.8 (R@5, FTS5 without stop words: 92.1 with these units, 90.7 with a memory per message). Gold are the sessions a
 * question needs; the 25 questions that no session answers count for nothing here but for what comes back by default.
 */

interface Session {
  sessionId: string;
  metadata: { date: string; project: string };
  messages: { role: string; content: string }[];
}

interface Question {
  questionId: string;
  questionType: string;
  question: string;
  haystackSessionIds: string[];
}

export const devmemFiles = ["devmembench_sessions.json", "devmembench_questions.json"] as const;

export async function devmem(dataDir: string, memories: Memories, limit: number | undefined): Promise<Evaluation> {
  const [sessions, questions] = devmemFiles.map((file) => JSON.parse(readFileSync(`${dataDir}/${file}`, "utf8")) as unknown) as [Session[], Question[]];
  await memories.store(
    sessions.map(({ sessionId, metadata, messages }) => ({
      key: sessionId,
      content: messages.map(({ role, content }) => `${role}: ${content}`).join("\n\n"),
      namespace: metadata.project === "both" ? "global" : `project:${metadata.project}`,
      occurred_at: `${metadata.date}T00:00:00Z`,
    })),
  );
  return { measure: (args) => measure(memories, questions.slice(0, limit), args) };
}

async function measure(memories: Memories, questions: Question[], args: Arguments): Promise<Measured> {
  const measured: Omit<Measured, "groups"> = { notes: [], misses: [], recalls: [], faults: [] };
  const scored: { groups: string[]; figures: Record<"R@5" | "R@10" | "MRR" | "R default", number> }[] = [];
  const byDefault: { precision: number | undefined; returned: number; answerable: boolean }[] = [];
  for (const { questionId, questionType, question, haystackSessionIds } of questions) {
    const gold = new Set(haystackSessionIds);
    const plain = await memories.recall({ query: question, ...args });
    measured.recalls.push({ ms: plain.ms, tokens: plain.tokens });
    const found = plain.hits.filter(({ key }) => gold.has(key ?? "")).length;
    byDefault.push({
      precision: plain.hits.length === 0 ? undefined : found / plain.hits.length,
      returned: plain.hits.length,
      answerable: gold.size > 0,
    });
    if (gold.size === 0) continue;

    const call = { query: question, limit: 10, min_relevance: 0, ...args };
    const { hits } = await memories.recall(call);
    const ranked = hits.map(({ key }) => key ?? "");
    const figures = { "R@5": recallAt(5, ranked, gold), "R@10": recallAt(10, ranked, gold), MRR: reciprocalRank(ranked, gold), "R default": found / gold.size };
    scored.push({ groups: ["all", questionType], figures });
    if (figures["R@5"] < 1) {
      measured.misses.push({ id: questionId, question, args: call, expected: haystackSessionIds, found: hits.map(({ key, relevance }) => ({ key: key ?? "", relevance })) });
    }
  }
  const answerable = byDefault.filter((entry) => entry.answerable);
  const others = byDefault.filter((entry) => !entry.answerable);
  measured.notes.push(
    `By default: precision ${percent(mean(answerable.map((entry) => entry.precision)))}, ` +
      `${(mean(answerable.map((entry) => entry.returned)) ?? 0).toFixed(1)} sessions a question; of the ${others.length} questions without an answer ` +
      `${others.filter((entry) => entry.returned === 0).length} get none, the others ${(mean(others.filter((entry) => entry.returned > 0).map((entry) => entry.returned)) ?? 0).toFixed(1)}.`,
  );
  return { ...measured, groups: groupMeans(scored) };
}
