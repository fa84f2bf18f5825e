import { asDomainError } from "../domain/errors.ts";
import { json, say } from "../domain/frame.ts";
import type { CallFailure } from "./define-family.ts";
import type { ToolContext, ToolResult } from "./define-tool.ts";

/** The error form of an answer that refuses and yet says more, as after a conflict of versions. */
export const conflictForm = (message: string, details: Record<string, unknown>, { requestId, now }: Pick<ToolContext, "requestId" | "now">): Record<string, unknown> => ({
  code: "CONFLICT", message, details, timestamp: new Date(now).toISOString(), request_id: requestId,
});

/**
 * Error form of the memory-server document, section 12, readable for the model that made the call. What was not
 * foreseen is a fault: the caller gets the request id, the log gets the rest.
 */
export function renderError({ error, requestId, now, report }: CallFailure): ToolResult {
  const known = asDomainError(error);
  if (!known) report(error);
  const code = known?.code ?? "INTERNAL_ERROR";
  const message = known?.message ?? "Something went wrong on our side.";
  const hint = known ? known.hint : `Nothing more is known here. Try again; if it stays, report request ${requestId}.`;
  return {
    isError: true,
    error: {
      code,
      message,
      ...(hint ? { hint } : {}),
      ...(known?.details ? { details: known.details } : {}),
      timestamp: new Date(now).toISOString(),
      request_id: requestId,
    },
    text: say`${code}: ${message}${hint ? say` ${hint}` : ""}${known?.details ? say` ${json(known.details)}` : ""}`,
  };
}

/** The error in the form of documents that have no hint: it is part of the details. */
export function withHintInDetails({ error }: ToolResult): Record<string, unknown> {
  const { hint, details, ...rest } = error as { hint?: string; details?: Record<string, unknown> };
  return hint || details ? { ...rest, details: { ...(hint && { hint }), ...details } } : rest;
}
