import type { Context } from "../../context.ts";
import type { Decisions } from "../../intelligence/answers.ts";
import { linkMemory } from "../../graph/link.ts";
import { withRoom } from "../fields.ts";
import { archiveAsRead } from "../forget.ts";
import type { GivenState } from "../memory-fields.ts";
import type { Json, Memory } from "../memory.ts";
import type { Proposal } from "../proposal-store.ts";
import { remember } from "../remember.ts";
import { revise } from "../revise.ts";
import { WriteConflict } from "../write-conflict.ts";

type Decision = Decisions["memory"][number];

/** What became of a fact, in the words of the memory-server document (section 5). */
export interface Operation {
  /** Of the memory that was written, or that says it already; absent where a fact was left out. */
  id?: string | undefined;
  event: Decision["event"];
  text: string;
  oldMemory?: string | undefined;
  confidence: number;
  reasoning: string;
  /** Kinds of what the write guard found in it: kept back, or masked. */
  quarantined?: string[] | undefined;
  /** What is kept back. */
  held?: Memory | undefined;
  masked?: string[] | undefined;
  proposal?: Proposal | undefined;
}

/** A fact on its way into the memories. */
export interface FactToWrite {
  decision: Decision;
  /** The memory that the decision is about. */
  target: Memory | undefined;
  /** Of another run, where it stays: the fact, once added, supersedes it, and it holds again when the fact is deleted. */
  replaced: Memory | undefined;
  /** Of its message, ms since the epoch. */
  at: number | undefined;
  /** Who decided, and the key of the record of what was said. */
  by: string;
  source: string;
  state: GivenState;
  idempotencyKey: string | undefined;
}

/**
 * Carries out one decision as a write of its own, so that the write guard, quotas and reviews hold for it. The version that it makes
 * carries the reason (`metadata.decision`). What would change a memory that somebody else changed meanwhile is added beside it.
 */
export async function applyDecision(ctx: Context, fact: FactToWrite): Promise<Operation> {
  const { decision, target } = fact;
  const { event } = decision;
  if (event === "NONE") return operation(decision, "NONE", { id: target?.id });
  if (!target || event === "ADD" || isBefore(fact, target)) return add(ctx, fact);
  return event === "UPDATE" ? update(ctx, fact, target) : end(ctx, fact, target);
}

/** What was said before a memory came to be so neither changes nor ends it, however late it is told. */
const isBefore = ({ at = Infinity }: FactToWrite, { occurredAt }: Memory): boolean => at < (occurredAt ?? -Infinity);

const operation = ({ text, confidence, reasoning }: Decision, event: Decision["event"], more: Partial<Operation>): Operation => ({ event, text, confidence, reasoning, ...more });

const reasonOf = ({ decision: { event, reasoning }, by, source }: FactToWrite, as: Decision["event"] = event): { decision: Json } => ({ decision: { event: as, reasoning, by, source } });

async function add(ctx: Context, fact: FactToWrite): Promise<Operation> {
  const { decision, state, at, idempotencyKey, replaced } = fact;
  const written = await remember(ctx, {
    ...state,
    content: decision.text,
    confidence: decision.confidence,
    ...(at === undefined ? {} : { occurredAt: at }),
    metadata: withRoom(state.metadata ?? {}, reasonOf(fact, "ADD")),
    idempotencyKey,
  });
  const { memory, outcome, found, proposal } = written;
  if (outcome === "duplicate") return operation(decision, "NONE", { id: memory.id, reasoning: "This session recalled just that." });
  if (replaced && !isBefore(fact, replaced) && outcome !== "quarantined") await linkMemory(ctx, memory, [{ to: replaced.id, type: "supersedes", strength: 1, reason: "A later conversation says otherwise." }]);
  return operation(decision, "ADD", { id: memory.id, ...(outcome === "quarantined" ? { quarantined: found, held: memory } : found ? { masked: found, text: memory.content } : {}), ...(proposal ? { proposal } : {}) });
}

async function update(ctx: Context, fact: FactToWrite, target: Memory): Promise<Operation> {
  const { decision, state, at } = fact;
  const done = await revise(ctx, {
    target: { id: target.id },
    expectedVersion: target.version,
    changes: { content: decision.text, confidence: decision.confidence, ...(at === undefined ? {} : { occurredAt: at }), metadata: withRoom({ ...target.metadata, ...state.metadata }, reasonOf(fact)) },
  });
  if (done.outcome === "conflict") return add(ctx, fact);
  const changed = { id: target.id, oldMemory: target.content };
  if (done.outcome === "quarantined") return operation(decision, "UPDATE", { ...changed, quarantined: done.reasons, held: done.held });
  return operation(decision, "UPDATE", { ...changed, ...(done.masked ? { masked: done.masked, text: done.memory.content } : {}), ...(done.proposal ? { proposal: done.proposal } : {}) });
}

/** What holds no more is archived: it can be restored, and its history says why it went. */
async function end(ctx: Context, fact: FactToWrite, target: Memory): Promise<Operation> {
  try {
    const { proposals: [proposal] = [] } = await archiveAsRead(ctx, target, { metadata: withRoom(target.metadata, reasonOf(fact)) });
    return operation(fact.decision, "DELETE", { id: target.id, oldMemory: target.content, ...(proposal ? { proposal } : {}) });
  } catch (error) {
    if (error instanceof WriteConflict) return add(ctx, fact);
    throw error;
  }
}
