import * as z from "zod";
import { invalid } from "../../../../domain/errors.ts";
import { say } from "../../../../domain/frame.ts";
import { definePrompt } from "../../../define-prompt.ts";
import { codeSnippet, completions, contextKey, filePath, shortText } from "./arguments.ts";
import { contextOf, line, message, part } from "./text.ts";

const forms = ["comments", "api-reference", "readme", "guide"] as const;

/** OmniMemory document, Prompts 8. */
export const documentCode = definePrompt({
  name: "document-code",
  title: "Document code",
  description: "Write documentation of code that says why, from what the project has decided",
  scope: "memory:read",
  input: z.strictObject({
    file_path: filePath,
    code_snippet: codeSnippet,
    doc_type: z.enum(forms).default("comments").describe(`${forms.join(", ")}; comments unless said`),
    audience: shortText("audience", "Who reads it"),
    context_key: contextKey,
  }),
  completions: { ...completions, doc_type: forms },
  async fill(ctx, { file_path, code_snippet, doc_type, audience, context_key }) {
    if (file_path === undefined && code_snippet === undefined) throw invalid("There is nothing to document.", "Give file_path, code_snippet or both.");
    const context = await contextOf(ctx, { words: [audience], files: [file_path], code: [code_snippet], key: context_key });
    return message(
      [
        say`Document this code, as ${doc_type}.`,
        ...line("File", file_path),
        ...line("For", audience),
        ...(code_snippet === undefined ? [say`Code: not given, so read the file first.`] : part("Code", code_snippet)),
      ],
      say`The documentation:`,
      ["Begins with what the code is for", "Says why it is as it is, from the decisions in the context, and cites them by key", "Names inputs, results, errors and limits", "Shows one example that runs", "Leaves out what the code says by itself"],
      context,
    );
  },
});
