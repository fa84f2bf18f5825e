import { env, runInDurableObject } from "cloudflare:test";
import type { VectorKind } from "../../../../src/domain/embedding/vector-index.ts";
import { type CopiedVector, VectorCopy, type VectorCopyOptions } from "../../../../src/platform/team-index/vectors/vector-copy.ts";
import { teamDigest, vectorId } from "../../../../src/platform/vectorize/vector-ids.ts";

export const mark = "t0000000a";
export const teamId = "team-a";
const digests = new Map([[teamId, await teamDigest(teamId)], ["team-b", await teamDigest("team-b")]]);

/** Runs the work over the storage of an object that nothing else uses. */
export const inStorage = (work: (storage: DurableObjectStorage) => void | Promise<void>): Promise<void> =>
  runInDurableObject(env.TEAM_INDEX.getByName(`team:${crypto.randomUUID()}`), (_object, ctx) => work(ctx.storage));

export const copyOver = (storage: DurableObjectStorage, options: Partial<VectorCopyOptions> = {}): VectorCopy => new VectorCopy(storage.sql, { isFilled: () => true, ...options });

export interface Given {
  kind?: VectorKind;
  id: string;
  audience?: string;
  team?: string;
  version?: number;
  mark?: string;
  values: Float32Array;
}

export const vector = ({ kind = "memory", id, audience = "team", team = teamId, version = 1, values, ...rest }: Given): CopiedVector => ({
  id: vectorId(kind, id, { team: digests.get(team) as string, mark: rest.mark ?? mark, copy: "team" }), kind, audience, teamId: team, shard: "SHARD_0", version, values,
});

/** A UUID that sorts by its number, as UUIDs of version 7 do by their time. */
export const idOf = (number: number): string => `${number.toString(16).padStart(12, "0").replace(/^(.{8})/, "$1-")}-7000-8000-000000000000`;

/** A pseudo-random unit vector (mulberry32). */
export function unitVector(seed: number, dimensions: number): Float32Array {
  let state = Math.imul(seed + 1, 0x9e37_79b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const values = Float32Array.from({ length: dimensions }, () => next() + next() + next() - 1.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
