import type { Documents } from "./documents.ts";
import type { GraphCopy } from "./graph/graph-copy.ts";
import type { Progress } from "./progress.ts";
import { TeamSource, type Chain, type Checksum, type TeamShard } from "./source.ts";
import type { TextIndex } from "../text-index/text-index.ts";
import type { TeamVectors } from "./vectors/team-vectors.ts";

/** So many rows are compared at a time, which takes about 10 ms. */
const checksumPage = 4_096;

/** The index object that follows. */
interface Follower {
  sql: SqlStorage;
  text: TextIndex;
  documents: Documents;
  graph: GraphCopy;
  progress: Progress;
  publicOnly: boolean;
  /** What was acknowledged comes into the tables. */
  drain(): void;
  /** The shard's database, by its binding's name. */
  shard(name: string): D1Database;
  atomically(work: () => void): void;
  changed(change: { erased: boolean }): Promise<void>;
  /** These audiences lose something they could read; undefined: all may. */
  withdrawn(audiences: readonly string[] | undefined): void;
  vectors: Pick<TeamVectors, "withdraw" | "withdrawRewritten" | "removeMemories">;
}

/**
 * Passes of an index object over the truth: what it missed is read from D1, and where it differs it is built anew. At most
 * one at a time for each team; changes of the team wait for its end before they are acknowledged.
 */
export class Following {
  readonly #index: Follower;
  readonly #passes = new Map<string, Promise<unknown>>();
  /** Teams that are being read anew, or whose reading failed on the way: what they hold is not all. */
  readonly #incomplete = new Set<string>();

  constructor(index: Follower) {
    this.#index = index;
  }

  /** Follows the truth at least up to `seq`; calls for the same team share one pass. Answers how far it has come. */
  async catchUp(team: TeamShard, seq: number): Promise<number> {
    const { progress } = this.#index;
    this.#index.drain();
    while (progress.applied(team.teamId) < seq) {
      await (this.#passes.get(team.teamId) ?? this.#pass(team, () => this.#follow(team)));
    }
    return progress.applied(team.teamId);
  }

  /** Compares with the truth and rebuilds on any difference. Answers whether it had to. */
  async verify(team: TeamShard): Promise<{ rebuilt: boolean }> {
    return this.#begin(team, async () => {
      await this.#follow(team);
      const truth = await this.#source(team).checksum(this.#index.publicOnly);
      const index = await this.#checksum(team.teamId);
      // Somebody wrote in between: the index lags, which says nothing about what it holds.
      if (truth.seq > index.seq || sameChecksum(truth, index)) return { rebuilt: false };
      await this.#rebuild(team);
      return { rebuilt: true };
    });
  }

  async rebuild(team: TeamShard): Promise<void> {
    await this.#begin(team, () => this.#rebuild(team));
  }

  /** Whether the index was emptied and has not read everything again. */
  isIncomplete({ teamId }: TeamShard): boolean {
    return this.#incomplete.has(teamId);
  }

  /** Does the work while no pass is under way. */
  async between<T>({ teamId }: TeamShard, work: () => T): Promise<T> {
    for (let pass = this.#passes.get(teamId); pass; pass = this.#passes.get(teamId)) {
      // Its failure goes to the caller who started it.
      await pass.catch(() => undefined);
    }
    return work();
  }

  async #begin<T>(team: TeamShard, work: () => Promise<T>): Promise<T> {
    const { pass } = await this.between(team, () => ({ pass: this.#pass(team, work) }));
    return pass;
  }

  #pass<T>({ teamId }: TeamShard, work: () => Promise<T>): Promise<T> {
    this.#index.drain();
    const pass = work().finally(() => this.#passes.delete(teamId));
    this.#passes.set(teamId, pass);
    return pass;
  }

  #source({ teamId, shard }: TeamShard): TeamSource {
    return new TeamSource(this.#index.shard(shard), teamId);
  }

  async #rebuild(team: TeamShard): Promise<void> {
    const { sql, text, documents, graph, progress } = this.#index;
    this.#incomplete.add(team.teamId);
    this.#index.atomically(() => {
      graph.clear();
      progress.know(team.teamId, team.shard);
      this.#index.withdrawn(undefined);
      documents.removeTeam(team.teamId);
      if (sql.exec("SELECT 1 FROM docs LIMIT 1").toArray().length === 0) text.clear();
      progress.restart(team.teamId);
    });
    await this.#follow(team);
  }

  async #follow(team: TeamShard): Promise<void> {
    const { documents, progress, publicOnly } = this.#index;
    const { teamId } = team;
    const source = this.#source(team);
    for (let done = false; !done; ) {
      const page = await source.changesAfter(progress.applied(teamId), publicOnly);
      this.#index.atomically(() => {
        progress.know(teamId, team.shard);
        this.#index.withdrawn(documents.narrowed(page.chains.map(({ present }) => present)).audiences);
        // An organization's index also follows erasures of memories that were never public.
        this.#index.withdrawn(documents.readersOf(teamId, publicOnly ? page.erased.filter((id) => documents.holds(teamId, id)) : page.erased));
        documents.remove(teamId, page.erased);
        this.#index.vectors.removeMemories(teamId, page.erased);
        this.#index.vectors.withdraw(teamId, page.chains.map(({ present }) => present));
        const fresh = page.chains.filter((chain) => !this.#holds(chain));
        // With its past a memory is put in order anew, since versions in between may be missing.
        const chained = fresh.filter(({ past }) => past.length > 0);
        documents.remove(teamId, chained.map(({ present }) => present.memoryId));
        for (const { past } of chained) {
          for (const { document, untilAt } of past) documents.putPast(document, untilAt);
        }
        documents.put(teamId, fresh.map(({ present }) => present));
        this.#index.vectors.withdrawRewritten(teamId, fresh.map(({ present }) => present));
        progress.reach(teamId, page.upTo);
      });
      const withdrawn = publicOnly && page.chains.some(({ present }) => present.visibility !== "public");
      await this.#index.changed({ erased: page.erased.length > 0 || withdrawn });
      done = page.done;
    }
    this.#incomplete.delete(teamId);
  }

  /** Whether the index has the present version and all those before it. */
  #holds({ present, past }: Chain): boolean {
    const { sql, publicOnly } = this.#index;
    const { versions, newest } = sql
      .exec<{ versions: number; newest: number | null }>(
        "SELECT count(*) AS versions, max(version) AS newest FROM docs WHERE team_id = ? AND memory_id = ?",
        present.teamId, present.memoryId,
      )
      .one();
    return newest === present.version && versions === (publicOnly ? 1 : past.length + 1);
  }

  /**
   * Asks the text index for each slot, so that a row missing there is missed here. Page by page, so that questions have their
   * turn in between; changes of the team wait for the end of the pass.
   */
  async #checksum(teamId: string): Promise<Checksum & { unindexed: number }> {
    const { sql, text, progress } = this.#index;
    const sum = { count: 0, versions: 0, aliases: 0, past: 0, characters: 0, unindexed: 0 };
    const last = sql.exec<{ last: number | null }>("SELECT max(doc) AS last FROM docs").one().last ?? 0;
    for (let from = 0; from < last; from += checksumPage) {
      const rows = sql.exec<{ version: number; alias: number; isPast: number; archived: number; slot: number | null; part: string; characters: number }>(
        "SELECT version, alias, until_at IS NOT NULL AS isPast, archived, slot, part, iif(secret, 0, length(body ->> '$.content')) AS characters FROM docs WHERE doc > ?1 AND doc <= ?2 AND team_id = ?3",
        from, from + checksumPage, teamId,
      );
      for (const { version, alias, isPast, archived, slot, part, characters } of rows) {
        if (isPast === 1) {
          sum.past += 1;
        } else {
          sum.count += 1;
          sum.versions += version;
          sum.aliases += alias;
          sum.characters += characters;
        }
        if (archived === 0 && (slot === null || !text.holds(part, slot))) sum.unindexed += 1;
      }
      if (from + checksumPage < last) await scheduler.wait(0);
    }
    return { ...sum, seq: progress.applied(teamId) };
  }
}

const sameChecksum = (truth: Checksum, index: Checksum & { unindexed: number }): boolean =>
  index.unindexed === 0 &&
  truth.seq === index.seq &&
  truth.count === index.count &&
  truth.versions === index.versions &&
  truth.aliases === index.aliases &&
  truth.past === index.past &&
  truth.characters === index.characters;
