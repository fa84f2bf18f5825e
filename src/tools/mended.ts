import type * as z from "zod";
import { valueAt } from "../domain/problems.ts";
import { parseJson } from "../domain/strict-json.ts";

type Kind = "number" | "int" | "boolean" | "array" | "object" | "record";

/** The value whose JSON a text is, where it is of the kind. */
const readAs: Record<Kind, RegExp> = {
  number: /^-?\d+(?:\.\d+)?$/, int: /^-?\d+$/, boolean: /^(?:true|false)$/, array: /^\[[^]*\]$/, object: /^\{[^]*\}$/, record: /^\{[^]*\}$/,
};

/**
 * The arguments with the values of texts that hold JSON where the schema wants no text: clients and models send "3" for 3, "true" for true, and lists and objects in
 * quotation marks. Undefined where nothing is of this kind. Whoever asks parses the result as strictly as what came.
 */
export function mended(args: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  let copy: unknown;
  for (const issue of issues) {
    const last = issue.path.at(-1);
    if (issue.code !== "invalid_type" || last === undefined || !Object.hasOwn(readAs, issue.expected)) continue;
    const text = valueAt(args, issue.path);
    if (typeof text !== "string" || !readAs[issue.expected as Kind].test(text.trim())) continue;
    try {
      const value = parseJson(text);
      copy ??= structuredClone(args);
      (valueAt(copy, issue.path.slice(0, -1)) as Record<PropertyKey, unknown>)[last] = value;
    } catch {
      // No JSON, or none that is kept as it is written: the refusal says what would be right.
    }
  }
  return copy;
}
