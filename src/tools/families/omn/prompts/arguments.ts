import * as field from "../../../../domain/memories/fields.ts";
import { ownNamespaceOf } from "../../../../domain/memories/memory.ts";
import { type Completer, mostCompletions } from "../../../define-prompt.ts";

/** Arguments that several prompts have. */

const longestCode = 50_000;

export const filePath = field.filled("file_path", 1_000).optional().describe("Path of the file, relative to the repository");
export const codeSnippet = field.filled("code_snippet", longestCode).optional().describe("The code itself, where it is not the whole file");
export const contextKey = field.keyPattern.optional().describe("Key of a memory that goes with it, such as a plan or a decision; * is a wildcard");

/** A longer text of the person: a diff, a log, a list of demands. */
export const longText = (name: string, description: string) => field.filled(name, longestCode).optional().describe(description);
/** A line or two. */
export const shortText = (name: string, description: string) => field.filled(name, 2_000).optional().describe(description);

/** Files that memories cite, those of this project first. */
const knownFiles: Completer = (ctx, begun) =>
  ctx.memories.files(ctx.principal, ctx.now, { text: begun, namespace: ownNamespaceOf(ctx), limit: mostCompletions + 1 });

const knownKeys: Completer = async (ctx, begun) => {
  const memories = await ctx.memories.byKeyPattern(ctx.principal, ctx.now, `${begun.replaceAll("*", "")}*`, {}, mostCompletions + 1);
  return [...new Set(memories.flatMap(({ key }) => key ?? []))].sort();
};

export const completions = { file_path: knownFiles, context_key: knownKeys } as const;
