import { env } from "cloudflare:workers";
import { indexTeam, sweepIndexing, type IndexingPorts } from "../../src/domain/indexing/index-team.ts";
import type { Outcome } from "../../src/domain/indexing/follow.ts";
import { calibrationTask } from "../../src/domain/indexing/calibrate.ts";
import { graphStage } from "../../src/domain/graph/stage.ts";
import { stageTask } from "../../src/domain/indexing/task.ts";
import { graphVectorTask, vectorTask, type VectorTaskPorts } from "../../src/domain/indexing/vector-task.ts";
import { EmbeddingFailure, type Embedder } from "../../src/domain/embedding/embedder.ts";
import type { VectorEntry, VectorIndex, VectorKind } from "../../src/domain/embedding/vector-index.ts";
import type { TeamRef } from "../../src/domain/tenancy/team-ref.ts";
import { D1ProgressStore } from "../../src/platform/d1/progress-store.ts";
import { D1GraphWriter } from "../../src/platform/d1/graph-writer.ts";
import type { Context } from "../../src/domain/context.ts";
import type { ShardOf } from "../../src/platform/d1/shard-of.ts";
import { D1ScaleStore } from "../../src/platform/d1/scale-store.ts";
import { D1VectorStore } from "../../src/platform/d1/vector-store.ts";
import { TeamIndexWriter } from "../../src/platform/team-index/writer.ts";
import { TeamIndexMaintenance } from "../../src/platform/team-index/index-maintenance.ts";
import { store as directory } from "../domain/tenancy/tenant.ts";
import { Person, type Team } from "./team.ts";

export const shardOf: ShardOf = (name) => (env as unknown as Record<string, D1Database>)[name] as D1Database;

/** What goes wrong at the next calls, one after another; `undefined` lets a call through. */
export type Trouble = (() => void | Promise<void>) | undefined;

/** At the port of the embedder: tells what it was asked, and fails as it was told. */
export class ScriptedEmbedder implements Embedder {
  readonly space: string;
  readonly dimensions = 4;
  readonly maxBatch: number;
  readonly takesMany = false;
  readonly asked: string[][] = [];
  readonly poison = new Set<string>();
  readonly script: Trouble[] = [];
  /** As long as it is set, every call fails so. */
  broken: Trouble;
  wrongDimension = false;

  constructor(space = "test:a:4", maxBatch = 8) {
    this.space = space;
    this.maxBatch = maxBatch;
  }

  async embed(texts: string[]): Promise<Float32Array[]> {
    this.asked.push(texts);
    await (this.script.shift() ?? this.broken)?.();
    if (texts.some((text) => [...this.poison].some((part) => text.includes(part)))) throw new EmbeddingFailure("bad input", { retryable: false });
    return texts.map((text) => (this.wrongDimension ? new Float32Array(3) : vectorOf(text)));
  }

  get texts(): string[] {
    return this.asked.flat();
  }
}

/** Different for every text, so that a vector tells what it was made of. */
export function vectorOf(text: string): Float32Array {
  let state = 2_166_136_261;
  const values = new Float32Array(4);
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) as number), 16_777_619);
  for (let i = 0; i < values.length; i += 1) {
    state = Math.imul(state ^ (i + 1), 16_777_619);
    values[i] = (state >>> 0) / 2 ** 32 - 0.5;
  }
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

/** At the port of the index: holds exactly what it was told to, like the real one across spaces. */
export class RecordingIndex implements VectorIndex {
  readonly held = new Map<string, VectorEntry & { teamId: string; space: string }>();
  readonly script: Trouble[] = [];
  broken: Trouble;
  upserts = 0;

  async #trouble(): Promise<void> {
    await (this.script.shift() ?? this.broken)?.();
  }

  async upsert(team: TeamRef, space: string, entries: VectorEntry[]): Promise<void> {
    await this.#trouble();
    this.upserts += 1;
    for (const entry of entries) this.held.set([team.teamId, space, entry.kind, entry.id].join(" "), { ...entry, teamId: team.teamId, space });
  }

  async remove(team: TeamRef, entries: { kind: VectorKind; id: string }[], space?: string): Promise<void> {
    await this.#trouble();
    for (const [key, entry] of this.held) {
      const named = entries.some(({ kind, id }) => kind === entry.kind && id === entry.id);
      if (named && entry.teamId === team.teamId && (space === undefined || space === entry.space)) this.held.delete(key);
    }
  }

  query(): Promise<never> {
    throw new Error("nobody asks here");
  }

  of(team: { id: string }, space: string): Map<string, VectorEntry> {
    return new Map([...this.held.values()].filter((entry) => entry.teamId === team.id && entry.space === space).map((entry) => [entry.id, entry]));
  }
}

export const busy = (retryAfter?: number): Trouble => () => {
  throw new EmbeddingFailure("429", { retryable: true, ...(retryAfter === undefined ? {} : { retryAfter }) });
};
export const down: Trouble = () => {
  throw new Error("connection refused");
};

/** Sweeps see one team: the others of the shard are other tests'. */
class ProgressOfTeam extends D1ProgressStore {
  readonly #teamId: string;

  constructor(teamId: string) {
    super(shardOf);
    this.#teamId = teamId;
  }

  override async teamsBehind(...[shard, expected, at]: Parameters<D1ProgressStore["teamsBehind"]>): Promise<string[]> {
    return (await super.teamsBehind(shard, expected, at, 10_000)).filter((id) => id === this.#teamId);
  }
}

/** Writes that the running Worker is not told of, which would draw the same graph meanwhile. */
export class Unannounced extends Person {
  static of({ token, principal }: Person): Unannounced {
    return new Unannounced(token, principal);
  }

  override at(instant: number, tool?: string): Context {
    return { ...super.at(instant, tool), writer: new TeamIndexWriter(env.TEAM_INDEX, () => undefined) };
  }
}

/** The jobs of one deployment over the real databases, with a clock that the test turns. */
export class Jobs {
  now: number;
  readonly embedder: ScriptedEmbedder;
  readonly index: RecordingIndex;
  readonly reported: unknown[] = [];
  readonly ports: IndexingPorts;

  constructor(team: Team, now: number, options: { embedder?: ScriptedEmbedder; earlier?: ScriptedEmbedder[]; index?: RecordingIndex; withGraph?: boolean; withScale?: boolean; within?: Partial<VectorTaskPorts> } = {}) {
    this.now = now;
    this.embedder = options.embedder ?? new ScriptedEmbedder();
    this.index = options.index ?? new RecordingIndex();
    const all = [this.embedder, ...(options.earlier ?? [])];
    const ports = {
      progress: new ProgressOfTeam(team.id),
      vectors: new D1VectorStore(shardOf),
      scales: new D1ScaleStore(shardOf),
      vectorIndex: this.index,
      graph: new D1GraphWriter(shardOf),
      embedders: { current: this.embedder, bySpace: (space: string) => all.find((embedder) => embedder.space === space) },
      report: (_event: string, error: unknown) => void this.reported.push(error),
      ...options.within,
    };
    const ofGraph = options.withGraph ? [stageTask(ports, graphStage(new D1GraphWriter(shardOf), new TeamIndexMaintenance(env.TEAM_INDEX))), graphVectorTask(ports)] : [];
    this.ports = { ...ports, teams: directory, tasks: [vectorTask(ports), ...ofGraph, ...(options.withScale ? [calibrationTask(ports)] : [])] };
  }

  readonly clock = (): number => this.now;

  run(team: Team, memories = 10_000): Promise<Outcome> {
    return indexTeam(this.ports, teamRefOf(team), this.clock, { deadline: this.now + 30_000, memories });
  }

  /** Cron, minute after minute. */
  async sweep(minutes = 1): Promise<void> {
    for (let i = 0; i < minutes; i += 1) {
      this.now += 60_000;
      await sweepIndexing(this.ports, this.clock, this.now + 30_000);
    }
  }
}

export const teamRefOf = (team: Team): TeamRef => ({ teamId: team.id, organizationId: team.organizationId, shard: team.owner.principal.shard });

export const rows = async <T>(sql: string, ...values: unknown[]): Promise<T[]> => (await env.SHARD_0.prepare(sql).bind(...values).all<T>()).results;
