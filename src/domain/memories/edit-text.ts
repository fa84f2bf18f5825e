import type { Context } from "../context.ts";
import { noMemory } from "../errors.ts";
import { stateOfValue } from "./any-value.ts";
import * as field from "./fields.ts";
import { historyOf } from "./history.ts";
import type { Memory } from "./memory.ts";
import { resolveOne } from "./resolve.ts";
import { revise, type ReviseOutcome } from "./revise.ts";

interface Edit {
  id: string;
  /** The version that the person saw. */
  expectedVersion: number;
}

interface TextEdit extends Edit {
  text: string;
  /** Whether it is archived, and is to be restored with it. */
  restore?: boolean | undefined;
}

/** A form sends each line break as two characters. */
export const withPlainBreaks = (text: string): string => text.replaceAll("\r\n", "\n");

/**
 * What a memory says, edited as text by a person. The text has plain line breaks, and is no change where it differs in nothing else;
 * a value stays one as long as its text is JSON.
 */
export async function editText(ctx: Context, { id, expectedVersion, text, restore }: TextEdit): Promise<ReviseOutcome> {
  const memory = await resolveOne(ctx, { id });
  if (!restore && text === withPlainBreaks(memory.content)) return { outcome: "unchanged", memory };
  return revise(ctx, { target: { id }, expectedVersion, changes: { ...said(memory, text), ...(restore && { archivedAt: null }) } });
}

/** The memory says what a version of it said, as text or value. @throws MEMORY_NOT_FOUND */
export async function sayAgain(ctx: Context, { id, expectedVersion, version }: Edit & { version: number }): Promise<ReviseOutcome> {
  const [entry] = (await historyOf(ctx, { target: { id }, limit: 1, before: version + 1 })).entries;
  if (entry?.version.version !== version) throw noMemory(`There is no version ${version} of this memory.`, "Its history shows which there are.");
  const { content, value } = entry.version.state;
  return revise(ctx, { target: { id }, expectedVersion, changes: { content, value } });
}

function said({ value }: Memory, text: string): Pick<Memory, "content"> & Partial<Pick<Memory, "value">> {
  const json = value === null ? undefined : field.json.safeParse(parsed(text));
  return json?.success && typeof json.data === "object" && json.data !== null ? stateOfValue(json.data, "content") : { content: text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
