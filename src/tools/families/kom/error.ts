import { json } from "../../../domain/frame.ts";
import type { CallFailure } from "../../define-family.ts";
import type { ToolResult } from "../../define-tool.ts";
import { renderError } from "../../errors.ts";

/** Error Model of the Kompanion document as JSON text: `{error: {code, message, details?}}`. The hint is part of the details. */
export function renderKomError(failure: CallFailure): ToolResult {
  const result = renderError(failure);
  const { code, message, hint, details } = result.error as { code: string; message: string; hint?: string; details?: Record<string, unknown> };
  const more = { ...(hint === undefined ? {} : { hint }), ...details };
  return { ...result, text: json({ error: { code, message, ...(Object.keys(more).length > 0 ? { details: more } : {}) } }) };
}
