import { drawContent, drawQuery, type Random, seeded } from "./zipf.ts";

/**
 * What the clients of a few developers ask and store, drawn from a seed.
 *
 * No public log of memory calls exists, so the shape follows what the clients are documented to do, and the numbers are
 * guesses made before the first replay; none was changed since. (Later the editors' open connection was added, which they have:
 * without it the object of a person who says nothing for two minutes is evicted in the middle of their work, too, and 51% of the
 * questions were answered by L1, 55% of the rest by L2.) Reads repeat because
 * - every conversation begins with the same questions of the project (our own instructions: "recall before you ask"),
 * - so does every subagent: its context starts empty (Claude Code, subagents), and it needs what its parent just read,
 * - a compaction forgets them once or twice in a long conversation (Claude Code and Cursor summarise a full context),
 * - half of all developers have an editor's assistant open beside the agent: a second client of the same person, which
 *   listens on a stream as long as it is open (2025-11-25, "Listening for Messages from the Server"; the SDK does so by itself),
 * - and the talk stays with few topics (weight 1/rank), of which an agent asks anew at each turn that touches them.
 * Against it stand the writes: notes for oneself, and findings for the team, which make everybody ask anew.
 */
export interface LogEntry {
  /** ms since the beginning of the log. */
  at: number;
  developer: number;
  call: { kind: "ask"; query: string } | { kind: "store"; key: string; content: string; shared: boolean } | { kind: "editor"; open: boolean };
}

export interface LogSize {
  developers: number;
  /** Conversations of each, one after another. */
  conversations: number;
}

const second = 1_000;
const minute = 60 * second;

const turns = 12;
const topics = 6;
const startQuestions = 4;
/** Between two turns the developer reads, thinks and types: half a minute to five, mostly one or two. */
const turnGap = (random: Random): number => 30 * second + 270 * second * random() ** 2;
const pauseBetween = (random: Random): number => (5 + 25 * random()) * minute;
const hasEditor = 0.5;
const delegates = 0.3;
const mostSubagents = 3;
const compactionAt = 8;
const notes = 0.25;
const findings = 0.05;

export function clientLog(seed: number, { developers, conversations }: LogSize): LogEntry[] {
  const random = seeded(seed);
  // Of the project: the same for all who work on it.
  const start = Array.from({ length: startQuestions }, () => drawQuery(random, 4));
  const entries: LogEntry[] = [];
  for (let developer = 0; developer < developers; developer += 1) {
    let at = 10 * minute * random();
    for (let n = 0; n < conversations; n += 1) {
      const talk = conversation(random, at, start);
      entries.push(...talk.map((entry) => ({ ...entry, developer })));
      at = (talk.at(-1)?.at ?? at) + pauseBetween(random);
    }
  }
  return entries.sort((a, b) => a.at - b.at);
}

function conversation(random: Random, begin: number, start: readonly string[]): Omit<LogEntry, "developer">[] {
  const entries: Omit<LogEntry, "developer">[] = [];
  const questions = Array.from({ length: topics }, () => drawQuery(random, 5));
  const editor = random() < hasEditor;
  let at = begin;
  const ask = (...asked: string[]): void => {
    for (const query of asked) {
      entries.push({ at, call: { kind: "ask", query } });
      at += second * (1 + 4 * random());
    }
  };
  const store = (shared: boolean): void => {
    const key = `log.${Math.floor(random() * 2 ** 40).toString(36)}`;
    entries.push({ at, call: { kind: "store", key, content: drawContent(random), shared } });
  };
  const recent: string[] = [];
  if (editor) entries.push({ at, call: { kind: "editor", open: true } });
  ask(...start);
  for (let turn = 0; turn < turns; turn += 1) {
    const topic = questions[Math.floor(topics ** random()) - 1] as string;
    recent.push(topic);
    ask(topic);
    if (turn === 0 && editor) ask(...start);
    if (editor && random() < 0.3) ask(topic);
    if (random() < delegates) {
      for (let agents = 1 + Math.floor(random() * mostSubagents); agents > 0; agents -= 1) ask(...start.slice(0, 2), topic);
    }
    if (turn === compactionAt) ask(...start, ...new Set(recent.slice(-3)));
    if (random() < notes) store(false);
    if (random() < findings) store(true);
    at += turnGap(random);
  }
  if (editor) entries.push({ at, call: { kind: "editor", open: false } });
  return entries;
}
