import type * as z from "zod";

/** One thing that a model is asked to do: what stands in the request, and what an answer must be. */
export interface Task<Input, Answer> {
  /** Names the form of the answer to the service. */
  name: string;
  /** What to do, for the system prompt. A team may have instructions of its own in its place; the rest of the request is ours. */
  instructions: string;
  /** One sentence behind the data, so that the last thing a model reads is the task and not somebody's text. */
  reminder: string;
  /** The form on the wire: an object of which all properties are required (`strict` of OpenAI), and what becomes of it. */
  shape: z.ZodType<Answer>;
  /** The texts, as JSON. */
  data(input: Input): unknown;
  /** Tokens of the longest answer. */
  maxOutputTokens(input: Input): number;
  /** What is wrong with an answer that has the right form, or undefined. */
  flaw(answer: Answer, input: Input): string | undefined;
}

/** The form on the wire, read into an answer of the port. */
export const readAs = <Wire, Answer>(wire: z.ZodType<Wire>, read: (said: Wire) => unknown, answer: z.ZodType<Answer>): z.ZodType<Answer> => wire.transform(read).pipe(answer);
