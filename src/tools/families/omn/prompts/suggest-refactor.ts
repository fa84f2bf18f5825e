import * as z from "zod";
import { invalid } from "../../../../domain/errors.ts";
import { say } from "../../../../domain/frame.ts";
import { definePrompt } from "../../../define-prompt.ts";
import { codeSnippet, completions, contextKey, filePath, shortText } from "./arguments.ts";
import { contextOf, line, message, part } from "./text.ts";

const goals = ["readability", "simplicity", "performance", "testability", "duplication"] as const;

/** OmniMemory document, Prompts 3. */
export const suggestRefactor = definePrompt({
  name: "suggest-refactor",
  title: "Suggest a refactoring",
  description: "Suggest how code could be better without doing anything else, within the project's conventions",
  scope: "memory:read",
  input: z.strictObject({
    file_path: filePath,
    code_snippet: codeSnippet,
    goal: z.enum(goals).optional().describe(`What matters most: ${goals.join(", ")}`),
    constraints: shortText("constraints", "What must stay as it is, such as a public interface"),
    context_key: contextKey,
  }),
  completions: { ...completions, goal: goals },
  async fill(ctx, { file_path, code_snippet, goal, constraints, context_key }) {
    if (file_path === undefined && code_snippet === undefined) throw invalid("There is nothing to refactor.", "Give file_path, code_snippet or both.");
    const context = await contextOf(ctx, { words: [constraints, goal], files: [file_path], code: [code_snippet], key: context_key });
    return message(
      [
        say`Look for refactorings of this code that keep its behaviour.`,
        ...line("File", file_path),
        ...line("What matters most", goal),
        ...line("Must stay", constraints),
        ...(code_snippet === undefined ? [say`Code: not given, so read the file first.`] : part("Code", code_snippet)),
      ],
      say`Suggest at most five, the most worthwhile first. For each, tell:`,
      ["What to change, with the code before and after", "What is gained, and what it costs", "Which conventions or decisions of the project speak for it or against it", "How to check that the behaviour stays the same"],
      context,
    );
  },
});
