import * as z from "zod";
import { type Framed, joined, json, quoted, say } from "../../../domain/frame.ts";
import { mostRanked, type WorkflowPattern, workflowPattern, workflowPatterns } from "../../../domain/workflows/patterns.ts";
import { rounded } from "../../../domain/rounded.ts";
import { mostCompletions } from "../../define-prompt.ts";
import { defineResource } from "../../define-resource.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { context, limit } from "./workflow-fields.ts";

/** OmniMemory document 4.1. */
export const getWorkflowPatterns = defineTool({
  name: "omn_get_workflow_patterns",
  title: "Learned workflow patterns",
  description: "What you usually do step by step in this project; with context, what usually follows it.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    context: context.optional().describe("commands just before, oldest first"),
    limit: limit(50, 10),
  }),
  output: z.looseObject({ patterns: z.array(z.looseObject({})).meta({ listed: { type: "array", items: { type: "object" } } }) }),
  async handler(ctx, { context, limit }) {
    const patterns = await workflowPatterns(ctx, { project: ctx.project, context, limit });
    return {
      structured: { patterns: patterns.map(shownPattern) },
      text: patterns.length === 0 ? say`no pattern yet: one is what happened three times` : joined(patterns.map((one, i) => say`${i + 1}. ${patternText(one)}`)),
    };
  },
});

const patternUri = (id: string): string => `omnimemory://workflows/${id}`;
const patternsUri = "omnimemory://workflows";
const mostListed = 50;

/** The caller's, in the project of the connection. */
export const commonPatterns = defineResource({
  uri: patternsUri,
  name: "workflow-patterns",
  description: "What you usually do step by step in this project",
  scope: "memory:read",
  async read(ctx) {
    const patterns = await workflowPatterns(ctx, { project: ctx.project, limit: mostListed });
    return json({ patterns: patterns.map((one) => ({ uri: patternUri(one.id), ...shownPattern(one) })) });
  },
  changedWith: ({ patterns }) => (patterns ? [patternsUri] : []),
});

export const onePattern = defineResource({
  uri: patternUri("{pattern_id}"),
  variables: { pattern_id: "[0-9a-fx.]{25,60}" },
  name: "workflow-pattern",
  title: "One workflow pattern",
  description: "A learned pattern by its id",
  scope: "memory:read",
  async read(ctx, [id = ""]) {
    const found = await workflowPattern(ctx, id);
    return found && json({ ...shownPattern(found), ...(found.project === "" ? {} : { project: found.project }) });
  },
  completions: {
    pattern_id: async (ctx, begun) =>
      (await workflowPatterns(ctx, { project: ctx.project, limit: mostRanked })).flatMap(({ id }) => (id.startsWith(begun) ? [id] : [])).slice(0, mostCompletions + 1),
  },
  changedWith: ({ patterns = [] }) => patterns.map(patternUri),
  // All of a project was forgotten.
  mayChangeWith: ({ patterns }) => patterns?.length === 0,
});

/** In the names of the document. */
export const shownPattern = ({ id, commands, support, confidence, successRate, avgDurationMs }: WorkflowPattern): Record<string, unknown> => ({
  pattern_id: id,
  commands,
  confidence: rounded(confidence),
  success_rate: rounded(successRate),
  avg_duration_ms: avgDurationMs ?? null,
  support,
});

const patternText = ({ id, commands, support, confidence, successRate, avgDurationMs }: WorkflowPattern): Framed =>
  say`${joined(commands.map(quoted), " → ")} (${support} times, confidence ${rounded(confidence)}, success ${rounded(successRate)}${avgDurationMs === undefined ? "" : say`, ${avgDurationMs} ms`}, id ${id})`;
