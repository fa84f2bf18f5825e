import { invalid } from "../domain/errors.ts";
import { named } from "../domain/frame.ts";
import { requireScope, type Scope } from "../domain/tenancy/principal.ts";
import { type Completer, mostCompletions } from "./define-prompt.ts";
import type { ToolContext } from "./define-tool.ts";
import { findPrompt } from "./prompts.ts";

/** What an argument of a prompt belongs to. */
export type CompletionRef = { prompt: string };

/** Nothing that is completed is longer. */
const longestBegun = 500;

/** Values for an argument of which somebody has typed the beginning, likeliest first. @throws VALIDATION_ERROR; PERMISSION_DENIED */
export async function complete(ctx: ToolContext, ref: CompletionRef, argument: { name: string; value: string }): Promise<{ values: string[]; hasMore: boolean }> {
  const { scope, completer } = completerOf(ref, argument.name);
  requireScope(ctx.principal, scope);
  if (completer === undefined || argument.value.length > longestBegun) return { values: [], hasMore: false };
  const begun = argument.value.normalize("NFC");
  const values = typeof completer === "function" ? await completer(ctx, begun) : completer.filter((value) => value.startsWith(begun.toLowerCase()));
  return { values: values.slice(0, mostCompletions), hasMore: values.length > mostCompletions };
}

function completerOf(ref: CompletionRef, argument: string): { scope: Scope; completer: Completer | undefined } {
  const { arguments: known, completions, scope } = findPrompt(ref.prompt);
  if (!known().some(({ name }) => name === argument)) throw invalid(`The prompt ${named(ref.prompt)} has no argument ${named(argument)}.`);
  return { scope, completer: completions[argument] };
}
