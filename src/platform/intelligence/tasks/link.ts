import * as z from "zod";
import { noteLinks, type NoteLinks } from "../../../domain/intelligence/answers.ts";
import { inventedIn } from "../../../domain/intelligence/grounding.ts";
import type { Note } from "../../../domain/intelligence/intelligence.ts";
import { linkTypes } from "../../../domain/graph/graph.ts";
import type { Task } from "../task.ts";
import { noteData, noteTexts } from "./note-data.ts";

export interface LinkInput {
  note: Note;
  candidates: readonly Note[];
}

/** How texts relate shows in their beginnings. */
const maxTokens = 1_000;

const shape = z
  .strictObject({
    links: z.array(
      z.strictObject({
        target: z.number().describe("number of the candidate"),
        type: z.enum(linkTypes),
        strength: z.number().describe("0 to 1"),
        reason: z.string().describe("one short sentence"),
      }),
    ),
  })
  .pipe(noteLinks);

/** Mnemosyne document, Memory Intelligence, "Link Generation". */
export const link: Task<LinkInput, NoteLinks> = {
  name: "links",
  instructions: `You analyze semantic relationships between a new memory and candidate memories. For each meaningful relationship give the number of the candidate, the type, the strength and a brief reason.
Types, from the new memory to the candidate: extends (adds to it), contradicts (both cannot be true at once), implements (carries out what it decides or asks for), references (mentions it or what it is about), supersedes (is newer and takes its place; say so only for the same subject and matter).
Most pairs have no relationship; an empty list is a good answer.`,
  reminder: "List the relationships of the new memory above to the candidates.",
  shape,
  data: ({ note, candidates }) => ({ new_memory: noteData(note, { maxTokens }), candidates: candidates.map((candidate, number) => noteData(candidate, { number, maxTokens })) }),
  maxOutputTokens: ({ candidates }) => 300 + 150 * candidates.length,
  flaw({ links }, { note, candidates }) {
    if (links.some(({ target }) => target >= candidates.length)) return "a memory that was not shown";
    if (new Set(links.map(({ target, type }) => `${target} ${type}`)).size < links.length) return "a link twice";
    return inventedIn(links.map(({ reason }) => reason).join("\n"), [note, ...candidates].flatMap(noteTexts));
  },
};
