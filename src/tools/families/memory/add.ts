import * as z from "zod";
import { invalid } from "../../../domain/errors.ts";
import { aside, type Framed, joined, named, say } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { addMessages, type AddOutcome } from "../../../domain/memories/messages/add-messages.ts";
import type { Operation } from "../../../domain/memories/messages/apply-decision.ts";
import { messagesInput } from "../../../domain/memories/messages/message-input.ts";
import { storeMessages } from "../../../domain/memories/messages/store-messages.ts";
import { givenMetadata, toState } from "../../../domain/memories/portable.ts";
import { noteMessages } from "../../../domain/sessions/note-messages.ts";
import type { RememberOutcome } from "../../../domain/memories/remember.ts";
import { beginningOf } from "../../beginning.ts";
import { additive, bulkCost, defineTool, type ToolContext, type ToolResult } from "../../define-tool.ts";
import { type SessionContext, scopePlace } from "../../../domain/memories/session-scope.ts";
import { rounded } from "../../../domain/rounded.ts";
import { quarantineQuestions } from "../../quarantine-question.ts";
import { adviceOf, guardText, iso } from "../../render.ts";
import { successFields, successOf } from "./answer.ts";
import { memoryType } from "./record.ts";
import { contextField, contextOf, sessionScope } from "./scope.ts";

/** Memory-server document, sections 3 to 5, 13 and 15; features D row 1. */
export const memoryAdd = defineTool({
  name: "memory_add",
  title: "Add messages",
  description:
    "Keep what a conversation says: its facts are added, or change, end or repeat memories that are there (ADD, UPDATE, DELETE, NONE). The messages are kept, too. infer: false stores them word for word only.",
  scope: "memory:write",
  annotations: additive,
  cost: bulkCost,
  input: z.strictObject({
    messages: messagesInput.meta({ listed: { description: "a text, or [{role: user|assistant|system, content: text or [{type: text|image_url}], name, timestamp}]" } }),
    ...sessionScope,
    metadata: givenMetadata.meta({ listed: { type: "object", description: "tags[], importance 0-1, expiry (ISO), scope: private|shared|public, own such as category" } }),
    memory_type: memoryType.meta({ listed: null }).optional(),
    infer: z.boolean().optional(),
    /** The document's word for the same. */
    mode: z.enum(["inference", "direct"]).optional().meta({ listed: null }),
    /** Of a call that may be sent twice. */
    idempotency_key: field.idempotencyKey.optional().meta({ listed: null }),
  }),
  output: successOf(z.array(z.looseObject({ event: z.enum(["ADD", "UPDATE", "DELETE", "NONE"]), memory: z.string() })).meta({ listed: { type: "array", items: { type: "object" } } })),
  async handler(ctx, { messages, metadata: given, memory_type: type, infer, mode, idempotency_key: idempotencyKey, ...ids }) {
    if (infer !== undefined && mode !== undefined && infer !== (mode === "inference")) throw invalid("infer and mode say the opposite.", "Give one of them.");
    const session = contextOf(ctx, ids);
    const metadata = given || Object.keys(session.metadata).length > 0 ? { ...session.metadata, ...given } : undefined;
    const state = { ...toState({ metadata, type }), ...scopePlace(session, ctx.project) };
    const infers = infer ?? mode !== "direct";
    if (infers) {
      const outcome = await addMessages(ctx, { messages, state, idempotencyKey });
      if (!outcome.repeated) noteMessages(ctx, messages, state);
      return inferred(ctx, session, outcome);
    }
    const outcomes = await storeMessages(ctx, { messages, state, idempotencyKey });
    if (!outcomes.every(({ replayed }) => replayed)) noteMessages(ctx, messages, state);
    return stored(ctx, session, outcomes);
  },
});

function inferred(ctx: ToolContext, session: SessionContext, { operations, extractedBy, decidedBy, language, facts, confidence, record, parts, request, repeated }: AddOutcome): ToolResult {
  const written = operations.filter(({ event, quarantined }) => event !== "NONE" && !quarantined);
  if (!repeated && written.length > 0) ctx.changed({ ids: written.flatMap(({ id }) => id ?? []), listChanged: written.some(({ event }) => event !== "UPDATE") });
  return answer(ctx, session, operations, parts, request, {
    facts_extracted: facts,
    operations_performed: repeated ? 0 : written.length,
    ...(record === undefined ? {} : { messages_id: record }),
    ...(repeated ? { repeated: true } : {}),
    extraction_metadata: { model_used: extractedBy, extraction_time: iso(ctx.now), confidence_score: rounded(confidence), ...(language === undefined ? {} : { language_detected: language }), custom_prompt_used: false },
    processing_metadata: { total_operations: operations.length, decision_time: iso(Date.now()), model_used: decidedBy, uuid_mapping_used: true },
  });
}

function stored(ctx: ToolContext, session: SessionContext, outcomes: readonly RememberOutcome[]): ToolResult {
  const operations = outcomes.map(({ memory, outcome, found, proposal, replayed }): Operation => ({
    id: memory.id,
    event: outcome === "created" || outcome === "quarantined" ? "ADD" : "NONE",
    text: outcome === "quarantined" ? "" : beginningOf(memory.content),
    confidence: memory.confidence,
    reasoning: replayed ? "The same call was made before." : "Stored as it was said.",
    ...(found ? { [outcome === "quarantined" ? "quarantined" : "masked"]: found } : {}),
    ...(outcome === "quarantined" ? { held: memory } : {}),
    ...(proposal ? { proposal } : {}),
  }));
  const written = outcomes.filter(({ outcome, replayed }) => outcome === "created" && !replayed);
  if (written.length > 0) ctx.changed({ ids: written.map(({ memory }) => memory.id), listChanged: true });
  const isWritten = outcomes.some(({ outcome, replayed }) => !replayed && ["created", "merged"].includes(outcome));
  return answer(ctx, session, operations, [], isWritten ? ctx.requestId : undefined, { facts_extracted: 0, operations_performed: written.length });
}

function answer(ctx: ToolContext, session: SessionContext, operations: readonly Operation[], parts: readonly RememberOutcome[], request: string | undefined, metadata: Record<string, unknown>): ToolResult {
  const kept = [...operations.flatMap(({ id, held: one }) => (one ? { held: one, entry: id ?? one.id } : [])), ...parts.flatMap(({ outcome, memory }) => (outcome === "quarantined" ? { held: memory, entry: memory.id } : []))];
  const [masked, quarantined] = [false, true].map((isKept) => [...new Set(parts.flatMap(({ outcome, found = [] }) => ((outcome === "quarantined") === isKept ? found : [])))]);
  const advice = say`${guardText("", masked)}${guardText("quarantined", quarantined)}`;
  const revert = request === undefined ? say`` : say`; omn_revert with request ${request} reverts ${request === ctx.requestId ? "this" : "the first"} call`;
  return {
    question: quarantineQuestions(kept),
    structured: successFields(ctx, operations.map(dataOf), { ...contextField(session), ...metadata, ...(masked?.length ? { masked } : {}), ...(quarantined?.length ? { quarantined } : {}), ...adviceOf(advice) }),
    text: joined([...operations.map(lineOf), say`(${operations.length} ${operations.length === 1 ? "decision" : "decisions"}${revert})${advice}`]),
  };
}

/** What the write guard keeps back is shown to nobody, not even to who said it. */
const dataOf = ({ id, event, text, oldMemory, confidence, reasoning, quarantined, masked, proposal }: Operation): Record<string, unknown> => ({
  ...(id === undefined ? {} : { id }),
  event,
  memory: quarantined ? "" : text,
  ...(oldMemory === undefined ? {} : { old_memory: oldMemory }),
  confidence: rounded(confidence),
  reasoning,
  ...(quarantined ? { quarantined } : {}),
  ...(masked ? { masked } : {}),
  ...(proposal ? { proposal: { id: proposal.id, scope: proposal.visibility, state: proposal.state } } : {}),
});

function lineOf({ id, event, text, oldMemory, quarantined, masked, proposal }: Operation): Framed {
  const notes = aside(
    quarantined && `in quarantine: ${quarantined.join(", ")}`,
    masked && `masked: ${masked.join(", ")}`,
    proposal && `waits for a review: ${proposal.state}`,
    oldMemory === undefined || event === "DELETE" ? undefined : say`was ${named(oldMemory)}`,
  );
  return say`${event} ${id ?? "-"} ${named(quarantined ? "" : text)}${notes}`;
}
