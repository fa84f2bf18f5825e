import type { Context } from "hono";
import { rpcRefused } from "../mcp/json-rpc.ts";
import { errorBody } from "./errors.ts";
import { codeOfRefused, type RequestRefused, retryHeader } from "./request-refused.ts";
import { errorPage } from "./web/pages/error-page.tsx";

/** Whether a person looks at what is answered: programs ask for no page. */
export const wantsPage = (c: Context): boolean => c.req.header("accept")?.includes("text/html") === true;

/** Answers a request that the gate refused, in the form of its endpoint. */
export function refusedAnswer(c: Context, door: "mcp" | "oauth" | "other", refused: RequestRefused): Response {
  const { status, message } = refused;
  const requestId = c.get("requestId") as string;
  if (door === "mcp") return rpcRefused(refused, requestId);
  if (door === "oauth") return c.json({ error: status === 429 ? "temporarily_unavailable" : "invalid_request", error_description: message }, status, retryHeader(refused));
  if (!wantsPage(c)) return c.json(errorBody(codeOfRefused(refused), message, requestId), status, retryHeader(refused));
  const page = errorPage(c, status, "This request was not taken", message);
  for (const [name, value] of Object.entries(retryHeader(refused))) page.headers.set(name, value);
  return page;
}
