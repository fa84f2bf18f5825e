import { mostEntries } from "./passport.ts";

/** What a session left behind, as it is stored: paths and questions, and of memories their ids alone. */
export interface SessionTrace {
  files: { path: string; count: number; at: number }[];
  searches: { query: string; at: number }[];
  /** Ids of memories that hold decisions. */
  decisions: { id: string; at: number }[];
  /** Ids of memories that say what is in work, by their keys. */
  state: { key: string; id: string; at: number }[];
  /** Names of tools, in the order of their use. */
  commands: string[];
  /** What a passport told whose memories are not here. */
  told?: Told | undefined;
}

/** In the words of a passport, which nobody here can change or forget one by one: it goes with the session. */
export interface Told {
  decisions: { decision: string; at: number }[];
  state: { key: string; value: string; at: number }[];
}

/** What a tool notes as it is used. */
export type TraceEvent =
  | { kind: "file"; path: string }
  | { kind: "search"; query: string }
  | { kind: "decision"; id: string }
  | { kind: "state"; key: string; id: string }
  | { kind: "command"; name: string };

export type TraceEntry = TraceEvent & { at: number };

/** The newest of each; what is older says little of the work. */
export const most = { files: 100, searches: 50, decisions: 50, state: 20, commands: 20 } as const;
/** In characters: a longer question is a text that somebody pasted. */
export const longestQuery = 500;

export const emptyTrace = (): SessionTrace => ({ files: [], searches: [], decisions: [], state: [], commands: [] });

/** The trace with these entries. The same file, question or memory stands in it once, at its last use. */
export function withEntries(trace: SessionTrace, entries: readonly TraceEntry[]): SessionTrace {
  const files = new Map(trace.files.map((file) => [file.path, file]));
  const searches = new Map(trace.searches.map((search) => [search.query, search]));
  const decisions = new Map(trace.decisions.map((decision) => [decision.id, decision]));
  const state = new Map(trace.state.map((one) => [one.key, one]));
  const commands = [...trace.commands];
  const last = <V>(map: Map<string, V>, key: string, value: V): void => {
    map.delete(key);
    map.set(key, value);
  };
  for (const entry of entries) {
    const { at } = entry;
    switch (entry.kind) {
      case "file": last(files, entry.path, { path: entry.path, count: (files.get(entry.path)?.count ?? 0) + 1, at }); break;
      case "search": last(searches, entry.query, { query: entry.query, at }); break;
      case "decision": last(decisions, entry.id, { id: entry.id, at }); break;
      case "state": last(state, entry.key, { key: entry.key, id: entry.id, at }); break;
      case "command": commands.push(entry.name); break;
    }
  }
  return {
    files: newest(files, most.files),
    searches: newest(searches, most.searches),
    decisions: newest(decisions, most.decisions),
    state: newest(state, most.state),
    commands: commands.slice(-most.commands),
    ...(trace.told ? { told: trace.told } : {}),
  };
}

/** Both, as if what happened in one had happened in the other; the same again once both are together. */
export const mergedTraces = (earlier: SessionTrace, later: SessionTrace): SessionTrace => {
  const counted = new Map(earlier.files.map(({ path, count }) => [path, count]));
  const merged = withEntries(earlier, [
    ...later.files.map(({ path, at }) => ({ kind: "file" as const, path, at })),
    ...later.searches.map((search) => ({ kind: "search" as const, ...search })),
    ...later.decisions.map((decision) => ({ kind: "decision" as const, ...decision })),
    ...later.state.map((one) => ({ kind: "state" as const, ...one })),
  ]);
  const counts = new Map(later.files.map(({ path, count }) => [path, Math.max(count, counted.get(path) ?? 0)]));
  const told = earlier.told && later.told ? bothTold(earlier.told, later.told) : (earlier.told ?? later.told);
  const commands = lines(later.commands).includes(lines(earlier.commands)) ? later.commands : [...earlier.commands, ...later.commands].slice(-most.commands);
  return { ...merged, commands, files: merged.files.map((file) => ({ ...file, count: counts.get(file.path) ?? file.count })), ...(told ? { told } : {}) };
};

const lines = (names: readonly string[]): string => `\n${names.join("\n")}\n`;

/** The newest of each, as many as a passport has room for; the same is told once. */
function bothTold(earlier: Told, later: Told): Told {
  const decisions = new Map([...earlier.decisions, ...later.decisions].map((one) => [one.decision, one]));
  const state = new Map([...earlier.state, ...later.state].map((one) => [one.key, one]));
  return { decisions: newest(decisions, mostEntries), state: newest(state, mostEntries) };
}

const newest = <V extends { at: number }>(entries: Map<string, V>, limit: number): V[] => [...entries.values()].sort((a, b) => a.at - b.at).slice(-limit);

/** After so long a file's use counts half. */
const halfLifeMs = 24 * 60 * 60 * 1_000;

/** How much each file mattered, 0–1: how often it was named, and how long ago, beside the one that mattered most; that one first. */
export function ratedFiles({ files }: SessionTrace): { path: string; importance: number; at: number }[] {
  const latest = Math.max(...files.map(({ at }) => at));
  const weighed = files.map(({ path, count, at }) => ({ path, at, weight: (1 + Math.log2(count)) * 0.5 ** ((latest - at) / halfLifeMs) }));
  const top = Math.max(...weighed.map(({ weight }) => weight));
  return weighed.sort((a, b) => b.weight - a.weight || b.at - a.at).map(({ path, at, weight }) => ({ path, at, importance: Math.round((100 * weight) / top) / 100 }));
}
