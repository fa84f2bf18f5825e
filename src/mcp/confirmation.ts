import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse, type InputRequiredResult, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ToolAnswer } from "../tools/call-tool.ts";
import { askedAfter, decisionsIn, type Sealing } from "./decision.ts";
import { type CallResult, toCallResult } from "./tool-result.ts";

/**
 * A tool that only shows what it would do is confirmed by the person, where the client can ask one (MCP 2025-11-25 Elicitation;
 * 2026-07-28 multi-round-trip requests); so is one that cannot tell which of two versions they want. The round trip carries the arguments
 * with which any client may go ahead by itself, such as the confirm token of the preview: it is bound to the person and to the versions
 * that were shown. They grant nothing that the call would not.
 */
const asked = "confirm";

const offered = z.object({ elicitation: z.record(z.string(), z.unknown()) });
const agreed = z.object({ go_ahead: z.literal(true) });
const chosen = z.object({ choice: z.string() });
/** What comes back with the answer: whatever a client makes of it is what it could have called with. */
const state = z.union([z.object({ confirm: z.string().min(1).max(100) }), z.object({ choices: z.array(z.object({ title: z.string(), args: z.record(z.string(), z.unknown()).optional() })).max(5) })]);
const longestState = 2_000;

/** Whether a client that declares these capabilities shows forms: an empty declaration means forms, too. */
export function asksPeople(capabilities: unknown): boolean {
  const { data } = offered.safeParse(capabilities);
  return data !== undefined && ("form" in data.elicitation || Object.keys(data.elicitation).length === 0);
}

/** What the client of this request can do: said with each request by 2026-07-28, else once by `initialize`. */
export const capabilitiesOf = (ctx: ServerContext, initialized: unknown): unknown =>
  (ctx.mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? initialized;

export type Reply =
  | { kind: "none" }
  | { kind: "refused" | "kept" }
  /** The call goes ahead with these arguments beside its own. */
  | { kind: "goes-ahead"; args: Record<string, unknown> };

/** What the person said to the question of the round before, if this call carries it. */
export function replyIn({ mcpReq }: ServerContext): Reply {
  const reply = inputResponse(mcpReq.inputResponses, asked);
  if (reply.kind !== "elicit") return { kind: "none" };
  const { data: question } = state.safeParse(stateOf(mcpReq.requestState()));
  if (reply.action !== "accept") return { kind: "refused" };
  if (!question || "confirm" in question) {
    if (!agreed.safeParse(reply.content).success) return { kind: "refused" };
    return question ? { kind: "goes-ahead", args: question } : { kind: "none" };
  }
  const said = chosenIn(mcpReq.inputResponses);
  const choice = question.choices.find(({ title }) => title === said);
  if (!choice) return { kind: "refused" };
  return choice.args ? { kind: "goes-ahead", args: choice.args } : { kind: "kept" };
}

/** What the person chose in the form, if they did. */
export function chosenIn(responses: ServerContext["mcpReq"]["inputResponses"]): string | undefined {
  const reply = inputResponse(responses, asked);
  return reply.kind === "elicit" && reply.action === "accept" ? chosen.safeParse(reply.content).data?.choice : undefined;
}

function stateOf(given: unknown): unknown {
  if (typeof given !== "string" || given.length > longestState) return undefined;
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

/** The answer of a call, or the question to the person, in whose place `sealing` keeps it. */
export async function resultOf(answer: ToolAnswer, asksPerson: boolean, sealing: Sealing): Promise<CallResult | InputRequiredResult> {
  const result = toCallResult(answer);
  if (!asksPerson || !answer.question) return result;
  const { message, asks } = answer.question;
  if ("acts" in asks) return (await askedAfter(result, decisionsIn(answer.question), sealing)) ?? result;
  // What is encrypted at rest is delivered once and kept nowhere: a question would be kept until it is answered.
  if (answer.secret) return result;
  return inputRequired({ inputRequests: formRequest(message.toString(), "confirm" in asks ? undefined : asks.choices), requestState: JSON.stringify(asks) });
}

/** A form with these choices, or with the question whether to go ahead. */
export const formRequest = (message: string, choices?: readonly { title: string }[]) => ({
  [asked]: inputRequired.elicit({ message, requestedSchema: choices ? formOf(choices) : goAhead }),
});

const goAhead = { type: "object" as const, properties: { go_ahead: { type: "boolean" as const, title: "Go ahead" } }, required: ["go_ahead"] };
export const formOf = (choices: readonly { title: string }[]) => ({
  type: "object" as const,
  properties: { choice: { type: "string" as const, title: "Which one", enum: choices.map(({ title }) => title) } },
  required: ["choice"],
});

export const refusedText = "The person was asked and said no: nothing was changed. Ask them before you try it again.";
export const keptText = "The person was asked and keeps what is stored: nothing was changed. Read it again before you go on.";
