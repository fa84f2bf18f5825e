import type { Context } from "../context.ts";
import { noMemory } from "../errors.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { Memory } from "./memory.ts";
import { givenFields } from "./memory-fields.ts";
import { waiting } from "./quarantine.ts";
import { reviseScreened, type ReviseOutcome } from "./revise.ts";
import { purge } from "./versions.ts";

/** What is kept back of the caller, newest first. */
export async function listQuarantine(ctx: Context): Promise<Memory[]> {
  requireScope(ctx.principal, "memory:read");
  return waiting(ctx);
}

/** Stores it as it was said; a change of a memory that is there becomes one. Under a review, others see it once that says so. */
export async function release(ctx: Context, { id }: { id: string }): Promise<Exclude<ReviseOutcome, { outcome: "conflict" | "quarantined" }>> {
  requireScope(ctx.principal, "memory:write");
  const held = await find(ctx, id);
  const { target, fields = [], visibility, sensitivity } = held.quarantine as NonNullable<Memory["quarantine"]>;
  const changed = target === undefined ? undefined : await ctx.memories.get(ctx.principal, ctx.now, target);
  if (!changed || changed.archivedAt !== null) {
    return plain(await reviseScreened(ctx, { target: { id: held.id }, changes: { visibility, sensitivity, archivedAt: null, quarantine: null, trust: { ...held.trust, quarantined: false } } }));
  }
  const changes = Object.fromEntries(givenFields.filter((field) => fields.includes(field)).map((field) => [field, held[field]]));
  const done = plain(await reviseScreened(ctx, { target: { id: changed.id }, changes, maybeNothing: true }));
  await purge(ctx, [held]);
  return done;
}

/** Erases what is kept back; a masked memory stays masked. */
export async function discard(ctx: Context, { id }: { id: string }): Promise<void> {
  requireScope(ctx.principal, "memory:write");
  await purge(ctx, [await find(ctx, id)]);
}

async function find(ctx: Context, id: string): Promise<Memory> {
  const found = await ctx.memories.get(ctx.principal, ctx.now, id);
  if (!found?.quarantine || found.ownerId !== ctx.principal.userId) throw noMemory("Nothing is in quarantine under this id.", "List the quarantine to see the ids.");
  return found;
}

function plain(outcome: ReviseOutcome): Exclude<ReviseOutcome, { outcome: "conflict" | "quarantined" }> {
  if (outcome.outcome === "conflict" || outcome.outcome === "quarantined") throw new Error("A release names no version and is not screened");
  return outcome;
}
