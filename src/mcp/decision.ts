import { inputRequired, type InputRequiredResult, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Question } from "../tools/define-tool.ts";
import { deed, type Deed } from "../tools/deeds.ts";
import { chosenIn, formOf, formRequest } from "./confirmation.ts";
import type { Copies } from "./event-store.ts";
import type { CallResult } from "./tool-result.ts";

/**
 * Where a call is done and something of it is the person's to decide, they are asked before it is answered. A session waits for them;
 * in 2026-07-28 the client comes again with the answer, and brings back what the call would have answered. That is sealed with the key of
 * what this person may read (`sealed-copy.ts`): nobody can make up a decision that was not asked for, and none outlives what it shows.
 */
const mark = "~";
const longest = 32_000;
const openMs = 60 * 60 * 1_000;

const asked = z.object({ message: z.string(), acts: z.array(z.object({ title: z.string(), does: deed.optional() })) });
type Asked = z.output<typeof asked>;
const opened = z.object({
  until: z.number(),
  answer: z.looseObject({ content: z.array(z.object({ type: z.literal("text"), text: z.string() })) }),
  asked: z.array(asked).min(1),
});

/** What the call answers, unless this follows. */
export interface Decided {
  answer: CallResult;
  does: Deed | undefined;
  /** What the person is asked next. */
  more: readonly Asked[];
}

export interface Sealing {
  copies: Copies;
  name: string;
  now: number;
}

const about = (name: string): string => `question ${name}`;

/** What the person may decide about a call that is done, one after another; nothing where its question is another one. */
export const decisionsIn = ({ asks, message, more = [] }: Question): Asked[] =>
  "acts" in asks ? [{ message, asks }, ...more].map((one) => ({ message: one.message.toString(), acts: [...one.asks.acts] })) : [];

/** The first of the questions in the place of the answer; undefined where no copy of that may be kept now, or there is none. */
export async function askedAfter(answer: CallResult, questions: readonly Asked[], { copies, name, now }: Sealing): Promise<InputRequiredResult | undefined> {
  const [first] = questions;
  if (!first) return undefined;
  const sealed = await copies.seal(about(name), JSON.stringify({ until: now + openMs, answer, asked: questions }));
  if (sealed === undefined || sealed.length >= longest) return undefined;
  return inputRequired({ inputRequests: formRequest(first.message, first.acts), requestState: mark + sealed });
}

/** What the person decided in the round before, if this call comes back from there. Whoever puts a form away is asked no more. */
export async function decidedIn(mcpReq: ServerContext["mcpReq"], { copies, name, now }: Sealing): Promise<Decided | undefined> {
  const given = mcpReq.requestState();
  if (typeof given !== "string" || !given.startsWith(mark)) return undefined;
  const text = given.length > longest ? undefined : await copies.open(about(name), given.slice(mark.length));
  const { data } = opened.safeParse(text === undefined ? undefined : JSON.parse(text));
  if (!data || data.until < now) return { answer: { content: [{ type: "text", text: closedText }], isError: true }, does: undefined, more: [] };
  const [{ acts }, ...more] = data.asked as [Asked, ...Asked[]];
  const act = chosenOf(acts, chosenIn(mcpReq.inputResponses));
  return { answer: data.answer, does: act?.does, more: act ? more : [] };
}

/** Asks within the call of a session. Whoever cannot be reached, or says nothing in time, decides nothing. */
export async function decidedNow(mcpReq: ServerContext["mcpReq"], { message, acts }: Asked): Promise<Asked["acts"][number] | undefined> {
  const request = { method: "elicitation/create" as const, params: { mode: "form" as const, message, requestedSchema: formOf(acts) } };
  const reply = await mcpReq.send(request, { timeout: openMs }).catch(() => undefined);
  return reply && chosenOf(acts, chosenIn({ confirm: reply }));
}

const chosenOf = (acts: Asked["acts"], choice: string | undefined): Asked["acts"][number] | undefined => acts.find(({ title }) => title === choice);

const closedText = "This question is closed: it was answered before, is too old, or what it showed is gone. Nothing was changed by the answer now; what the call did before stands, so look it up.";
