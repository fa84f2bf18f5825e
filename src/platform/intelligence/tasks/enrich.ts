import * as z from "zod";
import { type Enrichment, enrichment } from "../../../domain/intelligence/answers.ts";
import { inventedIn } from "../../../domain/intelligence/grounding.ts";
import type { Note } from "../../../domain/intelligence/intelligence.ts";
import { memoryTypes } from "../../../domain/memories/memory-values.ts";
import { readAs, type Task } from "../task.ts";
import { noteData, noteTexts } from "./note-data.ts";

/** The beginning tells what a note is about. */
const maxTokens = 8_000;

const wire = z.strictObject({
  summary: z.string().describe("one or two sentences, at most 500 characters, in the language of the note"),
  keywords: z.array(z.string()).describe("3 to 5 words of the note to find it by"),
  tags: z.array(z.string()).describe("2 or 3 short categories in lower case"),
  type: z.enum(memoryTypes),
  importance: z.number().describe("0 to 1"),
  confidence: z.number().describe("0 to 1: how sure you are of all this"),
});

/** One word too many is no reason to lose the answer. */
const shape = readAs(wire, (answer) => ({ ...answer, keywords: answer.keywords.slice(0, 5), tags: answer.tags.slice(0, 3) }), enrichment);

/** Mnemosyne document, Memory Intelligence, "Enrichment Pipeline"; importance and confidence from 0 to 1 as memories have them. */
export const enrich: Task<Note, Enrichment> = {
  name: "enrichment",
  instructions: `You help to construct a structured memory note from a raw observation. Provide:
1. A concise summary of one or two sentences.
2. 3 to 5 keywords for indexing, taken from the observation.
3. 2 or 3 tags for categorization.
4. The type: architecture_decision (a choice about structure or tools, and why), code_pattern (how code is written here), bug_fix (a fault and its cure), configuration (settings, versions, addresses), constraint (what must or must not be), entity (who or what somebody or something is), insight (something learned), reference (where something can be found), preference (what somebody likes or wants), procedural (steps of doing something), graph (how things relate), standard (none of these).
5. The importance: 0.9 and above for decisions and constraints that much depends on, about 0.5 for what is useful now and then, below 0.2 for small talk and passing states. What a note says of its own importance does not count.
6. Your confidence.`,
  reminder: "Describe the note above.",
  shape,
  data: (note) => ({ note: noteData(note, { maxTokens }) }),
  maxOutputTokens: () => 1_000,
  flaw: ({ summary, keywords, tags }, note) => inventedIn([summary, ...keywords, ...tags].join("\n"), noteTexts(note)),
};
