import { teamDigest, parseVectorId } from "../../vectorize/vector-ids.ts";
import type { IndexDocument } from "../document.ts";
import type { TeamShard } from "../source.ts";
import { budgetBytes } from "./eviction.ts";
import { FillProgress } from "./fill-progress.ts";
import { byCurrency, rewritten } from "./rewritten.ts";
import { Unembedded } from "./unembedded.ts";
import { type CopiedVector, type Near, type NearQuery, VectorCopy } from "./vector-copy.ts";
import { VectorFill } from "./vector-fill.ts";
import type { SpaceRef } from "./vector-tables.ts";

export interface TeamVectorsOptions {
  sql: SqlStorage;
  /** The object holds other teams' public memories only. */
  publicOnly: boolean;
  /** The teams that the object follows. */
  teams(): TeamShard[];
  /** The shard's database, by its binding's name. */
  shard(name: string): D1Database;
  atomically(work: () => void): void;
}

/** A copy that was cut by the budget is filled again when so much of it is free. */
const refillBelow = (3 / 4) * budgetBytes;

/** The vectors of the teams that an index object follows: its copy, and how that is filled from the truth. */
export class TeamVectors {
  readonly copy: VectorCopy;
  readonly unembedded = new Unembedded();
  readonly #options: TeamVectorsOptions;
  readonly #progress: FillProgress;
  readonly #fill: VectorFill;

  constructor(options: TeamVectorsOptions) {
    this.#options = options;
    this.#progress = new FillProgress(options.sql);
    const isFilled = (): boolean => {
      const teams = options.teams();
      return teams.length > 0 && teams.every(({ teamId }) => this.#progress.isFilled(teamId));
    };
    this.copy = new VectorCopy(options.sql, { isFilled });
    this.#fill = new VectorFill({ ...options, copy: this.copy, progress: this.#progress });
  }

  /** As `VectorCopy.put`; outdated is also what a memory no longer says. */
  put(space: SpaceRef, vectors: CopiedVector[], now: number): { outdated: string[] } {
    this.unembedded.embedded(vectors);
    const { current, outdated } = byCurrency(this.#options.sql, vectors);
    return { outdated: [...outdated.map(({ id }) => id), ...this.copy.put(space, current, now).outdated] };
  }

  near(query: NearQuery): Near {
    const found = this.copy.near(query);
    if (!found.complete) for (const team of this.#options.teams()) this.#fill.start(team);
    return found;
  }

  /** Until everything of the team is copied. */
  fill(team: TeamShard): Promise<void> {
    return this.#fill.finish(team);
  }

  /** The team is copied from the truth again, when it is next asked for; what is held stays. */
  refill(teamId: string): void {
    this.#fill.restart(teamId);
  }

  /** What left room since the budget cut the copy. */
  refillWhereRoom(): void {
    const cut = this.copy.spaces().filter(({ mark }) => this.copy.isEvicted(mark));
    if (cut.length === 0 || this.copy.size().bytes > refillBelow) return;
    this.#options.atomically(() => {
      for (const { mark } of cut) this.copy.noteEvicted(mark, false);
      for (const { teamId } of this.#options.teams()) this.#fill.restart(teamId);
    });
  }

  /** Takes out the vectors of what the documents say is secret or archived, or public no longer in the index of what is public. */
  withdraw(teamId: string, documents: readonly Pick<IndexDocument, "memoryId" | "version" | "secret" | "archived" | "visibility">[]): void {
    const isWithdrawn = documents.filter(({ secret, archived, visibility }) => secret || archived || (this.#options.publicOnly && visibility !== "public"));
    this.copy.removeMemories(teamId, isWithdrawn.map(({ memoryId, version }) => ({ id: memoryId, version })));
  }

  /** Takes out the vectors of what these memories, which are in the tables, said before. */
  withdrawRewritten(teamId: string, documents: readonly Pick<IndexDocument, "memoryId" | "version">[]): void {
    const earlier = documents.flatMap(({ memoryId: id, version }) => (version > 1 ? { id, version: version - 1 } : []));
    const held = this.copy.versionsOf(teamId, earlier).map(({ id, version }) => ({ teamId, memoryId: id, version }));
    this.copy.removeVersions(teamId, rewritten(this.#options.sql, held).map(({ memoryId: id, version }) => ({ id, version })));
  }

  /** Takes out the vectors of erased memories. */
  removeMemories(teamId: string, memoryIds: readonly string[]): void {
    this.copy.removeMemories(teamId, memoryIds.map((id) => ({ id })));
  }

  removeTeam(teamId: string): void {
    this.copy.removeTeam(teamId);
    this.#progress.restart(teamId);
  }

  forget(): void {
    this.copy.forget();
    this.#progress.forget();
  }
}

/** Those whose id names the team that they say, and that is the one team whose object this is, if it is one's. */
export async function ofTheirTeam(vectors: CopiedVector[], only: string | undefined): Promise<CopiedVector[]> {
  const digests = new Map(await Promise.all([...new Set(vectors.map(({ teamId }) => teamId))].map(async (teamId) => [teamId, await teamDigest(teamId)] as const)));
  return vectors.filter(({ id, teamId }) => {
    const { team } = parseVectorId(id);
    return (only === undefined || teamId === only) && (team === undefined || team === digests.get(teamId));
  });
}
