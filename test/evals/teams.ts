import { readFileSync } from "node:fs";
import type { Evaluation, Measured } from "./evaluation.ts";
import type { Arguments, Memories } from "./memories.ts";
import { groupMeans, percent } from "./metrics.ts";
import { isHeld } from "./held.ts";

/**
 * Four made-up teams, each with 160 memories in six languages, and questions in the words of the memory, in other words, in another
 * language, about one place of a long note, and such as no memory answers. Only the half of the questions counts that
 * `scripts/ranker/` does not learn from. Questions about time are left to `scripts/ranker/train.ts`, where the clock can be set.
 */
export const teamSets = ["ledger", "trail", "lab", "studio"] as const;

/** Six companies, each with 40 short notes on what its projects run on, and questions that name the kind of it ("ledger database"). */
export const stackSets = ["quay", "grove", "forge", "clinic", "campus", "solo"] as const;

type TeamSet = (typeof teamSets)[number] | (typeof stackSets)[number];

interface TeamFile {
  memories: { id: string; language: string; key?: string }[];
  questions: { id: string; kind: string; text: string; gold: string[] }[];
}

const folder = new URL("sets/", import.meta.url);
const read = (name: TeamSet): TeamFile => JSON.parse(readFileSync(new URL(`team-${name}.json`, folder), "utf8")) as TeamFile;

/** Some say what became of what an earlier one says under the same key: both stay. */
const withOwnKey = ({ id, language: _language, key, ...memory }: TeamFile["memories"][number]): Arguments => ({ ...memory, ...(key === undefined ? {} : { key: `${key}/${id}` }) });

interface Asked {
  id: string;
  kind: string;
  text: string;
  /** Ids of the memories that answer. */
  gold: ReadonlySet<string>;
  team: Memories;
}

export async function teams<Set extends TeamSet>(sets: readonly Set[], homes: Record<Set, Memories>, limit: number | undefined): Promise<Evaluation> {
  const asked: Asked[] = [];
  for (const name of sets) {
    const { memories, questions } = read(name);
    const ids = await homes[name].store(memories.map(withOwnKey));
    const idOf = new Map(memories.map(({ id }, i) => [id, ids[i] as string]));
    const counted = questions.filter(({ id, kind }) => kind !== "time" && isHeld(`${name}/${id}`)).slice(0, limit);
    asked.push(...counted.map(({ id, kind, text, gold }) => ({ id: `${name}/${id}`, kind, text, gold: new Set(gold.map((memory) => idOf.get(memory) as string)), team: homes[name] })));
  }
  return { measure: (args) => measure(asked, args) };
}

async function measure(asked: readonly Asked[], args: Arguments): Promise<Measured> {
  const measured: Omit<Measured, "groups"> = { notes: [], misses: [], recalls: [], faults: [] };
  const scored: { groups: string[]; figures: Record<"hit@1" | "hit@5" | "hit@10" | "hit default", number> }[] = [];
  const unanswerable: { certain: boolean; sure: boolean; empty: boolean }[] = [];
  for (const { id, kind, text, gold, team } of asked) {
    const plain = await team.recall({ query: text, ...args });
    measured.recalls.push({ ms: plain.ms, tokens: plain.tokens });
    if (gold.size === 0) {
      unanswerable.push({ certain: plain.hits.length > 0 && !plain.uncertain, sure: (plain.hits[0]?.relevance ?? 0) >= 0.7, empty: plain.hits.length === 0 });
      continue;
    }
    const call = { query: text, limit: 10, min_relevance: 0, ...args };
    const { hits } = await team.recall(call);
    const at = hits.findIndex((hit) => gold.has(hit.id));
    const within = (k: number): number => Number(at !== -1 && at < k);
    const figures = { "hit@1": within(1), "hit@5": within(5), "hit@10": within(10), "hit default": Number(plain.hits.some((hit) => gold.has(hit.id))) };
    scored.push({ groups: ["all", kind], figures });
    if (at === -1) measured.misses.push({ id, question: text, args: call, expected: [...gold], found: hits.map(({ id: found, relevance }) => ({ key: found, relevance })) });
  }
  const share = (of: (one: (typeof unanswerable)[number]) => boolean): string => percent(unanswerable.filter(of).length / Math.max(1, unanswerable.length));
  measured.notes.push(
    `Of ${unanswerable.length} questions that nothing answers ${share(({ certain }) => certain)} get an answer that is not called a lead, ` +
      `${share(({ sure }) => sure)} one of relevance .7 or more, ${share(({ empty }) => empty)} nothing.`,
  );
  return { ...measured, groups: groupMeans(scored).sort((a, b) => Number(b.name === "all") - Number(a.name === "all")) };
}
