import type { Context } from "../../context.ts";
import { invalid, usedIdempotencyKey } from "../../errors.ts";
import { keyOfPart } from "../../hash.ts";
import { isMasked } from "../../guard/mask.ts";
import { screen } from "../../guard/screen.ts";
import { type Decisions, decisions } from "../../intelligence/answers.ts";
import type { Message } from "../../intelligence/intelligence.ts";
import { mayRead, requireScope } from "../../tenancy/principal.ts";
import * as field from "../fields.ts";
import type { GivenState } from "../memory-fields.ts";
import { type Memory, newState, visibilityKeyOf } from "../memory.ts";
import type { IdempotencyRecord } from "../memory-store.ts";
import { asOfVersion, remember, type RememberOutcome } from "../remember.ts";
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
  /** What became of the messages themselves, where they were stored now. */
  parts: RememberOutcome[];
  /** The call by which all of this is reverted: this one, or the one that is answered again; none where nothing was written. */
  request?: string | undefined;
  /** The same call was made before, or the same messages and all they say is there: nothing was done. */
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
  field.requireMetadata("The metadata of this call and of its session", state.metadata ?? {});
  const record = await recordOf(messages, state);
  const { prior, existing } = await ctx.memories.lookup(ctx.principal, { idempotencyKey, named: { visibilityKey: visibilityKeyOf("private", ctx.principal.userId), namespace: record.namespace, key: record.key } });
  const before = prior && (await doneBefore(ctx, record, prior));
  if (before) return before;

  const extracted = await ctx.intelligence.extract(messages.map(readable));
  const facts = extracted.answer.facts.filter(({ text }) => !isMasked(text));
  const texts = facts.map(({ text }) => text);
  const { sameRun: live, otherRuns } = await candidatesFor(ctx, texts, state);
  const decide = (among: Memory[]) => ctx.intelligence.decide(texts, among.map(({ content, key, type, updatedAt, occurredAt }) => ({ content, key, type, at: occurredAt ?? updatedAt })));
  const decided = await decide(live);
  const over = otherRuns.length > 0 ? withinCandidates((await decide(otherRuns)).answer, otherRuns.length).filter(({ event }) => event === "UPDATE" || event === "DELETE") : [];
  const ended = await endedBefore(ctx, existing);
  const ends = ended.length > 0 ? withinCandidates((await decide(ended)).answer, ended.length).filter(({ event }) => event === "DELETE") : [];
  const candidates = [...live, ...ended];
  const operations: Operation[] = [];
  const plan = withinCandidates(decided.answer, live.length).map((decision) => {
    const end = decision.event === "ADD" && ends.find(({ text }) => text === decision.text);
    return end ? { ...end, event: "NONE" as const, target: live.length + (end.target ?? 0) } : decision;
  });
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
    const replaces = over.find(({ text }) => text === decision.text)?.target;
    operations.push(await applyDecision(ctx, { decision, target, replaced: replaces === undefined ? undefined : otherRuns[replaces], at, by: decided.by, source: record.key, state, idempotencyKey: idempotencyKey && (await keyOfPart(idempotencyKey, `${record.key.slice(-32)}/${i}`)) }));
  }
  const did = operations.flatMap(({ id, event }) => (id === undefined ? [] : [{ id, event }]));
  const isChanged = operations.some(({ event }) => event !== "NONE");
  // What a call did stays said until the same messages do something else, or a key is to be answered with just this.
  const says = existing && !isChanged && idempotencyKey === undefined ? existing.metadata : recordMetadata(messages, done(did));
  const parts = await keepRecord(ctx, recordStates(record, messages, state, says), idempotencyKey);
  return {
    operations,
    extractedBy: extracted.by,
    decidedBy: decided.by,
    language: extracted.answer.language,
    facts: facts.length,
    confidence: facts.length === 0 ? 0 : facts.reduce((sum, { confidence }) => sum + confidence, 0) / facts.length,
    record: parts[0]?.memory.id,
    parts,
    request: isChanged || parts.some(({ outcome }) => ["created", "updated"].includes(outcome)) ? ctx.requestId : undefined,
    repeated: !isChanged && existing !== undefined,
  };
}

/** What the same messages ended before and is ended still: to say so again ends nothing, and is no fact to be added. */
const endedBefore = async ({ memories, principal }: Context, existing: Memory | undefined): Promise<Memory[]> =>
  existing && mayRead(principal) ? (await memories.lookupMany(principal, { ids: operationsIn(existing.metadata).map(({ id }) => id), named: [] })).filter(({ archivedAt }) => archivedAt !== null) : [];

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

/** What the call of this key did, which is answered again. @throws VALIDATION_ERROR when the key was used for something else */
async function doneBefore(ctx: Context, { key }: MessageRecord, prior: IdempotencyRecord): Promise<AddOutcome | undefined> {
  const kept = await ctx.memories.get(ctx.principal, ctx.now, prior.memoryId);
  if (!kept) return undefined;
  if (kept.key !== key) throw usedIdempotencyKey("other messages");
  const { metadata } = await asOfVersion(ctx, kept, prior.version);
  const did = operationsIn(metadata);
  const written = await ctx.memories.lookupMany(ctx.principal, { ids: did.map(({ id }) => id), named: [] });
  const operations = did.flatMap(({ id, event }): Operation[] => {
    const memory = written.find((one) => one.id === id);
    if (!memory || memory.sensitivity === "secret" || !mayRead(ctx.principal)) return [];
    return [{ id, event, text: memory.content, confidence: memory.confidence, reasoning: "The same messages were added before." }];
  });
  return { operations, extractedBy: "rules", decidedBy: "rules", facts: operations.length, confidence: 0, record: kept.id, parts: [], request: did.length > 0 ? String(metadata["request"]) : undefined, repeated: true };
}
