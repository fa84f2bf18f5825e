import * as z from "zod";
import { invalid } from "../../../../domain/errors.ts";
import { say } from "../../../../domain/frame.ts";
import { definePrompt } from "../../../define-prompt.ts";
import { codeSnippet, completions, filePath } from "./arguments.ts";
import { contextOf, fenced, message } from "./text.ts";

const detailLevels = ["brief", "detailed", "expert"] as const;

/** OmniMemory document, Prompts 1; the text is the document's template. */
export const explainCode = definePrompt({
  name: "explain-code",
  title: "Explain code",
  description: "Explain a file or a piece of code, with what the project's memory knows of it",
  scope: "memory:read",
  input: z.strictObject({
    file_path: filePath,
    code_snippet: codeSnippet,
    detail_level: z.enum(detailLevels).default("detailed").describe("brief, detailed (default) or expert"),
  }),
  completions: { file_path: completions.file_path, detail_level: detailLevels },
  async fill(ctx, { file_path, code_snippet, detail_level }) {
    if (file_path === undefined && code_snippet === undefined) throw invalid("There is nothing to explain.", "Give file_path, code_snippet or both.");
    const context = await contextOf(ctx, { files: [file_path], code: [code_snippet] });
    return message(
      [
        say`You are analyzing code from the file: ${file_path ?? "(not named)"}`,
        say``,
        say`Code:`,
        code_snippet === undefined ? say`(not given: read the file first)` : fenced(code_snippet),
      ],
      say`Please provide a ${detail_level} explanation covering:`,
      ["Purpose and functionality", "Key algorithms or patterns used", "Dependencies and integrations", "Potential issues or improvements"],
      context,
    );
  },
});
