import * as z from "zod";
import { invalid } from "../../../../domain/errors.ts";
import { say } from "../../../../domain/frame.ts";
import { definePrompt } from "../../../define-prompt.ts";
import { codeSnippet, completions, contextKey, filePath, shortText } from "./arguments.ts";
import { contextOf, line, message, part } from "./text.ts";

const kinds = ["unit", "integration", "end-to-end", "property"] as const;

/** OmniMemory document, Prompts 7. */
export const writeTests = definePrompt({
  name: "write-tests",
  title: "Write tests",
  description: "Write tests for code as this project writes its tests",
  scope: "memory:read",
  input: z.strictObject({
    file_path: filePath,
    code_snippet: codeSnippet,
    test_type: z.enum(kinds).default("unit").describe(`${kinds.join(", ")}; unit unless said`),
    framework: shortText("framework", "Test framework; the project's own unless said"),
    cases: shortText("cases", "Cases that must be among them"),
    context_key: contextKey,
  }),
  completions: { ...completions, test_type: kinds },
  async fill(ctx, { file_path, code_snippet, test_type, framework, cases, context_key }) {
    if (file_path === undefined && code_snippet === undefined) throw invalid("There is nothing to test.", "Give file_path, code_snippet or both.");
    const context = await contextOf(ctx, { words: [`${test_type} tests`, framework, cases], files: [file_path], code: [code_snippet], key: context_key });
    return message(
      [
        say`Write ${test_type} tests.`,
        ...line("File", file_path),
        ...line("Framework", framework),
        ...line("Must be among them", cases),
        ...(code_snippet === undefined ? [say`Code: not given, so read the file first.`] : part("Code", code_snippet)),
      ],
      say`The tests:`,
      ["Assert what a user of the code notices, not how it is done", "Cover the usual case, each limit, empty and wrong input, and failures of what it depends on", "Are written as the project writes its tests, with its helpers", "Fail when the code is broken: say for each which fault it finds"],
      context,
    );
  },
});
