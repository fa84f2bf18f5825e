import { type BodyBound, discardBody } from "../http/bounded-body.ts";
import { errorBody } from "../http/errors.ts";
import { projectOf } from "../http/project.ts";
import { jsonIn } from "../http/routes/body.ts";
import { sessionDefaultsOf } from "../http/session-headers.ts";
import { refusedResponse, restClient, surfaceFor, type ToolCall, toolResponse } from "../http/tool-door.ts";
import type { SessionDefaults } from "../domain/memories/session-scope.ts";
import { noSuchTeam } from "../domain/tenancy/teams.ts";
import { type CallContext, callTool } from "../tools/call-tool.ts";
import { findTool } from "../tools/catalogue.ts";
import { renderError } from "../tools/errors.ts";
import type { SessionCall } from "./session-call.ts";

/** What a connection says of itself. */
export type Connection = Pick<CallContext, "tool" | "sessionId" | "surface" | "project"> & { sessionDefaults: SessionDefaults | undefined };

/** What the session object does for every call. */
export interface SessionPorts {
  bodyBound: BodyBound;
  /** @throws RequestRefused */
  admit(cost: number): Promise<void>;
  contextOf(connection: Connection): CallContext;
  report(error: unknown): void;
}

/** A tool as the programs of a person call it (`http/tool-door.ts`): in every way a `tools/call`, but for the form of its answer. Never throws. */
export async function callOverRest(request: Request, { teamId, name }: ToolCall, call: SessionCall, ports: SessionPorts): Promise<Response> {
  const { headers } = request;
  try {
    if (teamId !== call.principal.teamId) throw noSuchTeam();
    const connection = { tool: restClient(headers), sessionId: undefined, surface: surfaceFor(headers), project: projectOf(headers, new URL(request.url)), sessionDefaults: sessionDefaultsOf(headers) };
    const args = await jsonIn(request, ports.bodyBound);
    await ports.admit(findTool(name)?.cost ?? 1);
    return toolResponse(await callTool(name, args, { ...ports.contextOf(connection), renderError }), headers, call.requestId);
  } catch (error) {
    const refused = refusedResponse(error, call.requestId);
    if (!refused) ports.report(error);
    await discardBody(request);
    return refused ?? Response.json(errorBody("INTERNAL_ERROR", "Something went wrong on our side.", call.requestId), { status: 500 });
  }
}
