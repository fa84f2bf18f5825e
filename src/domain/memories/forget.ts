import type { Context } from "../context.ts";
import { invalid, noMemory } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import type { MemoryFilter } from "./memory-store.ts";
import { matchesFilter } from "./memory-filters.ts";
import { mostQuarantined, waiting } from "./quarantine.ts";
import { WriteConflict } from "./write-conflict.ts";
import { assertReadable, redacted } from "../secrets/redaction.ts";
import { requireScope } from "../tenancy/principal.ts";
import { commitAll } from "./commit-all.ts";
import { canonical, type Memory } from "./memory.ts";
import { requireEdit, requireErase } from "./policy.ts";
import { noteSecrets } from "./secret-reading.ts";
import { resolveAll, resolveOne } from "./resolve.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";
import { followingVersion, purge } from "./versions.ts";
import { isReviewed, propose, requireRoom, withoutReview } from "./review.ts";
import type { Proposal } from "./proposal-store.ts";

export interface ForgetInput {
  ids?: (string | number)[] | undefined;
  /** Exact key, or a pattern with `*`. */
  key?: string | undefined;
  filter?: MemoryFilter | undefined;
  /** `archive` hides and can be undone; `erase` removes all versions, the index entries and caches for good. */
  mode: "archive" | "erase";
  /** The token of a preview: without it nothing is forgotten. */
  confirm?: string | undefined;
  /** What to look at where nothing matches. */
  hint?: string;
}

export type ForgetOutcome = (
  | { outcome: "preview"; mode: ForgetInput["mode"]; memories: Memory[]; confirm: string; changed: boolean }
  /** `proposals`: what else is to be archived waits for a review, or was refused in one before. */
  | { outcome: "archived" | "erased" | "proposed" | "unchanged"; ids: string[]; proposals?: Proposal[] }
) & { more?: More; keptBack?: number | undefined };

/** More match than one call takes; the next one goes on with them. How many: of a key pattern that is not known. */
export interface More {
  left: number | undefined;
}

const maxForget = 500;

/**
 * Forgetting shows first what would go, the newest of them where these are many; the token it answers is bound to exactly those versions.
 * What is erased takes along what the write guard keeps back of it: `keptBack` counts the caller's own, and nobody is told of others'.
 */
export async function forget(ctx: Context, input: ForgetInput): Promise<ForgetOutcome> {
  requireScope(ctx.principal, "memory:write");
  // A preview shows what would go.
  requireScope(ctx.principal, "memory:read");
  return retryOnConflict("these memories", async () => {
    const { selected, ...more } = await select(ctx, input);
    const held = input.mode === "erase" ? await keptBackOf(ctx, input, selected) : [];
    if (selected.length + held.length === 0) throw noMemory("Nothing matches, so there is nothing to forget.", input.hint ?? "Check the key or the filters.");
    const counted = { ...more, keptBack: held.length || undefined };
    for (const memory of selected) (input.mode === "erase" ? requireErase : requireEdit)(ctx.principal, memory);
    const token = await confirmToken(ctx, input.mode, [...selected, ...held]);
    if (input.confirm !== token) {
      await noteSecrets(ctx, selected);
      return { outcome: "preview", mode: input.mode, memories: selected, confirm: token, changed: input.confirm !== undefined, ...counted };
    }
    if (input.mode === "archive") return { ...(await archive(ctx, selected)), ...more };
    await purge(ctx, [...selected, ...held]);
    return { outcome: "erased", ids: selected.map(({ id }) => id), ...counted };
  });
}

/** Archives one memory named exactly, without preview: it can be undone (delete of the other vocabularies). */
export function archiveOne(ctx: Context, memory: Memory): Promise<Archived> {
  return retryOnConflict("this memory", async (attempt) => archiveAsRead(ctx, attempt === 0 ? memory : await resolveOne(ctx, { id: memory.id })));
}

/** The same of what has not been changed since. `noted`: what its last version says of that. @throws WriteConflict */
export async function archiveAsRead(ctx: Context, memory: Memory, noted: Partial<Pick<Memory, "metadata">> = {}): Promise<Archived> {
  requireEdit(ctx.principal, memory);
  return archive(ctx, [memory], noted);
}

type Archived = Exclude<ForgetOutcome, { outcome: "preview" }>;
type Selected = { selected: Memory[]; more?: More };

async function archive(ctx: Context, selected: Memory[], noted: Partial<Pick<Memory, "metadata">> = {}): Promise<Archived> {
  const open = await whole(ctx, selected.filter((memory) => memory.archivedAt === null));
  const review = open.some(({ visibility }) => visibility !== "private") && (await isReviewed(ctx));
  const isHeld = (memory: Memory): boolean => review && withoutReview(ctx.principal, memory, { ...memory, archivedAt: ctx.now }).archivedAt === null;
  const [held, free] = [open.filter(isHeld), open.filter((memory) => !isHeld(memory))];
  const proposals = held.length > 0 ? await proposeArchiving(ctx, held) : [];
  if (free.length > 0) {
    const writes = free.map((memory) => ({
      memory: followingVersion(ctx, memory, { ...noted, archivedAt: ctx.now }),
      action: "archive" as const,
      before: memory,
    }));
    await commitAll(ctx.writer, ctx.principal, ctx, writes);
  }
  if (held.length === 0) return { outcome: "archived", ids: selected.map(({ id }) => id) };
  const waiting = new Set(held.map(({ id }) => id));
  const ids = selected.flatMap(({ id }) => (waiting.has(id) ? [] : id));
  return { outcome: ids.length > 0 ? "archived" : proposals.some(({ state }) => state === "pending") ? "proposed" : "unchanged", ids, proposals };
}

/** @throws WriteRace when one of them has changed */
async function proposeArchiving(ctx: Context, memories: Memory[]): Promise<Proposal[]> {
  await requireRoom(ctx, memories.map(({ id }) => id));
  const proposals = await propose(ctx, memories.map((memory) => ({ memory, state: { ...memory, archivedAt: ctx.now } })));
  if (proposals.length < memories.length) throw new WriteConflict();
  return proposals;
}

/** Secrets that were selected by more than their name are without what is sealed of them. @throws WriteRace when one has changed since */
async function whole(ctx: Context, selected: Memory[]): Promise<Memory[]> {
  const ids = selected.flatMap(({ id, redaction }) => (redaction === undefined ? [] : id));
  if (ids.length === 0) return selected;
  const opened = new Map(assertReadable(await ctx.memories.lookupMany(ctx.principal, { ids, named: [] })).map((memory) => [memory.id, memory]));
  return selected.map((memory) => {
    const found = memory.redaction === undefined ? memory : opened.get(memory.id);
    if (found?.version !== memory.version) throw new WriteConflict();
    return found;
  });
}

/** What is kept back of the caller for these, such as the original of one that is masked, and by key or filters what is kept back there as well. */
async function keptBackOf(ctx: Context, { ids, key, filter = {} }: ForgetInput, selected: readonly Memory[]): Promise<Memory[]> {
  const going = new Set(selected.map(({ id }) => id));
  const named = key === undefined ? undefined : (await ctx.memories.byKeyPattern(ctx.principal, ctx.now, key, {}, mostQuarantined, "quarantined")).map(({ id }) => id);
  return (await waiting(ctx)).filter((held) =>
    !going.has(held.id) && (going.has(held.quarantine?.target ?? "") || (!ids?.length && named?.includes(held.id) !== false && matchesFilter({ ...held, ...held.quarantine }, filter))));
}

async function select(ctx: Context, input: ForgetInput): Promise<Selected> {
  const { principal, now } = ctx;
  const filter = input.filter ?? {};
  if (input.ids?.length) {
    if (input.key !== undefined || Object.keys(filter).length > 0) throw invalid("key and filters choose among memories, and an id names one.", "Give the ids alone, or leave them out.");
    return { selected: (await resolveAll(ctx, input.ids)).map((memory) => (memory.quarantine ? redacted(memory) : memory)) };
  }
  let selected: Memory[];
  if (input.key !== undefined) {
    selected = input.key.includes("*")
      ? await ctx.memories.byKeyPattern(principal, now, input.key, filter, maxForget + 1)
      : await ctx.memories.byKey(principal, now, input.key, filter);
  } else if (Object.keys(filter).length > 0) {
    selected = (await ctx.memories.list(principal, now, filter, { below: undefined, limit: maxForget + 1 })).items;
  } else {
    throw invalid("Nothing was selected.", "Say what to forget: id, key (with * as wildcard) or filters.");
  }
  if (selected.length <= maxForget) return { selected };
  const left = input.key === undefined ? (await ctx.memories.count(principal, now, filter)) - maxForget : undefined;
  return { selected: selected.slice(0, maxForget), more: { left } };
}

async function confirmToken(ctx: Context, mode: string, selected: Memory[]): Promise<string> {
  const what = selected.map((memory) => `${memory.id}:${memory.version}`).sort();
  return (await sha256Hex(canonical([ctx.principal.teamId, ctx.principal.userId, mode, what]))).slice(0, 16);
}
