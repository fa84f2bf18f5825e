import * as z from "zod";
import { say } from "../../../../domain/frame.ts";
import { definePrompt } from "../../../define-prompt.ts";
import { completions, contextKey, filePath, longText, shortText } from "./arguments.ts";
import { contextOf, line, message, part } from "./text.ts";

const focuses = ["correctness", "security", "performance", "design", "tests"] as const;

/** Names of the files that a diff changes; a review needs what is known of them. */
const filesOf = (diff: string): string[] => [...new Set([...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file]) => String(file).trim()))].slice(0, 50);

/** OmniMemory document, Prompts 6. */
export const reviewChanges = definePrompt({
  name: "review-changes",
  title: "Review changes",
  description: "Review changes against the project's decisions and conventions",
  scope: "memory:read",
  input: z.strictObject({
    diff: longText("diff", "The changes as a diff; without it, those of the working tree are reviewed"),
    base: shortText("base", "Branch or commit that the changes are compared with"),
    intent: shortText("intent", "What the changes are for"),
    file_path: filePath,
    focus: z.enum(focuses).optional().describe(`What to look at first: ${focuses.join(", ")}`),
    context_key: contextKey,
  }),
  completions: { ...completions, focus: focuses },
  async fill(ctx, { diff, base, intent, file_path, focus, context_key }) {
    const changed = filesOf(diff ?? "");
    const added = diff?.split("\n").filter((row) => row.startsWith("+")).join("\n");
    const context = await contextOf(ctx, { words: [intent, focus], files: [file_path, ...changed], code: [added], key: context_key });
    return message(
      [
        say`Review these changes.`,
        ...line("Only in", file_path),
        ...line("They are for", intent),
        ...line("Look first at", focus),
        ...(diff === undefined ? [say`Read them first: ${base === undefined ? "git diff HEAD" : say`the diff against ${base}`}.`] : part(base === undefined ? "Changes" : `Changes since ${base}`, diff)),
      ],
      say`Tell, the gravest first and with file and line:`,
      ["What is wrong or will break, and in which case", "What a decision or convention of the project forbids or asks for", "What is not tested", "What could be simpler", "What you looked at and found good, in one line"],
      context,
    );
  },
});
