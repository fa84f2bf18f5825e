/**
 * Who sees what and who may do what, stated a second time in plain maps. Shares no code with `src`, so that a mistake
 * there cannot hide here. Ids and instants are the server's to choose: the world copies them in after each write.
 */
export type Visibility = "private" | "shared" | "public";
export type Role = "owner" | "admin" | "member" | "viewer";

export interface Principal {
  name: string;
  token: string;
  /** Absent for a browser's session and for a client's grant. */
  keyId?: string;
  user: string;
  team: string;
  organization: string;
  role: Role;
  scopes: string[];
  /** False once the person has left the team. */
  active: boolean;
}

export interface State {
  key: string | null;
  content: string;
  value: unknown;
  summary: string | null;
  namespace: string;
  visibility: Visibility;
  owner: string;
  importance: number;
  tier: string;
  tags: string[];
  metadata: Record<string, unknown>;
  occurredAt: number | null;
  /** What it says was true until just before then. */
  validTo: number | null;
  expiresAt: number | null;
  /** `unknown` until the world has learned the instant. */
  archivedAt: number | null;
  /** Id of the memory that took its place, and why it did. */
  supersededBy: string | null;
  supersededReason: string | null;
}

export const unknown = -1;

export interface Version {
  version: number;
  at: number;
  by: string;
  /** Written by a job over REST; otherwise by the tests' MCP client. */
  isByJob?: true;
  /** What it is for, as the rules say where nobody does; absent until the world has learned it. */
  type?: string;
  state: State;
}

export interface Entry {
  id: string;
  /** The id that it had where it was imported from, when that was taken. */
  former?: string;
  team: string;
  organization: string;
  alias: number;
  createdAt: number;
  /** Oldest first; the last is the present one. */
  versions: Version[];
}

/** What a bulk revert did to a memory. */
export interface RevertedItem {
  entry: Entry;
  before: number;
  after: number;
  /** Null when it was archived. */
  restored: number | null;
  undo: number | null;
}

export interface Run {
  id: string;
  team: string;
  by: string;
  /** How many memories it changed, erased ones included. */
  count: number;
  items: RevertedItem[];
}

/** A wish that others may see a memory, or a change of what they see, based on just one version. */
export interface Proposal {
  id: string;
  entry: Entry;
  version: number;
  visibility: "shared" | "public";
  /** Null when only who sees it is to change, and once it is accepted. */
  proposed: State | null;
  by: string;
  state: "pending" | "accepted" | "refused";
  decidedBy: string | null;
}

export interface Filter {
  tags?: string[];
  scope?: Visibility;
  namespaces?: string[];
  author?: string;
  minImportance?: number;
}

export const now = (entry: Entry): State => (entry.versions.at(-1) as Version).state;
export const latest = (entry: Entry): Version => entry.versions.at(-1) as Version;
export const newestFirst = (a: Entry, b: Entry): number => (a.id < b.id ? 1 : -1);

export const canRead = (p: Principal): boolean => p.scopes.includes("memory:read");
export const canWrite = (p: Principal): boolean => p.scopes.includes("memory:write") && p.role !== "viewer";
export const isAdmin = (p: Principal): boolean => ["owner", "admin"].includes(p.role) && p.scopes.includes("memory:admin");

/** Private: its owner, in that team. Shared and public: everybody in the team. */
export const sees = (p: Principal, entry: Entry): boolean =>
  entry.team === p.team && (now(entry).visibility !== "private" || now(entry).owner === p.user);

/** A version from a time when the memory was somebody's own stays that person's. */
export const seesVersion = (p: Principal, entry: Entry, { state }: Version): boolean =>
  sees(p, entry) && (state.visibility !== "private" || state.owner === p.user);

const words = (...texts: (string | null)[]): string[] => texts.join(" ").toLowerCase().split(/[^a-z0-9]+/);

/** A memory in another's thread may help to find that one only if all who see that one see it, too. */
const lendsTo = (lender: State, borrower: State): boolean =>
  borrower.visibility === "public"
    ? lender.visibility === "public"
    : lender.visibility !== "private" || (borrower.visibility === "private" && lender.owner === borrower.owner);

const passes = (entry: Entry, filter: Filter): boolean => {
  const state = now(entry);
  return (
    (filter.tags ?? []).every((tag) => state.tags.includes(tag)) &&
    (filter.scope === undefined || state.visibility === filter.scope) &&
    (filter.author === undefined || latest(entry).by === filter.author) &&
    (filter.minImportance === undefined || state.importance >= filter.minImportance) &&
    (filter.namespaces === undefined ||
      filter.namespaces.some((n) => (n.endsWith("*") ? state.namespace.startsWith(n.slice(0, -1)) : state.namespace === n)))
  );
};

export const keyMatches = (pattern: string, key: string | null): boolean =>
  key !== null && new RegExp(`^${pattern.split("*").map((part) => part.replaceAll(/[.]/g, "\\.")).join(".*")}$`).test(key);

export class Model {
  entries: Entry[] = [];
  proposals: Proposal[] = [];
  readonly runs: Run[] = [];
  /** Teams in which an admin looks first at what members change for others. */
  readonly reviewed = new Set<string>();

  /** By what stands for it: memories that the server has yet to name. */
  readonly #unnamed = new Map<string, Entry>();

  /** The id of a memory, or what stands for it until it has one. */
  idOf(entry: Entry): string {
    if (entry.id !== "") return entry.id;
    const name = `unnamed ${this.#unnamed.size}`;
    this.#unnamed.set(name, entry);
    return name;
  }

  /** Once all memories have their ids. */
  nameSuccessors(): void {
    const states = [...this.entries.flatMap(({ versions }) => versions.map(({ state }) => state)), ...this.proposals.flatMap(({ proposed }) => proposed ?? [])];
    for (const state of states) state.supersededBy = this.#unnamed.get(state.supersededBy ?? "")?.id || state.supersededBy;
  }

  find(team: string, id: string): Entry | undefined {
    return this.entries.find((entry) => entry.team === team && entry.id === id);
  }

  /** What a list shows: the caller's own team only, newest first. */
  own(p: Principal, filter: Filter = {}, archived: boolean | "all" = false): Entry[] {
    return this.entries
      .filter((entry) => sees(p, entry) && (archived === "all" || (now(entry).archivedAt !== null) === archived) && passes(entry, filter))
      .sort(newestFirst);
  }

  /** What a store may say beside its memory, to whoever may read: what they see of the same name. */
  namesakes(p: Principal, entry: Entry): { entry: Entry; state: Partial<State> }[] {
    const { key, namespace } = now(entry);
    const alike = !canRead(p) || key === null ? [] : this.own(p).filter((other) => other !== entry && now(other).key === key && now(other).namespace === namespace);
    return alike.map((other) => ({ entry: other, state: { content: now(other).content } }));
  }

  /** What other teams of the organization have made public. */
  foreign(p: Principal, filter: Filter = {}): Entry[] {
    return this.entries.filter((entry) => {
      const { visibility, archivedAt } = now(entry);
      return entry.team !== p.team && entry.organization === p.organization && visibility === "public" && archivedAt === null && passes(entry, filter);
    });
  }

  /** Of the caller's team: what has this id, or else what had it where it was imported from; what is the caller's alone comes first. */
  named(p: Principal, id: string): Entry | undefined {
    const seen = this.entries.filter((entry) => sees(p, entry));
    const isShared = (entry: Entry): number => Number(now(entry).visibility !== "private");
    const copies = seen.filter(({ former }) => former === id).sort((a, b) => isShared(a) - isShared(b) || (a.id < b.id ? -1 : 1));
    return seen.find((entry) => entry.id === id) ?? copies[0];
  }

  byId(p: Principal, id: string): Entry | undefined {
    const own = this.named(p, id);
    if (own) return this.#present(p, own);
    return this.foreign(p).find((entry) => entry.id === id);
  }

  byAlias(p: Principal, alias: number): Entry | undefined {
    const own = this.own(p, {}, "all").find((entry) => entry.alias === alias);
    return own && this.#present(p, own);
  }

  byKey(p: Principal, key: string): Entry[] {
    const own = this.own(p).filter((entry) => now(entry).key === key);
    if (own.length > 0) return own;
    const archived = this.own(p, {}, true).filter((entry) => now(entry).key === key);
    const instead = [...new Set(archived.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, 5).flatMap((entry) => this.successor(p, entry) ?? []))];
    return instead.length > 0 ? instead : this.foreign(p).filter((entry) => now(entry).key === key);
  }

  /** The memory, or of an archived one what stands in its place. */
  #present(p: Principal, entry: Entry): Entry | undefined {
    return now(entry).archivedAt === null ? entry : this.successor(p, entry);
  }

  /** What an answer may name beside what stands in its place: archived memories that led to it. */
  archivedFor(p: Principal, shown: readonly Entry[]): Entry[] {
    return this.own(p, {}, true).filter((entry) => shown.includes(this.successor(p, entry) as Entry));
  }

  byText(p: Principal, term: string, filter: Filter = {}): Entry[] {
    const others = filter.scope === undefined || filter.scope === "public" ? this.foreign(p, filter) : [];
    const found = [...this.own(p, filter), ...others].filter((entry) => this.#matches(entry, term));
    // With what was replaced comes what stands in its place now.
    const successors = found.flatMap((entry) => this.successor(p, entry) ?? []).filter((entry) => passes(entry, filter));
    return [...new Set([...found, ...successors])];
  }

  /** What took its place, as far as the principal sees that: the last of a chain of memories in force. */
  successor(p: Principal, entry: Entry): Entry | undefined {
    const own = this.own(p);
    const chain = [entry];
    for (let next: Entry | undefined = entry; next; ) {
      const { supersededBy } = now(next);
      next = own.find((one) => one.id === supersededBy && !chain.includes(one));
      if (next) chain.push(next);
    }
    return chain.length > 1 ? chain.at(-1) : undefined;
  }

  /** The state of a memory at an instant, for those who saw it then and see it now. */
  stateAt(p: Principal, entry: Entry, at: number): Version | undefined {
    const then = entry.versions.findLast((version) => version.at <= at);
    return then && seesVersion(p, entry, then) && then.state.archivedAt === null ? then : undefined;
  }

  byTextAt(p: Principal, term: string, at: number): { entry: Entry; state: State }[] {
    return this.own(p, {}, "all").flatMap((entry) => {
      const then = this.stateAt(p, entry, at);
      if (!then) return [];
      const found = then === latest(entry) ? this.#matches(entry, term) : words(...searchable(then.state)).includes(term);
      return found ? [{ entry, state: then.state }] : [];
    });
  }

  reverts(entry: Entry): RevertedItem[] {
    return this.runs.flatMap(({ items }) => items.filter((item) => item.entry === entry));
  }

  /** What an export takes for the versions: a revert that was undone is not among them, nor is its undo. */
  exported(entry: Entry): Version[] {
    const undone = new Set(this.reverts(entry).filter(({ undo }) => undo !== null).flatMap(({ after, undo }) => [after, undo]));
    return entry.versions.filter(({ version }) => !undone.has(version));
  }

  /** Versions before the present one that an export shows: those without a hole up to it. */
  earlier(p: Principal, entry: Entry): Version[] {
    const shown: Version[] = [];
    for (const version of this.exported(entry).slice(0, -1).reverse()) {
      if (!seesVersion(p, entry, version)) break;
      shown.unshift(version);
    }
    return shown;
  }

  stats(p: Principal, clock: number): Record<string, unknown> {
    const own = this.own(p);
    const count = (names: string[]): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
      return counts;
    };
    const states = own.map(now);
    const tags = Object.entries(count(states.flatMap((state) => state.tags)));
    return {
      total: own.length,
      archived: this.own(p, {}, true).length,
      versions: own.reduce((sum, entry) => sum + entry.versions.length, 0),
      content_bytes: states.reduce((sum, state) => sum + new TextEncoder().encode(state.content).byteLength, 0),
      by_scope: count(states.map((state) => state.visibility)),
      by_namespace: count(states.map((state) => state.namespace)),
      by_type: count(own.map((entry) => latest(entry).type ?? "")),
      top_tags: tags.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, 20).map(([tag, n]) => ({ tag, count: n })),
      expiring_within_day: states.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= clock + 86_400_000).length,
    };
  }

  /** Everything that a principal's answers may depend on. */
  fingerprint(p: Principal): string {
    return JSON.stringify([this.own(p, {}, "all"), this.foreign(p).sort(newestFirst)]);
  }

  #matches(entry: Entry, term: string): boolean {
    return [entry, ...this.#contextNeighbours(entry)].some((near) =>
      words(...(near === entry ? searchable(now(entry)) : [now(near).content])).includes(term),
    );
  }

  /** Two before and two after in the same thread. */
  #contextNeighbours(entry: Entry): Entry[] {
    const state = now(entry);
    if (!/^(?:thread|session):/.test(state.namespace)) return [];
    const thread = this.entries
      .filter((other) => other.team === entry.team && now(other).namespace === state.namespace && now(other).archivedAt === null)
      .filter((other) => other === entry || lendsTo(now(other), state))
      .sort((a, b) => position(a) - position(b) || a.alias - b.alias);
    const at = thread.indexOf(entry);
    return thread.filter((other, i) => other !== entry && Math.abs(i - at) <= 2);
  }
}

const position = (entry: Entry): number => now(entry).occurredAt ?? entry.createdAt;
const searchable = (state: State): (string | null)[] => [state.content, state.key, state.summary, ...state.tags];
