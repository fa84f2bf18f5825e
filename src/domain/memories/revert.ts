import type { Context } from "../context.ts";
import { defined } from "../defined.ts";
import { type DomainError, invalid, noMemory, notFound } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { curatorActor, isTeamAdmin, requireScope } from "../tenancy/principal.ts";
import { canonical, isExpired, sameState, type Memory, type Version } from "./memory.ts";
import { fateOf } from "./reversion-plan.ts";
import type { Reversion, RevertedMemory, RevertSelection } from "./reversion-store.ts";
import { type Change, changeOf, inOrderOfKeys, type Kept, writeRun } from "./reversion-writes.ts";
import { isReviewed } from "./review.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";

export interface RevertInput {
  selection: RevertSelection;
  /** The token of a preview: without it nothing is reverted. */
  confirm?: string | undefined;
}

export type RevertOutcome =
  /** `confirm` is absent where there is nothing to do. `changed`: it is not what was previewed. `done`: memories that an interrupted run of that token has reverted. */
  | { outcome: "preview"; changes: Change[]; kept: Kept[]; more: boolean; confirm: string | undefined; changed: boolean; done: number }
  /** `ids`: of all memories that the run reverted. `undone`: how many of them are again as they were before. */
  | { outcome: "reverted"; run: string; ids: string[]; archived: number; restored: number; undone: number; kept: Kept[]; more: boolean };

/** Memories of one call; what more there is waits for the next. */
export const maxReverted = 500;

/**
 * Undoes what an author, a client, a session or a call wrote, as far as nobody else wrote on top of it. The first call previews;
 * the token that it answers is bound to just those versions, and names the run. A run that was interrupted is finished by the
 * same call, and one that is done is answered again.
 */
export async function revert(ctx: Context, { selection: given, confirm }: RevertInput): Promise<RevertOutcome> {
  requireScopes(ctx);
  const selection = requireSelection(given);
  return runOf(ctx, selection, confirm, (limit) => planOf(ctx, selection, limit), () =>
    noMemory("Nothing that matches stands, so there is nothing to revert.", "Check author, tool, session and request; what was reverted before is not reverted again."),
  );
}

function requireScopes({ principal }: Context): void {
  requireScope(principal, "memory:write");
  // A preview shows what would change.
  requireScope(principal, "memory:read");
}

/**
 * A run over what `plan` finds, of at most so many memories: previewed, confirmed, resumed and answered again.
 * @throws `nothing` when there is nothing to do and nothing to look at
 */
export async function runOf(ctx: Context, selection: RevertSelection, confirm: string | undefined, plan: (limit: number) => Promise<Plan>, nothing: () => DomainError): Promise<RevertOutcome> {
  requireScopes(ctx);
  return retryOnConflict("these memories", async () => {
    const found = confirm === undefined ? undefined : await ctx.reversions.find(ctx.principal, confirm);
    const run = found?.kind === "revert" && found.userId === ctx.principal.userId && canonical(found.selection) === canonical(selection) ? found : undefined;
    const isComplete = run !== undefined && run.items.length >= run.memories;
    const done = isComplete ? [] : (run?.items ?? []).filter(({ undo }) => undo === null);
    const planned = await plan(maxReverted - done.length);
    if (isComplete) return { outcome: "reverted", run: run.id, ...countsOf(run.items), kept: planned.kept, more: planned.more };
    if (planned.changes.length + planned.kept.length + done.length === 0) throw nothing();
    const token = await confirmToken(ctx, selection, planned, done);
    if (confirm !== token) {
      return { outcome: "preview", ...planned, confirm: planned.changes.length > 0 ? token : undefined, changed: confirm !== undefined, done: done.length };
    }
    await ctx.reversions.begin(ctx.principal, ctx, { id: token, kind: "revert", selection, memories: done.length + planned.changes.length });
    await writeRun(ctx, token, "revert", planned);
    return { outcome: "reverted", run: token, ...countsOf([...done, ...planned.changes.map(({ memory, restored }) => ({ memoryId: memory.id, restored, undo: null }))]), kept: planned.kept, more: planned.more };
  });
}

const countsOf = (items: readonly Pick<RevertedMemory, "memoryId" | "restored" | "undo">[]) => {
  const gone = items.filter(({ restored }) => restored === null).length;
  return { ids: items.map(({ memoryId }) => memoryId), archived: gone, restored: items.length - gone, undone: items.filter(({ undo }) => undo !== null).length };
};

function requireSelection(given: RevertSelection): RevertSelection {
  const selection = defined({ ...given }) as RevertSelection;
  const { author, tool, session, request, since, until } = selection;
  if ([author, tool, session, request].every((one) => one === undefined)) {
    throw invalid("Nothing was selected.", "Say whose work to revert: author, tool, session or request; since and until narrow it.");
  }
  if (since !== undefined && until !== undefined && since >= until) throw invalid("until is not later than since.", "Nothing lies between them: give an earlier since or a later until.");
  return selection;
}

export interface Plan {
  changes: Change[];
  kept: Kept[];
  /** Keys that a change needs are held by these, which nobody sees any more. */
  expired: Memory[];
  /** More memories match than fit. */
  more: boolean;
}

async function planOf(ctx: Context, selection: RevertSelection, limit: number): Promise<Plan> {
  const { principal, now, memories, reversions } = ctx;
  const found = await reversions.candidates(principal, now, selection, limit + 1);
  const ids = found.slice(0, limit);
  const [chains, present, review] = await Promise.all([reversions.written(principal, selection, ids), memories.lookupMany(principal, { ids, named: [] }), isReviewed(ctx)]);
  const byId = new Map(present.map((memory) => [memory.id, memory]));
  const fates = ids.flatMap((id) => {
    const [memory, fate] = [byId.get(id), fateOf(chains.get(id) ?? [], { bySession: selection.session !== undefined })];
    return memory && fate ? [{ memory, fate }] : [];
  });
  const only = fates.flatMap(({ memory: { id }, fate }) => (fate.kind === "restore" ? [{ id, version: fate.version }] : []));
  const states = only.length === 0 ? new Map<string, Version[]>() : await memories.history(principal, now, only.map(({ id }) => id), { only });
  const considered = fates.flatMap(({ memory, fate }): (Change | Kept)[] => {
    if (fate.kind === "keep") return [{ memory, reason: fate.reason }];
    if (fate.kind === "archive" && memory.archivedAt !== null) return [];
    const change = changeOf(ctx, memory, fate.kind === "archive" ? "archived" : states.get(memory.id)?.[0], review);
    return "next" in change && sameState(memory, change.next) ? [] : [change];
  });
  return { ...(await inOrderOfKeys(ctx, considered)), more: found.length > limit };
}

/** Bound to what is to change and what is to stay, in just these versions. What an interrupted run has done counts as it was before. */
async function confirmToken({ principal }: Context, selection: RevertSelection, { changes, kept }: Plan, done: readonly RevertedMemory[]): Promise<string> {
  const what = [
    ...done.map(({ memoryId, before, restored }) => `${memoryId}:${before}:${restored}`),
    ...changes.map(({ memory, restored }) => `${memory.id}:${memory.version}:${restored}`),
    ...kept.map(({ memory, reason }) => `${memory.id}:${memory.version}:${reason}`),
  ].sort();
  return (await sha256Hex(canonical([principal.teamId, principal.userId, selection, what]))).slice(0, 32);
}

export interface UndoOutcome {
  outcome: "undone";
  run: string;
  /** What is again as it was before the run. */
  ids: string[];
  /** Memories that stay as they are, such as those that somebody has changed since. */
  kept: Kept[];
  /** How many of the run were undone before, and how many are erased, expired or no longer the caller's to see. */
  already: number;
  gone: number;
}

/**
 * The memories of a run as they were before it, those that nobody has changed since. Who made the run may ask for it, and admins of
 * the team; for a run of the curator everybody, since it reaches what is private to them, which nobody else can undo.
 */
export async function undoRevert(ctx: Context, { run: id }: { run: string }): Promise<UndoOutcome> {
  requireScope(ctx.principal, "memory:write");
  requireScope(ctx.principal, "memory:read");
  return retryOnConflict("these memories", async () => {
    const run = await ctx.reversions.find(ctx.principal, id);
    if (!run || (run.userId !== ctx.principal.userId && run.userId !== curatorActor && !isTeamAdmin(ctx.principal))) throw notFound("There is no revert with this id.", "Give the id that the revert answered.");
    const open = run.items.filter(({ undo }) => undo === null);
    const { changes, kept, expired, seen } = await undoPlan(ctx, open);
    if (changes.length > 0) await writeRun(ctx, run.id, "undo", { changes, expired });
    return { outcome: "undone", run: run.id, ids: changes.map(({ memory }) => memory.id), kept, already: run.items.length - open.length, gone: run.memories - run.items.length + open.length - seen };
  });
}

async function undoPlan(ctx: Context, items: readonly RevertedMemory[]) {
  const { memories, principal, now } = ctx;
  const ids = items.map(({ memoryId }) => memoryId);
  const only = items.map(({ memoryId, before }) => ({ id: memoryId, version: before }));
  const [present, states, review] = await Promise.all([memories.lookupMany(principal, { ids, named: [] }), memories.history(principal, now, ids, { only }), isReviewed(ctx)]);
  const byId = new Map(present.map((memory) => [memory.id, memory]));
  const considered = items.flatMap(({ memoryId, after }): (Change | Kept)[] => {
    const memory = byId.get(memoryId);
    if (!memory || isExpired(memory, now)) return [];
    return [memory.version === after ? changeOf(ctx, memory, states.get(memoryId)?.[0], review) : { memory, reason: "changed" }];
  });
  return { ...(await inOrderOfKeys(ctx, considered)), seen: considered.length };
}

/** Newest first; admins of the team see all, others their own. */
export async function listReverts(ctx: Context, { limit }: { limit: number }): Promise<Reversion[]> {
  requireScope(ctx.principal, "memory:read");
  return ctx.reversions.list(ctx.principal, { by: isTeamAdmin(ctx.principal) ? undefined : ctx.principal.userId, limit });
}
