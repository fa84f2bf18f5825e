import type { Examination, Findings, Section } from "./health-findings.ts";
import type { MemoryFilter } from "./memory-fields.ts";
import type { Memory, Version } from "./memory.ts";
import type { QuotaUse } from "./quota.ts";
import type { Retrieval } from "../recall/retrieve.ts";
import type { LikenessAnswer, LikenessQuery } from "../recall/retrievers/text-retriever.ts";
import type { Principal } from "../tenancy/principal.ts";

export type { MemoryFilter };

/** One memory to be written: a first version, or the next one of a memory whose `version` the writer has seen. */
export interface MemoryWrite {
  memory: Memory;
  action: "create" | "update" | "archive" | "restore" | "import" | "share" | "accept" | "quarantine" | "release" | "revert" | "undo" | "consolidate" | "supersede" | "merge" | "evolve";
  /** Of a new memory: nothing is written where one of the same readers says the same (`same-statement.ts`). */
  unlessSaid?: true;
  /** The version before it, where there is one: whether it was secret says what becomes of the earlier versions, and who saw it what is told of it. */
  before?: Pick<Memory, "sensitivity" | "visibility"> | undefined;
  /** The proposal that it fulfils; when that is decided already, nothing is written. */
  proposal?: string;
  /** Who made this version, when and with what, where the memory keeps its date and author: upkeep changes nothing that it says. */
  stamp?: VersionStamp;
  /**
   * The run that it is part of, of a bulk revert, a consolidation or the curator. `restored`: the version whose state it has again, or in a
   * consolidation had before; null when a revert archives it.
   */
  reversion?: { run: string; restored?: number | null };
  /** Earlier versions, oldest first, when a memory arrives with its history. */
  history?: Version[];
  /** The id that it had where it comes from, when it could not keep it. */
  formerId?: string;
}

export interface VersionStamp {
  at: number;
  actorId: string;
  tool: string;
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
  /** The client's address, as far as the edge knows it. */
  address?: string | undefined;
}

/** Memories that were handed out in a way that the audit records. */
export interface MemoryReading {
  action: "export" | "read-secret";
  ids: string[];
}

/** Which part of a list. */
export interface PageOf {
  /** Id of the last memory of the page before; only where the newest come first. */
  below: string | undefined;
  limit: number;
  /** So many of the first are left out. */
  offset?: number | undefined;
  archived?: boolean | "all" | "quarantined" | undefined;
  secrets?: "open" | "omit" | undefined;
  /** Without messages of conversations, which are records (`messages/message-record.ts`). */
  withoutMessages?: boolean | undefined;
  /** The newest first, unless the most important are wanted first. */
  order?: "recent" | "importance" | undefined;
}

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
  /** Of memories that say which agent wrote them, or in which conversation; those with the most. */
  byAgent: Record<string, number>;
  byRun: Record<string, number>;
  topTags: { tag: string; count: number }[];
  expiringWithinDay: number;
  lastChangeAt: number | null;
  lastCreatedAt: number | null;
  /** In characters. */
  averageLength: number;
  vectors: VectorStats;
  /** Use of the whole team. */
  quota: QuotaUse;
}

/** Counts of the memories that the principal may see and that may have a vector. */
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

/** A version of a memory. */
export interface VersionName {
  id: string;
  version: number;
}

/** Memories whose vectors are wanted, and the space. */
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

/** An entity or relationship that more memories than this mention does not bring its memories into the search. */
export const maxSourceMemories = 5;

/**
 * The truth about memories. Every method answers only from what the principal may see; expired memories do
 * not exist for it, archived ones only where it says so. Secrets are opened where they are named by id or exact key, and
 * `redaction` elsewhere.
 */
export interface MemoryStore {
  /** Reads what a write must know first. An expired memory is answered while it still holds its key. */
  lookup(
    principal: Principal,
    what: { idempotencyKey?: string | undefined; named?: { visibilityKey: string; namespace: string; key: string } | undefined },
  ): Promise<{ prior: IdempotencyRecord | undefined; existing: Memory | undefined }>;
  /** Those of the ids, archived ones too, and of the named places that exist; expired ones not yet purged too. */
  lookupMany(
    principal: Principal,
    what: { ids: string[]; named: { visibilityKey: string; namespace: string; key: string }[] },
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
   * Public memories of other teams of the organization, at the places that an index names: the truth decides on both. If
   * several places hold one id, only the memory of the team that created it.
   */
  hydratePublic(principal: Principal, now: number, places: PublicPlace[]): Promise<Memory[]>;
  byKey(principal: Principal, now: number, key: string, filter: MemoryFilter): Promise<Memory[]>;
  /** `*` stands for any characters; `limit` newest first, of the archived ones if asked, behind the one of the id `before`. */
  byKeyPattern(principal: Principal, now: number, pattern: string, filter: MemoryFilter, limit: number, archived?: PageOf["archived"], before?: string): Promise<Memory[]>;
  list(principal: Principal, now: number, filter: MemoryFilter, page: PageOf): Promise<Page<Memory>>;
  /** All versions by memory id, or those named, oldest first, secret ones opened or left out. */
  history(principal: Principal, now: number, ids: string[], options?: { secrets?: "omit"; only?: readonly VersionName[] }): Promise<Map<string, Version[]>>;
  /** States as they were at an instant, for ids that the principal could see then and may see now. */
  statesAt(principal: Principal, now: number, at: number, ids: string[]): Promise<{ id: string; version: Version }[]>;
  /** Of present memories that the principal may see. */
  count(principal: Principal, now: number, filter?: MemoryFilter): Promise<number>;
  stats(principal: Principal, now: number, filter?: MemoryFilter): Promise<TeamStats>;
  /** What the report card is made of, in the sections asked for. Of secrets no word. */
  examine<S extends Section>(principal: Principal, now: number, examination: Examination<S>): Promise<Pick<Findings, S>>;
  /** Files that present memories cite or are related to, those whose path begins so before those that only hold the text; of secrets none. */
  files(principal: Principal, now: number, which: { text: string; namespace: string | undefined; limit: number }): Promise<string[]>;
  /** Ids of present memories that cite one of these files or are related to it, newest first; of secrets none. */
  aboutFiles(principal: Principal, now: number, which: { paths: string[]; limit: number }): Promise<string[]>;
  /** The principal's own present memories of the episodic tier, oldest first; secrets are left out. */
  episodic(principal: Principal, now: number, which: { privateOnly: boolean; limit: number }): Promise<Memory[]>;
  /** How many of those are episodic still, or semantic and without a vector of their present version. */
  countUnsynced(principal: Principal, now: number, which: { privateOnly: boolean }): Promise<number>;
  /** How many memories that changed since wait for the vector of their present version, of those that the principal may see. */
  countUnembedded(principal: Principal, now: number, since: number): Promise<number>;
  /** Notes in the audit that these were handed out. */
  auditRead(principal: Principal, write: WriteContext, reading: MemoryReading): Promise<void>;
  /** Counts the memories as read; statistics only, never part of a version. */
  recordAccess(principal: Principal, now: number, ids: string[]): Promise<void>;
}

/** What a write asks for beside it. */
export interface AskedBeside {
  query: LikenessQuery;
  found(alike: LikenessAnswer): void;
}

/**
 * Changes the memories of a team. Acknowledged means: committed in the truth, and held by the team's index, so that the next
 * search finds it. Each call is atomic: all or none. A call of which nobody can say whether it was done throws PROVIDER_ERROR.
 */
export interface MemoryWriter {
  /**
   * Answers the memories with their new sequence numbers. `beside`: told what is like the first of them, looked for while the truth commits;
   * not told where nobody can look. @throws WriteRace; SaidAlready; QUOTA_EXCEEDED; PROVIDER_ERROR
   */
  commit(principal: Principal, write: WriteContext, writes: MemoryWrite[], idempotency?: IdempotencyRecord, beside?: AskedBeside): Promise<Memory[]>;
  /** Saves the answer to a call that changed nothing. @throws WriteRace */
  saveIdempotency(principal: Principal, now: number, idempotency: IdempotencyRecord): Promise<void>;
  /** Removes memories in just these versions, with all that came before, their tags and what the write guard keeps back of anybody to change them, for good. Answers their ids. @throws WriteRace */
  erase(principal: Principal, write: WriteContext, memories: Memory[]): Promise<string[]>;
}

export interface PublicPlace {
  id: string;
  teamId: string;
  shard: string;
}

/** What the team's object, and its organization's for what other teams made public, found for a query. */
export interface RecallFound extends Retrieval<Memory> {
  /** Of the state that was searched; undefined when it is not known. */
  generation: string | undefined;
  /** Public memories of other teams of the organization could not be asked for. */
  withoutOthers: boolean;
  /** Other teams of the organization have something public. */
  others: boolean;
}

/** How a look-up names one memory or several. */
export type MemoryName = { id: string | number } | { key: string; filter: MemoryFilter };
