import * as z from "zod";
import { type Framed, joined, quoted, say } from "../../../domain/frame.ts";
import { type Suggestion, suggestNext } from "../../../domain/workflows/suggest.ts";
import { rounded } from "../../../domain/rounded.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { context, limit, sessionId } from "./workflow-fields.ts";

/** OmniMemory document 4.2. */
export const suggestNextAction = defineTool({
  name: "omn_suggest_next_action",
  title: "Suggest the next action",
  description: "What you usually do next here, with reasons, by what was recorded last or context.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    context: context.optional().describe("commands just before, oldest first; a failed one ends in (failed)"),
    limit: limit(10, 3),
    session_id: sessionId.optional().meta({ listed: null }),
  }),
  output: z.looseObject({ after: z.array(z.string()).meta({ listed: null }), suggestions: z.array(z.looseObject({})).meta({ listed: { type: "array", items: { type: "object" } } }) }),
  async handler(ctx, { context, limit, session_id }) {
    const { after, suggestions } = await suggestNext(ctx, { project: ctx.project, session: session_id ?? ctx.sessionId, context, limit });
    return { structured: { after, suggestions: suggestions.map(shownSuggestion) }, text: suggestionsText(suggestions) };
  },
});

export const shownSuggestion = (one: Suggestion): Record<string, unknown> => ({
  action: one.command,
  confidence: rounded(one.confidence),
  probability: rounded(one.probability),
  reason: reasonOf(one).toString(),
  success_rate: rounded(one.successRate),
  avg_duration_ms: one.avgDurationMs ?? null,
});

export const suggestionsText = (suggestions: readonly Suggestion[]): Framed =>
  suggestions.length === 0
    ? say`nothing learned yet: record steps with omn_record_workflow_step`
    : joined(suggestions.map((one, i) => say`${i + 1}. ${quoted(one.command)} (confidence ${rounded(one.confidence)}): ${reasonOf(one)}`));

const reasonOf = ({ after, support, of, successRate }: Suggestion): Framed => {
  const where = after.length === 0 ? say`of all steps` : say`after ${joined(after.map(quoted), ", ")}`;
  return say`${support} of ${of} times ${where}${successRate === 1 ? "" : say`; succeeds ${Math.round(100 * successRate)}%`}`;
};
