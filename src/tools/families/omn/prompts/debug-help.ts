import * as z from "zod";
import { say } from "../../../../domain/frame.ts";
import * as field from "../../../../domain/memories/fields.ts";
import { definePrompt } from "../../../define-prompt.ts";
import { codeSnippet, completions, contextKey, filePath, longText, shortText } from "./arguments.ts";
import { contextOf, line, message, part } from "./text.ts";

/** OmniMemory document, Prompts 4. */
export const debugHelp = definePrompt({
  name: "debug-help",
  title: "Help with an error",
  description: "Find the cause of an error, with what the project's memory knows of earlier ones",
  scope: "memory:read",
  input: z.strictObject({
    error_message: field.filled("error_message", 10_000).describe("The error, word for word"),
    stack_trace: longText("stack_trace", "Stack trace or log around it"),
    file_path: filePath,
    code_snippet: codeSnippet,
    expected_behavior: shortText("expected_behavior", "What should have happened"),
    tried: shortText("tried", "What was tried already"),
    context_key: contextKey,
  }),
  completions,
  async fill(ctx, { error_message, stack_trace, file_path, code_snippet, expected_behavior, tried, context_key }) {
    const context = await contextOf(ctx, { words: [error_message, expected_behavior], files: [file_path], code: [stack_trace, code_snippet], key: context_key });
    return message(
      [
        say`Help to find the cause of an error.`,
        ...line("File", file_path),
        ...line("Expected instead", expected_behavior),
        ...line("Tried already", tried),
        ...part("Error", error_message),
        ...part("Stack trace", stack_trace),
        ...part("Code", code_snippet),
      ],
      say`Proceed in this order:`,
      ["Whether the context tells of the same error, its cause or its fix", "The likeliest causes, each with what speaks for it", "How to tell them apart: what to run or to look at", "The smallest change that repairs the cause", "A test that would have found it"],
      context,
    );
  },
});
