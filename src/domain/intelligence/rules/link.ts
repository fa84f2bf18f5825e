import type { NoteLinks } from "../answers.ts";
import type { Note } from "../intelligence.ts";
import { referencesIn } from "../../graph/references.ts";
import { conflictOf } from "./relations/conflict.ts";
import { extensionOf } from "./relations/extension.ts";
import { matterOf } from "./relations/matter.ts";
import { read } from "./relations/statements.ts";

type Link = NoteLinks["links"][number];

const mostCandidates = 50;
/** Of a conflict with one statement of several, or of notes whose keys may mean different things. */
const unsure = 0.6;

/** Words before a reference that say that the work was done. */
const done = /\bimplement(?:s|ed|ing)\b|\bfulfil(?:s|led)\b|\bumgesetzt\b|\bumsetzung\b|实现|落实|実装/iu;
const reach = 60;

/** How a note relates to candidates, by what stands in the texts: what it names, what it says anew, what it says more of. */
export function linkByRules(note: Note, candidates: readonly Note[]): NoteLinks {
  const reading = read(note.content);
  const named = new Set(referencesIn({ id: "", key: note.key ?? null, content: note.content }));
  const links = candidates.slice(0, mostCandidates).flatMap((candidate, target): Link[] => {
    const reference = candidate.key && named.has(candidate.key) ? [referenceTo(note.content, candidate.key, target)] : [];
    const other = read(candidate.content);
    const matter = matterOf({ note, reading }, { note: candidate, reading: other });
    if (matter === "other") return reference;
    const isLater = (note.at ?? Infinity) >= (candidate.at ?? -Infinity);
    const conflict = isLater ? conflictOf(other, reading) : conflictOf(reading, other);
    if (conflict) {
      const strength = conflict.isWhole && matter === "same" ? conflict.strength : Math.min(conflict.strength, unsure);
      // What an older note says does not supersede a newer one.
      return [...reference, { target, type: isLater ? conflict.type : "contradicts", strength, reason: conflict.reason }];
    }
    const strength = matter === "same" ? extensionOf(other, reading) : undefined;
    return strength === undefined ? reference : [...reference, { target, type: "extends", strength, reason: "It says all that the other one says, and more." }];
  });
  return { links: links.slice(0, mostCandidates) };
}

function referenceTo(content: string, key: string, target: number): Link {
  const at = content.indexOf(key);
  const isDone = done.test(content.slice(Math.max(0, at - reach), at));
  return { target, type: isDone ? "implements" : "references", strength: isDone ? 0.8 : 0.5, reason: isDone ? "It says that it implements it, by its key." : "It names its key." };
}
