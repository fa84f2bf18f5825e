import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cosine } from "../../../../src/domain/embedding/unit-vector.ts";
import { vectorKinds, type VectorKind } from "../../../../src/domain/embedding/vector-index.ts";
import type { VectorCopy } from "../../../../src/platform/team-index/vectors/vector-copy.ts";
import { copyOver, idOf, inStorage, mark, teamId, unitVector, vector } from "./copies.ts";

const dimensions = 24;
const minute = 60_000;
/** Of codes in so few dimensions. */
const rounding = 0.02;
const budget = dimensions * 900;
const teams = [teamId, "team-b"];
const audiences = ["team", "ada", "grace"];

interface Held {
  kind: VectorKind;
  id: string;
  team: string;
  audience: string;
  version: number;
  values: Float32Array;
  at: number;
}

/** What the copy must be, said naively. */
class Model {
  held = new Map<string, Held>();

  put(given: Held): void {
    const key = `${given.kind} ${given.id} ${given.team}`;
    if ((this.held.get(key)?.version ?? 0) <= given.version) this.held.set(key, given);
  }

  remove(passes: (held: Held) => boolean): void {
    for (const [key, held] of this.held) if (passes(held)) this.held.delete(key);
  }

  near(values: Float32Array, limit: number, passes: (held: Held) => boolean): number[] {
    const of = (kind: VectorKind): number[] =>
      [...this.held.values()].filter((held) => held.kind === kind && passes(held)).map((held) => cosine(held.values, values)).sort((a, b) => b - a).slice(0, limit);
    return vectorKinds.flatMap(of).sort((a, b) => b - a);
  }
}

const kindOf = (n: number): VectorKind => (n % 5 === 0 ? "entity" : n % 7 === 0 ? "relationship" : "memory");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant("put" as const), from: fc.nat(3_000), count: fc.integer({ min: 1, max: 700 }), version: fc.integer({ min: 1, max: 4 }), team: fc.nat(1), audience: fc.nat(2), seed: fc.nat(1_000) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("remove" as const), from: fc.nat(3_000), count: fc.integer({ min: 1, max: 400 }), team: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("removeMemories" as const), from: fc.nat(3_000), count: fc.integer({ min: 1, max: 400 }), team: fc.nat(1), version: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("removeTeam" as const), team: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("restart" as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("maintain" as const), purge: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("rollBack" as const), from: fc.nat(3_000), count: fc.integer({ min: 1, max: 1_500 }) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("wait" as const), minutes: fc.integer({ min: 1, max: 15 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function check(copy: VectorCopy, model: Model, seed: number): void {
  const values = unitVector(seed, dimensions);
  const asks = [
    { query: { kinds: [...vectorKinds], limit: 8 }, passes: () => true },
    { query: { kinds: [...vectorKinds], audiences: ["team", "ada"], limit: 5 }, passes: ({ audience }: Held) => audience !== "grace" },
    { query: { kinds: ["memory" as const], exceptTeam: teamId, limit: 3 }, passes: ({ kind, team }: Held) => kind === "memory" && team !== teamId },
  ];
  for (const { query, passes } of asks) {
    const { hits } = copy.near({ mark, values, ...query });
    const nearest = model.near(values, query.limit, passes);
    expect(hits).toHaveLength(nearest.length);
    for (const [place, { similarity }] of hits.entries()) expect(Math.abs(similarity - (nearest[place] as number))).toBeLessThan(rounding);
    for (const { kind, id, teamId: team, version, similarity } of hits) {
      const held = model.held.get(`${kind} ${id} ${team}`) as Held;
      expect({ version, passes: passes(held) }).toEqual({ version: held.version, passes: true });
      expect(Math.abs(similarity - cosine(held.values, values))).toBeLessThan(rounding);
    }
  }
  expect(copy.size()).toEqual({ vectors: model.held.size, bytes: model.held.size * dimensions });
  const some = Array.from({ length: 40 }, (_, i) => idOf((seed * 37 + i * 71) % 3_700));
  for (const team of teams) {
    const known = some.flatMap((id) => model.held.get(`memory ${id} ${team}`) ?? []);
    const similar = copy.similarities(mark, values, team, some);
    expect([...similar.keys()].sort()).toEqual(known.map(({ id }) => id).sort());
    for (const { id, values: own } of known) expect(Math.abs((similar.get(id) as number) - cosine(own, values))).toBeLessThan(rounding);
  }
}

/** Follows what the copy evicted: it must be over budget before, within it after, no young vector gone, names first, then the oldest. */
function follow(copy: VectorCopy, model: Model, now: number): number {
  const isHeld = new Set(copy.held([...model.held.values()].map((held) => vector(held).id)).map(({ id }) => id));
  const evicted = [...model.held.values()].filter((held) => !isHeld.has(vector(held).id));
  if (evicted.length === 0) return 0;
  expect(model.held.size * dimensions).toBeGreaterThan(budget);
  expect(Math.max(...evicted.map(({ at }) => at))).toBeLessThanOrEqual(now - 10 * minute + 999);
  const kept = [...model.held.values()].filter((held) => isHeld.has(vector(held).id) && held.at <= now - 10 * minute);
  const memories = evicted.filter(({ kind }) => kind === "memory").map(({ id }) => id).sort();
  if (memories.length > 0) {
    expect(kept.filter(({ kind }) => kind !== "memory")).toEqual([]);
    for (const { id } of kept) expect(id >= (memories.at(-1) as string)).toBe(true);
  }
  model.remove((held) => evicted.includes(held));
  expect(copy.complete(mark)).toBe(false);
  return evicted.length;
}

describe("the copy of a team's vectors", () => {
  test("finds what a naive comparison finds, whatever is put, removed, evicted, rolled back and restarted", async () => {
    let [checked, evicted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24, size: "max" }), (steps: Step[]) =>
        inStorage((storage) => {
          const model = new Model();
          let copy = copyOver(storage, { budget });
          let now = 1_900_000_000_000;
          const atomically = (work: () => void): void => storage.transactionSync(work);
          const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
          for (const [at, one] of steps.entries()) {
            if (one.act === "put") {
              const given = range(one.from, one.count).map((n): Held => ({
                kind: kindOf(n), id: idOf(n), team: teams[one.team] as string, audience: audiences[one.audience] as string, version: one.version, values: unitVector(n * 1_009 + one.seed, dimensions), at: now,
              }));
              const before = new Map(model.held);
              given.forEach((held) => model.put(held));
              const isTooMuch = [...model.held.values()].filter((held) => held.at > now - 10 * minute).length * dimensions > 2 * budget;
              try {
                atomically(() => copy.put({ mark, dimensions }, given.map(vector), now));
                expect(isTooMuch).toBe(false);
              } catch (error) {
                expect(String(error)).toContain("Too many vectors");
                expect(isTooMuch).toBe(true);
                model.held = before;
                copy.forget();
              }
              evicted += follow(copy, model, now);
            }
            if (one.act === "remove") {
              const names = range(one.from, one.count).map((n) => vector({ kind: kindOf(n), id: idOf(n), team: teams[one.team] as string, values: new Float32Array(0) }).id);
              atomically(() => copy.remove(names));
              model.remove((held) => names.includes(vector(held).id));
            }
            if (one.act === "removeMemories") {
              const ids = range(one.from, one.count).map(idOf);
              atomically(() => copy.removeMemories(teams[one.team] as string, ids.map((id) => ({ id, version: one.version }))));
              model.remove((held) => held.kind === "memory" && held.team === teams[one.team] && ids.includes(held.id) && held.version <= one.version);
            }
            if (one.act === "removeTeam") {
              atomically(() => copy.removeTeam(teams[one.team] as string));
              model.remove((held) => held.team === teams[one.team]);
            }
            if (one.act === "restart") copy = copyOver(storage, { budget });
            if (one.act === "maintain") {
              copy.maintain(atomically, { purge: one.purge });
              if (one.purge) expect(storage.sql.exec("SELECT count(*) AS n FROM vector_gone").one()).toEqual({ n: 0 });
            }
            if (one.act === "rollBack") {
              expect(() => atomically(() => {
                copy.put({ mark, dimensions }, range(one.from, one.count).map((n) => vector({ id: idOf(n), version: 9, values: unitVector(n, dimensions) })), now);
                throw new Error("rolled back");
              })).toThrow();
              copy.forget();
            }
            if (one.act === "wait") now += one.minutes * minute;
            checked += 1;
            check(copy, model, at);
          }
        })),
      { numRuns: 12 },
    );
    console.info(`vector copy: ${checked} states compared, ${evicted} vectors evicted`);
    expect(evicted).toBeGreaterThan(0);
  }, 120_000);
});
