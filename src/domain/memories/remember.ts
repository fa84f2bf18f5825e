import type { Context } from "../context.ts";
import type { Undefinable } from "../defined.ts";
import { type DomainError, invalid, noMemory, usedIdempotencyKey } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { screen } from "../guard/screen.ts";
import type { AskedBeside, IdempotencyRecord, MemoryWrite } from "./memory-store.ts";
import { type Held, type KeptBack, keptBack, maskedFields, verdictOn } from "./quarantine.ts";
import { type Merge, mergeInto } from "./merge.ts";
import { SaidAlready, WriteConflict } from "./write-conflict.ts";
import { assertReadable } from "../secrets/redaction.ts";
import { mayRead, requireScope } from "../tenancy/principal.ts";
import { asSaid, type GivenState, inheritedFields, sealedFields, type SealedFields } from "./memory-fields.ts";
import { compressedForm } from "./compressed-form.ts";
import { asVersion, canonical, visibilityKeyOf, isExpired, newState, sameState, type Memory, type MemoryState } from "./memory.ts";
import { requireChange } from "./policy.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";
import { requireValidity } from "./validity.ts";
import { decomposed } from "./fields.ts";
import { firstVersion, followingVersion, purge, trustAfter } from "./versions.ts";
import { enriched, givenIn } from "./enriched.ts";
import { repeatedMemory } from "./loop-guard.ts";
import { noteWrite } from "../sessions/note-write.ts";
import { isReviewed, propose, proposeOnly, requireRoom, withoutReview } from "./review.ts";
import type { Proposal } from "./proposal-store.ts";

export interface RememberInput extends Undefinable<GivenState> {
  content: string;
  /** The same key with the same body answers as the first time did; nothing is stored twice. */
  idempotencyKey?: string | undefined;
  /** Store it as a memory of its own, even if it says what this session has just recalled, or what another memory says. */
  allowDuplicate?: boolean | undefined;
  /** Whether a long content gets a compressed form. Left out, it does, unless the same content was to stay whole before. */
  compress?: boolean | undefined;
}

export const rememberOutcomes = ["created", "updated", "unchanged", "duplicate", "merged", "proposed", "quarantined"] as const;

export interface RememberOutcome {
  /**
   * `duplicate`: nothing was stored; `memory` is the one that says it already. `merged`: `memory` said the same before, and has this as a
   * further source. `proposed`: `memory` stays as it is until a
   * review. `quarantined`: `memory` is what is kept back.
   */
  outcome: (typeof rememberOutcomes)[number];
  memory: Memory;
  /** True when this answers a repeated call by its idempotency key. */
  replayed: boolean;
  /** The rest of the request waits for a review. */
  proposal?: Proposal;
  /** Kinds of what the write guard found: why it is in quarantine, or of the secrets that were masked in what is stored. */
  found?: string[];
}

/**
 * Stores a memory. Under a key that exists (same visibility key and namespace) it becomes the next version: content and expiry
 * are the new ones, attributes not mentioned are kept. Identical state is `unchanged`. A new memory that only repeats what this
 * session has just recalled is a `duplicate`; one without a key that says what another memory of the same readers says is `merged`
 * into it. Under a review, a new memory is stored as private, and what the team holds under the key stays as it is. `alike`: what is
 * asked where it is stored.
 */
export async function remember(ctx: Context, input: RememberInput, alike?: AskedBeside): Promise<RememberOutcome> {
  requireScope(ctx.principal, "memory:write");
  const { idempotencyKey, allowDuplicate = false, compress = ctx.compresses === false ? false : undefined, ...fields } = input;
  if (fields.expiresAt != null && fields.expiresAt <= ctx.now) {
    throw invalid("The expiry lies in the past.", "Give an expiry in the future, or leave it out to keep the memory.");
  }
  const wanted = newState({ ...fields, ...(compress === undefined ? {} : compressedForm(fields.content, compress)), ownerId: ctx.principal.userId });
  requireValidity(wanted);
  const request = idempotencyKey === undefined ? { whole: "", open: "" } : await hashesOf(input);
  const review = wanted.visibility !== "private" && (await isReviewed(ctx));
  const isSuspect = screen(wanted) !== undefined;
  const mayRepeat = wanted.key === null && !allowDuplicate && !review && mayRead(ctx.principal);
  const mayMerge = mayRepeat && !isSuspect;
  let saying: readonly string[] | undefined;

  return retryOnConflict("this key", async (attempt): Promise<RememberOutcome> => {
    const fresh: MemoryState = review && !(await isTaken(ctx, wanted)) ? { ...wanted, visibility: "private" } : wanted;
    // What a review is asked for, and what the guard looks at, depends on what is there.
    const isGuess = attempt === 0 && !review && !isSuspect && (wanted.key === null || decomposed(wanted.key) === wanted.key);
    const prepared = isGuess ? nothingKnown : await known(ctx, fresh, idempotencyKey);
    const repeated = allowDuplicate || prepared.prior || prepared.existing ? undefined : await repeatedMemory(ctx, fresh);
    // Only the truth can tell a repeat from a retry, or from an update.
    const { prior, existing: holder } = repeated && isGuess ? await known(ctx, fresh, idempotencyKey) : prepared;
    if (repeated && !prior && !holder) return { outcome: "duplicate", memory: repeated, replayed: false };
    if (prior) {
      const answered = await replay(ctx, prior, request, input);
      return review ? { ...answered, ...(await proposedBefore(ctx, answered, wanted)) } : answered;
    }

    const existing = holder && isExpired(holder, ctx.now) ? undefined : holder;
    if (holder && !existing) await purge(ctx, [holder]);
    // The memory that others see is gone meanwhile: storing it anew would need the review.
    if (review && !existing && fresh.visibility !== "private") throw new WriteConflict();
    if (existing) requireChange(ctx.principal, existing, wanted);
    const said = existing ? nextVersion(ctx, existing, fields, wanted) : firstVersion(ctx, wanted);
    const verdict = isSuspect ? await verdictOn(ctx, said, existing) : undefined;
    if (verdict && !verdict.masked) return keepBack(ctx, { state: said, reasons: verdict.reasons, target: existing?.id, fields: Object.keys(fields) }, idempotencyKey === undefined ? undefined : { key: idempotencyKey, requestHash: request.open });
    const whole = enriched<Memory>({ ...said, ...verdict?.masked }, { before: existing, given: givenIn(fields) });
    const originals = verdict?.masked ? await keptBack(ctx, [{ state: said, reasons: verdict.reasons, target: said.id, fields: maskedFields(said, verdict.masked) }]) : [];
    const beside = originals.flatMap(({ writes }) => writes);
    const found = verdict ? { found: verdict.reasons } : {};
    const next = review ? { ...whole, ...withoutReview(ctx.principal, existing, whole) } : whole;
    const isHeld = review && !sameState(next, whole);
    if (isHeld) await requireRoom(ctx, [next.id]);
    // Two that say the same once they are masked may have said different secrets: only the original tells that it is said again.
    const before = mayRepeat ? originals.flatMap(({ memory, writes }) => (writes.length === 0 && memory.quarantine?.target) || []) : [];
    const merge = (saying || before.length > 0) && !existing ? await mergeInto(ctx, saying ?? before, next, fields) : undefined;
    if (merge && (saying || merge.into.content === next.content)) {
      return { ...(await commitMerge(ctx, merge, idempotencyKey === undefined ? undefined : { key: idempotencyKey, requestHash: verdict ? request.open : request.whole })), ...found };
    }
    const unchanged = existing && sameState(existing, next) ? existing : undefined;
    const proposed = unchanged && isHeld ? await proposeOnly(ctx, unchanged, whole) : undefined;
    const outcome = proposed?.outcome ?? (unchanged ? "unchanged" : existing ? "updated" : "created");
    const answered = unchanged ?? next;
    const requestHash = verdict || [answered, whole].some(({ sensitivity }) => sensitivity === "secret") ? request.open : request.whole;
    const once: IdempotencyRecord | undefined =
      idempotencyKey === undefined ? undefined : { key: idempotencyKey, requestHash, memoryId: answered.id, version: answered.version, outcome };
    if (unchanged) {
      if (beside.length > 0) await ctx.writer.commit(ctx.principal, ctx, beside, once);
      else if (once) await ctx.writer.saveIdempotency(ctx.principal, ctx.now, once);
      return { memory: unchanged, replayed: false, outcome, ...found, ...(proposed ? { proposal: proposed.proposal } : {}) };
    }
    const write: MemoryWrite = { memory: next, action: existing ? "update" : "create", before: existing, ...(mayMerge && !saying ? { unlessSaid: true } : {}) };
    const [memory] = (await ctx.writer.commit(ctx.principal, ctx, [write, ...beside], once, alike).catch((error: unknown) => {
      if (!(error instanceof SaidAlready)) throw error;
      // Whether it is a retry, and what the others say by now, only the truth can tell.
      saying = error.ids;
      throw new WriteConflict();
    })) as [Memory];
    const [proposal] = isHeld ? await propose(ctx, [{ memory, state: whole }]) : [];
    noteWrite(ctx, memory);
    return { outcome, memory, replayed: false, ...found, ...(proposal ? { proposal } : {}) };
  });
}

async function commitMerge(ctx: Context, { into, write }: Merge, once: Pick<IdempotencyRecord, "key" | "requestHash"> | undefined): Promise<RememberOutcome> {
  const record: IdempotencyRecord | undefined = once && { ...once, memoryId: into.id, version: write?.memory.version ?? into.version, outcome: "merged" };
  if (!write && record) await ctx.writer.saveIdempotency(ctx.principal, ctx.now, record);
  const [memory = into] = write ? await ctx.writer.commit(ctx.principal, ctx, [write], record) : [];
  return { outcome: "merged", memory, replayed: false };
}

/** Stores what the guard found as what it keeps back, and nothing else. */
async function keepBack(ctx: Context, kept: KeptBack, once: Pick<IdempotencyRecord, "key" | "requestHash"> | undefined): Promise<RememberOutcome> {
  const [{ memory, writes }] = (await keptBack(ctx, [kept])) as [Held];
  const record: IdempotencyRecord | undefined = once && { ...once, memoryId: memory.id, version: memory.version, outcome: "quarantined" };
  const [written] = writes.length > 0 ? await ctx.writer.commit(ctx.principal, ctx, writes, record) : [];
  if (!written && record) await ctx.writer.saveIdempotency(ctx.principal, ctx.now, record);
  return { outcome: "quarantined", memory: written ?? memory, replayed: false, found: kept.reasons };
}

/** Whether the team holds something under the key. */
async function isTaken(ctx: Context, { key, namespace }: MemoryState): Promise<boolean> {
  if (key === null) return false;
  const { existing } = await ctx.memories.lookup(ctx.principal, { named: { visibilityKey: visibilityKeyOf("shared", ctx.principal.userId), namespace, key } });
  return existing !== undefined && !isExpired(existing, ctx.now);
}

/**
 * The proposal of a call that is repeated. A memory that the call stored as private is proposed again, in case the first call
 * got no further than that. Of what the team holds only the first call proposes: a late repeat replaces no newer proposal.
 */
async function proposedBefore(ctx: Context, { memory, outcome }: RememberOutcome, { visibility }: MemoryState): Promise<{ proposal?: Proposal }> {
  const isHeldByTeam = outcome === "proposed" && memory.visibility !== "private";
  const proposal = isHeldByTeam ? await ownFrequency(ctx, memory) : (await propose(ctx, [{ memory, state: { ...memory, visibility } }]))[0];
  return proposal ? { proposal } : {};
}

/** The caller's newest proposal of just this version. */
const ownFrequency = async (ctx: Context, { id, version }: Memory): Promise<Proposal | undefined> =>
  assertReadable((await ctx.proposals.own(ctx.principal, [id])).filter((proposal) => proposal.version === version))[0];

type Known = Awaited<ReturnType<Context["memories"]["lookup"]>>;

/** A first attempt takes it that the name is free, which spares a look-up: if it is not, the write is refused. */
const nothingKnown: Known = { prior: undefined, existing: undefined };

/** What is stored under this name. */
async function known(ctx: Context, fresh: MemoryState, idempotencyKey: string | undefined): Promise<Known> {
  return ctx.memories.lookup(ctx.principal, {
    idempotencyKey,
    named: fresh.key === null ? undefined : { visibilityKey: visibilityKeyOf(fresh.visibility, fresh.ownerId), namespace: fresh.namespace, key: fresh.key },
  });
}

function nextVersion(ctx: Context, existing: Memory, given: Undefinable<GivenState>, fresh: MemoryState): Memory {
  const said = asSaid(existing);
  const inherited = Object.fromEntries(inheritedFields.filter((field) => given[field] === undefined).map((field) => [field, said[field]]));
  return followingVersion(ctx, existing, { ...fresh, ...inherited, trust: trustAfter(existing, fresh.content), ownerId: existing.ownerId });
}

interface RequestHashes {
  whole: string;
  /** For a secret only the plain fields are hashed: who has the hash of a password can guess the password. */
  open: string;
}

async function hashesOf(input: RememberInput): Promise<RequestHashes> {
  const isSealed = (name: string): boolean => (sealedFields as readonly string[]).includes(name);
  const open = Object.fromEntries(Object.entries(input).filter(([name]) => !isSealed(name)));
  return { whole: await sha256Hex(canonical(input)), open: await sha256Hex(canonical(open)) };
}

const usedOtherwise = (): DomainError => usedIdempotencyKey("a new memory");

async function replay(ctx: Context, prior: IdempotencyRecord, request: RequestHashes, input: RememberInput): Promise<RememberOutcome> {
  if (prior.requestHash !== request.whole && prior.requestHash !== request.open) throw usedOtherwise();
  const memory = await ctx.memories.get(ctx.principal, ctx.now, prior.memoryId);
  if (!memory) throw noMemory("The memory this call stored has expired since.", "Store it again with a new idempotency_key.");
  const stored = assertReadable([await asOfVersion(ctx, memory, prior.version)])[0] as Memory;
  // The hash does not cover the sealed fields, so they are compared with what was stored.
  const said: MemoryState | null | undefined = prior.outcome === "proposed" ? (await ownFrequency(ctx, stored))?.proposed : stored;
  const given: Undefinable<Partial<SealedFields>> = input;
  const masked = screen(newState({ ...input, ownerId: stored.ownerId }))?.masked;
  const isSaid = (state: Undefinable<Partial<SealedFields>>, field: keyof SealedFields): boolean => canonical(state[field]) === canonical(said?.[field]);
  // The rest of what a merge was given stands beside what was there.
  const compared = prior.outcome === "merged" ? (["content", "value"] as const) : sealedFields;
  const differs = said && compared.some((field) => given[field] !== undefined && !isSaid(given, field) && !(masked && isSaid(masked, field)));
  if (prior.requestHash === request.open && differs) throw usedOtherwise();
  return { outcome: prior.outcome as RememberOutcome["outcome"], memory: stored, replayed: true };
}

/** The memory as the call left it, whatever was written since. */
export async function asOfVersion(ctx: Context, memory: Memory, number: number): Promise<Memory> {
  if (memory.version === number) return memory;
  const chain = (await ctx.memories.history(ctx.principal, ctx.now, [memory.id])).get(memory.id);
  const version = chain?.find((entry) => entry.version === number);
  return version ? asVersion(memory, version) : memory;
}
