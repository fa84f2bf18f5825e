import { type VectorKind, vectorKinds } from "../../../domain/embedding/vector-index.ts";
import { markOf, teamDigest, vectorId } from "../../vectorize/vector-ids.ts";
import type { TeamShard } from "../source.ts";
import { budgetBytes, youngMs } from "./eviction.ts";
import { type FillProgress, firstBelow } from "./fill-progress.ts";
import type { CopiedVector, VectorCopy } from "./vector-copy.ts";
import { byCurrency } from "./rewritten.ts";
import { type SourceVector, VectorSource } from "./vector-source.ts";

export interface FillOptions {
  sql: SqlStorage;
  copy: VectorCopy;
  progress: FillProgress;
  /** The object holds other teams' public memories only. */
  publicOnly: boolean;
  /** The shard's database, by its binding's name. */
  shard(name: string): D1Database;
  atomically(work: () => void): void;
}

/** 4 MB of 1,024 dimensions in hexadecimal. */
const pageSize = 500;
/** After a failure the next attempt waits, ms. */
const pauseMs = 5_000;

/**
 * Copies a team's vectors from the truth, page by page behind whatever asks meanwhile: after the copy was lost, and for vectors from
 * before there was one. What the pipeline puts in between is newer and stays. Other teams find public memories only.
 */
export class VectorFill {
  readonly #options: FillOptions;
  readonly #running = new Map<string, Promise<void>>();
  /** Teams that are to be read from the beginning though a run is on its way. */
  readonly #restarted = new Set<string>();
  #pausedUntil = 0;

  constructor(options: FillOptions) {
    this.#options = options;
  }

  /** Begins or goes on in the background, unless all is done. After a failure it begins again when somebody asks later; `finish` tells it. */
  start(team: TeamShard): void {
    if (Date.now() >= this.#pausedUntil) void this.finish(team).catch(() => undefined);
  }

  /** Until all is done; calls for the same team share one run. */
  finish(team: TeamShard): Promise<void> {
    if (this.#options.progress.isFilled(team.teamId)) return Promise.resolve();
    const known = this.#running.get(team.teamId);
    if (known) return known;
    const run = this.#run(team)
      .catch((error: unknown) => {
        this.#pausedUntil = Date.now() + pauseMs;
        throw error;
      })
      .finally(() => this.#running.delete(team.teamId));
    this.#running.set(team.teamId, run);
    return run;
  }

  /** The team is read from the beginning again, when it is next asked for. */
  restart(teamId: string): void {
    this.#options.progress.restart(teamId);
    this.#restarted.add(teamId);
  }

  async #run({ teamId, shard }: TeamShard): Promise<void> {
    const { progress } = this.#options;
    this.#restarted.delete(teamId);
    const source = new VectorSource(this.#options.shard(shard), teamId);
    const begun = progress.cursor(teamId);
    for (const space of await source.spaces()) {
      if (space < begun.space) continue;
      const isBegun = space === begun.space;
      for (let kinds = isBegun ? begun.kinds : 0; kinds < vectorKinds.length; kinds += 1) {
        // Other teams have no way into the graph.
        if (this.#options.publicOnly && vectorKinds[kinds] !== "memory") continue;
        const isGoingOn = isBegun && kinds === begun.kinds;
        await this.#copyKind({ teamId, shard }, source, space, kinds, isGoingOn ? begun.below : firstBelow);
      }
    }
    if (this.#restarted.has(teamId)) return this.#run({ teamId, shard });
    this.#options.atomically(() => progress.finish(teamId));
  }

  async #copyKind(team: TeamShard, source: VectorSource, space: string, kinds: number, begun: string): Promise<void> {
    const { sql, copy, progress, publicOnly } = this.#options;
    const kind = vectorKinds[kinds] as VectorKind;
    const [mark, digest] = await Promise.all([markOf(space), teamDigest(team.teamId)]);
    for (let below = begun; ; ) {
      const { removals } = copy;
      const page = await source.below(space, kind, below, pageSize, publicOnly);
      if (this.#restarted.has(team.teamId)) return;
      // What was removed while the page was on its way must not come back with it.
      if (removals !== copy.removals) continue;
      const [first, last] = [page[0], page.at(-1)];
      if (!first || !last) return;
      const bytes = page.length * first.values.length;
      const hasRoom = copy.size().bytes + bytes <= budgetBytes;
      this.#options.atomically(() => {
        const ref = { mark, dimensions: first.values.length };
        // Vectorize was given them before: they are as old as what it surely shows.
        const vectors = hasRoom ? page.map((vector) => this.#copied(team, digest, mark, kind, vector)) : [];
        copy.put(ref, byCurrency(sql, vectors).current, Date.now() - youngMs, { fill: true });
        // The older ones stay in Vectorize alone.
        if (!hasRoom) copy.noteEvicted(mark, true);
        progress.reach(team.teamId, { space, kinds, below: last.id });
      });
      if (!hasRoom || page.length < pageSize) return;
      below = last.id;
    }
  }

  #copied({ teamId, shard }: TeamShard, digest: string, mark: string, kind: VectorKind, { id, version, visibility, ownerId, values }: SourceVector): CopiedVector {
    const copy = this.#options.publicOnly ? "organization" : "team";
    return { id: vectorId(kind, id, { team: digest, mark, copy }), kind, audience: copy === "team" && visibility === "private" ? ownerId : "team", teamId, shard, version, values };
  }
}
