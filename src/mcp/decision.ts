import { inputRequired, type InputRequiredResult, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { json } from "../domain/frame.ts";
import type { Act, Question } from "../tools/define-tool.ts";
import { deed, type Deed, type Done } from "../tools/deeds.ts";
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

const opened = z.object({
  until: z.number(),
  answer: z.looseObject({ content: z.array(z.object({ type: z.literal("text"), text: z.string() })) }),
  acts: z.array(z.object({ title: z.string(), does: deed.optional() })),
});

/** What the call answers, unless this follows. */
export interface Decided {
  answer: CallResult;
  does: Deed | undefined;
}

export interface Sealing {
  copies: Copies;
  name: string;
  now: number;
}

const about = (name: string): string => `question ${name}`;

/** Undefined where no copy may be kept now. */
export async function askedAfter(answer: CallResult, { message, acts }: { message: Question["message"]; acts: readonly Act[] }, { copies, name, now }: Sealing): Promise<InputRequiredResult | undefined> {
  const sealed = await copies.seal(about(name), JSON.stringify({ until: now + openMs, answer, acts }));
  if (sealed === undefined || sealed.length >= longest) return undefined;
  return inputRequired({ inputRequests: formRequest(message, acts), requestState: mark + sealed });
}

/** What the person decided in the round before, if this call comes back from there. */
export async function decidedIn(mcpReq: ServerContext["mcpReq"], { copies, name, now }: Sealing): Promise<Decided | undefined> {
  const given = mcpReq.requestState();
  if (typeof given !== "string" || !given.startsWith(mark)) return undefined;
  const text = given.length > longest ? undefined : await copies.open(about(name), given.slice(mark.length));
  const { data } = opened.safeParse(text === undefined ? undefined : JSON.parse(text));
  if (!data || data.until < now) return { answer: { content: [{ type: "text", text: closedText }], isError: true }, does: undefined };
  return { answer: data.answer, does: decisionOf(data.acts, chosenIn(mcpReq.inputResponses)) };
}

/** Asks within the call of a session. Whoever cannot be reached, or says nothing in time, decides nothing. */
export async function decidedNow(mcpReq: ServerContext["mcpReq"], { message, acts }: { message: Question["message"]; acts: readonly Act[] }): Promise<Deed | undefined> {
  const request = { method: "elicitation/create" as const, params: { mode: "form" as const, message: message.toString(), requestedSchema: formOf(acts) } };
  const reply = await mcpReq.send(request, { timeout: openMs }).catch(() => undefined);
  return reply && decisionOf(acts, chosenIn({ confirm: reply }));
}

const decisionOf = (acts: readonly { title: string; does?: Deed | undefined }[], choice: string | undefined): Deed | undefined => acts.find(({ title }) => title === choice)?.does;

/** The answer of the call after what the person decided. */
export function withDone({ structuredContent: before, content, ...answer }: CallResult, { text, facts = {}, instead }: Done): CallResult {
  const said = content[0]?.text ?? "";
  const structuredContent = before && structuredWith(before, text.toString(), facts, instead ?? []);
  const isJson = structuredContent !== undefined && said.startsWith("{");
  return {
    ...answer,
    ...(structuredContent && { structuredContent }),
    content: [{ type: "text", text: isJson ? json(structuredContent).toString() : instead ? text.toString() : `${said}\n${text.toString()}` }],
  };
}

/** The record that a family answers with may stand in `data`. */
function structuredWith(before: Record<string, unknown>, advice: string, facts: Record<string, unknown>, dropped: readonly string[]): Record<string, unknown> {
  const { data } = before;
  if (typeof data === "object" && data !== null && !Array.isArray(data)) return { ...before, data: structuredWith(data as Record<string, unknown>, advice, facts, dropped) };
  const known = Object.entries(facts).filter(([name]) => name in before || name === "proposal");
  return { ...Object.fromEntries(Object.entries(before).filter(([name]) => !dropped.includes(name))), ...Object.fromEntries(known), advice };
}

const closedText = "This question is closed: it was answered before, is too old, or what it showed is gone. Nothing was changed by the answer now; what the call did before stands, so look it up.";
