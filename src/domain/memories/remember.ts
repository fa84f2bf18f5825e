import type { Context } from "../context.ts";
import { DomainError, invalid } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { uuidv7 } from "../ids.ts";
import { type IdempotencyRecord, WriteRace } from "../ports.ts";
import { sealedFields } from "../secrets/secret-box.ts";
import { legible } from "../secrets/withheld.ts";
import { requireScope } from "../tenancy/principal.ts";
import { asVersion, canonical, homeOf, isExpired, newState, sameState, type Memory, type MemoryState, type Visibility } from "./memory.ts";
import { requireVisibilityChange } from "./policy.ts";
import { untilWon } from "./race.ts";
import { repeatedMemory } from "./recently-recalled.ts";
import { isReviewed, isWider, proposeWider } from "./review.ts";
import type { Proposal } from "./review-ports.ts";

export interface RememberInput extends Partial<Omit<MemoryState, "ownerId" | "archivedAt" | "supersededBy">> {
  content: string;
  /** The same key with the same body answers as the first time did; nothing is stored twice. */
  idempotencyKey?: string;
  /** Store it as a memory of its own, even if it says what this session has just recalled. */
  allowDuplicate?: boolean;
}

export interface RememberOutcome {
  /** `duplicate`: nothing was stored; `memory` is the one that says it already. */
  outcome: "created" | "updated" | "unchanged" | "duplicate";
  memory: Memory;
  /** True when this answers a repeated call by its idempotency key. */
  replayed: boolean;
  /** That others see it, as was asked for, waits for a review. */
  proposal?: Proposal;
}

/** Fields that a store under an existing key keeps when the call does not mention them. */
const kept = [
  "tags", "importance", "metadata", "type", "summary", "keywords", "relatedFiles", "confidence", "agentId", "runId",
  "sensitivity",
] as const satisfies readonly (keyof MemoryState)[];

/**
 * Stores a memory. Under a key that exists (same visibility home and namespace) it becomes the next version:
 * content and expiry are the new ones, attributes not mentioned are kept. Identical state is `unchanged`. What would be
 * new, but says only what this session has just recalled, is a `duplicate`. What a review holds back is stored as private.
 */
export async function remember(ctx: Context, input: RememberInput): Promise<RememberOutcome> {
  requireScope(ctx.principal, "memory:write");
  const { idempotencyKey, allowDuplicate = false, ...fields } = input;
  if (fields.expiresAt != null && fields.expiresAt <= ctx.now) {
    throw invalid("The expiry lies in the past.", "Give an expiry in the future, or leave it out to keep the memory.");
  }
  const wanted = newState({ ...fields, ownerId: ctx.principal.userId });
  const request = idempotencyKey === undefined ? { whole: "", open: "" } : await hashesOf(input);
  const review = await isReviewed(ctx, wanted.visibility);

  const result = await untilWon("this key", async (attempt): Promise<RememberOutcome> => {
    const fresh = review ? { ...wanted, visibility: await unreviewed(ctx, wanted) } : wanted;
    const hint = await known(ctx, fresh, idempotencyKey, attempt);
    const repeated = allowDuplicate || hint.prior || hint.existing ? undefined : await repeatedMemory(ctx, fresh);
    // Only the truth can tell a repeat from a retry, or from an update that the index has not heard of.
    const { prior, existing: holder } = repeated ? await known(ctx, fresh, idempotencyKey, 1) : hint;
    if (repeated && !prior && !holder) return { outcome: "duplicate", memory: repeated, replayed: false };
    if (prior) return replay(ctx, prior, request, input);

    const existing = holder && isExpired(holder, ctx.now) ? undefined : holder;
    if (holder && !existing) await purge(ctx, [holder]);
    // What others see already has gone meanwhile: anew it would need the review.
    if (review && !existing && fresh.visibility !== "private") throw new WriteRace();
    if (existing) requireVisibilityChange(ctx.principal, existing, wanted.visibility);
    const next = existing ? nextVersion(ctx, existing, fields, fresh) : firstVersion(ctx, fresh);
    const outcome = !existing ? "created" : sameState(existing, next) ? "unchanged" : "updated";
    const answered = existing && outcome === "unchanged" ? existing : next;
    const requestHash = answered.sensitivity === "secret" ? request.open : request.whole;
    const once: IdempotencyRecord | undefined =
      idempotencyKey === undefined ? undefined : { key: idempotencyKey, requestHash, memoryId: answered.id, version: answered.version, outcome };
    if (answered === existing) {
      if (once) await ctx.memories.settle(ctx.principal, ctx.now, once);
      return { outcome, memory: existing, replayed: false };
    }
    const [memory] = await ctx.memories.commit(ctx.principal, ctx, [{ memory: next, action: existing ? "update" : "create", ...(existing ? { before: existing } : {}) }], once);
    await ctx.index.apply(ctx.principal, [memory as Memory]);
    return { outcome, memory: memory as Memory, replayed: false };
  });
  if (!review || result.outcome === "duplicate") return result;
  const [proposal] = await proposeWider(ctx, [{ memory: result.memory, visibility: wanted.visibility }]);
  return proposal ? { ...result, proposal } : result;
}

/** Who may see it without a review: at most those who see what holds the key already. */
async function unreviewed(ctx: Context, { key, namespace, visibility }: MemoryState): Promise<Visibility> {
  if (key === null) return "private";
  const { existing } = await ctx.memories.lookup(ctx.principal, { named: { home: homeOf("shared", ctx.principal.userId), namespace, key } });
  if (!existing || isExpired(existing, ctx.now)) return "private";
  return isWider(visibility, existing.visibility) ? existing.visibility : visibility;
}

type Known = Awaited<ReturnType<Context["memories"]["lookup"]>>;

/**
 * What is stored under this name. A first attempt believes the index that there is nothing, which spares a look-up;
 * if that is wrong the commit loses against what is there, and the next attempt asks the truth.
 */
async function known(ctx: Context, fresh: MemoryState, idempotencyKey: string | undefined, attempt: number): Promise<Known> {
  if (attempt === 0 && !(fresh.key !== null && (await ctx.index.mayHoldKey(ctx.principal, fresh.key)))) {
    return { prior: undefined, existing: undefined };
  }
  return ctx.memories.lookup(ctx.principal, {
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(fresh.key === null
      ? {}
      : { named: { home: homeOf(fresh.visibility, fresh.ownerId), namespace: fresh.namespace, key: fresh.key } }),
  });
}

/** Removes memories for good, from the truth and then from the index. @throws WriteRace when one has changed or is gone */
export async function purge(ctx: Context, doomed: Memory[]): Promise<string[]> {
  const { ids, lastSeq } = await ctx.memories.erase(ctx.principal, ctx, doomed);
  await ctx.index.remove(ctx.principal, { memories: doomed, lastSeq });
  return ids;
}

export function firstVersion(ctx: Context, state: MemoryState, id: string = uuidv7(ctx.now)): Memory {
  return {
    ...state,
    id,
    teamId: ctx.principal.teamId,
    alias: 0,
    seq: 0,
    version: 1,
    createdAt: ctx.now,
    createdBy: ctx.principal.userId,
    createdTool: ctx.tool,
    updatedAt: ctx.now,
    updatedBy: ctx.principal.userId,
    updatedTool: ctx.tool,
    accessCount: 0,
    accessedAt: null,
  };
}

/** Wraps a changed state as the version after `existing`, written by the caller now. */
export const followingVersion = (ctx: Context, existing: Memory, state: Partial<MemoryState>): Memory => ({
  ...existing,
  ...state,
  version: existing.version + 1,
  // Two versions never share an instant, so that "as of" has one answer even when the clock stands still.
  updatedAt: Math.max(ctx.now, existing.updatedAt + 1),
  updatedBy: ctx.principal.userId,
  updatedTool: ctx.tool,
});

/** Whoever says something new says it themselves; to repeat the words of an import lifts no mark. What is quarantined stays so. */
export const trustAfter = ({ content, trust }: Memory, said: string | undefined): Memory["trust"] =>
  said === undefined || said === content ? trust : { source: "user", quarantined: trust.quarantined };

function nextVersion(ctx: Context, existing: Memory, given: Partial<MemoryState>, fresh: MemoryState): Memory {
  const keptFields = Object.fromEntries(kept.filter((field) => given[field] === undefined).map((field) => [field, existing[field]]));
  return followingVersion(ctx, existing, { ...fresh, ...keptFields, trust: trustAfter(existing, fresh.content), ownerId: existing.ownerId });
}

interface RequestHashes {
  whole: string;
  /** Of a secret only what is stored in the open is hashed: who has the hash of a password can guess the password. */
  open: string;
}

async function hashesOf(input: RememberInput): Promise<RequestHashes> {
  const isSealed = (name: string): boolean => (sealedFields as readonly string[]).includes(name);
  const open = Object.fromEntries(Object.entries(input).filter(([name]) => !isSealed(name)));
  return { whole: await sha256Hex(canonical(input)), open: await sha256Hex(canonical(open)) };
}

const usedOtherwise = (): DomainError =>
  invalid(
    "This idempotency key was used before with different content.",
    "Use a new idempotency_key for a new memory; repeat a call only with exactly the same arguments.",
  );

async function replay(ctx: Context, prior: IdempotencyRecord, request: RequestHashes, input: RememberInput): Promise<RememberOutcome> {
  if (prior.requestHash !== request.whole && prior.requestHash !== request.open) throw usedOtherwise();
  const memory = await ctx.memories.get(ctx.principal, ctx.now, prior.memoryId);
  if (!memory) throw new DomainError("MEMORY_NOT_FOUND", "The memory this call stored has expired since.", { mend: "Store it again with a new idempotency_key." });
  const stored = legible([await asOfVersion(ctx, memory, prior.version)])[0] as Memory;
  // The hash does not tell; what was stored does.
  const differs = sealedFields.some((field) => input[field] !== undefined && canonical(input[field]) !== canonical(stored[field]));
  if (prior.requestHash === request.open && differs) throw usedOtherwise();
  return { outcome: prior.outcome as RememberOutcome["outcome"], memory: stored, replayed: true };
}

/** The memory as the call left it, whatever was written since. */
async function asOfVersion(ctx: Context, memory: Memory, number: number): Promise<Memory> {
  if (memory.version === number) return memory;
  const chain = (await ctx.memories.history(ctx.principal, ctx.now, [memory.id])).get(memory.id);
  const version = chain?.find((entry) => entry.version === number);
  return version ? asVersion(memory, version) : memory;
}
