import { json } from "../../../domain/frame.ts";
import type { CallFailure } from "../../define-family.ts";
import type { ToolResult } from "../../define-tool.ts";
import { renderError, withHintInDetails } from "../../errors.ts";

/** Error Model of the Kompanion document as JSON text: `{error: {code, message, details?}}`. The hint is part of the details. */
export function renderKomError(failure: CallFailure): ToolResult {
  const result = renderError(failure);
  const { timestamp: _at, request_id: _request, ...error } = withHintInDetails(result);
  return { ...result, text: json({ error }) };
}
