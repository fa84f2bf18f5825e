import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { EntityType } from "../../../../src/domain/graph/graph.ts";
import type { DrawnContribution } from "../../../../src/domain/graph/graph-store.ts";
import { D1GraphStore } from "../../../../src/platform/d1/graph-store.ts";
import { D1GraphWriter } from "../../../../src/platform/d1/graph-writer.ts";
import { GraphCopy } from "../../../../src/platform/team-index/graph/graph-copy.ts";
import { GraphFollowing } from "../../../../src/platform/team-index/graph/graph-following.ts";
import type { MemoryRow, MemoryRows } from "../../../../src/platform/team-index/graph/memory-rows.ts";
import type { Team } from "../../../support/team.ts";

const shardOf = (name: string): D1Database => (env as unknown as Record<string, D1Database>)[name] as D1Database;
export const graphStore = new D1GraphStore(shardOf);
export const graphWriter = new D1GraphWriter(shardOf);
export const shard = env.SHARD_0;

export interface SaidOf {
  entities?: { name: string; alias?: string; type?: EntityType; confidence?: number }[];
  relationships?: { source: string; type: string; target: string; context?: string; confidence?: number }[];
}

const normOf = (name: string): string => name.toLowerCase().replaceAll(/[\s-]/g, "");
const tokensOf = (text: string): [string, number][] => {
  const words = [...new Set(text.toLowerCase().split(/[\s_-]+/))];
  return words.map((word) => [word, 1 / words.length]);
};

/** Ids of entities in a home are readable, so that questions can name them. */
export const entityId = (home: string, name: string): string => `entity:${home}:${normOf(name)}`;
export const relationshipId = (home: string, source: string, type: string, target: string): string => `said:${home}:${normOf(source)}:${type}:${normOf(target)}`;

export function contribution(memory: { id: string; version: number; home: string; expiresAt: number | null }, { entities = [], relationships = [] }: SaidOf): DrawnContribution {
  const { id, version, home, expiresAt } = memory;
  return {
    memoryId: id, version, home, expiresAt,
    entities: entities.flatMap(({ name, alias, type = "technology", confidence = 0.8 }) =>
      [name, ...(alias === undefined ? [] : [alias])].map((spelling) => ({
        id: entityId(home, name), entity: normOf(name), norm: normOf(spelling), name: spelling, type, confidence, tokens: tokensOf(spelling),
      }))),
    relationships: relationships.map(({ source, type, target, context = null, confidence = 0.7 }) => ({
      id: relationshipId(home, source, type, target), source: normOf(source), type, target: normOf(target), sourceName: source, targetName: target,
      context, validFrom: null, validTo: null, confidence, tokens: tokensOf(`${source} ${type} ${target}`),
    })),
  };
}

/** The memories as the object would hold them, read from D1. */
export class RowsOfD1 implements MemoryRows {
  #rows = new Map<string, MemoryRow & { version: number }>();

  async read(team: Team): Promise<void> {
    const { results } = await shard
      .prepare("SELECT id, home, key, content, archived_at, expires_at, sensitivity, trust ->> '$.quarantined' AS quarantined, updated_by, version FROM memories WHERE team_id = ?")
      .bind(team.id)
      .all<{ id: string; home: string; key: string | null; content: string; archived_at: number | null; expires_at: number | null; sensitivity: string; quarantined: number; updated_by: string; version: number }>();
    this.#rows = new Map(results.map((row) => [row.id, {
      id: row.id, home: row.home, key: row.key, content: row.content, archivedAt: row.archived_at, expiresAt: row.expires_at,
      secret: row.sensitivity === "secret", quarantined: row.quarantined === 1, updatedBy: row.updated_by, version: row.version,
    }]));
  }

  get(id: string) {
    return this.#rows.get(id);
  }

  versionsOf(ids: readonly string[]): Map<string, number> {
    return new Map(ids.flatMap((id) => (this.#rows.has(id) ? [[id, (this.#rows.get(id) as { version: number }).version]] : [])));
  }
}

export interface Scratch {
  copy: GraphCopy;
  following: GraphFollowing;
  rows: RowsOfD1;
  sql: SqlStorage;
  atomically(work: () => void): void;
}

/** Runs with a copy of its own, in the storage of an object that serves nobody. */
export async function withCopy<T>(team: Team, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const object = env.TEAM_INDEX.getByName(`scratch:${crypto.randomUUID()}`);
  return runInDurableObject(object, async (_, state) => {
    const rows = new RowsOfD1();
    await rows.read(team);
    const copy = new GraphCopy(state.storage.sql, rows);
    const atomically = (change: () => void): void => {
      try {
        state.storage.transactionSync(change);
      } catch (error) {
        copy.forget();
        throw error;
      }
    };
    const following = new GraphFollowing({
      copy, atomically, shard: shardOf, waitUntil: () => undefined,
      catchUp: async () => {
        await rows.read(team);
        return (await shard.prepare("SELECT seq FROM counters WHERE team_id = ?").bind(team.id).first<number>("seq")) ?? 0;
      },
    });
    return work({ copy, following, rows, sql: state.storage.sql, atomically });
  });
}
