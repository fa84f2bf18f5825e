import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import type { VectorEntry, VectorHit, VectorKind } from "../../src/domain/embedding/vector-index.ts";
import type { TeamRef } from "../../src/domain/tenancy/team-ref.ts";
import type { Principal } from "../../src/domain/tenancy/principal.ts";
import { type VectorizeBinding, VectorizeBindings } from "../../src/platform/vectorize/bindings.ts";
import { VectorizeIndex } from "../../src/platform/vectorize/vectorize-index.ts";

export const space = "test:axes:8#2";

/** The unit vector that points to `axis`, a little inclined to the next one. */
export function towards(axis: number, incline = 0): Float32Array {
  const values = new Float32Array(8);
  values[axis] = Math.sqrt(1 - incline ** 2);
  values[(axis + 1) % 8] = incline;
  return values;
}

export const newTeamRef = (organizationId: string = crypto.randomUUID()): TeamRef => ({ teamId: crypto.randomUUID(), organizationId, shard: "SHARD_0" });

export const memberOf = (team: TeamRef, userId: string = crypto.randomUUID()): Principal => ({
  ...team, userId, role: "member", scopes: ["memory:read", "memory:write"], credential: { kind: "api-key", id: "k" },
});

export const entry = (fields: Partial<VectorEntry> = {}): VectorEntry => ({
  kind: "memory", id: crypto.randomUUID(), version: 1, visibility: "shared", ownerId: "nobody", values: towards(0), ...fields,
});

export interface VectorizeFixture {
  index: VectorizeIndex;
  find: (who: Principal, values?: Float32Array, kinds?: VectorKind[], limit?: number) => Promise<VectorHit[]>;
  ids: (who: Principal, values?: Float32Array, kinds?: VectorKind[], limit?: number) => Promise<string[]>;
  faults: unknown[];
}

export function over(...bound: VectorizeBinding[]): VectorizeFixture {
  const faults: unknown[] = [];
  const bindings = Object.fromEntries(bound.map((binding, at) => [at === 0 ? "VECTORIZE" : "VECTORIZE_NEXT", binding]));
  const index = new VectorizeIndex(new VectorizeBindings(bindings), env.TEAM_INDEX, (_event, error) => faults.push(error));
  const find: VectorizeFixture["find"] = (who, values = towards(0), kinds = ["memory", "entity", "relationship"], limit = 10) =>
    index.query(who, space, values, { kinds, limit });
  return { index, find, ids: async (...args) => (await find(...args)).map(({ id }) => id), faults };
}

/** How many vectors the copy of the team's object or the organization's holds. */
export const heldIn = (name: string): Promise<number> =>
  runInDurableObject(env.TEAM_INDEX.getByName(name), (_object, { storage }) => storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM vector_rows").one().n);

/** Vectorize is to be asked too, as after an eviction; without `kept`, it alone has the vectors. */
export async function cut(name: string, { kept = false } = {}): Promise<void> {
  const object = env.TEAM_INDEX.getByName(name);
  await runInDurableObject(object, (_object, { storage: { sql } }) => {
    sql.exec("UPDATE copied_spaces SET evicted = 1");
    if (!kept) sql.exec("DELETE FROM vector_rows; DELETE FROM vector_packs; DELETE FROM vector_gone");
  });
  await evictDurableObject(object);
}

/** As if all that was written had been written so long ago, ms. */
export async function age(name: string, ms: number): Promise<void> {
  const object = env.TEAM_INDEX.getByName(name);
  await runInDurableObject(object, (_object, { storage: { sql } }) => void sql.exec("UPDATE vector_rows SET at = at - ?", Math.ceil(ms / 1_000)));
  await evictDurableObject(object);
}
