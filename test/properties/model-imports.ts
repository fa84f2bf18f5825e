import { canWrite, now, sees, type Entry, type Model, type Principal, type State, type Version } from "./model.ts";
import { advance, blank, holderOf, mayTurn, place, refuse, same, withoutReview, type Refusal } from "./model-keys.ts";
import { isReviewed, propose } from "./model-review.ts";

/** An export's record, as far as the model takes part. */
export interface PortableRecord {
  id?: string;
  version?: number;
  archived_at?: string | null;
  history?: { version: number; state: PortableRecord }[];
  content: string;
  key?: string | null;
  value?: unknown;
  summary?: string | null;
  namespace?: string;
  visibility?: State["visibility"];
  importance?: number;
  tier?: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  occurred_at?: string | null;
  valid_to?: string | null;
  expires_at?: string | null;
  superseded_by?: string | null;
  superseded_reason?: string | null;
  /** What nobody said: an export names it, and it is no part of what the model knows. */
  enrichment?: { fields: string[] } | null;
}

const instant = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

function given(record: PortableRecord): Partial<State> {
  const { key, content, value, summary, namespace, visibility, importance, tier, tags, metadata, occurred_at, valid_to, expires_at } = record;
  const state = {
    key, content, value, summary, namespace, visibility, importance, tier, tags, metadata,
    ...(occurred_at === undefined ? {} : { occurredAt: instant(occurred_at) }),
    ...(valid_to === undefined ? {} : { validTo: instant(valid_to) }),
    ...(expires_at === undefined ? {} : { expiresAt: instant(expires_at) }),
  };
  const initial = blank("");
  const said = Object.entries(state).map(([name, field]) => [name, record.enrichment?.fields.includes(name) ? initial[name as keyof State] : field]);
  return Object.fromEntries(said.filter(([, field]) => field !== undefined)) as Partial<State>;
}

export interface Imported {
  created: number;
  updated: number;
  unchanged: number;
  skipped: number;
  proposed: number;
  entries: Entry[];
  /** Those that came under another id than the record's. */
  renamed: Entry[];
}

const wantedOf = (record: PortableRecord): State["visibility"] => record.visibility ?? "private";

/** In order, in groups of records that name different memories; a group is carried out as a whole or not at all. */
export function importRecords(model: Model, p: Principal, records: PortableRecord[], onConflict: "update" | "skip"): Refusal | Imported {
  if (!canWrite(p)) return refuse("PERMISSION_DENIED");
  const ordered = successorsBefore(records);
  const total: Imported = { created: 0, updated: 0, unchanged: 0, skipped: 0, proposed: 0, entries: [], renamed: [] };
  const review = isReviewed(model, p);
  const brought = new Map<string, Entry>();
  for (const group of groups(p, ordered, review)) {
    for (let rest = group; rest.length > 0; ) {
      const done = importGroup(model, p, rest, { onConflict, review, brought }, total);
      if (typeof done !== "number") return done;
      rest = rest.slice(done);
    }
  }
  // The answer goes by the file.
  total.entries = records.map((record) => total.entries[ordered.indexOf(record)] as Entry);
  return total;
}

/** What took another's place comes before that one, as far as the file goes. */
function successorsBefore(records: PortableRecord[]): PortableRecord[] {
  const ordered: PortableRecord[] = [];
  const put = (record: PortableRecord, above: PortableRecord[]): void => {
    if (ordered.includes(record) || above.includes(record)) return;
    const successor = record.superseded_by ? records.find(({ id }) => id === record.superseded_by) : undefined;
    if (successor) put(successor, [...above, record]);
    ordered.push(record);
  };
  for (const record of records) put(record, []);
  return ordered;
}

/** What took its place: what an id of the file leads to, or what it leads the importer to anyway. */
function successionOf(model: Model, p: Principal, brought: Map<string, Entry>, record: PortableRecord): { entry: Entry; reason: string | null } | undefined {
  if (!record.superseded_by) return undefined;
  const entry = brought.get(record.superseded_by) ?? model.named(p, record.superseded_by);
  return entry && { entry, reason: record.superseded_reason ?? null };
}

/** Of a memory that is here: what nobody can follow, and what the importer does not see gone, changes nothing. */
function successionAfter(model: Model, p: Principal, present: State, found: ReturnType<typeof successionOf>, record: PortableRecord): Pick<State, "supersededBy" | "supersededReason"> {
  if (found) return { supersededBy: model.idOf(found.entry), supersededReason: found.reason };
  const isSeen = present.supersededBy !== null && model.named(p, present.supersededBy) !== undefined;
  return record.superseded_by === null && isSeen ? { supersededBy: null, supersededReason: null } : { supersededBy: present.supersededBy, supersededReason: present.supersededReason };
}

/** An archived memory has given up its key; without an id the key alone says which is meant. */
const takesNoPlace = ({ id, archived_at }: PortableRecord): boolean => id !== undefined && archived_at != null;

function groups(p: Principal, records: PortableRecord[], review: boolean): PortableRecord[][] {
  const all: PortableRecord[][] = [];
  let seen = new Set<string>();
  for (const record of records) {
    const state = { ...blank(p.user), ...given(record) };
    const places = state.key === null || takesNoPlace(record) ? [] : [place(state), ...(review ? [place({ ...state, visibility: "private" })] : [])];
    const names = [record.id, ...places].filter((name) => name !== undefined);
    if (all.length === 0 || names.some((name) => seen.has(name))) {
      all.push([]);
      seen = new Set();
    }
    (all.at(-1) as PortableRecord[]).push(record);
    for (const name of names) seen.add(name);
  }
  return all;
}

/** Answers how many of the records it took: up to the first that means a memory which one before it means. */
function importGroup(model: Model, p: Principal, group: PortableRecord[], { onConflict, review, brought }: { onConflict: "update" | "skip"; review: boolean; brought: Map<string, Entry> }, total: Imported): Refusal | number {
  // Whichever team of the server has the id, and whoever in one's own.
  const isTaken = (id: string | undefined): boolean => id !== undefined && model.entries.some((e) => e.id === id && !sees(p, e));
  const holderFor = (record: PortableRecord, state: State): Entry | undefined => (takesNoPlace(record) ? undefined : holderOf(model, p.team, state));
  const named = new Set<Entry>();
  const writes: (() => Refusal | undefined)[] = [];
  const wishes: { entry: Entry; wanted: State; isDone: boolean }[] = [];
  const part: Imported = { created: 0, updated: 0, unchanged: 0, skipped: 0, proposed: 0, entries: [], renamed: [] };
  for (const record of group) {
    const byId = record.id === undefined ? undefined : model.named(p, record.id);
    const asked = { ...blank(p.user), ...given(record) };
    const here = byId ?? holderFor(record, asked);
    const isShared = here !== undefined && now(here).visibility !== "private";
    const placed: State = review && !isShared ? { ...asked, visibility: "private" } : asked;
    const archivedAt = instant(record.archived_at ?? null);
    const holder = holderFor(record, placed);
    const present = byId ?? holder;
    if ((present && named.has(present)) || (holder && named.has(holder))) break;
    if (!present) {
      const state: State = { ...placed, archivedAt, ...successionAfter(model, p, placed, successionOf(model, p, brought, record), record) };
      const arrived = arrival(p, state, record, isTaken(record.id), review);
      if ("code" in arrived) return arrived;
      if (record.id !== undefined) brought.set(record.id, arrived);
      if (review) wishes.push({ entry: arrived, wanted: { ...state, visibility: wantedOf(record) }, isDone: true });
      writes.push(() => void model.entries.push(arrived));
      part.created += 1;
      part.entries.push(arrived);
      if (arrived.former !== undefined) part.renamed.push(arrived);
      continue;
    }
    named.add(present);
    part.entries.push(present);
    const successor = successionOf(model, p, brought, record);
    const found = successor?.entry === present ? undefined : successor;
    if (record.id !== undefined) brought.set(record.id, present);
    const wanted: State = { ...now(present), ...given(record), ...successionAfter(model, p, now(present), found, record), archivedAt };
    if (same(now(present), wanted)) {
      part.unchanged += 1;
      continue;
    }
    if (onConflict === "skip") {
      part.skipped += 1;
      continue;
    }
    if (!mayTurn(p, present, wanted)) return refuse("PERMISSION_DENIED");
    const next = review ? withoutReview(p, now(present), wanted) : wanted;
    const isDone = !same(now(present), next);
    if (!same(next, wanted)) wishes.push({ entry: present, wanted, isDone });
    if (isDone) {
      if (holder && holder !== present && next.archivedAt === null) return refuse("CONFLICT");
      part.updated += 1;
      writes.push(() => {
        const taken = next.archivedAt === null ? holderOf(model, p.team, next) : undefined;
        if (taken && taken !== present) return refuse("CONFLICT");
        advance(p, present, next);
        return undefined;
      });
    }
  }
  const before = model.entries.map((entry) => ({ entry, versions: [...entry.versions] }));
  for (const write of writes) {
    const refusal = write();
    if (!refusal) continue;
    model.entries = before.map(({ entry, versions }) => Object.assign(entry, { versions }));
    return refusal;
  }
  for (const { entry, wanted, isDone } of wishes) {
    const proposal = propose(model, p, entry, wanted);
    if (proposal?.state === "pending") part.proposed += 1;
    else if (!isDone) part.unchanged += 1;
  }
  for (const count of ["created", "updated", "unchanged", "skipped", "proposed"] as const) total[count] += part[count];
  total.entries.push(...part.entries);
  total.renamed.push(...part.renamed);
  return part.entries.length;
}

/** A memory new to the team, with the id and the history it brings, all in the importer's name. */
function arrival(p: Principal, state: State, record: PortableRecord, isTaken: boolean, review: boolean): Refusal | Entry {
  const history = record.history ?? [];
  const whole = history.every((entry, i) => i === 0 || entry.version === (history[i - 1] as { version: number }).version + 1);
  const last = history.at(-1);
  if (!whole || (last && record.version !== undefined && record.version !== last.version + 1)) return refuse("VALIDATION_ERROR");
  const earlier = history.map(({ version, state: then }) => ({
    version, at: 0, by: p.user,
    // Nobody looks at what it once said: that is no way around the review.
    state: { ...blank(p.user), ...given(then), ...(review ? { visibility: "private" as const } : {}), archivedAt: instant(then.archived_at ?? null) },
  }));
  const present: Version = { version: (last?.version ?? 0) + 1, at: 0, by: p.user, state };
  return { id: (isTaken ? undefined : record.id) ?? "", ...(isTaken && record.id !== undefined ? { former: record.id } : {}), team: p.team, organization: p.organization, alias: 0, createdAt: 0, versions: [...earlier, present] };
}
