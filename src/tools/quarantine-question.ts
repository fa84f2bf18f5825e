import { type Framed, joined, named, quoted, say } from "../domain/frame.ts";
import { screen } from "../domain/guard/screen.ts";
import type { Memory, MemoryState } from "../domain/memories/memory.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import type { ActQuestion, Question } from "./define-tool.ts";
import { audience } from "./sharing-question.ts";

const shown = 300;
/** Of one call. A client follows a call through ten rounds, and nobody reads as many forms. */
const mostAsked = 5;

/**
 * What is to become of a write that the guard keeps back: the person decides, never the model that is told of it.
 * `entry`: the id under which the answer lists it, where it lists several.
 */
export function quarantineQuestion(held: Memory, entry?: string): ActQuestion | undefined {
  const { quarantine, id } = held;
  // A call that is repeated after they decided has nothing to ask.
  if (!quarantine) return undefined;
  const { reasons, visibility, target, sensitivity } = quarantine;
  const of = { id, isNew: target === undefined, entry };
  return {
    message: say`This was kept back and not stored, because it holds ${named(reasons.join(", "))}. ${sensitivity === "secret" ? say`` : textOf(held)}Release it only if you know where it comes from${visibility === "private" ? "" : `, and ${audience[visibility]} will see it`}.`,
    asks: {
      acts: [
        { title: "Keep it in quarantine" },
        { title: "Release it as it was said", does: { do: "release", ...of } },
        { title: "Discard it", does: { do: "discard", ...of } },
      ],
    },
  };
}

/** The same of a call that writes several: about one after another. */
export function quarantineQuestions(kept: readonly { held: Memory; entry: string }[]): Question | undefined {
  const all = [...new Map(kept.map((one) => [one.held.id, one])).values()].flatMap(({ held, entry }) => quarantineQuestion(held, entry) ?? []);
  const others = all.length - mostAsked;
  const [first, ...more] = all.slice(0, mostAsked).map((one, i): ActQuestion => {
    const rest = others > 0 && i === mostAsked - 1 ? [say`The other ${others} stay in quarantine.`] : [];
    return all.length === 1 ? one : { ...one, message: joined([say`${i + 1} of ${all.length}: ${one.message}`, ...rest], " ") };
  });
  return first && { ...first, more };
}

/** Without its secrets, on one line, with nothing in it that hides; nothing at all where a name holds one. */
function textOf(held: MemoryState): Framed {
  // What is kept back is sealed as a secret memory is, in which the guard looks for none.
  const { masked } = screen({ ...held, sensitivity: "normal" }) ?? { masked: held };
  if (!masked) return say``;
  const { content, summary, metadata, value, tags, key } = masked;
  const isInContent = value === null || JSON.stringify(value) === content;
  const rest = Object.entries({ key, summary, tags: tags.join(", "), metadata: JSON.stringify(metadata), value: isInContent ? "" : JSON.stringify(value) });
  const beside = rest.flatMap(([name, said]) => (said === null || said === "" || said === "{}" ? [] : `${name}: ${said}`)).join("; ");
  return say`It says: ${quoted(preview(content, shown).toString())}${beside === "" ? "" : say` with ${quoted(preview(beside, shown).toString())}`}. `;
}
