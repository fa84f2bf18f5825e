import { recalledBy, type TeamEvent } from "../../domain/events/team-event.ts";
import type { ExpiredMemory } from "../../domain/memories/sweep.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { GraphChanges } from "../../domain/graph/graph-store.ts";
import type { IdempotencyRecord, MemoryName, PublicPlace } from "../../domain/memories/memory-store.ts";
import type { VisibilityChange, IndexState } from "../../domain/recall/cache/index-state.ts";
import type { RetrievalRequest } from "../../domain/recall/retrieve.ts";
import type { IndexStats, LikenessQuery, MemoryPlace } from "../../domain/recall/retrievers/text-retriever.ts";
import type { Semantic } from "../../domain/recall/retrievers/vector-retriever.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { MemoryCommits } from "../d1/memory-commits.ts";
import { AcknowledgedChanges, drainFirst } from "./acknowledged.ts";
import { Applying } from "./applying.ts";
import { Commits, type CommitRequest, type EraseRequest, type WriteAnswer } from "./commits.ts";
import { CopyKeys } from "./copy-keys.ts";
import { Documents } from "./documents.ts";
import type { IndexDocument } from "./document.ts";
import { Freshness } from "./freshness.ts";
import { everyone, Generations } from "./generation.ts";
import { memoryTextOptions } from "./memory-text.ts";
import { Neighbourhood, Publishers } from "./neighbourhood.ts";
import { GraphCopy } from "./graph/graph-copy.ts";
import { GraphFollowing } from "./graph/graph-following.ts";
import { MemoryRowsOfDocs, PresentVersionsOfDocs } from "./graph/memory-rows.ts";
import { PresentRows } from "./present-rows.ts";
import { Progress } from "./progress.ts";
import { ObjectRecall, type RecallParts } from "./recall.ts";
import { Rows } from "./rows.ts";
import { ensureSchema } from "./schema.ts";
import { documentsAt, publicPlaces, type IndexMatch, type PastQuery } from "./search.ts";
import { EventObject, type EventOptions } from "./event-object.ts";
import { Following } from "./following.ts";
import { newestSeq, type TeamShard } from "./source.ts";
import { readStats } from "./stats.ts";
import { Upkeep } from "./upkeep.ts";
import { UnsettledWrites } from "./unsettled-writes.ts";
import { TextIndex } from "../text-index/text-index.ts";
import { ofTheirTeam, TeamVectors } from "./vectors/team-vectors.ts";
import type { CopiedVector, Near, NearQuery } from "./vectors/vector-copy.ts";
import type { SpaceRef } from "./vectors/vector-tables.ts";
import type { VectorObjects } from "../vectorize/vectorize-index.ts";

export interface TeamIndexOptions extends Pick<RecallParts, "expander" | "graph" | "report">, EventOptions {
  /** What commits to D1; asked for once, at the first write. */
  commits(env: Env): MemoryCommits;
  /** What embeds queries and looks for what is near them, over the vectors of this object and beyond. */
  semantic(objects: VectorObjects): Semantic;
}

/**
 * The object of one team (`team:<id>`), or of the public memories of an organization (`org:<id>`): the one place where a team's
 * memories are ordered, written (`commits.ts`) and read (`recall.ts`, `rows.ts`). It holds the rows, the text index, the vectors and
 * the graph in its own SQLite, so nobody else's words weigh in a ranking or cost time. D1 is the truth; everything here can be
 * dropped at any time and is rebuilt from there.
 */
export class TeamIndex extends EventObject {
  readonly #sql: SqlStorage;
  readonly #text: TextIndex;
  readonly #present: PresentRows;
  readonly #documents: Documents;
  readonly #progress: Progress;
  readonly #vectors: TeamVectors;
  readonly #generations: Generations;
  readonly #copyKeys: CopyKeys;
  readonly #rows: Rows;
  readonly #recall: ObjectRecall;
  readonly #neighbourhood: Neighbourhood;
  readonly #publishers: Publishers;
  readonly #upkeep: Upkeep;
  readonly #following: Following;
  readonly #applying: Applying;
  readonly #acknowledged: AcknowledgedChanges;
  readonly #unsettled: UnsettledWrites;
  readonly #freshness: Freshness;
  readonly #commits: Commits;
  readonly #graphCopy: GraphCopy;
  readonly #graph: GraphFollowing;
  readonly #publicOnly: boolean;

  /** Every method begins with what was acknowledged; a write, which may have nothing to do with it, sees to that itself. */
  static {
    drainFirst([TeamIndex.prototype, EventObject.prototype as TeamIndex], (index) => index.#acknowledged, { except: ["commit", "tell"] });
  }

  constructor(ctx: DurableObjectState, env: Env, options: TeamIndexOptions) {
    super(ctx, env, options);
    this.#sql = ctx.storage.sql;
    this.#publicOnly = ctx.id.name?.startsWith("org:") ?? false;
    ensureSchema(ctx.storage);
    this.#text = new TextIndex(ctx.storage, memoryTextOptions);
    this.#present = new PresentRows(this.#sql);
    this.#documents = new Documents(this.#sql, this.#text, this.#present, { publicOnly: this.#publicOnly });
    this.#progress = new Progress(this.#sql);
    this.#graphCopy = new GraphCopy(this.#sql, new PresentVersionsOfDocs(this.#sql));
    const shard = (name: string): D1Database => this.env[name as keyof Env] as D1Database;
    this.#graph = new GraphFollowing({
      copy: this.#graphCopy, shard, atomically: (work) => this.#atomically(work),
      catchUp: (team, seq) => this.catchUp(team, seq), waitUntil: (work) => ctx.waitUntil(work),
    });
    const tables = { shard, atomically: (work: () => void) => this.#atomically(work), withdrawn: (audiences: readonly string[] | undefined) => this.#withdrawn(audiences) };
    const later = (work: Promise<unknown>): void => ctx.waitUntil(work.catch((error: unknown) => options.report("index.later", error)));
    this.#acknowledged = new AcknowledgedChanges({
      apply: (team, changes) => {
        if (this.#applying.put(team, changes).length === 0) later(this.#changed({ erased: false }));
      },
      applied: (team, error) => {
        if (error !== undefined) {
          options.report("index.apply", error);
          this.#freshness.invalidate();
        }
        this.#commits.closeGap(team);
      },
      later,
    });
    this.#vectors = new TeamVectors({ ...tables, sql: this.#sql, publicOnly: this.#publicOnly, teams: () => this.#progress.teams() });
    this.#following = new Following({
      ...tables, sql: this.#sql, text: this.#text, documents: this.#documents, vectors: this.#vectors, graph: this.#graphCopy, progress: this.#progress, publicOnly: this.#publicOnly,
      drain: () => this.#acknowledged.drain(),
      changed: (change) => this.#changed(change),
    });
    this.#applying = new Applying({ ...tables, documents: this.#documents, progress: this.#progress, vectors: this.#vectors, publicOnly: this.#publicOnly });
    this.#generations = new Generations(this.#sql);
    this.#copyKeys = new CopyKeys(this.#sql);
    this.#unsettled = new UnsettledWrites(this.#sql, (memoryIds) => {
      const readers = this.#progress.teams().flatMap(({ teamId }) => this.#documents.knownReadersOf(teamId, memoryIds));
      this.#generations.bump(readers.map((visibilityKey) => ({ visibilityKey })));
    });
    this.#rows = new Rows(this.#sql, this.#present, (id) => this.#unsettled.hides(id));
    this.#neighbourhood = new Neighbourhood(this.#sql);
    this.#publishers = new Publishers(this.#sql, {
      teams: async () => (await env.DB.prepare("SELECT id FROM teams WHERE organization_id = ?").bind(ctx.id.name?.slice("org:".length) ?? "").raw<[string]>()).map(([id]) => id),
      tell: (teamId) => env.TEAM_INDEX.getByName(`team:${teamId}`).othersPublish(),
    });
    this.#upkeep = new Upkeep({ storage: ctx.storage, text: this.#text, vectors: this.#vectors.copy, atomically: (work) => this.#atomically(work) });
    this.#recall = new ObjectRecall({
      ...options, sql: this.#sql, text: this.#text, present: this.#present, rows: this.#rows, vectors: this.#vectors.copy, unembedded: this.#vectors.unembedded,
      graphCopy: (team) => this.#graph.ask(team, Date.now()), memoryRows: new MemoryRowsOfDocs(this.#sql),
      semantic: options.semantic({ getByName: (name) => (name === ctx.id.name ? this : env.TEAM_INDEX.getByName(name)) }),
    });
    this.#freshness = new Freshness({ following: this.#following, unsettled: this.#unsettled, newestSeq: (team) => newestSeq(shard(team.shard), team), later });
    let commits: MemoryCommits | undefined;
    this.#commits = new Commits({
      ...tables, documents: this.#documents, progress: this.#progress, acknowledged: this.#acknowledged, unsettled: this.#unsettled, freshness: this.#freshness, recall: this.#recall,
      commits: () => (commits ??= options.commits(this.env)),
      organization: (id) => this.env.TEAM_INDEX.getByName(`org:${id}`),
      apply: (...change) => this.#apply(...change),
      applyLater: (team, documents, first, last) => this.#following.between(team, () => this.#acknowledged.add(team, { documents, first, last })),
      remove: (...change) => this.#remove(...change),
      committed: (events) => this.#acknowledged.whenApplied(() => this.tell(events)),
      later, report: options.report,
    });
    // On one machine alarms are in a file of their own, which may have been lost.
    if (this.#upkeep.isDue()) ctx.waitUntil(this.#upkeep.schedule());
  }

  commit(request: CommitRequest): Promise<WriteAnswer> {
    return this.#commits.commit(request);
  }

  eraseMemories(request: EraseRequest): Promise<WriteAnswer> {
    return this.#commits.erase(request);
  }

  purge(place: TeamRef, now: number, doomed: ExpiredMemory[], reason: "expiry" | "account"): Promise<WriteAnswer> {
    return this.#commits.purge(place, now, doomed, reason);
  }

  saveIdempotency(principal: Principal, now: number, once: IdempotencyRecord): Promise<WriteAnswer> {
    return this.#commits.saveIdempotency(principal, now, once);
  }

  /** Takes what was just committed; `documents` hold the consecutive numbers `first … last` of the team. */
  apply(team: TeamShard, documents: IndexDocument[], first: number, last: number): Promise<void> {
    return this.#apply(team, documents, first, last, []);
  }

  async #apply(team: TeamShard, documents: IndexDocument[], first: number, last: number, settled: readonly number[]): Promise<void> {
    const sensitivityChanged = await this.#inTurn(team, () => this.#applying.put(team, [{ documents, first, last }]));
    this.#unsettled.settle(settled);
    if (sensitivityChanged.length > 0) {
      await this.#upkeep.afterChange({ erased: true });
      await this.catchUp(team, last);
    }
    await this.#changed({ erased: this.#publicOnly && documents.some(({ visibility }) => visibility !== "public") });
  }

  remove(team: TeamShard, memoryIds: string[], first: number, last: number): Promise<void> {
    return this.#remove(team, memoryIds, first, last, []);
  }

  async #remove(team: TeamShard, memoryIds: string[], first: number, last: number, settled: readonly number[]): Promise<void> {
    await this.#inTurn(team, () => this.#applying.remove(team, memoryIds, first, last));
    this.#unsettled.settle(settled);
    await this.#changed({ erased: true });
  }

  /** Everything that a query needs of the principal's own team, for `decodeFound`. */
  async recall(principal: Principal, now: number, request: RetrievalRequest): Promise<string> {
    await this.#current(principal);
    const state = { generation: this.#generations.of(principal.userId), others: this.#neighbourhood.others };
    return this.#recall.own(principal, now, request, state);
  }

  /** What is like a text, for `decodeAlike`. */
  async alike(principal: Principal, now: number, asked: LikenessQuery, named: MemoryPlace): Promise<string> {
    await this.#current(principal);
    return this.#recall.alike(principal, now, asked, named);
  }

  /** In the object of an organization: what the query finds of other teams' public memories. */
  recallPublic(principal: Principal, now: number, request: RetrievalRequest): IndexMatch & { generation: string } {
    return { ...this.#recall.others(principal, now, request), generation: this.#generations.of(principal.userId) };
  }

  /** In the object of an organization: whether teams other than this one have anything public, or had. */
  hasOthers(teamId: string): boolean {
    return this.#publishers.others(teamId);
  }

  /** In the object of a team: another team of the organization has something public from now on. */
  othersPublish(): void {
    if (this.#neighbourhood.isTold) return;
    this.ctx.storage.transactionSync(() => {
      this.#neighbourhood.publish();
      this.#generations.bump();
    });
  }

  /** JSON of the memories with this name. */
  async find(principal: Principal, now: number, name: MemoryName): Promise<string> {
    await this.#current(principal);
    return `[${this.#rows.named(principal, now, name).join(",")}]`;
  }

  accessed(principal: Principal, now: number, ids: string[]): void {
    this.#rows.accessed(principal.teamId, now, ids);
    this.tell(() => recalledBy(principal, now, ids));
  }

  /** The generation is another one as soon as this person may find something else than before. */
  async state(principal: Principal): Promise<IndexState & { others: boolean }> {
    if (!this.#publicOnly) await this.#current(principal);
    return { generation: this.#generations.of(principal.userId), copyKey: this.#copyKeys.of(principal.userId), others: this.#neighbourhood.others };
  }

  /** For changes that are not in the tables of the index, such as links; without an argument, of anything. */
  async bump(changes?: readonly VisibilityChange[]): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      this.#generations.bump(changes);
      // The change may be an erasure that never reached the index.
      if (changes === undefined) this.#copyKeys.replace(undefined);
    });
    // Or links that nobody could name.
    if (changes === undefined) this.#graph.invalidate();
  }

  /** What was drawn from memories up to the sequence number `seq`, and whose links changed; D1 has committed it. */
  async putGraph(team: TeamShard, { seq, contributions, changes }: GraphChanges, events: TeamEvent[] = []): Promise<void> {
    await this.catchUp(team, seq);
    await this.#graph.take(team, contributions, changes.map(({ memoryId }) => memoryId), () => this.#generations.bump(changes)).then(() => this.tell(() => events));
  }

  async lookUpAt(team: TeamShard, query: PastQuery): Promise<string[]> {
    await this.#freshness.ensure(team);
    this.#progress.know(team.teamId, team.shard);
    return documentsAt(this.#sql, query).filter((id) => !this.#unsettled.hides(id));
  }

  /** Present public memories of other teams with this key or id. */
  publicPlaces(viewerTeamId: string, now: number, by: { key: string } | { id: string }): PublicPlace[] {
    return publicPlaces(this.#sql, viewerTeamId, now, by);
  }

  catchUp(team: TeamShard, seq: number): Promise<number> {
    return this.#following.catchUp(team, seq);
  }

  async verify(team: TeamShard): Promise<{ rebuilt: boolean }> {
    const verified = await this.#following.verify(team);
    const dropped = !this.#publicOnly && (await this.#graph.verify(team));
    this.#vectors.refillWhereRoom();
    await this.#vectors.fill(team);
    return { rebuilt: verified.rebuilt || dropped };
  }

  rebuild(team: TeamShard): Promise<void> {
    this.#vectors.refill(team.teamId);
    return this.#following.rebuild(team);
  }

  /** Takes the team out, for good: unless somebody rebuilds it, nothing of it is looked for again. */
  async forget(team: TeamShard): Promise<void> {
    await this.#inTurn(team, () => this.#atomically(() => {
      this.#withdrawn(undefined);
      this.#documents.removeTeam(team.teamId);
      this.#vectors.removeTeam(team.teamId);
      this.#progress.remove(team.teamId);
    }));
    await this.#changed({ erased: true });
  }

  /** Leaves nothing at all. The object is of no use afterwards, until it is started anew. */
  async erase(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  stats(team: TeamShard): IndexStats {
    return readStats(this.#sql, team, { progress: this.#progress, vectors: this.#vectors.copy, graph: this.#graphCopy });
  }

  /** Answers which were left out because a newer version is held. */
  async putVectors(space: SpaceRef, vectors: CopiedVector[]): Promise<{ outdated: string[] }> {
    const own = await ofTheirTeam(vectors, this.#publicOnly ? undefined : this.ctx.id.name?.slice("team:".length));
    let outdated: string[] = [];
    this.#atomically(() => {
      this.#generations.bump(own.map(({ audience }) => ({ visibilityKey: audience === "team" ? everyone : audience })));
      ({ outdated } = this.#vectors.put(space, own, Date.now()));
    });
    if (this.#vectors.copy.upkeepDue) await this.#upkeep.schedule();
    return { outdated };
  }

  async removeVectors(ids: string[]): Promise<void> {
    this.#atomically(() => this.#vectors.copy.remove(ids));
    if (this.#vectors.copy.upkeepDue) await this.#upkeep.afterChange({ erased: true });
  }

  /** The nearest of what the copy holds; where that is not all, it is filled behind the answer. */
  nearVectors(team: TeamShard, query: NearQuery): Near {
    if (!this.#publicOnly) this.#progress.know(team.teamId, team.shard);
    return this.#vectors.near(query);
  }

  /** Those of the ids in Vectorize that the copy holds, with the time of writing, ms since the epoch. */
  heldVectors(ids: string[]): { id: string; at: number }[] {
    return this.#vectors.copy.held(ids);
  }

  vectorSpaces(): SpaceRef[] {
    return this.#vectors.copy.spaces();
  }

  override alarm(): Promise<void> {
    return this.#upkeep.run();
  }

  /** Changes the tables when nobody else is reading them anew and nothing waits. */
  #inTurn<T>(team: TeamShard, work: () => T): Promise<T> {
    return this.#following.between(team, () => {
      this.#acknowledged.drain();
      return work();
    });
  }

  /** These audiences lose something they could read; undefined: all may. */
  #withdrawn(audiences: readonly string[] | undefined): void {
    this.#copyKeys.replace(audiences);
    // Where the tables may stay as they are, nothing else tells that kept answers hold no longer.
    if (audiences === undefined) this.#generations.bump();
  }

  /** After the tables changed; words of what was erased leave the text later. */
  async #changed({ erased }: { erased: boolean }): Promise<void> {
    if (this.#publicOnly) await this.#publishers.announce();
    await this.#upkeep.afterChange({ erased });
  }

  /** As far as D1 was known to be a moment ago; an object that starts asks first. */
  async #current({ teamId, shard, organizationId }: Principal): Promise<void> {
    const team = { teamId, shard };
    this.#progress.know(teamId, shard);
    await this.#freshness.ensure(team);
    await this.#neighbourhood.ensure(() => this.env.TEAM_INDEX.getByName(`org:${organizationId}`).hasOthers(teamId));
  }

  /** What is in memory follows what is stored, also when that was taken back. */
  #atomically(work: () => void): void {
    try {
      this.ctx.storage.transactionSync(() => {
        work();
        this.#graphCopy.withdrawOutdated(this.#documents.takeTouched());
      });
    } catch (error) {
      this.#documents.takeTouched();
      this.#progress.forget();
      this.#present.clear();
      this.#text.forget();
      this.#vectors.forget();
      this.#graphCopy.forget();
      throw error;
    } finally {
      this.#generations.forget();
    }
  }
}
