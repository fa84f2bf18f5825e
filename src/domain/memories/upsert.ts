import * as z from "zod";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { GivenState } from "./memory-fields.ts";
import type { Memory } from "./memory.ts";
import { remember, type RememberOutcome } from "./remember.ts";
import { revise } from "./revise.ts";

export interface UpsertItem {
  /** The id of a memory, or the caller's own name for it, which becomes its key. */
  id?: string | undefined;
  state: GivenState & { content: string };
  /** Where a new one is stored that names no namespace. */
  place?: string | undefined;
}

export interface Upserted {
  outcome: RememberOutcome["outcome"];
  memory: Memory;
  /** Kinds of what the write guard found. */
  found: string[];
  /** What waits for a review of it. */
  proposal?: RememberOutcome["proposal"];
  /** What it keeps back. */
  held?: Memory;
}

/** Stores the items in their order, each as its own write. When one is refused, the error says how many were stored before it. */
export async function upsert(ctx: Context, items: readonly UpsertItem[]): Promise<Upserted[]> {
  requireScope(ctx.principal, "memory:write");
  const done: Upserted[] = [];
  for (const item of items) {
    try {
      done.push(await upsertOne(ctx, item));
    } catch (error) {
      throw afterSome(error, done.length);
    }
  }
  return done;
}

async function upsertOne(ctx: Context, { id, state, place }: UpsertItem): Promise<Upserted> {
  const present = id !== undefined && z.uuid().safeParse(id).success ? await ctx.memories.get(ctx.principal, ctx.now, id.toLowerCase()) : undefined;
  if (!present) {
    const { outcome, memory, found = [], proposal } = await remember(ctx, { ...state, namespace: state.namespace ?? place, ...(id === undefined ? {} : { key: id }) });
    return { outcome, memory, found, proposal, ...(outcome === "quarantined" && { held: memory }) };
  }
  const result = await revise(ctx, { target: { id: present.id }, changes: state });
  // Without an expected version nothing conflicts.
  if (result.outcome === "conflict") throw new DomainError("CONFLICT", "The memory changed meanwhile.", { hint: "Do the same again." });
  return result.outcome === "quarantined"
    ? { outcome: result.outcome, memory: result.memory, found: result.reasons, held: result.held }
    : { outcome: result.outcome, memory: result.memory, found: result.masked ?? [], proposal: result.proposal };
}

function afterSome(error: unknown, stored: number): unknown {
  if (!(error instanceof DomainError) || stored === 0) return error;
  return new DomainError(error.code, error.message, {
    hint: `${error.hint ? `${error.hint} ` : ""}The first ${stored} items are stored; the same call again leaves those as they are.`,
    details: { ...error.details, stored },
  });
}
