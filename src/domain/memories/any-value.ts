import { invalid } from "../errors.ts";
import * as field from "./fields.ts";
import type { Json, Memory } from "./memory.ts";

/**
 * Any JSON as content and value: a text is the content itself, everything else is kept as it is and read as its JSON.
 * `name` is what the caller calls it. @throws VALIDATION_ERROR
 */
export function stateOfValue(value: Json, name: string): { content: string; value: Json } {
  if (value === null) throw invalid(`${name}: null says nothing to remember.`, "To remove a memory, delete it.");
  const isText = typeof value === "string";
  const content = field.content.safeParse(isText ? value : JSON.stringify(value));
  if (!content.success) {
    const [problem] = content.error.issues;
    throw invalid(`${name}: ${problem?.message}.`, problem?.code === "too_big" ? "Store a shorter value, or split it over several keys." : "Give what is to be remembered.");
  }
  return { content: content.data, value: isText ? null : value };
}

/** What was stored. */
export const valueOf = ({ value, content }: Pick<Memory, "value" | "content">): Json => (value === null ? content : value);
