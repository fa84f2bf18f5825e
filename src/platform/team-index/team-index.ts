import { DurableObject } from "cloudflare:workers";
import type { HomeChange, IdempotencyRecord, IndexChanges, PublicPlace } from "../../domain/ports.ts";
import type { ExpiredMemory, TeamPlace } from "../../domain/memories/maintenance.ts";
import { keptMs } from "../../domain/memories/recall-cached.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { MemoryCommits } from "../d1/memory-commits.ts";
import { changesSince } from "./changes.ts";
import { Commits, type CommitRequest, type EraseRequest, type WriteAnswer } from "./commits.ts";
import { CopyKeys } from "./copy-keys.ts";
import { Documents, partOf } from "./documents.ts";
import type { IndexDocument } from "./document.ts";
import { Freshness } from "./freshness.ts";
import { everyone, Generations } from "./generation.ts";
import { Leases } from "./leases.ts";
import { type PendingHit, type PendingQuery, type PendingVector, PendingVectors, type SpaceRef } from "./pending-vectors.ts";
import { Progress } from "./progress.ts";
import { ensureSchema } from "./schema.ts";
import { documentsAt, publicPlaces, searchDocuments, type IndexMatch, type IndexQuery, type PastQuery } from "./search.ts";
import { Following } from "./following.ts";
import { newestSeq, type TeamRef } from "./source.ts";
import { UnsettledWrites } from "./unsettled-writes.ts";
import { TextIndex } from "./text/text-index.ts";
import { VectorizeBindings } from "../vectorize/bindings.ts";
import { parseVectorId } from "../vectorize/vector-ids.ts";
import { settlePending } from "../vectorize/settle.ts";

/** Erased words leave the text index when its segments are rewritten; this is how long that may wait, ms. */
const purgeDelay = 30_000;
/** Merging waits until a burst of writes is over, ms. */
const mergeDelay = 1_000;
/** Vectorize shows what was written within 30 s mostly, and 2 minutes rarely; until then every question scans what waits. ms. */
const settleDelay = 15_000;
/** Answers are kept elsewhere, by another clock, ms. */
const clockMargin = 5 * 60 * 1_000;

export interface TeamIndexOptions {
  /** What commits to D1; asked for once, at the first write. */
  commits(env: Env): MemoryCommits;
  report(event: string, error: unknown): void;
}

/**
 * Full-text index of one team (`team:<id>`), or of the public memories of an organization (`org:<id>`), in the
 * object's own SQLite: nobody else's words weigh in its ranking or cost its time, nor within the team what a colleague keeps
 * private. D1 is the truth; this can be dropped at any time and is rebuilt from there. Whoever changes the
 * team's memories does it through the team's object (`commits.ts`).
 */
export class TeamIndex extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  readonly #text: TextIndex;
  readonly #documents: Documents;
  readonly #progress: Progress;
  readonly #vectors: PendingVectors;
  readonly #generations: Generations;
  readonly #copyKeys: CopyKeys;
  readonly #leases: Leases;
  readonly #following: Following;
  readonly #unsettled: UnsettledWrites;
  readonly #freshness: Freshness;
  readonly #commits: Commits;
  readonly #publicOnly: boolean;

  constructor(ctx: DurableObjectState, env: Env, options: TeamIndexOptions) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#publicOnly = ctx.id.name?.startsWith("org:") ?? false;
    ensureSchema(ctx.storage);
    this.#text = new TextIndex(ctx.storage);
    this.#documents = new Documents(this.#sql, this.#text, { publicOnly: this.#publicOnly });
    this.#progress = new Progress(this.#sql);
    this.#following = new Following({
      sql: this.#sql, text: this.#text, documents: this.#documents, progress: this.#progress, publicOnly: this.#publicOnly,
      shard: (name) => this.env[name as keyof Env] as D1Database,
      atomically: (work) => this.#atomically(work),
      changed: (change) => this.#changed(change),
      withdrawn: (audiences) => this.#withdrawn(audiences),
    });
    this.#vectors = new PendingVectors(this.#sql);
    this.#generations = new Generations(this.#sql);
    this.#copyKeys = new CopyKeys(this.#sql);
    this.#leases = new Leases(this.#sql, Date.now(), {
      generationOf: (userId) => this.#generations.of(userId),
      tell: (session) => env.USER_SESSION.getByName(session).indexChanged(),
    });
    this.#unsettled = new UnsettledWrites(this.#sql);
    const shard = (name: string): D1Database => this.env[name as keyof Env] as D1Database;
    this.#freshness = new Freshness({ following: this.#following, unsettled: this.#unsettled, newestSeq: (team) => newestSeq(shard(team.shard), team) });
    let commits: MemoryCommits | undefined;
    this.#commits = new Commits({
      documents: this.#documents, progress: this.#progress, unsettled: this.#unsettled, freshness: this.#freshness, shard,
      commits: () => (commits ??= options.commits(this.env)),
      organization: (id) => this.env.TEAM_INDEX.getByName(`org:${id}`),
      atomically: (work) => this.#atomically(work),
      withdrawn: (audiences) => this.#withdrawn(audiences),
      apply: (...change) => this.#apply(...change),
      remove: (...change) => this.#remove(...change),
      later: (work) => ctx.waitUntil(work.catch((error: unknown) => options.report("index.later", error))),
      report: options.report,
    });
    // On one machine alarms are in a file of their own, which may have been lost.
    if (this.#isPurgeDue() || this.#vectors.any()) ctx.waitUntil(this.#scheduleUpkeep(settleDelay));
  }

  commit(request: CommitRequest): Promise<WriteAnswer> {
    return this.#commits.commit(request);
  }

  eraseMemories(request: EraseRequest): Promise<WriteAnswer> {
    return this.#commits.erase(request);
  }

  purge(place: TeamPlace, now: number, doomed: ExpiredMemory[], reason: "expiry" | "account"): Promise<WriteAnswer> {
    return this.#commits.purge(place, now, doomed, reason);
  }

  saveIdempotency(principal: Principal, now: number, once: IdempotencyRecord): Promise<WriteAnswer> {
    return this.#commits.saveIdempotency(principal, now, once);
  }

  /** Takes what was just committed; `documents` hold the consecutive numbers `first … last` of the team. */
  apply(team: TeamRef, documents: IndexDocument[], first: number, last: number): Promise<void> {
    return this.#apply(team, documents, first, last, []);
  }

  async #apply(team: TeamRef, documents: IndexDocument[], first: number, last: number, settled: readonly number[]): Promise<void> {
    await this.#following.endOfPass(team);
    // What comes after it was read from the truth may have been erased since.
    const fresh = documents.filter(({ seq }) => seq > this.#progress.applied(team.teamId));
    const turned = this.#documents.turned(fresh);
    this.#atomically(() => {
      this.#progress.know(team.teamId, team.shard);
      this.#withdrawn(this.#documents.losing(fresh));
      if (turned.length > 0) {
        // Out at once, and then with all versions from the truth: the gap that stays makes the pass below.
        this.#documents.remove(team.teamId, turned);
        return;
      }
      this.#documents.put(team.teamId, fresh);
      // An organization hears of public changes only; how far it has come is known from its own passes.
      if (!this.#publicOnly) this.#progress.mark(team.teamId, first, last);
    });
    this.#unsettled.settle(settled);
    if (turned.length > 0) {
      await this.#schedulePurge();
      await this.catchUp(team, last);
    }
    await this.#changed({ erased: this.#publicOnly && documents.some(({ visibility }) => visibility !== "public") });
  }

  remove(team: TeamRef, memoryIds: string[], first: number, last: number): Promise<void> {
    return this.#remove(team, memoryIds, first, last, []);
  }

  async #remove(team: TeamRef, memoryIds: string[], first: number, last: number, settled: readonly number[]): Promise<void> {
    await this.#following.endOfPass(team);
    this.#atomically(() => {
      this.#progress.know(team.teamId, team.shard);
      this.#withdrawn(this.#documents.readersOf(team.teamId, memoryIds));
      this.#documents.remove(team.teamId, memoryIds);
      // With numbers missing before it, the missing one may be the very memory: the gap stays, and the next pass settles it.
      if (!this.#publicOnly && first <= this.#progress.applied(team.teamId) + 1) this.#progress.mark(team.teamId, first, last);
    });
    this.#unsettled.settle(settled);
    await this.#changed({ erased: true });
  }

  /**
   * The generation is another one as soon as this person may find something else than before; what changed since the one named,
   * if that is known. Others are in an organization's index only. A session that is named is told before this state ends.
   */
  async state(userId: string, teamId: string, since?: string, session?: string): Promise<{ generation: string; changes: IndexChanges | undefined; documents: number; others: boolean; pending: boolean; copyKey: string }> {
    const shard = this.#publicOnly ? undefined : this.#progress.shardOf(teamId);
    if (shard !== undefined) await this.#freshness.ensure({ teamId, shard });
    const others = "SELECT 1 FROM docs WHERE team_id < ?1 UNION ALL SELECT 1 FROM docs WHERE team_id > ?1 LIMIT 1";
    const generation = this.#generations.of(userId);
    if (session !== undefined) this.#leases.grant(session, userId, generation, Date.now());
    return {
      generation,
      changes: since === generation ? { ids: [], terms: [] } : since === undefined ? undefined : changesSince(this.#sql, this.#text, this.#generations, userId, since),
      documents: this.#text.documents(["", userId].map((audience) => partOf("now", audience))),
      others: this.#publicOnly && this.#sql.exec(others, teamId).toArray().length > 0,
      pending: this.#vectors.any(),
      copyKey: this.#copyKeys.of(userId),
    };
  }

  /** For changes that are not in the tables of the index, such as links; without an argument, of anything. */
  async bump(changes?: readonly HomeChange[]): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      this.#generations.bump(changes);
      // It may have been an erasure that the index could not be told of.
      if (changes === undefined) this.#copyKeys.replace(undefined);
    });
    await this.#known();
  }

  async search(team: TeamRef, query: IndexQuery): Promise<IndexMatch & { appliedSeq: number }> {
    if (!this.#publicOnly) {
      await this.#freshness.ensure(team);
      this.#progress.know(team.teamId, team.shard);
    }
    const match = query.terms.length > 0 ? searchDocuments(this.#sql, this.#text, query) : { hits: [], weights: [], terms: [], rarest: 0 };
    return { ...match, hits: match.hits.filter(({ id }) => !this.#unsettled.hides(id)), appliedSeq: this.#progress.applied(team.teamId) };
  }

  async lookUpAt(team: TeamRef, query: PastQuery): Promise<{ ids: string[]; appliedSeq: number }> {
    await this.#freshness.ensure(team);
    this.#progress.know(team.teamId, team.shard);
    return { ids: documentsAt(this.#sql, query).filter((id) => !this.#unsettled.hides(id)), appliedSeq: this.#progress.applied(team.teamId) };
  }

  /** Present public memories of other teams with this key or id. */
  publicPlaces(viewerTeamId: string, now: number, by: { key: string } | { id: string }): PublicPlace[] {
    return publicPlaces(this.#sql, viewerTeamId, now, by);
  }

  catchUp(team: TeamRef, seq: number): Promise<number> {
    return this.#following.catchUp(team, seq);
  }

  verify(team: TeamRef): Promise<{ rebuilt: boolean }> {
    return this.#following.verify(team);
  }

  rebuild(team: TeamRef): Promise<void> {
    return this.#following.rebuild(team);
  }

  /** Takes the team out, for good: unless somebody rebuilds it, nothing of it is looked for again. */
  async forget(team: TeamRef): Promise<void> {
    await this.#following.endOfPass(team);
    this.#atomically(() => {
      this.#withdrawn(undefined);
      this.#documents.removeTeam(team.teamId);
      this.#progress.remove(team.teamId);
    });
    await this.#changed({ erased: true });
  }

  /** Leaves nothing at all. The object is of no use afterwards, until it is started anew. */
  async erase(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  stats(team: TeamRef): { documents: number; appliedSeq: number } {
    const documents = this.#sql
      .exec<{ n: number }>("SELECT count(*) AS n FROM docs WHERE team_id = ? AND until_at IS NULL AND archived = 0", team.teamId)
      .one().n;
    return { documents, appliedSeq: this.#progress.applied(team.teamId) };
  }

  async putVectors(space: SpaceRef, vectors: PendingVector[]): Promise<{ waiting: number; outdated: string[] }> {
    await this.#scheduleUpkeep(settleDelay);
    const put = this.ctx.storage.transactionSync(() => {
      const placed = vectors.map(({ id, audience }) => ({ ...parseVectorId(id), home: audience === "team" ? everyone : audience }));
      this.#generations.bump(placed.filter(({ kind }) => kind === "memory").map(({ id, home }) => ({ home, memoryId: id })));
      this.#generations.move(placed.filter(({ kind }) => kind !== "memory").map(({ home }) => home));
      return this.#vectors.put(space, vectors);
    });
    await this.#known();
    return put;
  }

  removeVectors(ids: string[]): void {
    this.ctx.storage.transactionSync(() => this.#vectors.remove(ids));
  }

  scanVectors(query: PendingQuery): { hits: PendingHit[]; waiting: number } {
    return this.#vectors.scan(query);
  }

  vectorsWaitingAmong(ids: string[]): string[] {
    return this.#vectors.waitingAmong(ids);
  }

  oldestVectors(limit: number, after: number): { seq: number; id: string; version: number; dimensions: number }[] {
    return this.#vectors.oldest(limit, after);
  }

  vectorsVisible(seen: { id: string; version: number }[]): void {
    this.ctx.storage.transactionSync(() => this.#vectors.visible(seen));
  }

  vectorSpaces(): SpaceRef[] {
    return this.#vectors.spaces();
  }

  override async alarm(): Promise<void> {
    this.#generations.forgetBefore(Date.now() - keptMs - clockMargin);
    const purge = this.#sql.exec("DELETE FROM meta WHERE name = 'purge' RETURNING name").toArray().length > 0;
    try {
      await this.#text.maintain({ purge, alive: (slots) => this.#alive(slots) });
    } catch (error) {
      // The alarm is tried again, and must know what for.
      if (purge) this.#notePurge();
      throw error;
    }
    await this.#settle();
  }

  /** Lets go of the vectors that Vectorize shows by now. What cannot be asked goes on waiting, and is found meanwhile. */
  async #settle(): Promise<void> {
    if (!this.#vectors.any()) return;
    await settlePending(this, VectorizeBindings.of(this.env)).catch(() => undefined);
    if (this.#vectors.any()) await this.#scheduleUpkeep(settleDelay);
  }

  #alive(slots: number[]): Set<number> {
    const rows = this.#sql.exec<{ slot: number }>("SELECT slot FROM docs WHERE slot IN (SELECT value FROM json_each(?))", JSON.stringify(slots));
    return new Set(rows.toArray().map(({ slot }) => slot));
  }

  /** These audiences lose something they could read; undefined: all may. */
  #withdrawn(audiences: readonly string[] | undefined): void {
    this.#copyKeys.replace(audiences);
    // Where the tables may stay as they are, nothing else tells those who believe in the present state.
    if (audiences === undefined) this.#generations.bump();
  }

  /** After the tables changed; words of what was erased leave the text later. */
  async #changed({ erased }: { erased: boolean }): Promise<void> {
    if (this.#text.mergeDue) await this.#scheduleUpkeep(mergeDelay);
    if (erased) await this.#schedulePurge();
    await this.#known();
  }

  /** Whoever believed in the state before a change believes in it no longer; awaited before the change is acknowledged. */
  #known(): Promise<void> {
    return this.#leases.end(Date.now());
  }

  /** What is in memory follows what is stored, also when that was taken back. */
  #atomically(work: () => void): void {
    try {
      this.ctx.storage.transactionSync(work);
    } catch (error) {
      this.#text.forget();
      throw error;
    }
  }

  /** One alarm for all upkeep: it comes when the first that asked for it wants it. */
  async #scheduleUpkeep(delay: number): Promise<void> {
    const at = Date.now() + delay;
    const planned = await this.ctx.storage.getAlarm();
    if (planned === null || planned > at) await this.ctx.storage.setAlarm(at);
  }

  async #schedulePurge(): Promise<void> {
    this.#notePurge();
    await this.#scheduleUpkeep(purgeDelay);
  }

  #isPurgeDue(): boolean {
    return this.#sql.exec("SELECT 1 FROM meta WHERE name = 'purge'").toArray().length > 0;
  }

  #notePurge(): void {
    this.#sql.exec("INSERT OR REPLACE INTO meta (name, value) VALUES ('purge', 'due')");
  }
}
