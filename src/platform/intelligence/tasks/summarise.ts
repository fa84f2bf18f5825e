import * as z from "zod";
import { summary, type Summary } from "../../../domain/intelligence/answers.ts";
import { inventedIn } from "../../../domain/intelligence/grounding.ts";
import { estimateTokens } from "../../../domain/text/token-count.ts";
import type { Task } from "../task.ts";

export interface SummariseInput {
  text: string;
  maxTokens: number;
}

const shape = z.strictObject({ text: z.string() }).pipe(summary);

export const summarise: Task<SummariseInput, Summary> = {
  name: "summary",
  instructions: `You shorten a text for somebody who will work with it. Keep decisions, names, numbers, dates, identifiers, addresses and negations exactly as they are; leave out examples, repetitions and courtesies. Write plain sentences in the language of the text, no longer than \`max_tokens\` tokens, which is about three quarters as many words.`,
  reminder: "Shorten the text above.",
  shape,
  data: ({ text, maxTokens }) => ({ max_tokens: maxTokens, text }),
  maxOutputTokens: ({ maxTokens }) => 200 + 2 * maxTokens,
  flaw: (answer, { text, maxTokens }) => (estimateTokens(answer.text) > maxTokens ? "more than was asked for" : inventedIn(answer.text, [text], { withNumbers: true })),
};
