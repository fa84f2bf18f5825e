import { canWrite, isAdmin, latest, now, unknown, type Entry, type Model, type Principal, type Proposal, type State } from "./model.ts";
import { advance, blank, create, holderOf, isWider, mayTurn, refuse, same, unreviewed, type Refusal } from "./model-homes.ts";
import { isReviewed, propose } from "./model-review.ts";

/**
 * The writes of the model: each answers what the product must answer, and changes the maps only if it must be carried out.
 * `proposal`: what waits for a review, or was decided in one.
 */
export type Written = Refusal | { outcome: string; entry: Entry; proposal?: Proposal | undefined };

const kept = ["tags", "importance", "metadata", "summary"] as const;

export function remember(model: Model, p: Principal, given: Partial<State>): Written {
  if (!canWrite(p)) return refuse("PERMISSION_DENIED");
  const wanted = { ...blank(p.user), ...given };
  const review = isReviewed(model, p, wanted.visibility);
  const fresh = review ? { ...wanted, visibility: unreviewed(wanted, wanted.key === null ? undefined : holderOf(model, p.team, { ...wanted, visibility: "shared" })) } : wanted;
  const wish = (entry: Entry) => (review ? propose(model, p, entry, wanted.visibility) : undefined);
  const entry = holderOf(model, p.team, fresh);
  if (!entry) {
    const created = create(model, p, fresh);
    return { outcome: "created", entry: created, proposal: wish(created) };
  }
  const present = now(entry);
  const carried = Object.fromEntries(kept.filter((field) => given[field] === undefined).map((field) => [field, present[field]]));
  const next: State = { ...fresh, ...carried, owner: present.owner };
  if (!mayTurn(p, entry, wanted.visibility)) return refuse("PERMISSION_DENIED");
  if (same(present, next)) return { outcome: "unchanged", entry, proposal: wish(entry) };
  advance(p, entry, next);
  return { outcome: "updated", entry, proposal: wish(entry) };
}

export interface Revision {
  target: { id: string } | { key: string };
  changes: Partial<State>;
  expectedVersion?: number;
}

export function revise(model: Model, p: Principal, { target, changes, expectedVersion }: Revision): Written {
  if (!canWrite(p)) return refuse("PERMISSION_DENIED");
  if (Object.keys(changes).length === 0) return refuse("VALIDATION_ERROR");
  const named = "id" in target ? [model.named(p, target.id)].filter((e) => e !== undefined) : model.own(p).filter((e) => now(e).key === target.key);
  if (named.length !== 1) return refuse(named.length === 0 ? "MEMORY_NOT_FOUND" : "CONFLICT");
  const entry = named[0] as Entry;
  const present = now(entry);
  if (present.archivedAt !== null && changes.archivedAt === undefined) return refuse("VALIDATION_ERROR");
  if (!mayTurn(p, entry, changes.visibility ?? present.visibility)) return refuse("PERMISSION_DENIED");
  if (expectedVersion !== undefined && expectedVersion !== latest(entry).version) return { outcome: "conflict", entry };
  const wanted = changes.visibility ?? "private";
  const review = isReviewed(model, p, wanted);
  const next: State = { ...present, ...changes, ...(review && isWider(wanted, present.visibility) ? { visibility: present.visibility } : {}) };
  const wish = () => (review ? propose(model, p, entry, wanted) : undefined);
  if (same(present, next)) return { outcome: "unchanged", entry, proposal: wish() };
  const holder = holderOf(model, p.team, next);
  if (holder && holder !== entry) return refuse("CONFLICT");
  advance(p, entry, next);
  return { outcome: "updated", entry, proposal: wish() };
}

/** Refused as a whole if any of them may not go. */
export function mayForget(p: Principal, chosen: Entry[], mode: "archive" | "erase"): boolean {
  return mode === "archive" || chosen.every((entry) => now(entry).owner === p.user || isAdmin(p));
}

export function archive(p: Principal, chosen: Entry[]): void {
  for (const entry of chosen) if (now(entry).archivedAt === null) advance(p, entry, { ...now(entry), archivedAt: unknown });
}

export function erase(model: Model, chosen: Entry[]): void {
  model.entries = model.entries.filter((entry) => !chosen.includes(entry));
  model.proposals = model.proposals.filter(({ entry }) => !chosen.includes(entry));
}
