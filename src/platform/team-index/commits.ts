import { asDomainError, type DomainError } from "../../domain/errors.ts";
import { eventsOfErasure, eventsOfPurge, eventsOfWrites, type TeamEvent } from "../../domain/events/team-event.ts";
import type { ExpiredMemory } from "../../domain/memories/sweep.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { IdempotencyRecord, MemoryWrite, WriteContext } from "../../domain/memories/memory-store.ts";
import type { LikenessQuery } from "../../domain/recall/retrievers/text-retriever.ts";
import { WriteConflict } from "../../domain/memories/write-conflict.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { withTimeout, TimeoutError } from "../../domain/timeout.ts";
import { purge } from "../d1/maintenance-store.ts";
import { committedBefore, erasedBefore } from "../d1/commit-outcome.ts";
import { type Doomed, keptBackFor, type MemoryCommits } from "../d1/memory-commits.ts";
import { type AcknowledgedChanges, isSmall } from "./acknowledged.ts";
import { answerMs, documentMs, withRetries } from "./attempts.ts";
import { headOf, type IndexDocument, toDocument, toPastDocument } from "./document.ts";
import type { Documents } from "./documents.ts";
import type { Freshness } from "./freshness.ts";
import type { Progress } from "./progress.ts";
import type { ObjectRecall } from "./recall.ts";
import type { TeamShard } from "./source.ts";
import { newStatement, StatementTurns } from "./statements.ts";
import type { UnsettledWrites } from "./unsettled-writes.ts";

/** As writes cross the RPC: memories as JSON, which costs less than objects of many fields. */
export interface CommitRequest {
  principal: Principal;
  write: WriteContext;
  /** `MemoryWrite[]` as JSON. */
  writes: string;
  once: IdempotencyRecord | undefined;
  /** Asked for the first of the memories. */
  alike: LikenessQuery | undefined;
  /** Whether an earlier attempt may have been committed, whose answer was lost. */
  isRepeated: boolean;
}

export interface EraseRequest {
  principal: Principal;
  write: WriteContext;
  doomed: Doomed[];
  isRepeated: boolean;
}

/** The errors of a write cross the RPC as data, because a thrown one arrives without its class. */
export type WriteAnswer =
  /** In the order of the memories. `alike`: for `decodeAlike`. */
  | { kind: "done"; numbers: { seq: number; alias: number }[]; alike?: string }
  /** Another writer was faster, or the key is taken. Nothing was written. */
  | { kind: "conflict" }
  /** These memories say what the new one would. Nothing was written. */
  | { kind: "said"; ids: string[] }
  /** A `DomainError` as JSON. Nothing was written. */
  | { kind: "refused"; error: string }
  /** Nobody can say whether it was or will be written. */
  | { kind: "unknown" };

/** What an organization's object is told of. */
interface OrganizationIndex {
  apply(team: TeamShard, documents: IndexDocument[], first: number, last: number): Promise<void>;
  remove(team: TeamShard, memoryIds: string[], first: number, last: number): Promise<void>;
}

/** The object that the writes go through. */
interface CommitHost {
  documents: Documents;
  progress: Progress;
  acknowledged: AcknowledgedChanges;
  unsettled: UnsettledWrites;
  freshness: Freshness;
  recall: Pick<ObjectRecall, "alike">;
  commits(): MemoryCommits;
  shard(name: string): D1Database;
  organization(id: string): OrganizationIndex;
  atomically(work: () => void): void;
  /** These audiences lose something they could read; undefined: all may. */
  withdrawn(audiences: readonly string[] | undefined): void;
  /** `settled`: notes of `unsettled` that end when the change is in the object. */
  apply(team: TeamShard, documents: IndexDocument[], first: number, last: number, settled: readonly number[]): Promise<void>;
  /** Behind the answer, and before anything else of the object. */
  applyLater(team: TeamShard, documents: IndexDocument[], first: number, last: number): Promise<void>;
  remove(team: TeamShard, memoryIds: string[], first: number, last: number, settled: readonly number[]): Promise<void>;
  /** Told of what was written, once it is in the object's tables. */
  committed(events: () => TeamEvent[]): void;
  /** Goes on after the answer. */
  later(work: Promise<unknown>): void;
  report(event: string, error: unknown): void;
}

type Settled = readonly number[] | "later" | "read";
type Numbers = { seq: number; alias: number }[];

/** One change of a team, as far as it differs from others. */
interface Change {
  team: TeamShard;
  /** How many documents it has. */
  count: number;
  /** Whether what waits for its place in the object has nothing to do with it. */
  isApart(): boolean;
  /** Ids of the memories that say what it would state anew; of a change that is not to say it twice. */
  saidBy?(): string[];
  /** Whether it is bound to fail by what the object holds. */
  isBoundToFail(): boolean;
  /** The memories that it takes from readers, and from whom; undefined: it takes nothing. */
  withdrawal(): { memoryIds: string[]; audiences: readonly string[] | undefined } | undefined;
  /** Whether it may be acknowledged before it is in the object's tables; of one without a withdrawal. */
  mayFollow(): boolean;
  /** @throws WriteRace */
  commit(): Promise<Numbers>;
  /** The numbers that it has in D1, when it was committed before. */
  committed(): Promise<Numbers | undefined>;
  /** Tells this object, and the organization's. `settled`: what is no longer in doubt; or `later`, behind the answer; or `read`, where this object has it from D1. */
  apply(numbers: Numbers, settled: Settled): Promise<void>;
}

/**
 * The writes of a team: checked against the object's copy, committed in D1 by one batch, taken over by the object, and then
 * acknowledged. What takes nothing from readers waits in the object's memory and is applied to its tables behind the answer, before
 * anything else looks at them (`acknowledged.ts`). D1 decides, by the chain of versions, the unique key and the idempotency key; the copy only spares batches that
 * are bound to fail. A write that takes something from readers is noted durably before D1 commits, so that no crash in between
 * shows it again. While the outcome of a batch is unknown, the object compares itself with D1 before each answer.
 */
export class Commits {
  readonly #host: CommitHost;
  /** Changes between their batch and their place in the object. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #statements = new StatementTurns();
  /** The last sequence number that one of them took. */
  #newest = 0;

  constructor(host: CommitHost) {
    this.#host = host;
  }

  commit({ principal, write, writes: json, once, alike, isRepeated }: CommitRequest): Promise<WriteAnswer> {
    const host = this.#host;
    const team = refOf(principal);
    const writes = JSON.parse(json) as MemoryWrite[];
    const documentsOf = ({ memory, history = [], stamp }: MemoryWrite): IndexDocument[] => [...history.map((version) => toPastDocument(memory, version)), toDocument(memory, stamp?.at)];
    const present = writes.map(({ memory }) => headOf(memory));
    const statement = newStatement(writes);
    let found: string | undefined;
    /** While D1 works. The write does not fail with it. */
    const look = (): string | undefined => {
      const first = writes[0]?.memory;
      if (!alike || !first) return undefined;
      try {
        host.acknowledged.drain();
        return host.recall.alike(principal, write.now, alike, first);
      } catch (error) {
        host.report("index.alike", error);
        return undefined;
      }
    };
    const change: Change = {
      team,
      count: writes.reduce((sum, { history }) => sum + 1 + (history?.length ?? 0), 0),
      ...(statement && { saidBy: () => host.documents.saying(statement, write.now).filter((id) => !host.unsettled.hides(id)) }),
      isApart: () => host.acknowledged.isEmpty || (!statement && present.every(({ version, key }) => version === 1 && (key === null || !host.acknowledged.hasKey(key)))),
      isBoundToFail: () => host.documents.isTaken(team.teamId, present),
      withdrawal: () => {
        const narrowed = host.documents.narrowed(present);
        return narrowed.memoryIds.length === 0 ? undefined : narrowed;
      },
      mayFollow: () => !present.some(({ archived }) => archived) && host.documents.sensitivityChanged(present).length === 0,
      commit: async () => (await host.commits().commit(principal, write, writes, once, () => (found = look()))).map(({ seq, alias }) => ({ seq, alias })),
      committed: () => committedBefore(host.shard(team.shard), write, writes),
      apply: async (numbers, settled) => {
        const documents = writes.flatMap((one, i) => documentsOf({ ...one, memory: { ...one.memory, ...numbers[i] } }));
        const [first, last] = [numbers[0]?.seq ?? 0, numbers.at(-1)?.seq ?? 0];
        // A later version may have ceased to be public: the organization's index must hear of it all the same.
        const forOrganization = documents.filter(({ visibility, version }) => visibility === "public" || version > 1);
        await Promise.all([
          settled === "read" ? undefined : settled === "later" ? host.applyLater(team, documents, first, last) : host.apply(team, documents, first, last, settled),
          forOrganization.length === 0 ? undefined : this.#tell(principal.organizationId, forOrganization.length, (index) => index.apply(team, forOrganization, first, last)),
        ]);
      },
    };
    const written = statement ? this.#statements.take(statement, () => this.#write(isRepeated, change)) : this.#write(isRepeated, change);
    return this.#telling(written, () => eventsOfWrites(principal, write, writes), () => found ?? look());
  }

  async #telling(written: Promise<WriteAnswer>, events: () => TeamEvent[], alike?: () => string | undefined): Promise<WriteAnswer> {
    const answer = await written;
    if (answer.kind !== "done") return answer;
    this.#host.committed(events);
    const found = alike?.();
    return found === undefined ? answer : { ...answer, alike: found };
  }

  /** What is kept back for them goes with them. */
  async erase({ principal, write, doomed, isRepeated }: EraseRequest): Promise<WriteAnswer> {
    const { commits, shard } = this.#host;
    const d1 = shard(principal.shard);
    const beside = await keptBackFor(d1, principal.teamId, doomed);
    const removed = this.#remove(principal, d1, [...doomed, ...beside], isRepeated, () => commits().erase(principal, write, doomed, beside));
    return this.#telling(removed, () => eventsOfErasure(principal, write, doomed));
  }

  /** Erases memories that no person asked to erase. One that has changed meanwhile is a conflict. */
  async purge(place: TeamRef, now: number, due: readonly ExpiredMemory[], reason: "expiry" | "account"): Promise<WriteAnswer> {
    const d1 = this.#host.shard(place.shard);
    const doomed = [...due, ...(await keptBackFor(d1, place.teamId, due))];
    const known = doomed.flatMap(({ id }) => this.#host.documents.knownReadersOf(place.teamId, [id]).map((audience) => ({ id, audience })));
    const removed = this.#remove(place, d1, doomed, false, () => purge(d1, place.teamId, now, doomed, reason));
    return this.#telling(removed, () => eventsOfPurge(now, known));
  }

  async saveIdempotency(principal: Principal, now: number, once: IdempotencyRecord): Promise<WriteAnswer> {
    try {
      await this.#host.commits().saveIdempotency(principal, now, once);
      return { kind: "done", numbers: [] };
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      return refusal;
    }
  }

  #remove(
    place: Pick<Principal, "teamId" | "organizationId" | "shard">,
    d1: D1Database,
    doomed: readonly Doomed[],
    isRepeated: boolean,
    commit: () => Promise<number>,
  ): Promise<WriteAnswer> {
    const host = this.#host;
    const team = refOf(place);
    const memoryIds = doomed.map(({ id }) => id);
    const wasPublic = doomed.filter(({ visibility }) => visibility === "public").map(({ id }) => id);
    const numbersTo = (last: number): Numbers => doomed.map((_, i) => ({ seq: last - doomed.length + 1 + i, alias: 0 }));
    return this.#write(isRepeated, {
      team,
      count: doomed.length,
      isApart: () => host.acknowledged.isEmpty,
      isBoundToFail: () => false,
      withdrawal: () => ({ memoryIds, audiences: host.documents.readersOf(team.teamId, memoryIds) }),
      mayFollow: () => false,
      commit: async () => numbersTo(await commit()),
      committed: async () => {
        const last = await erasedBefore(d1, team.teamId, doomed);
        return last === undefined ? undefined : numbersTo(last);
      },
      apply: async (numbers, settled) => {
        const [first, last] = [numbers[0]?.seq ?? 0, numbers.at(-1)?.seq ?? 0];
        await Promise.all([
          settled === "read" ? undefined : host.remove(team, memoryIds, first, last, settled === "later" ? [] : settled),
          wasPublic.length === 0 ? undefined : this.#tell(place.organizationId, wasPublic.length, (index) => index.remove(team, wasPublic, first, last)),
        ]);
      },
    });
  }

  async #write(isRepeated: boolean, change: Change): Promise<WriteAnswer> {
    const { acknowledged, freshness } = this.#host;
    const earlier = isRepeated ? await change.committed() : undefined;
    // By now its memories may have the numbers of later changes, which are on their way.
    if (isRepeated) freshness.invalidate();
    await freshness.ensure(change.team);
    if (earlier) return this.#apply(change, earlier, "read");
    while (!change.isApart()) {
      acknowledged.drain();
      await freshness.ensure(change.team);
    }
    const ids = change.saidBy?.() ?? [];
    if (ids.length > 0) return { kind: "said", ids };
    if (change.isBoundToFail()) {
      // The copy may be wrong: then whoever tries again is not refused for long.
      this.#host.later(freshness.refresh(change.team));
      return { kind: "conflict" };
    }
    const note = this.#noteWithdrawal(change);
    const mayFollow = note === undefined && isSmall(change.count) && change.mayFollow();
    const batch = change.commit();
    const run = this.#run(change, batch, note, mayFollow);
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
      if (acknowledged.isEmpty) this.closeGap(change.team);
    }
  }

  async #run(change: Change, batch: Promise<Numbers>, note: number | undefined, mayFollow: boolean): Promise<WriteAnswer> {
    const settled = note === undefined ? [] : [note];
    let numbers: Numbers;
    try {
      numbers = await withTimeout(batchMs(change.count), batch);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) return this.#resolve(change, batch, note, error);
      this.#host.unsettled.settle(settled);
      // The copy does not say why: somebody else has written, and whoever tries again must see it.
      this.#host.acknowledged.drain();
      if (refusal.kind === "conflict" && !change.isBoundToFail()) this.#host.freshness.invalidate();
      return refusal;
    }
    try {
      return await this.#apply(change, numbers, mayFollow ? "later" : settled);
    } catch (error) {
      return await this.#resolve(change, batch, note, error);
    }
  }

  async #apply(change: Change, numbers: Numbers, settled: Settled): Promise<WriteAnswer> {
    this.#newest = Math.max(this.#newest, numbers.at(-1)?.seq ?? 0);
    await change.apply(numbers, settled);
    return { kind: "done", numbers };
  }

  /** The copies that readers keep become unreadable, and the memories are hidden until D1 has decided. */
  #noteWithdrawal(change: Change): number | undefined {
    const { atomically, withdrawn, unsettled } = this.#host;
    const withdrawal = change.withdrawal();
    if (!withdrawal) return undefined;
    const note = unsettled.begin(withdrawal.memoryIds, Date.now());
    try {
      atomically(() => withdrawn(withdrawal.audiences));
    } catch (error) {
      unsettled.settle([note]);
      throw error;
    }
    return note;
  }

  /** D1 or the object failed in between: D1 says whether the change is there, if it can be asked. @throws the failure when it is not */
  async #resolve(change: Change, batch: Promise<Numbers>, note: number | undefined, failure: unknown): Promise<WriteAnswer> {
    const { unsettled, freshness, later } = this.#host;
    const doubt = unsettled.doubt(note, Date.now());
    later(batch.then(() => unsettled.end(doubt), () => unsettled.end(doubt)));
    if (failure instanceof TimeoutError) return { kind: "unknown" };
    await batch.catch(() => undefined);
    unsettled.end(doubt);
    const numbers = await change.committed();
    freshness.invalidate();
    await freshness.ensure(change.team);
    if (!numbers) throw failure;
    return this.#apply(change, numbers, "read");
  }

  /** Once nothing waits: numbers that no change of this object took are another object's, as there are two of during a deployment. */
  closeGap({ teamId }: TeamShard): void {
    const { acknowledged, progress, freshness, later } = this.#host;
    const hasGap = (): boolean => {
      acknowledged.drain();
      return progress.applied(teamId) < this.#newest;
    };
    if (!hasGap()) return;
    if (this.#running.size === 0) return freshness.invalidate();
    later(Promise.allSettled(this.#running).then(() => void (hasGap() && freshness.invalidate())));
  }

  /**
   * The organization's index is told before the write is acknowledged. When it cannot be, the sweep tells it within a minute;
   * until then its readers see nothing that was withdrawn, because they read the rows of other teams from D1.
   */
  async #tell(organizationId: string, documents: number, work: (index: OrganizationIndex) => Promise<void>): Promise<void> {
    const { organization, report } = this.#host;
    try {
      await withRetries(answerMs + documents * documentMs, () => work(organization(organizationId)));
    } catch (error) {
      report("index.organization", error);
    }
  }
}

/** How long the batch of so many documents may take, ms. */
export const batchMs = (documents: number): number => 8_000 + documents * 2 * documentMs;

const refOf = ({ teamId, shard }: Pick<Principal, "teamId" | "shard">): TeamShard => ({ teamId, shard });

/** What the caller is told of an error that says that nothing was written; undefined for any other. */
function refusalOf(error: unknown): WriteAnswer | undefined {
  if (error instanceof WriteConflict) return { kind: "conflict" };
  const known = asDomainError(error);
  return known && { kind: "refused", error: JSON.stringify(plain(known)) };
}

const plain = ({ code, message, hint, details }: DomainError) => ({ code, message, hint, details });
