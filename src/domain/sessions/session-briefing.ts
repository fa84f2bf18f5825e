import type { BriefingPart } from "../memories/briefing.ts";
import { ratedFiles } from "./session-trace.ts";
import type { StoredTurn, WorkSession } from "./session-store.ts";
import { speakerOf } from "./turns.ts";

/** How many turns and files a briefing tells at most. */
export const toldTurns = 4;
const toldFiles = 12;
const toldSearches = 3;

/** What a session adds to the briefing of its project. Its decisions and what is in work are memories, which the briefing has. */
export function sessionParts({ trace }: Pick<WorkSession, "trace">, turns: readonly StoredTurn[] = []): BriefingPart[] {
  const parts: BriefingPart[] = [
    { title: "Said last", form: "lines", entries: turns.slice(-toldTurns).map((turn) => `${speakerOf(turn)}: ${turn.compressed ?? turn.content}`) },
    { title: "Files", form: "list", entries: (trace.files.length === 0 ? [] : ratedFiles(trace)).slice(0, toldFiles).map(({ path }) => path) },
    { title: "Searched", form: "list", entries: trace.searches.toReversed().slice(0, toldSearches).map(({ query }) => query) },
  ];
  return parts.filter(({ entries }) => entries.length > 0);
}
