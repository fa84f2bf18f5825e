import * as z from "zod";
import { invalid } from "../../../../domain/errors.ts";
import { say } from "../../../../domain/frame.ts";
import { definePrompt } from "../../../define-prompt.ts";
import { codeSnippet, completions, contextKey, filePath, shortText } from "./arguments.ts";
import { contextOf, line, message, part } from "./text.ts";

/** OmniMemory document, Prompts 2. */
export const findSimilar = definePrompt({
  name: "find-similar",
  title: "Find similar code",
  description: "Find code that does the same as an example, or nearly",
  scope: "memory:read",
  input: z.strictObject({
    file_path: filePath,
    code_snippet: codeSnippet,
    description: shortText("description", "What the code that is sought does, in words"),
    search_scope: shortText("search_scope", "Directory to look in; the whole repository unless said"),
    context_key: contextKey,
  }),
  completions,
  async fill(ctx, { file_path, code_snippet, description, search_scope, context_key }) {
    if (file_path === undefined && code_snippet === undefined && description === undefined) {
      throw invalid("There is no example to find the like of.", "Give file_path, code_snippet or description.");
    }
    const context = await contextOf(ctx, { words: [description], files: [file_path], code: [code_snippet], key: context_key });
    return message(
      [
        say`Find code that is similar to this example.`,
        ...line("File", file_path),
        ...line("What it does", description),
        say`Look in: ${search_scope ?? "the whole repository"}`,
        ...part("Example", code_snippet),
      ],
      say`For each place that you find, tell:`,
      ["File and lines", "What is the same and what differs", "Whether one should use the other, or both a common function", "What the project has decided about it, if the context says so"],
      context,
    );
  },
});
