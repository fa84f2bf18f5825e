import { vectorStageName } from "../../../domain/indexing/vector-stage.ts";
import type { VectorKind } from "../../../domain/embedding/vector-index.ts";
import { standsFor } from "../../d1/comparison-store.ts";
import { fromHex } from "../../d1/vector-hex.ts";

export interface SourceVector {
  id: string;
  /** 0 of a memory in a version that nobody knows: its vector was never acknowledged. */
  version: number;
  visibility: "private" | "shared" | "public";
  ownerId: string;
  values: Float32Array;
}

/** Parameters: team, space, kind, id below which the page begins, limit, whether of public memories only. */
const page = `SELECT * FROM (SELECT i.id, i.version, hex(v.vector) AS vector, ${standsFor} AS truth
  FROM vector_items i CROSS JOIN vector_cache v ON v.team_id = ?1 AND v.space = ?2 AND v.hash = i.hash
  WHERE i.team_id = ?1 AND i.kind = ?3 AND i.id < ?4 AND i.space = ?2 AND i.hash IS NOT NULL)
  WHERE truth IS NOT NULL AND (NOT ?6 OR truth ->> 1 = 'public') ORDER BY id DESC LIMIT ?5 + 0`;

/** A team's vectors in its shard, read by the object itself: not on behalf of a person, so nothing is hidden. */
export class VectorSource {
  readonly #d1: D1Database;
  readonly #teamId: string;

  constructor(d1: D1Database, teamId: string) {
    this.#d1 = d1;
    this.#teamId = teamId;
  }

  /** Names of the spaces in which the team has vectors, in order. */
  async spaces(): Promise<string[]> {
    const { results } = await this.#d1
      .prepare("SELECT space FROM index_progress WHERE team_id = ?1 AND stage = ?2 ORDER BY space")
      .bind(this.#teamId, vectorStageName)
      .all<{ space: string }>();
    return results.map(({ space }) => space);
  }

  /** Vectors of a kind with ids below the one named, the highest first: of memories those are the newest. */
  async below(space: string, kind: VectorKind, id: string, limit: number, publicOnly: boolean): Promise<SourceVector[]> {
    const { results } = await this.#d1
      .prepare(page)
      .bind(this.#teamId, space, kind, id, limit, publicOnly ? 1 : 0)
      .all<{ id: string; version: number; vector: string; truth: string }>();
    return results.map(({ id, version, vector, truth }) => {
      const [newest, visibility, ownerId] = JSON.parse(truth) as [number, SourceVector["visibility"], string];
      // The pipeline brings again what it never acknowledged.
      return { id, version: kind === "memory" ? version : version || newest, visibility, ownerId, values: fromHex(vector) };
    });
  }
}
