import * as z from "zod";
import { attributed, authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { defined } from "../../../domain/defined.ts";
import { givenMetadata, toState } from "../../../domain/memories/portable.ts";
import { revise, type ReviseOutcome } from "../../../domain/memories/revise.ts";
import { scopeFilter } from "../../../domain/memories/session-scope.ts";
import { asFound } from "../../../domain/secrets/redaction.ts";
import { mayRead } from "../../../domain/tenancy/principal.ts";
import { beginningOf } from "../../beginning.ts";
import { AskedConflict, conflictQuestion } from "../../conflict-question.ts";
import { additive, defineTool, type ToolContext } from "../../define-tool.ts";
import { quarantineQuestion } from "../../quarantine-question.ts";
import { sharingQuestion } from "../../sharing-question.ts";
import { guardOf, outcomeWith, proposalOf } from "../../render.ts";
import { succeeded, successOf } from "./answer.ts";
import { memoryType, recordOf } from "./record.ts";
import { contextOf, sessionScope } from "./scope.ts";

/** Update of the document, with its optimistic version (section 1). */
export const memoryUpdate = defineTool({
  name: "memory_update",
  title: "Update a memory",
  description: "Change what a memory says; old versions are kept. version: the one you read, so that no other change is lost.",
  scope: "memory:write",
  annotations: additive,
  input: z.strictObject({
    memory_id: field.memoryRef,
    data: field.content.optional().describe("the new text"),
    ...sessionScope,
    metadata: givenMetadata.meta({ listed: { type: "object", description: "as in memory_add; own entries replace all own ones" } }),
    memory_type: memoryType.meta({ listed: null }).optional(),
    version: z.number().int().positive().optional(),
  }),
  output: successOf(z.looseObject({ id: z.string(), event: z.enum(["UPDATE", "NONE"]).meta({ listed: { type: "string" } }) })),
  async handler(ctx, { memory_id, data, metadata, memory_type, version, ...ids }) {
    const session = contextOf(ctx, ids);
    const result = await revise(ctx, {
      target: { id: memory_id, within: scopeFilter(session) },
      expectedVersion: version,
      keepsPrivate: ctx.asksPerson,
      changes: { ...toState({ metadata }), ...defined({ content: data, type: memory_type }) },
    });
    if (result.outcome === "conflict") throw await conflictWith(ctx, result, version);
    const { memory } = result;
    if (result.outcome === "quarantined") {
      return { ...succeeded(ctx, session, { id: memory.id, event: "NONE", version: memory.version, ...guardOf("quarantined", result.reasons) }), question: quarantineQuestion(result.held) };
    }
    if (result.outcome === "updated") ctx.changed({ ids: [memory.id], listChanged: false });
    const outcome = outcomeWith(result.outcome, result.proposal);
    const answer = succeeded(ctx, session, { id: memory.id, event: outcome === "updated" ? "UPDATE" : "NONE", ...(mayRead(ctx.principal) ? { memory: beginningOf(asFound(memory).content) } : {}), version: memory.version, ...proposalOf(result.proposal), ...guardOf(outcome, result.masked), ...(result.wider && { scope: memory.visibility }) });
    return { ...answer, question: sharingQuestion(result) };
  },
});

async function conflictWith(ctx: ToolContext, { current, attempted }: Extract<ReviseOutcome, { outcome: "conflict" }>, version: number | undefined): Promise<AskedConflict> {
  const { author } = attributed(current, await authorsOf(ctx, [current]));
  return new AskedConflict(`The memory is at version ${current.version}, not ${version}. Nothing was written.`, {
    hint: `Put your change and the current text together, and update again with version ${current.version}.`,
    details: { current: recordOf(current, { author }) },
    question: conflictQuestion(current, attempted, "version"),
  });
}
