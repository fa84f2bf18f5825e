import { canWrite, isAdmin, latest, now, unknown, type Entry, type Model, type Principal, type Proposal, type State } from "./model.ts";
import { advance, blank, create, holderOf, mayTurn, refuse, same, withoutReview, type Refusal } from "./model-keys.ts";
import { isReviewed, propose } from "./model-review.ts";

/**
 * The writes of the model: each answers what the product must answer, and changes the maps only if it must be carried out.
 * `proposal`: what waits for a review, or was decided in one.
 */
export type Written = Refusal | { outcome: string; entry: Entry; proposal?: Proposal | undefined };

const kept = ["tags", "importance", "tier", "metadata", "summary"] as const;

export function remember(model: Model, p: Principal, given: Partial<State>): Written {
  if (!canWrite(p)) return refuse("PERMISSION_DENIED");
  const wanted = { ...blank(p.user), ...given };
  const review = wanted.visibility !== "private" && isReviewed(model, p);
  const fresh: State = review && !holderOf(model, p.team, { ...wanted, visibility: "shared" }) ? { ...wanted, visibility: "private" } : wanted;
  const entry = holderOf(model, p.team, fresh);
  if (!entry) {
    const created = create(model, p, fresh);
    return { outcome: "created", entry: created, proposal: propose(model, p, created, wanted) };
  }
  const present = now(entry);
  const carried = Object.fromEntries(kept.filter((field) => given[field] === undefined).map((field) => [field, present[field]]));
  const whole: State = { ...wanted, ...carried, owner: present.owner };
  if (!mayTurn(p, entry, wanted)) return refuse("PERMISSION_DENIED");
  return write(model, p, entry, whole, review);
}

/** What may be done at once is done, and the rest is proposed. */
function write(model: Model, p: Principal, entry: Entry, whole: State, review: boolean): Written {
  const next = review ? withoutReview(p, now(entry), whole) : whole;
  const outcome = same(now(entry), next) ? "unchanged" : "updated";
  if (outcome === "updated") {
    const holder = next.archivedAt === null ? holderOf(model, p.team, next) : undefined;
    if (holder && holder !== entry) return refuse("CONFLICT");
    advance(p, entry, next);
  }
  const proposal = propose(model, p, entry, whole);
  return { outcome: outcome === "unchanged" && proposal?.state === "pending" ? "proposed" : outcome, entry, proposal };
}

export interface Revision {
  /** `near`: of several memories of one key the only one there is meant. */
  target: { id: string } | { key: string; near: string };
  changes: Partial<State>;
  expectedVersion?: number;
}

function nearest(found: Entry[], near: string): Entry[] {
  const there = found.filter((entry) => now(entry).namespace === near);
  return found.length > 1 && there.length === 1 ? there : found;
}

export function revise(model: Model, p: Principal, { target, changes, expectedVersion }: Revision): Written {
  if (!canWrite(p)) return refuse("PERMISSION_DENIED");
  if (Object.keys(changes).length === 0) return refuse("VALIDATION_ERROR");
  const named = "id" in target ? [model.named(p, target.id)].filter((e) => e !== undefined) : nearest(model.own(p).filter((e) => now(e).key === target.key), target.near);
  if (named.length !== 1) return refuse(named.length === 0 ? "MEMORY_NOT_FOUND" : "CONFLICT");
  const entry = named[0] as Entry;
  const present = now(entry);
  if (present.archivedAt !== null && changes.archivedAt === undefined) return refuse("VALIDATION_ERROR");
  if (!mayTurn(p, entry, { ...present, ...changes })) return refuse("PERMISSION_DENIED");
  if (expectedVersion !== undefined && expectedVersion !== latest(entry).version) return { outcome: "conflict", entry };
  // A value is the content in another form.
  const value = changes.content === undefined || changes.content === present.content ? present.value : null;
  // Why a text was taken from messages does not outlive it.
  const { decision, ...rest } = present.metadata;
  const metadata = changes.content !== undefined && changes.content !== present.content && decision ? rest : present.metadata;
  return write(model, p, entry, { ...present, value, metadata, ...changes }, isReviewed(model, p));
}

/** Refused as a whole if any of them may not go. */
export function mayForget(p: Principal, chosen: Entry[], mode: "archive" | "erase"): boolean {
  return mode === "archive" || chosen.every((entry) => now(entry).owner === p.user || isAdmin(p));
}

/** Answers what is archived by now, and what else was proposed. */
export function archive(model: Model, p: Principal, chosen: Entry[]): { gone: Entry[]; proposals: Proposal[] } {
  const gone: Entry[] = [];
  const proposals: Proposal[] = [];
  for (const entry of chosen) {
    const written = now(entry).archivedAt === null ? write(model, p, entry, { ...now(entry), archivedAt: unknown }, isReviewed(model, p)) : undefined;
    if (written && "proposal" in written && written.proposal) proposals.push(written.proposal);
    else gone.push(entry);
  }
  return { gone, proposals };
}

export function erase(model: Model, chosen: Entry[]): void {
  model.entries = model.entries.filter((entry) => !chosen.includes(entry));
  model.proposals = model.proposals.filter(({ entry }) => !chosen.includes(entry));
  for (const run of model.runs) run.items = run.items.filter(({ entry }) => !chosen.includes(entry));
}
