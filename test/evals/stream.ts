import type { Evaluation, Measured } from "./evaluation.ts";
import type { Memories } from "./memories.ts";
import { percent } from "./metrics.ts";
import { drawStream, type Entry, type Stream } from "./stream-notes.ts";

/** A team's clients store a stream of notes of which 30 % repeat others: what of it is kept twice, and what is lost. */

const seed = 13;
/** In CI the stream is shorter, since each entry is a call. */
const entries = process.env["CI"] === undefined ? 10_000 : 2_000;

interface Outcomes {
  counts: Map<string, number>;
  ms: number;
}

export async function stream(team: Memories, limit: number | undefined): Promise<Evaluation> {
  const drawn = drawStream(limit ?? entries, seed);
  const startedAt = performance.now();
  const counts = new Map<string, number>();
  for (const entry of drawn.entries) {
    const name = `${entry.kind} ${await send(team, entry)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const outcomes = { counts, ms: performance.now() - startedAt };
  return { measure: async () => measure(drawn, await team.contents(), outcomes) };
}

async function send(team: Memories, entry: Entry): Promise<string> {
  if (entry.kind !== "loop") return team.say(entry.text, entry.key);
  const [read] = await team.read(entry.query);
  return read === undefined ? "nothing read" : team.say(read, undefined);
}

function measure({ entries: all, facts, factOf }: Stream, stored: readonly string[], { counts, ms }: Outcomes): Measured {
  const found = stored.map((text) => factOf.get(text) ?? factOf.get(text.trim()));
  const kept = new Set(found.filter((fact) => fact !== undefined));
  const junk = stored.length - kept.size;
  const lost = facts - kept.size;
  const junkShare = junk / stored.length;
  const told = [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([name, count]) => `${name} ${count}`).join(", ");
  const repeats = all.filter(({ kind }) => kind !== "new").length;
  return {
    groups: [{ name: "all", questions: all.length, figures: { junk: junkShare, lost: lost / facts } }],
    notes: [
      `${repeats} of ${all.length} entries (${percent(repeats / all.length)}) say what was said before. ${stored.length} memories stored for ${facts} facts: ${junk} say what another says (${percent(junkShare)}), ${lost} facts lost.`,
      `${told}; ${(ms / all.length).toFixed(1)} ms a call`,
    ],
    misses: [],
    recalls: [],
    faults: found.filter((fact) => fact === undefined).map(() => "a memory says what nobody stored"),
  };
}
