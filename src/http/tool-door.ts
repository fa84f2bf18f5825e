import * as z from "zod";
import { asDomainError } from "../domain/errors.ts";
import { label } from "../domain/frame.ts";
import type { ToolAnswer } from "../tools/call-tool.ts";
import type { Surface } from "../tools/surfaces.ts";
import { clientOf } from "./call-origin.ts";
import { errorBody, statusOf } from "./errors.ts";
import { codeOfRefused, RequestRefused, retryHeader, retryHeaderOf } from "./request-refused.ts";

/** A tool by name in a team: `POST /v1/teams/<team>/tools/<tool>`, with the tool's arguments as its body. */
export interface ToolCall {
  teamId: string;
  name: string;
}

export const toolPath = "/v1/teams/:team/tools/:tool";
/** As in the address of an MCP server (`project.ts`). */
export const toolQuery = z.strictObject({ project: z.string().optional() });

export function toolCallAt(path: string): ToolCall | undefined {
  const [, teamId, name] = /^\/v1\/teams\/([^/]+)\/tools\/([^/]+)$/.exec(path) ?? [];
  return teamId === undefined || name === undefined ? undefined : { teamId, name };
}

/** Programs read the structured form; a model is handed the text, in which the words of memories are framed. */
const asksForText = (headers: Headers): boolean => headers.get("accept")?.includes("text/plain") === true;
export const surfaceFor = (headers: Headers): Surface => (asksForText(headers) ? "core" : "all");

/** The client as it names itself: the first product of the User-Agent. */
export const restClient = (headers: Headers): string => label(clientOf(headers.get("user-agent")) ?? "", 100) || "rest";

/** The answer over REST: what the tool answers, or REST's form of errors with its status. */
export function toolResponse(answer: ToolAnswer | undefined, headers: Headers, requestId: string): Response {
  if (!answer) return Response.json(errorBody("NOT_FOUND", "There is no tool of this name.", requestId), { status: 404 });
  const { error, structured, text } = answer;
  if (error) return refusal(error as ToolError);
  return asksForText(headers) ? new Response(text.toString(), { headers: { "content-type": "text/plain; charset=utf-8" } }) : Response.json(structured ?? { text: text.toString() });
}

/** What happened before a tool was asked; undefined for a fault. */
export function refusedResponse(error: unknown, requestId: string): Response | undefined {
  if (error instanceof RequestRefused) return Response.json(errorBody(codeOfRefused(error), error.message, requestId), { status: error.status, headers: retryHeader(error) });
  const known = asDomainError(error);
  return known && refusal({ ...errorBody(known.code, [known.message, known.hint].filter(Boolean).join(" "), requestId).error, details: known.details });
}

type ToolError = { code: string; details?: Record<string, unknown> | undefined };

function refusal(error: ToolError): Response {
  const status = statusOf[error.code as keyof typeof statusOf];
  return Response.json({ error }, { status, headers: retryHeaderOf(error) });
}
