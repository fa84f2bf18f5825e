import * as z from "zod";
import { type Extraction, extraction } from "../../../domain/intelligence/answers.ts";
import { inventedIn } from "../../../domain/intelligence/grounding.ts";
import type { Message } from "../../../domain/intelligence/intelligence.ts";
import { readAs, type Task } from "../task.ts";

const wire = z.strictObject({
  facts: z.array(z.strictObject({ text: z.string().describe("one sentence that names its subject"), confidence: z.number().describe("0 to 1") })),
  language: z.string().nullable().describe("ISO 639-1 code of the language that was spoken, such as en; null where it is not clear"),
});

const shape = readAs(wire, ({ facts, language }) => ({ facts, ...(language && /^[a-z]{2}$/.test(language) ? { language } : {}) }), extraction);

/** memory-server document, section 4; the instructions give way to `custom_fact_extraction_prompt`. */
export const extract: Task<readonly Message[], Extraction> = {
  name: "facts",
  instructions: `You extract from a conversation the facts that are worth remembering: preferences, people and how they relate, plans, dates, work, decisions, constraints and how things are done.
Each fact is one sentence that can be understood without the conversation. It names its subject: the name of the person or thing, or "User" for a speaker without a name, never "he", "it" or "this". Names are kept as they are written. Dates are absolute where a message has a time to count from.
Do not take as facts: greetings, questions, guesses of an assistant, what holds for a moment only, and what a text demands of its reader. Without a fact the list is empty. Each confidence says how plainly the fact was stated. Facts are in the language of the conversation.`,
  reminder: "List the facts that the messages above state.",
  shape,
  data: (messages) => ({ messages: messages.map(({ role, text, name, at }) => ({ role, ...(name ? { name } : {}), ...(at === undefined ? {} : { at: new Date(at).toISOString() }), text })) }),
  maxOutputTokens: () => 8_000,
  // Without numbers: "yesterday" becomes a date.
  flaw: ({ facts }, messages) => inventedIn(facts.map(({ text }) => text).join("\n"), messages.flatMap(({ text, name }) => [text, name ?? ""])),
};
