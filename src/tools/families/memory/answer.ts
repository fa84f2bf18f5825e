import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import type { CallFailure } from "../../define-family.ts";
import type { ToolContext, ToolResult } from "../../define-tool.ts";
import { renderError, withHintInDetails } from "../../errors.ts";
import { iso } from "../../render.ts";
import { contextField } from "./scope.ts";
import type { SessionContext } from "../../../domain/memories/session-scope.ts";

/** Success of section 13: `{success, data, metadata}`. */
export const successOf = <Data extends z.ZodType>(data: Data) =>
  z.looseObject({ success: z.literal(true).meta({ listed: { type: "boolean" } }), data, metadata: z.looseObject({}) });

export const successFields = (ctx: ToolContext, data: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  success: true,
  data,
  metadata: { timestamp: iso(ctx.now), processing_time_ms: Math.max(0, Date.now() - ctx.now), request_id: ctx.requestId, ...more },
});

/** The same for programs and models. */
export function succeeded(ctx: ToolContext, session: SessionContext | undefined, data: unknown, more: Record<string, unknown> = {}): ToolResult {
  const structured = successFields(ctx, data, { ...(session ? contextField(session) : {}), ...more });
  return { structured, text: json(structured) };
}

/** Error of section 12 as JSON text: `{error: {code, message, details?, timestamp, request_id}}`. The hint is part of the details. */
export function renderMemoryError(failure: CallFailure): ToolResult {
  const result = renderError(failure);
  return { ...result, text: json({ error: withHintInDetails(result) }) };
}
