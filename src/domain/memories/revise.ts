import type { Context } from "../context.ts";
import { DomainError, invalid } from "../errors.ts";
import * as field from "./fields.ts";
import { mayRead, requireScope } from "../tenancy/principal.ts";
import { requireChange, requireEdit } from "./policy.ts";
import { visibilityKeyOf, isExpired, sameState, type Memory, type Visibility } from "./memory.ts";
import { type GivenState, initialState, type MemoryState } from "./memory-fields.ts";
import { isTaken } from "./messages/message-record.ts";
import { compressedForm } from "./compressed-form.ts";
import { enriched, givenIn } from "./enriched.ts";
import { withSuccessors } from "../recall/selection/succession.ts";
import { keptBack, maskedFields, verdictOn } from "./quarantine.ts";
import { keyTaken, retryOnConflict } from "./retry-on-conflict.ts";
import { followingVersion, purge, trustAfter } from "./versions.ts";
import { isReviewed, propose, proposeOnly, requireRoom, withoutReview } from "./review.ts";
import { noteSecrets } from "./secret-reading.ts";
import type { Proposal } from "./proposal-store.ts";
import { requireValidity } from "./validity.ts";
import { resolveOne, type Reference } from "./resolve.ts";

export interface ReviseInput {
  target: Reference;
  /** The version the change is based on; when it is no longer the present one, both are returned. */
  expectedVersion?: number | undefined;
  /** Whether it is no mistake to give no changes. */
  maybeNothing?: boolean | undefined;
  changes: GivenState & { archivedAt?: null };
  /** Tags beside those that the memory has by then, or that `changes` gives it. */
  addTags?: readonly string[] | undefined;
  /** What only its owner sees stays so, whatever the changes say of it: who else is to see it is for them to agree to. */
  keepsPrivate?: boolean | undefined;
}

/** Who else may see a memory. */
export type Wider = Exclude<Visibility, "private">;

/** What a release may change beside that. */
interface ScreenedInput extends Omit<ReviseInput, "changes"> {
  changes: ReviseInput["changes"] & Partial<Pick<MemoryState, "quarantine" | "trust">>;
}

export type ReviseOutcome =
  /**
   * `proposal`: what else was asked for waits for a review; when nothing was done beside that, the outcome is `proposed`.
   * `wider`: who was to see it, and does not (`keepsPrivate`).
   */
  | { outcome: "updated" | "unchanged" | "proposed"; memory: Memory; proposal?: Proposal; masked?: string[]; wider?: Wider }
  /** The write guard keeps the change back as `held`, for these reasons; `memory` is as it was. */
  | { outcome: "quarantined"; memory: Memory; reasons: string[]; held: Memory }
  | { outcome: "conflict"; current: Memory; attempted: ReviseInput["changes"] };

/**
 * Changes the mentioned fields and leaves the rest. With `expectedVersion`, a change made in between is
 * answered with both sides and nothing is written; without it, the change is applied on top of the newest.
 */
export const revise = (ctx: Context, input: ReviseInput): Promise<ReviseOutcome> => change(ctx, input, true);

/** What was looked at before: nothing keeps it back. */
export const reviseScreened = (ctx: Context, input: ScreenedInput): Promise<ReviseOutcome> => change(ctx, input, false);

async function change(ctx: Context, input: ScreenedInput, isGuarded: boolean): Promise<ReviseOutcome> {
  requireScope(ctx.principal, "memory:write");
  if (Object.keys(input.changes).length === 0 && !input.addTags?.length && !input.maybeNothing) {
    throw invalid("Nothing to change was given.", "Give at least one field to change, such as content, tags or importance.");
  }
  if (input.changes.expiresAt != null && input.changes.expiresAt <= ctx.now) {
    throw invalid("The expiry lies in the past.", "To remove a memory, forget it; to keep it, give an expiry in the future or null.");
  }
  return retryOnConflict("this memory", async (attempt): Promise<ReviseOutcome> => {
    const current = await resolveOne(ctx, input.target);
    requireEdit(ctx.principal, current);
    if (isGuarded && current.quarantine) throw quarantinedNow();
    if (current.archivedAt !== null && input.changes.archivedAt === undefined) {
      throw invalid("This memory is archived.", "Restore it first: update it with archived: false.");
    }
    const changes = wholeChanges(current, input);
    requireChange(ctx.principal, current, changes);
    if (input.expectedVersion !== undefined && !(await isAsSeen(ctx, current, input.expectedVersion))) {
      if (mayRead(ctx.principal)) {
        await noteSecrets(ctx, [current]);
        return { outcome: "conflict", current: (await withSuccessors(ctx, [current]))[0] as Memory, attempted: changes };
      }
      throw new DomainError("CONFLICT", `The memory is at version ${current.version}, not ${input.expectedVersion}.`, {
        hint: "Nothing was written. To see what it says now, use a key or sign-in that was granted memory:read.",
      });
    }
    const form = ctx.compresses === false && changes.content !== undefined && changes.content !== current.content ? compressedForm(changes.content, false) : {};
    const said = followingVersion(ctx, current, { trust: trustAfter(current, changes.content), ...form, ...changes });
    const verdict = isGuarded ? await verdictOn(ctx, said, current) : undefined;
    const wider = input.keepsPrivate && current.visibility === "private" && said.visibility !== "private" ? said.visibility : undefined;
    const wanted = enriched<Memory>({ ...said, ...verdict?.masked, ...(wider && { visibility: current.visibility }) }, { before: current, given: givenIn(changes) });
    if (changes.validFrom !== undefined || changes.validTo !== undefined) requireValidity(wanted);
    const fields = verdict?.masked ? maskedFields(said, verdict.masked) : Object.keys(changes);
    const [original] = verdict ? await keptBack(ctx, [{ state: said, reasons: verdict.reasons, target: current.id, fields }]) : [];
    const kept = original?.writes ?? [];
    if (original && verdict && !verdict.masked) {
      if (kept.length > 0) await ctx.writer.commit(ctx.principal, ctx, kept);
      return { outcome: "quarantined", memory: current, reasons: verdict.reasons, held: original.memory };
    }
    const told = { ...(verdict ? { masked: verdict.reasons } : {}), ...(wider ? { wider } : {}) };
    const review = (current.visibility !== "private" || wanted.visibility !== "private") && (await isReviewed(ctx));
    const next = review ? { ...wanted, ...withoutReview(ctx.principal, current, wanted) } : wanted;
    const isHeld = review && !sameState(next, wanted);
    if (isHeld) await requireRoom(ctx, [current.id]);
    if (sameState(current, next)) {
      // What is stored already without its secrets says the same once they are masked.
      if (kept.length > 0) await ctx.writer.commit(ctx.principal, ctx, kept);
      return isHeld ? proposeOnly(ctx, current, wanted) : { outcome: "unchanged", memory: current, ...told };
    }
    if (attempt > 0) await freeKey(ctx, current, next);
    const action = current.quarantine && !next.quarantine ? "release" : current.archivedAt !== null && next.archivedAt === null ? "restore" : "update";
    const [memory] = (await ctx.writer.commit(ctx.principal, ctx, [{ memory: next, action, before: current }, ...kept])) as [Memory];
    const [proposal] = isHeld ? await propose(ctx, [{ memory, state: wanted }]) : [];
    return { outcome: "updated", memory, ...told, ...(proposal ? { proposal } : {}) };
  });
}

/** More versions than the curator makes of a memory while somebody has it before them. */
const mostEvolved = 50;

/** Whether nobody has changed it since it was seen in this version: what the curator changes is not what it says, unless it merges or replaces. */
async function isAsSeen(ctx: Context, { id, version }: Memory, seen: number): Promise<boolean> {
  const between = version - seen;
  if (between <= 0 || between > mostEvolved) return between === 0;
  const only = Array.from({ length: between }, (_, i) => ({ id, version: version - i }));
  const since = (await ctx.memories.history(ctx.principal, ctx.now, [id], { only })).get(id) ?? [];
  return since.length === between && since.every(({ action, tool }) => action === "evolve" && !/merge|supersede/.test(tool));
}

/** A value is the content in another form, and does not outlive it; nor does why it was taken from messages, and how sure that was. @throws VALIDATION_ERROR */
function wholeChanges({ content, value, tags, metadata: { decision = null, ...metadata } }: Memory, { changes, addTags = [] }: ScreenedInput): ScreenedInput["changes"] {
  const isOther = changes.content !== undefined && changes.content !== content;
  const isOutdated = isOther && value !== null && changes.value === undefined;
  return { ...(isOther && isTaken({ decision }) ? { metadata, confidence: initialState.confidence } : {}), ...changes, ...(isOutdated ? { value: null } : {}), ...(addTags.length > 0 ? { tags: withTags(changes.tags ?? tags, addTags) } : {}) };
}

/** @throws VALIDATION_ERROR when these are more than a memory may have */
function withTags(tags: readonly string[], more: readonly string[]): string[] {
  const all = field.tags.safeParse([...tags, ...more]);
  if (!all.success) throw invalid(`tags: ${all.error.issues[0]?.message}.`, "Give the tags that are to stay, instead of more.");
  return all.data;
}

const quarantinedNow = (): DomainError => invalid("This memory is in quarantine.", "Its owner releases or discards it (docs/quarantine.md); a tool cannot.");

/** A race that would be lost every time: the place the memory would move to has this key already, or still. */
export async function freeKey(ctx: Context, current: Memory, next: Memory): Promise<void> {
  if (next.key === null) return;
  const { existing } = await ctx.memories.lookup(ctx.principal, {
    named: { visibilityKey: visibilityKeyOf(next.visibility, next.ownerId), namespace: next.namespace, key: next.key },
  });
  if (!existing || existing.id === current.id) return;
  if (!isExpired(existing, ctx.now)) throw keyTaken(next, existing);
  await purge(ctx, [existing]);
}
