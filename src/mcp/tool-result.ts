import type { ToolAnswer } from "../tools/call-tool.ts";

/** In the `_meta` of an answer that may say what is encrypted at rest: it is delivered, and kept nowhere. */
export const secretMeta = "omnimemory/secret";
/** In the `_meta` of a refusal: the error form of section 12 of the memory-server document, for programs. */
const errorMeta = "omnimemory/error";

export interface CallResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** The answer of a tool as a result of `tools/call`. */
export function toCallResult({ text, structured, error, secret, isError }: ToolAnswer): CallResult {
  return {
    content: [{ type: "text", text: text.toString() }],
    ...(structured ? { structuredContent: structured } : {}),
    ...(isError ? { isError: true } : {}),
    ...(error || secret ? { _meta: { ...(error ? { [errorMeta]: error } : {}), ...(secret ? { [secretMeta]: true } : {}) } } : {}),
  };
}
