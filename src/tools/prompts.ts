import { invalid } from "../domain/errors.ts";
import { named } from "../domain/frame.ts";
import { describeProblems } from "../domain/problems.ts";
import { requireScope } from "../domain/tenancy/principal.ts";
import { prompts } from "./catalogue.ts";
import type { Prompt } from "./define-prompt.ts";
import type { ToolContext } from "./define-tool.ts";
import { promptsOf, type Surface } from "./surfaces.ts";

/** The prompts of all families. */

export const listPrompts = (surface: Surface) => promptsOf(surface).map((prompt) => ({ name: prompt.name, title: prompt.title, description: prompt.description, arguments: prompt.arguments() }));

/** @throws VALIDATION_ERROR */
export function findPrompt(name: string): Prompt {
  const found = prompts.find((prompt) => prompt.name === name);
  if (!found) throw invalid(`There is no prompt ${named(name)}.`, "prompts/list of the surface omn or all shows which there are.");
  return found;
}

/** The prompt as one message of the person, filled with what their memories know for it. @throws VALIDATION_ERROR; PERMISSION_DENIED */
export async function fillPrompt(ctx: ToolContext, name: string, args: Record<string, string> = {}) {
  const prompt = findPrompt(name);
  requireScope(ctx.principal, prompt.scope);
  const parsed = prompt.parse(args);
  if (!parsed.success) throw invalid(`Invalid arguments for ${prompt.name}: ${describeProblems(parsed.error, prompt.input, args)}.`);
  const text = await prompt.fill(ctx, parsed.data);
  return { description: prompt.description, messages: [{ role: "user" as const, content: { type: "text" as const, text: text.toString() } }] };
}
