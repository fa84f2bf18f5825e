import type { Prompt } from "./define-prompt.ts";
import type { Resource } from "./define-resource.ts";
import type { Tool, ToolResult } from "./define-tool.ts";

/** What went wrong with a call, and what the form of its error may say. */
export interface CallFailure {
  error: unknown;
  requestId: string;
  now: number;
  /** Told of a fault: an error that the domain did not foresee. */
  report(fault: unknown): void;
}

/** A vocabulary of the one memory: tools, resources and prompts that belong together, and the form in which their errors are told. */
export interface Family<Name extends string = string> {
  name: Name;
  /** In the order in which lists show them. */
  tools: readonly Tool[];
  resources: readonly Resource[];
  prompts?: readonly Prompt[];
  renderError(failure: CallFailure): ToolResult;
}
