import { DurableObject } from "cloudflare:workers";
import type { PublicPlace } from "../../domain/ports.ts";
import { Documents } from "./documents.ts";
import type { IndexDocument } from "./document.ts";
import { Progress } from "./progress.ts";
import { ensureSchema } from "./schema.ts";
import { searchDocuments, type IndexHit, type IndexQuery } from "./search.ts";
import { TeamSource, type Checksum } from "./source.ts";

export interface TeamRef {
  teamId: string;
  shard: string;
}

/** Erased text leaves the full-text segments when they are merged; this is how long that may wait. */
const optimizeDelay = 30_000;

/**
 * Full-text index of one team (`team:<id>`), or of the public memories of an organization (`org:<id>`), in the
 * object's own SQLite: nobody else's words weigh in its ranking or cost its time. D1 is the truth; this can be
 * dropped at any time and is rebuilt from there.
 */
export class TeamIndex extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  readonly #documents: Documents;
  readonly #progress: Progress;
  readonly #catchingUp = new Map<string, Promise<void>>();
  readonly #publicOnly: boolean;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#publicOnly = ctx.id.name?.startsWith("org:") ?? false;
    ensureSchema(ctx.storage);
    this.#documents = new Documents(this.#sql);
    this.#progress = new Progress(this.#sql);
  }

  /** Takes what was just committed; `documents` hold the consecutive numbers `first … last` of the team. */
  apply(team: TeamRef, documents: IndexDocument[], first: number, last: number): void {
    this.ctx.storage.transactionSync(() => {
      this.#progress.know(team.teamId, team.shard);
      this.#put(team.teamId, documents);
      // An organization hears of public changes only; how far it has come is known from its own passes.
      if (!this.#publicOnly) this.#progress.mark(team.teamId, first, last);
    });
  }

  async remove(team: TeamRef, memoryIds: string[], first: number, last: number): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      this.#progress.know(team.teamId, team.shard);
      this.#documents.remove(team.teamId, memoryIds);
      if (!this.#publicOnly) this.#progress.mark(team.teamId, first, last);
    });
    await this.#scheduleOptimize();
  }

  search(team: TeamRef, query: IndexQuery): { hits: IndexHit[]; appliedSeq: number } {
    if (!this.#publicOnly) this.#progress.know(team.teamId, team.shard);
    const hits = query.terms.length > 0 ? searchDocuments(this.#sql, query) : [];
    return { hits, appliedSeq: this.#progress.applied(team.teamId) };
  }

  /** Present public memories of other teams with this key or id. */
  publicPlaces(viewerTeamId: string, now: number, by: { key: string } | { id: string }): PublicPlace[] {
    const [column, value] = "key" in by ? ["d.key", by.key] : ["d.memory_id", by.id];
    return this.#sql
      .exec<{ id: string; teamId: string; shard: string }>(
        `SELECT d.memory_id AS id, d.team_id AS teamId, s.shard AS shard FROM docs d JOIN sources s ON s.team_id = d.team_id
         WHERE ${column} = ? AND d.until_at IS NULL AND d.archived = 0 AND d.visibility = 'public' AND d.team_id <> ?
         AND (d.expires_at IS NULL OR d.expires_at > ?) LIMIT 50`,
        value as string, viewerTeamId, now,
      )
      .toArray();
  }

  /** Follows the truth at least up to `seq`; calls for the same team share one pass. */
  async catchUp(team: TeamRef, seq: number): Promise<number> {
    while (this.#progress.applied(team.teamId) < seq) {
      const running = this.#catchingUp.get(team.teamId);
      if (running) {
        await running;
        continue;
      }
      const pass = this.#follow(team).finally(() => this.#catchingUp.delete(team.teamId));
      this.#catchingUp.set(team.teamId, pass);
      await pass;
    }
    return this.#progress.applied(team.teamId);
  }

  /** Compares with the truth and rebuilds on any difference. Answers whether it had to. */
  async verify(team: TeamRef): Promise<{ rebuilt: boolean }> {
    const source = new TeamSource(this.#shard(team.shard), team.teamId);
    await this.catchUp(team, await source.seq());
    const expected = await source.checksum(this.#publicOnly);
    if ((await source.seq()) !== this.#progress.applied(team.teamId)) return { rebuilt: false };
    if (sameChecksum(expected, this.#checksum(team.teamId))) return { rebuilt: false };
    await this.rebuild(team);
    return { rebuilt: true };
  }

  async rebuild(team: TeamRef): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      this.#progress.know(team.teamId, team.shard);
      this.#sql.exec("DELETE FROM now_fts WHERE rowid IN (SELECT doc FROM docs WHERE team_id = ?)", team.teamId);
      this.#sql.exec("DELETE FROM past_fts WHERE rowid IN (SELECT doc FROM docs WHERE team_id = ?)", team.teamId);
      this.#sql.exec("DELETE FROM docs WHERE team_id = ?", team.teamId);
      this.#progress.forget(team.teamId);
    });
    await this.#follow(team);
  }

  stats(team: TeamRef): { documents: number; appliedSeq: number } {
    const documents = this.#sql
      .exec<{ n: number }>("SELECT count(*) AS n FROM docs WHERE team_id = ? AND until_at IS NULL AND archived = 0", team.teamId)
      .one().n;
    return { documents, appliedSeq: this.#progress.applied(team.teamId) };
  }

  override async alarm(): Promise<void> {
    this.#sql.exec("INSERT INTO now_fts (now_fts) VALUES ('optimize')");
    this.#sql.exec("INSERT INTO past_fts (past_fts) VALUES ('optimize')");
  }

  #put(teamId: string, documents: IndexDocument[]): void {
    if (!this.#publicOnly) {
      this.#documents.put(documents);
      return;
    }
    // Of a memory that is public no more, the organization keeps nothing, not even its past.
    this.#documents.put(documents.filter((document) => document.visibility === "public"));
    this.#documents.remove(
      teamId,
      documents.filter((document) => document.visibility !== "public").map((document) => document.memoryId),
    );
  }

  async #follow(team: TeamRef): Promise<void> {
    const source = new TeamSource(this.#shard(team.shard), team.teamId);
    for (let done = false; !done; ) {
      const before = this.#progress.applied(team.teamId);
      const page = await source.changesAfter(before);
      this.ctx.storage.transactionSync(() => {
        this.#progress.know(team.teamId, team.shard);
        this.#documents.remove(team.teamId, page.erased);
        const fresh = page.chains.filter(({ present }) => !this.#has(present));
        // With its past a memory is put in order anew, since versions in between may be missing.
        const chained = fresh.filter(({ past }) => past.length > 0);
        this.#documents.remove(team.teamId, chained.map(({ present }) => present.memoryId));
        for (const { present, past } of chained) {
          if (this.#publicOnly && present.visibility !== "public") continue;
          for (const { document, untilAt } of past) {
            if (!this.#publicOnly || document.visibility === "public") this.#documents.putPast(document, untilAt);
          }
        }
        this.#put(team.teamId, fresh.map(({ present }) => present));
        this.#progress.reach(team.teamId, page.upTo);
      });
      done = page.done;
    }
  }

  #has(document: IndexDocument): boolean {
    return (
      this.#sql
        .exec(
          "SELECT 1 FROM docs WHERE team_id = ? AND memory_id = ? AND version = ? AND until_at IS NULL",
          document.teamId, document.memoryId, document.version,
        )
        .toArray().length > 0
    );
  }

  /** Counts by way of the full-text table, so that a row missing there is missed here. */
  #checksum(teamId: string): Checksum & { unindexed: number } {
    return this.#sql
      .exec<{ count: number; versions: number; aliases: number; unindexed: number }>(
        `SELECT count(*) AS count, coalesce(sum(version), 0) AS versions, coalesce(sum(alias), 0) AS aliases,
           coalesce(sum(archived = 0 AND doc NOT IN (SELECT rowid FROM now_fts)), 0) AS unindexed
         FROM docs WHERE team_id = ? AND until_at IS NULL`,
        teamId,
      )
      .one();
  }

  async #scheduleOptimize(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + optimizeDelay);
  }

  #shard(name: string): D1Database {
    return this.env[name as keyof Env] as D1Database;
  }
}

const sameChecksum = (truth: Checksum, index: Checksum & { unindexed: number }): boolean =>
  index.unindexed === 0 && truth.count === index.count && truth.versions === index.versions && truth.aliases === index.aliases;
