import { defined } from "../domain/defined.ts";
import { attribute, type Framed, joined, say } from "../domain/frame.ts";
import type { Contradiction } from "../domain/memories/contradictions.ts";
import { type Memory, trustOf } from "../domain/memories/memory.ts";
import { isTwin } from "../domain/memories/similar.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import { audienceOf, refOf, trustFieldOf } from "./render.ts";

/** In characters. */
const lineLength = 120;
const day = 86_400_000;

const ageOf = ({ updatedAt }: Memory, now: number): string => {
  const days = Math.max(0, Math.floor((now - updatedAt) / day));
  return days === 0 ? "today" : `${days} day${days === 1 ? "" : "s"}`;
};

/** How to repair a repeat or a contradiction, in the words of a family. */
export interface Repair {
  update: string;
  forget: string;
  /** Of the call that stored: by it a revert takes back what the call did. */
  request?: string;
  /** What was stored. */
  stored: Memory;
}

/** What was settled needs no repair. */
function adviceOf({ update, forget, request, stored }: Repair, similar: readonly Memory[], conflicts: readonly Contradiction[]): string {
  const settled = conflicts.filter((one) => one.settled === "superseded").length;
  return [
    ...(settled > 0 ? [`What it replaces is marked as superseded${request === undefined ? "" : `; omn_revert with request: "${request}" takes both back`}.`] : []),
    ...(similar.length > settled ? [`If this changes or repeats one of ${settled > 0 ? "the others" : "them"}, ${stored.version > 1 ? `${forget} that one` : `${update} on it with what holds of both, then ${forget} on id ${refOf(stored)}, this one`}.`] : []),
  ].join(" ");
}

/**
 * How the new memory stands to one that is like it: `contradicts`, `supersedes`, or it says that it supersedes and nothing was done; `same key` where
 * that one has another scope, so that the new one stands beside it and is not its next version.
 */
const relationTo = (memory: Memory, stored: Memory, conflicts: readonly Contradiction[]): string | undefined => {
  const found = conflicts.find((one) => one.memory.id === memory.id);
  if (!found) return isTwin(memory, stored) ? "same key" : undefined;
  return found.type === "supersedes" && found.settled !== "superseded" ? "may supersede" : found.type;
};

/** Fields of an answer that stored something: memories like it, or nothing. */
export const similarOf = (similar: readonly Memory[], now: number, repair: Repair, conflicts: readonly Contradiction[] = []): Record<string, unknown> =>
  similar.length === 0
    ? {}
    : {
        similar: similar.map((memory) => ({
          memory_id: memory.id,
          ...(memory.key === null ? {} : { key: memory.key }),
          line: preview(memory.content, lineLength),
          age: ageOf(memory, now),
          ...audienceOf(memory, undefined),
          ...trustFieldOf(memory),
          ...defined({ relation: relationTo(memory, repair.stored, conflicts) }),
        })),
        advice: adviceOf(repair, similar, conflicts),
      };

/** The same as lines at the end of the text. */
export function similarText(similar: readonly Memory[], now: number, repair: Repair, conflicts: readonly Contradiction[] = []): Framed {
  if (similar.length === 0) return say``;
  const lines = similar.map((memory) => {
    const attributes = [
      attribute("id", refOf(memory)),
      attribute("key", memory.key ?? undefined),
      attribute("age", ageOf(memory, now)),
      attribute("scope", audienceOf(memory, undefined).scope),
      attribute("trust", trustOf(memory)),
      attribute("relation", relationTo(memory, repair.stored, conflicts)),
    ];
    return say`<related${joined(attributes, "")}>${preview(memory.content, lineLength)}</related>`;
  });
  return say`${joined([say`\nSimilar:`, ...lines, say`${adviceOf(repair, similar, conflicts)}`])}`;
}
