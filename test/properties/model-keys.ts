import { isAdmin, latest, now, type Entry, type Model, type Principal, type State, type Version, type Visibility } from "./model.ts";

export interface Refusal {
  code: string;
}
export const refused = <T extends object>(result: T | Refusal): result is Refusal => "code" in result;
export const refuse = (code: string): Refusal => ({ code });

export const blank = (owner: string): State => ({
  key: null, content: "", value: null, summary: null, namespace: "global", visibility: "private", owner,
  importance: 0.5, tier: "episodic", tags: [], metadata: {}, occurredAt: null, validTo: null, expiresAt: null, archivedAt: null,
  supersededBy: null, supersededReason: null,
});

const visibilityKey = ({ visibility, owner }: Pick<State, "visibility" | "owner">): string => (visibility === "private" ? owner : "");
export const same = (a: State, b: State): boolean => JSON.stringify(a) === JSON.stringify(b);
export const place = (state: State): string => JSON.stringify([visibilityKey(state), state.namespace, state.key]);

export function holderOf(model: Model, team: string, state: State): Entry | undefined {
  return state.key === null ? undefined : model.entries.find((e) => e.team === team && now(e).archivedAt === null && place(now(e)) === place(state));
}

export function create(model: Model, p: Principal, state: State): Entry {
  const first: Version = { version: 1, at: 0, by: p.user, state };
  const entry: Entry = { id: "", team: p.team, organization: p.organization, alias: 0, createdAt: 0, versions: [first] };
  model.entries.push(entry);
  return entry;
}

export function advance(p: Principal, entry: Entry, state: State): void {
  entry.versions.push({ version: latest(entry).version + 1, at: 0, by: p.user, state });
}

/**
 * Who sees a memory is for its owner to say; an admin may widen or narrow it, but moves nothing among another's private ones.
 * An expiry erases: it comes sooner only where its owner or an admin says so.
 */
export function mayTurn(p: Principal, entry: Entry, { visibility, expiresAt }: Pick<State, "visibility" | "expiresAt">): boolean {
  const present = now(entry);
  if (present.owner === p.user) return true;
  const isSooner = (expiresAt ?? Infinity) < (present.expiresAt ?? Infinity);
  return isAdmin(p) ? visibility === present.visibility || visibility !== "private" : visibility === present.visibility && !isSooner;
}

const order: Visibility[] = ["private", "shared", "public"];
export const isWider = (to: Visibility, from: Visibility): boolean => order.indexOf(to) > order.indexOf(from);

/** What becomes of a memory before anybody looked: what is one's own is one's own, and of what others see they see no more than before, as it was. */
export function withoutReview(p: Principal, present: State | undefined, wanted: State): State {
  if (!present || present.visibility === "private") return { ...wanted, visibility: "private" };
  if (wanted.visibility === "private") return wanted;
  const visibility = isWider(wanted.visibility, present.visibility) ? present.visibility : wanted.visibility;
  return { ...present, visibility, archivedAt: present.archivedAt === null && present.owner === p.user ? wanted.archivedAt : present.archivedAt };
}
