import * as z from "zod";
import { findInstructions } from "../../guard/find-instructions.ts";
import { sha256Hex } from "../../hash.ts";
import { canonical, type Json } from "../memory.ts";
import type { GivenState } from "../memory-fields.ts";
import type { RememberInput } from "../remember.ts";
import type { GivenMessage } from "./message-input.ts";

/**
 * The messages as they were said: private memories in a thread of their own, so that nothing of a conversation is lost, it can be
 * recalled, and what it was about is found by its facts first. The first of them is written last: it marks the call as done.
 */
export interface MessageRecord {
  /** The same for the same messages, added in the same way. */
  key: string;
  namespace: string;
}

/** In characters of one memory. */
const longest = 9_900;

export async function recordOf(messages: readonly GivenMessage[], state: GivenState): Promise<MessageRecord> {
  const hash = (await sha256Hex(canonical([messages, state]))).slice(0, 32);
  // What is about a user is found by their name when all of it is to go: no run has a slash. It fits into what a namespace may have.
  const about = state.namespace?.startsWith("user:") ? `${state.namespace}/` : "";
  return { key: `messages.${hash}`, namespace: `thread:${about}${state.runId ?? hash}`.slice(0, 200) };
}

/** Who speaks where nobody is named: words of roles at the beginning of a line are what text that is aimed at models begins with. */
const speakers = { user: "Speaker", assistant: "Answer", system: "Setting" } as const;
const line = ({ role, name, at, whole }: GivenMessage): string => `${at === undefined ? "" : `[${new Date(at).toISOString()}] `}${name ?? speakers[role]}: ${whole}`;

/** Stands by itself, so that the write guard keeps back no more than it: what sets up a model, and what gives it orders. */
const isApart = ({ role, text }: GivenMessage): boolean => role === "system" || findInstructions(text).length > 0;

/** Metadata of the first memory of a record: what was done, and what each message says of itself, by its place. */
export function recordMetadata(messages: readonly GivenMessage[], done: Record<string, Json>): Record<string, Json> {
  const own = Object.fromEntries(messages.flatMap(({ metadata }, i) => (metadata === undefined ? [] : [[String(i), metadata as Json]])));
  return { ...done, ...(Object.keys(own).length === 0 ? {} : { messages: own }) };
}

/** What the record stores, in as many memories as it takes; the first has this metadata. */
export function recordStates(record: MessageRecord, messages: readonly GivenMessage[], state: GivenState, says: Record<string, Json>): RememberInput[] {
  const texts: string[] = [];
  for (const said of messages.filter((message) => !isApart(message)).map(line)) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + said.length < longest) texts[texts.length - 1] = `${last}\n${said}`;
    else texts.push(said);
  }
  texts.push(...messages.filter(isApart).map(line));
  const at = messages.find((message) => message.at !== undefined)?.at;
  return texts.map((content, i): RememberInput => ({
    content,
    key: i === 0 ? record.key : `${record.key}.${i + 1}`,
    namespace: record.namespace,
    tags: ["messages"],
    importance: 0.1,
    agentId: state.agentId,
    runId: state.runId,
    expiresAt: state.expiresAt,
    occurredAt: at,
    allowDuplicate: true,
    metadata: i === 0 ? says : { part: i + 1 },
  }));
}

/** What a call did, as the record of it keeps it. */
const doneShape = z.looseObject({ operations: z.array(z.looseObject({ id: z.string(), event: z.enum(["ADD", "UPDATE", "DELETE", "NONE"]) })) });
export type Done = z.output<typeof doneShape>["operations"];

/** Empty where somebody changed it into something else. */
export const operationsIn = (metadata: Record<string, Json>): Done => doneShape.safeParse(metadata).data?.operations ?? [];

/** Whether what a memory states was taken from messages, as its metadata says. */
export const isTaken = ({ decision }: Record<string, Json>): boolean => /^messages\.\w{32}$/.test((Object(decision) as { source: string }).source);
