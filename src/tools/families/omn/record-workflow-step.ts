import * as z from "zod";
import { quoted, say } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { recordSteps } from "../../../domain/workflows/record-steps.ts";
import { additive, defineTool } from "../../define-tool.ts";
import { command, context, durationMs, sessionId } from "./workflow-fields.ts";

/** OmniMemory document 4.3; features A row 6. */
export const recordWorkflowStep = defineTool({
  name: "omn_record_workflow_step",
  title: "Record a workflow step",
  description: "Record a command or action just done, so that your workflow is learned. Paths and values are not kept.",
  scope: "memory:write",
  annotations: { ...additive, idempotentHint: false },
  input: z.strictObject({
    command: command.describe("such as git push, or Edit src/a.ts"),
    success: z.boolean().default(true),
    duration_ms: durationMs.optional(),
    context: context.optional().describe("commands just before, oldest first"),
    /** Steps of one session follow each other. */
    session_id: sessionId.optional().meta({ listed: null }),
    /** Of a call that may be sent twice. */
    idempotency_key: field.idempotencyKey.optional().meta({ listed: null }),
  }),
  output: z.looseObject({ outcome: z.enum(["recorded", "repeated", "off"]).meta({ listed: { type: "string" } }), command: z.string().optional().meta({ listed: null }) }),
  async handler(ctx, { command, success, duration_ms, context, session_id, idempotency_key }) {
    const learns = ctx.preferences.auto_features.workflow_learning;
    const { recorded, commands } = await recordSteps(ctx, {
      learns,
      project: ctx.project,
      session: session_id ?? ctx.sessionId,
      context,
      steps: [{ command, success, durationMs: duration_ms ?? null, idempotencyKey: idempotency_key }],
    });
    if (!learns) return { structured: { outcome: "off" }, text: say`not recorded: this person has switched workflow learning off in their preferences` };
    const [learned] = commands;
    if (recorded === 0 || learned === undefined) return { structured: { outcome: "repeated" }, text: say`repeated: a step with this idempotency_key was recorded before` };
    return { structured: { outcome: "recorded", command: learned }, text: say`recorded ${quoted(learned)}` };
  },
});
