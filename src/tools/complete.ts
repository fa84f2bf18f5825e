import { invalid } from "../domain/errors.ts";
import { named } from "../domain/frame.ts";
import { requireScope, type Scope } from "../domain/tenancy/principal.ts";
import { type Completer, mostCompletions } from "./define-prompt.ts";
import type { ToolContext } from "./define-tool.ts";
import { findPrompt } from "./prompts.ts";
import { findTemplate } from "./resources.ts";

/** What an argument belongs to: a prompt, or a template of URIs with its variables. */
export type CompletionRef = { prompt: string } | { template: string };

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
  if ("template" in ref) {
    const { uri, completions = {}, scope } = findTemplate(ref.template);
    if (!uri.includes(`{${argument}}`)) throw invalid(`The resource ${named(ref.template)} has no variable ${named(argument)}.`);
    return { scope, completer: completions[argument] };
  }
  const { arguments: known, completions, scope } = findPrompt(ref.prompt);
  if (!known().some(({ name }) => name === argument)) throw invalid(`The prompt ${named(ref.prompt)} has no argument ${named(argument)}.`);
  return { scope, completer: completions[argument] };
}
