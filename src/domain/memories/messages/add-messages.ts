import type { Context } from "../../context.ts";
import { invalid, usedIdempotencyKey } from "../../errors.ts";
import { keyOfPart } from "../../hash.ts";
import { isMasked, screen } from "../../guard/screen.ts";
import { type Decisions, decisions } from "../../intelligence/answers.ts";
import type { Message } from "../../intelligence/intelligence.ts";
import { mayRead, requireScope } from "../../tenancy/principal.ts";
import * as field from "../fields.ts";
import type { GivenState } from "../memory-fields.ts";
import { isExpired, type Memory, newState, visibilityKeyOf } from "../memory.ts";
import type { IdempotencyRecord } from "../memory-store.ts";
import { remember, type RememberOutcome } from "../remember.ts";
import { applyDecision, type Operation } from "./apply-decision.ts";
import { candidatesFor } from "./candidates.ts";
import { type GivenMessage, isSecret } from "./message-input.ts";
import { type MessageRecord, operationsIn, recordMetadata, recordOf, recordStates } from "./message-record.ts";

export interface AddInput {
  messages: readonly GivenMessage[];
  /** Of everything that is stored: where it goes, who sees it, its labels. */
  state: GivenState;
  /** The same key with the same messages answers as the first time did. */
  idempotencyKey?: string | undefined;
}

export interface AddOutcome {
  operations: Operation[];
  /** Who extracted and who decided: `rules`, or a model. */
  extractedBy: string;
  decidedBy: string;
  language?: string | undefined;
  facts: number;
  /** Mean of the facts, 0–1. */
  confidence: number;
  /** The memory that holds the messages as they were said. */
  record: string | undefined;
  /** What the write guard keeps back of the messages themselves. */
  held: Memory[];
  /** The same messages were added before, and nothing was done. */
  repeated: boolean;
}

/** What the record of a call says of one fact, at its longest. */
const longestOperation = { id: "0".repeat(36), event: "UPDATE" };

/**
 * Takes the facts out of messages and stores what is new of them: each fact is added, changes or ends a memory, or is there already
 * (memory-server document, sections 3 to 5). The messages are kept as they were said. All versions of a call have its request id, by
 * which a bulk revert takes them back together.
 */
export async function addMessages(ctx: Context, { messages, state, idempotencyKey }: AddInput): Promise<AddOutcome> {
  requireScope(ctx.principal, "memory:write");
  if (state.sensitivity === "secret" || messages.some(isSecret)) throw invalid("Facts are not taken from secrets.", "Store a secret with infer: false, or leave the sensitivity out.");
  field.requireMetadata("What the messages say in their metadata", recordMetadata(messages, {}));
  field.requireMetadata("The metadata of this call and of its session", state.metadata ?? {});
  const record = await recordOf(messages, state);
  const before = await addedBefore(ctx, record, idempotencyKey);
  if (before) return before;

  const extracted = await ctx.intelligence.extract(messages.map(readable));
  const facts = extracted.answer.facts.filter(({ text }) => !isMasked(text));
  const texts = facts.map(({ text }) => text);
  const candidates = await candidatesFor(ctx, texts, state);
  const decided = await ctx.intelligence.decide(texts, candidates.map(({ content, key, type, updatedAt, occurredAt }) => ({ content, key, type, at: occurredAt ?? updatedAt })));
  const operations: Operation[] = [];
  const plan = withinCandidates(decided.answer, candidates.length);
  for (const { event, target: at } of plan) {
    const target = event === "UPDATE" && at !== undefined ? candidates[at] : undefined;
    if (target) field.requireMetadata(`The metadata given and that of the memory ${target.id}, which this updates`, { ...target.metadata, ...state.metadata });
  }
  const done = (did: { id: string; event: string }[]) => ({ request: ctx.requestId, by: decided.by, operations: did });
  field.requireMetadata("What the messages say in their metadata, with what is done for their facts", recordMetadata(messages, done(plan.map(() => longestOperation))));
  for (const [i, decision] of plan.entries()) {
    const target = decision.target === undefined ? undefined : candidates[decision.target];
    const fact = facts.find(({ text }) => text === decision.text);
    const at = fact?.message === undefined ? undefined : messages[fact.message]?.at;
    operations.push(await applyDecision(ctx, { decision, target, at, by: decided.by, source: record.key, state, idempotencyKey: idempotencyKey && (await keyOfPart(idempotencyKey, `${record.key.slice(-32)}/${i}`)) }));
  }
  const did = operations.flatMap(({ id, event }) => (id === undefined ? [] : [{ id, event }]));
  const parts = await keepRecord(ctx, recordStates(record, messages, state, done(did)), idempotencyKey);
  return {
    operations,
    extractedBy: extracted.by,
    decidedBy: decided.by,
    language: extracted.answer.language,
    facts: facts.length,
    confidence: facts.length === 0 ? 0 : facts.reduce((sum, { confidence }) => sum + confidence, 0) / facts.length,
    record: parts[0]?.memory.id,
    held: parts.flatMap(({ outcome, memory }) => (outcome === "quarantined" ? memory : [])),
    repeated: false,
  };
}

/** The first part is written last: as long as it is not there, the call is not done. */
async function keepRecord(ctx: Context, [first, ...rest]: ReturnType<typeof recordStates>, idempotencyKey: string | undefined): Promise<RememberOutcome[]> {
  const kept: RememberOutcome[] = [];
  for (const part of rest) kept.push(await remember(ctx, part));
  return first ? [await remember(ctx, { ...first, idempotencyKey }), ...kept] : [];
}

/** What a provider may see of a message: nothing of one that gives orders to models, and no secret. */
function readable({ role, text, name, at }: GivenMessage): Message {
  const found = screen(newState({ content: text, ownerId: "" }));
  const said = found === undefined ? text : found.instructions.length > 0 ? "" : (found.masked?.content ?? "");
  return { role, text: said, name, at };
}

/** A decision may name a candidate only, and each once to change or end it; what names another one is added, or left. */
function withinCandidates(answer: Decisions, count: number): Decisions["memory"] {
  const changed = new Set<number>();
  return decisions.parse(answer).memory.map((decision) => {
    const { event, target, ...rest } = decision;
    if (event === "ADD") return { event, ...rest };
    const isThere = target !== undefined && target < count;
    if (event === "NONE") return isThere ? decision : { event, ...rest };
    if (isThere && !changed.has(target)) {
      changed.add(target);
      return decision;
    }
    return { ...rest, event: event === "UPDATE" ? ("ADD" as const) : ("NONE" as const), ...(isThere ? { target } : {}) };
  });
}

/** What the call did when it was made before; undefined when it is new. */
async function addedBefore(ctx: Context, record: MessageRecord, idempotencyKey: string | undefined): Promise<AddOutcome | undefined> {
  const { prior, existing } = await ctx.memories.lookup(ctx.principal, { idempotencyKey, named: { visibilityKey: visibilityKeyOf("private", ctx.principal.userId), namespace: record.namespace, key: record.key } });
  const kept = prior ? await recordBy(ctx, prior, record) : existing;
  if (!kept || isExpired(kept, ctx.now)) return undefined;
  const did = operationsIn(kept.metadata);
  const written = new Map((await ctx.memories.lookupMany(ctx.principal, { ids: did.map(({ id }) => id), named: [] })).map((memory) => [memory.id, memory]));
  const operations = did.flatMap(({ id, event }): Operation[] => {
    const memory = written.get(id);
    if (!memory || memory.sensitivity === "secret" || !mayRead(ctx.principal)) return [];
    return [{ id, event: prior ? event : "NONE", text: memory.content, confidence: memory.confidence, reasoning: "The same messages were added before." }];
  });
  return { operations, extractedBy: "rules", decidedBy: "rules", facts: operations.length, confidence: 0, record: kept.id, held: [], repeated: true };
}

/** @throws VALIDATION_ERROR when the key was used for something else */
async function recordBy(ctx: Context, prior: IdempotencyRecord, { key }: MessageRecord): Promise<Memory | undefined> {
  const memory = await ctx.memories.get(ctx.principal, ctx.now, prior.memoryId);
  if (memory && memory.key !== key) {
    throw usedIdempotencyKey("other messages");
  }
  return memory;
}
