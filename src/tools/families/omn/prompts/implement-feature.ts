import * as z from "zod";
import { say } from "../../../../domain/frame.ts";
import * as field from "../../../../domain/memories/fields.ts";
import { definePrompt } from "../../../define-prompt.ts";
import { completions, contextKey, filePath, longText, shortText } from "./arguments.ts";
import { contextOf, line, message, part } from "./text.ts";

/** OmniMemory document, Prompts 5. */
export const implementFeature = definePrompt({
  name: "implement-feature",
  title: "Implement a feature",
  description: "Plan and build a feature as this project does such things",
  scope: "memory:read",
  input: z.strictObject({
    feature: field.filled("feature", 10_000).describe("What it is to do, and for whom"),
    requirements: longText("requirements", "What must hold for it to count as done"),
    constraints: shortText("constraints", "What must not change or be used"),
    file_path: filePath,
    context_key: contextKey,
  }),
  completions,
  async fill(ctx, { feature, requirements, constraints, file_path, context_key }) {
    const context = await contextOf(ctx, { words: [feature, constraints, requirements], files: [file_path], key: context_key });
    return message(
      [say`Implement a feature.`, ...line("Begin at", file_path), ...line("Constraints", constraints), ...part("Feature", feature), ...part("Requirements", requirements)],
      say`Proceed in this order:`,
      ["Which decisions and conventions of the project concern it", "Where it belongs, and what there is to build on", "A plan in steps that each can be tested", "The first step, with its test, before the next one", "What was decided on the way: store it as memories"],
      context,
    );
  },
});
