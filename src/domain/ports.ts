import type { MemoryFilter } from "./memories/memory-fields.ts";
import type { Memory, Version } from "./memories/memory.ts";
import type { QuotaUse } from "./memories/quota.ts";
import type { Retrieval, RetrievalRequest } from "./search/retrieve.ts";
import type { Principal } from "./tenancy/principal.ts";

export type { MemoryFilter };

/** One memory to be written: a first version, or the next one of a memory whose `version` the writer has seen. */
export interface MemoryWrite {
  memory: Memory;
  action: "create" | "update" | "archive" | "restore" | "import" | "share" | "accept";
  /** The version before it, where there is one: whether it was secret says what becomes of the earlier versions. */
  before?: Pick<Memory, "sensitivity"> | undefined;
  /** The proposal that it fulfils; when that is decided already, nothing is written. */
  proposal?: string;
  /** Earlier versions, oldest first, when a memory arrives with its history. */
  history?: Version[];
  /** The id that it had where it comes from, when it could not keep it. */
  formerId?: string;
}

export interface IdempotencyRecord {
  key: string;
  requestHash: string;
  memoryId: string;
  version: number;
  outcome: string;
}

/** Who wrote, with what; goes into the version and the audit. */
export interface WriteContext {
  now: number;
  tool: string;
  requestId: string;
  /** Of the client, as far as the edge knew. */
  address?: string | undefined;
}

/** Memories that were handed out in a way the audit tells of. */
export interface MemoryReading {
  action: "export" | "read-secret";
  ids: string[];
}

/** Another writer was first: the version or the key is taken. Nothing was written; read again. */
export class WriteRace extends Error {}

export interface Page<T> {
  items: T[];
  /** Id to continue below, when there is more. */
  next: string | undefined;
}

export interface TeamStats {
  total: number;
  archived: number;
  versions: number;
  contentBytes: number;
  byVisibility: Record<string, number>;
  byNamespace: Record<string, number>;
  byType: Record<string, number>;
  topTags: { tag: string; count: number }[];
  expiringWithinDay: number;
  lastChangeAt: number | null;
  vectors: VectorStats;
  /** Of the whole team. */
  quota: QuotaUse;
}

/** Of the memories that the principal may see and that may have a vector. */
export interface VectorStats {
  /** The space that is being kept, of the present model; `null` as long as none of these memories has met it. */
  space: string | null;
  indexed: number;
  waiting: number;
  /** Set aside after a failure, to be tried again. */
  failed: number;
  /** Those that the last comparison did not find in the vector index; they were written again, or wait. */
  missing: number;
  /** When the index was last compared, ISO 8601. */
  compared_at: string | null;
  /** The space that answers queries: the one of the model before, until the present one is complete. */
  serving: string | null;
}

/** Whose vectors are wanted, and of which space. */
export interface Compared {
  space: string;
  ids: string[];
}

export interface Hydrated {
  memories: Memory[];
  /** By id, of those asked for that have one: unit vectors of what they said when they were last embedded. Secrets have none. */
  vectors: Map<string, Float32Array>;
  /** The team's newest. */
  seq: number;
}

/** What more memories tell of leads to none of them. */
export const mostTelling = 5;

/**
 * The truth about memories. Every method answers only from what the principal may see; expired memories do
 * not exist for it, archived ones only where it says so. Secrets are opened where they are named by id or exact key, and
 * `withheld` elsewhere.
 */
export interface MemoryStore {
  /** What a write must know first. An expired memory is answered while it still holds its key. */
  lookup(
    principal: Principal,
    what: { idempotencyKey?: string | undefined; named?: { home: string; namespace: string; key: string } | undefined },
  ): Promise<{ prior: IdempotencyRecord | undefined; existing: Memory | undefined }>;
  /** Those of the ids, archived ones too, and of the named places that exist; expired ones not yet purged too. */
  lookupMany(
    principal: Principal,
    what: { ids: string[]; named: { home: string; namespace: string; key: string }[] },
  ): Promise<Memory[]>;
  /** By former id: the memories of the team that came here under another id, expired ones too. */
  presentIds(principal: Principal, formerIds: string[]): Promise<Map<string, string>>;
  /** Those of the ids that are no more free for a memory of the principal: another team of the server has them, or a colleague's private memory. */
  takenIds(principal: Principal, ids: string[]): Promise<Set<string>>;
  /** By id, by the id that it had where it was imported from, or by alias. Archived memories are answered too. */
  get(principal: Principal, now: number, ref: string | number): Promise<Memory | undefined>;
  /** In the order of `ids`. What is gone, archived or hidden is left out. */
  hydrate(principal: Principal, now: number, ids: string[], compared?: Compared): Promise<Hydrated>;
  /**
   * Public memories of other teams of the organization, by where an index believes them to be: the truth decides on both.
   * Of several places that hold one id, only the memory of the team that created it.
   */
  hydratePublic(principal: Principal, now: number, places: PublicPlace[]): Promise<Memory[]>;
  byKey(principal: Principal, now: number, key: string, filter: MemoryFilter): Promise<Memory[]>;
  /** `*` stands for any characters; `limit` newest first, of the archived ones if asked. */
  byKeyPattern(principal: Principal, now: number, pattern: string, filter: MemoryFilter, limit: number, archived?: boolean): Promise<Memory[]>;
  list(
    principal: Principal,
    now: number,
    filter: MemoryFilter,
    page: { below: string | undefined; limit: number; archived?: boolean | "all" | undefined; secrets?: "open" | "omit" | undefined },
  ): Promise<Page<Memory>>;
  /** All versions by memory id, oldest first, secret ones opened or left out. */
  history(principal: Principal, now: number, ids: string[], options?: { secrets?: "omit" }): Promise<Map<string, Version[]>>;
  /** States as they were at an instant, for ids that the principal could see then and may see now. */
  statesAt(principal: Principal, now: number, at: number, ids: string[]): Promise<{ id: string; version: Version }[]>;
  stats(principal: Principal, now: number): Promise<TeamStats>;
  /** Notes in the audit that these were handed out. */
  note(principal: Principal, write: WriteContext, reading: MemoryReading): Promise<void>;
  /** Counts the memories as read; statistics only, never part of a version. */
  recordAccess(principal: Principal, now: number, ids: string[]): Promise<void>;
}

/**
 * Changes the memories of a team. Acknowledged means: committed in the truth, and held by the team's index, so that the next
 * search finds it. Each call is atomic: all or none. A call of which nobody can say whether it was done throws PROVIDER_ERROR.
 */
export interface MemoryWriter {
  /** Answers the memories with their new sequence numbers. @throws WriteRace; QUOTA_EXCEEDED; PROVIDER_ERROR */
  commit(principal: Principal, write: WriteContext, writes: MemoryWrite[], idempotency?: IdempotencyRecord): Promise<Memory[]>;
  /** Saves the answer to a call that changed nothing. @throws WriteRace */
  saveIdempotency(principal: Principal, now: number, idempotency: IdempotencyRecord): Promise<void>;
  /** Removes memories in just these versions, with all that came before and their tags, for good. Answers their ids. @throws WriteRace */
  erase(principal: Principal, write: WriteContext, memories: Memory[]): Promise<string[]>;
}

export interface PublicPlace {
  id: string;
  teamId: string;
  shard: string;
}

export interface SearchQuery {
  /** Distinct, in index form; at most 32. */
  terms: string[];
  /** Whether what neighbours in a thread say counts. */
  neighbours: boolean;
  filter: MemoryFilter;
  limit: number;
  /** Search what was current at this instant instead of now. */
  asOf?: number | undefined;
}

export interface PastLookUp {
  /** Exact, or with `*` for any characters. */
  key?: string | undefined;
  filter: MemoryFilter;
  limit: number;
}

export interface SearchHit {
  id: string;
  /** Higher is better; comparable within one search. */
  score: number;
  /** Bits of the query's terms that its own text holds, and of those that only its neighbours lend. */
  own: number;
  lent: number;
  /** Set when the hit is a public memory of another team. */
  place?: PublicPlace;
}

export interface SearchAnswer {
  hits: SearchHit[];
  /** Beside the query's terms: how much each tells, by its rarity among what the principal may see. */
  weights: number[];
  /** The terms as they were looked up: one that occurs nowhere may be a slip for one that does. */
  terms: string[];
  /** What a term tells that just one memory holds. */
  rarest: number;
}

export interface IndexStats {
  documents: number;
  appliedSeq: number;
}

/** What the team's object and its organization's say of themselves; true of the instant when they were asked. */
export interface IndexState {
  /** Equal to an earlier one only if nothing changed since that the principal may find. */
  generation: string;
  /** Encrypts copies of what the principal is shown (`sealed-copy.ts`); another one as soon as they lose anything of it. */
  copyKey: string;
}

/** What the team's object, and its organization's for what other teams made public, found for a query. */
export interface RecallFound extends Retrieval<Memory> {
  /** Of the state that was searched; undefined when it is not known. */
  generation: string | undefined;
  /** What other teams of the organization made public could not be asked for. */
  withoutOthers: boolean;
  /** Other teams of the organization have something public. */
  others: boolean;
}

/** How a look-up names one memory or several. */
export type MemoryName = { id: string | number } | { key: string; filter: MemoryFilter };

/** A memory about which something changed that the index does not hold, for those who see this home (`homeOf`). */
export interface HomeChange {
  home: string;
  memoryId: string;
}

/** The team's rebuildable full-text index. */
export interface SearchIndex {
  /** One round trip for all legs and the rows; undefined when the team's object is out of reach, or repairs itself. */
  recall(principal: Principal, now: number, request: RetrievalRequest): Promise<RecallFound | undefined>;
  /** Present memories by exact name, one's own first; those that are secret without what is sealed. Undefined as above. */
  find(principal: Principal, now: number, name: MemoryName): Promise<Memory[] | undefined>;
  /** Counts the memories as read, as `recordAccess` did in D1. Never fails. */
  accessed(principal: Principal, now: number, ids: string[]): Promise<void>;
  /** Memories of the team by what they were at an instant: the key may have had another holder then. */
  lookUpAt(principal: Principal, at: number, query: PastLookUp): Promise<{ ids: string[]; appliedSeq: number }>;
  /** Brings the index up to `seq` from the truth. */
  catchUp(principal: Principal, seq: number): Promise<void>;
  publicByKey(principal: Principal, now: number, key: string): Promise<PublicPlace[]>;
  publicById(principal: Principal, now: number, id: string): Promise<PublicPlace[]>;
  stats(principal: Principal): Promise<IndexStats>;
  /** For changes that the index itself does not hold: moves the generation of those who see them. Never fails the write. */
  changed(principal: Principal, changes: readonly HomeChange[]): Promise<void>;
  /**
   * Moves before a write is acknowledged. Undefined when it cannot be told in time: then no kept answer may be used. `others`: whether
   * what other teams made public matters, as it does by default.
   */
  state(principal: Principal, about?: { others: boolean }): Promise<IndexState | undefined>;
}
