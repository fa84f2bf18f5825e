import type * as z from "zod";
import type { Framed } from "../domain/frame.ts";
import type { Scope } from "../domain/tenancy/principal.ts";
import type { ToolContext } from "./define-tool.ts";

/** Values of one answer; a person sees a dozen. A completer may find more, so that the answer can say that there are more. */
export const mostCompletions = 50;

/** Values that an argument may have: a fixed list, or what the caller's memories know of. */
export type Completer = readonly string[] | ((ctx: ToolContext, begun: string) => Promise<string[]>);

type Arguments = Record<string, z.ZodType>;

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

/** A text that a person chooses, which is filled with what is known for it. It knows no protocol, as a tool does not. */
export interface Prompt {
  name: string;
  title: string;
  description: string;
  /** What the filling reads. */
  scope: Scope;
  arguments(): PromptArgument[];
  parse(args: Record<string, string>): z.ZodSafeParseResult<unknown>;
  input: z.ZodType;
  completions: Partial<Record<string, Completer>>;
  /** The message that the person sends. */
  fill(ctx: ToolContext, input: unknown): Promise<Framed>;
}

export interface PromptDefinition<Shape extends Arguments> {
  name: string;
  title: string;
  description: string;
  scope: Scope;
  /** Each a text with a description; protocols know no other arguments. */
  input: z.ZodObject<Shape>;
  completions?: Partial<Record<keyof Shape & string, Completer>>;
  fill(ctx: ToolContext, input: z.output<z.ZodObject<Shape>>): Promise<Framed>;
}

export function definePrompt<Shape extends Arguments>(definition: PromptDefinition<Shape>): Prompt {
  const { input, completions = {} } = definition;
  return {
    ...definition,
    completions,
    arguments: () =>
      Object.entries(input.shape).map(([name, schema]) => ({ name, description: schema.description ?? "", required: !schema.safeParse(undefined).success })),
    // Forms of clients send an empty text for what nobody filled in.
    parse: (args) => input.safeParse(Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ""))),
    fill: (ctx, value) => definition.fill(ctx, value as z.output<z.ZodObject<Shape>>),
  };
}
