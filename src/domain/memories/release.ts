import type { Context } from "../context.ts";
import { DomainError, noMemory } from "../errors.ts";
import { screen } from "../guard/screen.ts";
import { requireScope } from "../tenancy/principal.ts";
import { canonical, type Memory } from "./memory.ts";
import { type GivenField, givenFields } from "./memory-fields.ts";
import { waiting } from "./quarantine.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";
import { reviseScreened, type ReviseOutcome } from "./revise.ts";
import { purge } from "./versions.ts";

/** What is kept back of the caller, newest first. */
export async function listQuarantine(ctx: Context): Promise<Memory[]> {
  requireScope(ctx.principal, "memory:read");
  return waiting(ctx);
}

export interface Release {
  id: string;
  /** Of the memory that it changes, as the caller saw it: needed where that has been changed since this was kept back. */
  version?: number | undefined;
}

/** Stores it as it was said; a change of a memory that is there becomes one. Under a review, others see it once that says so. @throws CONFLICT */
export async function release(ctx: Context, input: Release): Promise<Released> {
  requireScope(ctx.principal, "memory:write");
  return retryOnConflict("what is kept back", () => releaseOnce(ctx, input));
}

type Released = Exclude<ReviseOutcome, { outcome: "conflict" | "quarantined" }>;

/** @throws WriteConflict */
async function releaseOnce(ctx: Context, { id, version }: Release): Promise<Released> {
  const held = await find(ctx, id);
  const { target, fields = [], visibility, sensitivity } = held.quarantine as NonNullable<Memory["quarantine"]>;
  const changed = target === undefined ? undefined : await ctx.memories.get(ctx.principal, ctx.now, target);
  if (!changed || changed.archivedAt !== null) {
    return plain(await reviseScreened(ctx, { target: { id: held.id }, changes: { visibility, sensitivity, archivedAt: null, quarantine: null, trust: { ...held.trust, quarantined: false } } }));
  }
  const seen = isChangedSince(held, changed, fields) ? version : changed.version;
  if (seen === undefined) throw saidSince(changed);
  const changes = Object.fromEntries(givenFields.filter((field) => fields.includes(field)).map((field) => [field, held[field]]));
  const done = plain(await reviseScreened(ctx, { target: { id: changed.id }, expectedVersion: seen, changes, maybeNothing: true }));
  await purge(ctx, [held]);
  return done;
}

const saidSince = ({ id, version }: Memory): DomainError =>
  new DomainError("CONFLICT", `The memory ${id}, which this would change, has been changed since.`, {
    hint: `Nothing was written. Look at what it says now; to put this in its place, release it with version ${version}.`,
  });

/** Whether it says anything but what it said when this was kept back: then, or with the secrets of this masked. */
function isChangedSince(held: Memory, changed: Memory, fields: readonly string[]): boolean {
  const { quarantine, ...said } = held;
  const masked = screen({ ...said, quarantine: null, sensitivity: quarantine?.sensitivity ?? "normal" })?.masked;
  const saysAsMasked = masked !== undefined && agree(changed, masked, givenFields.filter((field) => fields.includes(field)));
  return changed.updatedAt > held.createdAt && !saysAsMasked;
}

const agree = (one: Partial<Record<GivenField, unknown>>, other: Partial<Record<GivenField, unknown>>, fields: readonly GivenField[]): boolean =>
  fields.every((field) => canonical(one[field]) === canonical(other[field]));

/** Erases what is kept back; a masked memory stays masked. */
export async function discard(ctx: Context, { id }: { id: string }): Promise<void> {
  requireScope(ctx.principal, "memory:write");
  await retryOnConflict("what is kept back", async () => purge(ctx, [await find(ctx, id)]));
}

async function find(ctx: Context, id: string): Promise<Memory> {
  const found = await ctx.memories.get(ctx.principal, ctx.now, id);
  const isOwn = found?.ownerId === ctx.principal.userId;
  if (isOwn && found.quarantine) return found;
  throw noMemory(isOwn ? "This memory is released already, or never was in quarantine." : "Nothing is in quarantine under this id.", "List the quarantine to see the ids.");
}

function plain(outcome: ReviseOutcome): Released {
  if (outcome.outcome === "conflict") {
    const { current, attempted } = outcome;
    // Another release of the same was faster.
    if (agree(current, attempted, givenFields.filter((field) => attempted[field] !== undefined))) return { outcome: "unchanged", memory: current };
    throw saidSince(current);
  }
  if (outcome.outcome === "quarantined") throw new Error("A release is not screened");
  return outcome;
}
