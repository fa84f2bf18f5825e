import { attribute, type Framed, joined, say } from "../domain/frame.ts";
import { type Memory, trustOf } from "../domain/memories/memory.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import { audienceOf, trustFieldOf } from "./render.ts";

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
}

const adviceOf = ({ update, forget }: Repair): string => `If this changes or repeats one of them, ${update} with the new text and ${forget} this one.`;

/** Fields of an answer that stored something: memories like it, or nothing. */
export const similarOf = (similar: readonly Memory[], now: number, repair: Repair): Record<string, unknown> =>
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
        })),
        advice: adviceOf(repair),
      };

/** The same as lines at the end of the text. */
export function similarText(similar: readonly Memory[], now: number, repair: Repair): Framed {
  if (similar.length === 0) return say``;
  const lines = similar.map((memory) => {
    const attributes = [
      attribute("id", memory.id),
      attribute("key", memory.key ?? undefined),
      attribute("age", ageOf(memory, now)),
      attribute("scope", audienceOf(memory, undefined).scope),
      attribute("trust", trustOf(memory)),
    ];
    return say`<related${joined(attributes, "")}>${preview(memory.content, lineLength)}</related>`;
  });
  return say`${joined([say`\nSimilar:`, ...lines, say`${adviceOf(repair)}`])}`;
}
