import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse, type InputRequiredResult, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Question } from "../tools/define-tool.ts";

/**
 * A tool that only shows what it would do is confirmed by the person, where the client can ask one (MCP 2025-11-25 Elicitation;
 * 2026-07-28 multi-round-trip requests). The round trip carries the confirm token of the preview, with which any client may go ahead
 * by itself: it is bound to the person and to the versions that were shown, and grants nothing that the call would not.
 */
const asked = "confirm";

const offered = z.object({ elicitation: z.record(z.string(), z.unknown()) });
const agreed = z.object({ go_ahead: z.literal(true) });
const token = z.string().min(1).max(100);

/** Whether a client that declares these capabilities shows forms: an empty declaration means forms, too. */
export function asksPeople(capabilities: unknown): boolean {
  const { data } = offered.safeParse(capabilities);
  return data !== undefined && ("form" in data.elicitation || Object.keys(data.elicitation).length === 0);
}

/** What the client of this request can do: said with each request by 2026-07-28, else once by `initialize`. */
export const capabilitiesOf = (ctx: ServerContext, initialized: unknown): unknown =>
  (ctx.mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? initialized;

export type Reply = { kind: "none" } | { kind: "refused" } | { kind: "confirmed"; confirm: string };

/** What the person said to the question of the round before, if this call carries it. */
export function replyIn({ mcpReq }: ServerContext): Reply {
  const reply = inputResponse(mcpReq.inputResponses, asked);
  if (reply.kind !== "elicit") return { kind: "none" };
  const confirm = token.safeParse(mcpReq.requestState());
  if (reply.action !== "accept" || !agreed.safeParse(reply.content).success) return { kind: "refused" };
  return confirm.success ? { kind: "confirmed", confirm: confirm.data } : { kind: "none" };
}

export const questionFor = ({ message, confirm }: Question): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [asked]: inputRequired.elicit({
        message: message.toString(),
        requestedSchema: { type: "object", properties: { go_ahead: { type: "boolean", title: "Go ahead" } }, required: ["go_ahead"] },
      }),
    },
    requestState: confirm,
  });

export const refusedText = "The person was asked and said no: nothing was changed. Ask them before you try it again.";
