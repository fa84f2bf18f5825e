import { readFileSync } from "node:fs";
import type { Evaluation, Measured, Miss } from "./evaluation.ts";
import type { Arguments, Memories } from "./memories.ts";
import { groupMeans, percent, recallAt, reciprocalRank } from "./metrics.ts";

/**
 * LoCoMo (Maharana et al. 2024, arXiv 2402.17753), conversations 1–5: each turn is one memory of the thread of its session,
 * each question is asked among the memories of its conversation, gold are the turns that the question cites.
 *
 * All conversations are stored before the first question, as a memory is that holds more than what is asked about. Asking
 * about each before the next is stored, when words are rarer, moves R@10 by +0.4 and MRR by −0.5 points.
 */

const categories: Record<number, string> = { 1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial" };

interface RawTurn {
  dia_id: string;
  speaker: string;
  text: string;
  blip_caption?: string;
}

interface RawSample {
  sample_id: string;
  conversation: Record<string, string | RawTurn[]>;
  qa: { question: string; category: number; evidence: string[] }[];
}

export interface Turn {
  id: string;
  session: number;
  occurredAt: string | undefined;
  text: string;
}

export interface Question {
  id: string;
  text: string;
  category: string;
  gold: ReadonlySet<string>;
}

export interface Conversation {
  tag: string;
  turns: Turn[];
  questions: Question[];
}

export const locomoFiles = ["locomo-dev.json"] as const;

export function loadLocomo(text: string): Conversation[] {
  return (JSON.parse(text) as RawSample[]).map((sample) => {
    const turns = turnsOf(sample.conversation);
    const known = new Set(turns.map(({ id }) => id));
    const questions = sample.qa.flatMap(({ question, category, evidence }, index) => {
      const gold = new Set(evidenceIds(evidence).filter((id) => known.has(id)));
      // Some questions cite nothing, or turns that do not exist: nothing can be measured by them.
      return gold.size === 0 ? [] : [{ id: `${sample.sample_id}/${index}`, text: question, category: `${category} ${categories[category] ?? ""}`, gold }];
    });
    return { tag: `locomo-${sample.sample_id}`, turns, questions };
  });
}

function turnsOf(conversation: RawSample["conversation"]): Turn[] {
  const sessions = Object.keys(conversation).flatMap((name) => /^session_(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return sessions
    .sort((a, b) => a - b)
    .flatMap((session) =>
      (conversation[`session_${session}`] as RawTurn[]).map((turn) => ({
        id: turn.dia_id,
        session,
        occurredAt: instantOf(conversation[`session_${session}_date_time`] as string | undefined),
        // The unit of the LoCoMo authors' own retrieval over dialogues.
        text: `${turn.speaker} said, "${turn.text}"${turn.blip_caption ? ` and shared ${turn.blip_caption}` : ""}`,
      })),
    );
}

/** Some lists hold "D8:6; D9:17", "D:11:26" or "D30:05". */
export function evidenceIds(list: readonly string[]): string[] {
  return list.flatMap((entry) => [...entry.matchAll(/D:?(\d+):(\d+)/g)].map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`));
}

/** "1:56 pm on 8 May, 2023", as if in UTC. */
export function instantOf(text: string | undefined): string | undefined {
  const [, time, half, date] = /(\d+:\d+)\s*([ap]m)\s+on\s+(\d+ \w+,? \d{4})/i.exec(text ?? "") ?? [];
  return date === undefined ? undefined : new Date(`${date.replace(",", "")} ${time} ${half} UTC`).toISOString();
}

/** Deep enough for every k. */
const depth = 25;

interface Scored {
  groups: string[];
  figures: Record<"R@5" | "R@10" | "R@25" | "MRR" | "R default", number>;
}

export async function locomo(dataDir: string, memories: Memories, limit: number | undefined): Promise<Evaluation> {
  const conversations = loadLocomo(readFileSync(`${dataDir}/${locomoFiles[0]}`, "utf8"));
  for (const { tag, turns } of conversations) {
    await memories.store(
      turns.map(({ id, session, occurredAt, text }) => ({
        key: `${tag}:${id}`,
        content: text,
        namespace: `thread:${tag}-s${session}`,
        tags: [tag, `session-${session}`],
        ...(occurredAt === undefined ? {} : { occurred_at: occurredAt }),
      })),
    );
  }
  const asked = conversations.flatMap(({ tag, questions }) => questions.slice(0, limit).map((question) => ({ ...question, tag })));
  return { measure: (args) => measure(memories, asked, args) };
}

async function measure(memories: Memories, asked: (Question & { tag: string })[], args: Arguments): Promise<Measured> {
  const measured: Omit<Measured, "groups"> = { notes: [], misses: [], recalls: [], faults: [] };
  const scored: Scored[] = [];
  const byDefault: { returned: number; found: number }[] = [];
  let foreign = 0;
  const rankedBy = async (tag: string, call: Arguments): Promise<{ ranked: string[]; found: Miss["found"]; ms: number; tokens: number }> => {
    const { hits, ms, tokens } = await memories.recall(call);
    const keys = hits.map(({ key }) => key ?? "");
    foreign += keys.filter((key) => !key.startsWith(`${tag}:`)).length;
    return { ranked: keys.map((key) => key.slice(tag.length + 1)), found: hits.map(({ relevance }, i) => ({ key: keys[i] ?? "", relevance })), ms, tokens };
  };
  for (const { id, text, category, gold, tag } of asked) {
    const question = { query: text, filters: { tags: [tag] }, ...args };
    const short = await rankedBy(tag, question);
    measured.recalls.push({ ms: short.ms, tokens: short.tokens });
    const hits = short.ranked.filter((turn) => gold.has(turn)).length;
    byDefault.push({ returned: short.ranked.length, found: hits });

    const call = { ...question, limit: depth, min_relevance: 0 };
    const { ranked, found } = await rankedBy(tag, call);
    const figures = {
      "R@5": recallAt(5, ranked, gold),
      "R@10": recallAt(10, ranked, gold),
      "R@25": recallAt(depth, ranked, gold),
      MRR: reciprocalRank(ranked, gold),
      "R default": hits / gold.size,
    };
    scored.push({ groups: ["all", category], figures });
    if (figures["R@10"] === 0) measured.misses.push({ id, question: text, args: call, expected: [...gold], found: found.slice(0, 10) });

  }
  const returned = byDefault.reduce((sum, entry) => sum + entry.returned, 0);
  const found = byDefault.reduce((sum, entry) => sum + entry.found, 0);
  measured.notes.push(
    `By default a question gets ${(returned / asked.length).toFixed(1)} turns; ${percent(returned === 0 ? undefined : found / returned)} of them are gold.`,
  );
  if (foreign > 0) measured.faults.push(`${foreign} hits belong to another conversation`);
  const groups = groupMeans(scored).sort((a, b) => (a.name === "all" ? -1 : b.name === "all" ? 1 : a.name.localeCompare(b.name)));
  return { ...measured, groups };
}
