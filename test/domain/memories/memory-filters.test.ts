import fc from "fast-check";
import { expect, test } from "vitest";
import { conditionsOf, filterInput, matchesFilter, toFilter } from "../../../src/domain/memories/memory-filters.ts";
import { type FilterDefinition, type FilterName, memoryFilters, type MemoryFilter } from "../../../src/domain/memories/memory-fields.ts";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import { maySee } from "../../../src/domain/memories/policy.ts";
import { said } from "./arbitrary.ts";
import { day, newTeam, now } from "../../support/team.ts";

const filters = Object.entries<FilterDefinition>(memoryFilters) as [FilterName, FilterDefinition][];

/** Filters that ask for what some of the memories have, and for what none has. */
function asking(memories: Memory[]): fc.Arbitrary<MemoryFilter> {
  const value = ({ field, otherwise = field, until = field, test: how }: FilterDefinition): fc.Arbitrary<unknown> => {
    const held = fc.constantFrom(...memories.flatMap((memory) => [memory[field], memory[otherwise], memory[until]])).filter((one) => one !== null);
    if (how === "equals" || how === "equals or none") return fc.oneof({ weight: 9, arbitrary: held }, { weight: 1, arbitrary: held.map((one) => (typeof one === "string" ? `${one}x` : one)) });
    if (how === "before" || how === "within") return held.chain((one) => fc.constantFrom(one, (one as number) + 1, (one as number) - 1));
    if (how === "at least") return held.chain((one) => fc.constantFrom(one, (one as number) + 1e-9, (one as number) - 1));
    if (how === "holds all" || how === "holds none") return fc.uniqueArray(held.chain((list) => fc.constantFrom(...(list as string[]), "nowhere")), { maxLength: 3 });
    if (how === "holds entries") {
      const entries = memories.flatMap(({ metadata }) => Object.entries(metadata)).filter(([, entry]) => entry === null || typeof entry !== "object");
      const entry = fc.constantFrom(...entries, ["category", "nowhere"] as const);
      return fc.array(fc.oneof(entry, entry.map(([name, value]): [string, unknown] => [name, value === true ? 1 : String(value)])), { minLength: 1, maxLength: 2 }).map(Object.fromEntries);
    }
    const name = held.map(String);
    return fc.array(fc.oneof(name, name.chain((text) => fc.nat(text.length).map((length) => `${[...text].slice(0, length).join("")}*`))), { maxLength: 3 });
  };
  return fc
    .subarray(filters, { minLength: 1, maxLength: 2 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map(([filter, definition]) => [filter, value(definition)])), { noNullPrototype: true })) as fc.Arbitrary<MemoryFilter>;
}

test("a filter lets the same memories through in memory, in D1 and in the team's index [S15]", async () => {
  const team = await newTeam();
  const people = [team.owner, await team.join()];
  const states = fc.sample(said, { numRuns: 24, seed: 7 });
  const pool = ["sea", "atlas", "größe", "a*b", "%"];
  const memories: Memory[] = [];
  for (const [n, state] of states.entries()) {
    const metadata = { ...state.metadata, category: pool[n % 5] as string, half: n / 2, flag: n % 2 === 0, one: 1, none: null };
    const fields = { ...state, metadata, agentId: n % 5 === 0 ? null : `agent_${n % 3}`, runId: n % 4 === 0 ? null : `run-${n % 4}`, tags: pool.filter((_, i) => (n >> i) & 1), namespace: ["global", "project:größe", "project:g", "session:shop/7 a"][n % 4] as string, expiresAt: null };
    const { memory } = await (people[n % 2] as (typeof people)[0]).remember(`heron ${n} ${state.content}`.slice(0, 300), fields, now - (n % 5) * day);
    memories.push(memory);
  }
  const { owner } = team;
  const seen = memories.filter((memory) => maySee(owner.principal, memory));
  expect(seen.length).toBeGreaterThan(12);
  let some = 0;
  await fc.assert(
    fc.asyncProperty(asking(memories), async (filter) => {
      const expected = seen.filter((memory) => matchesFilter(memory, filter)).map(({ id }) => id).sort();
      const ids = async (asked: Parameters<typeof owner.recall>[0]) => (await owner.recall({ filter, ...asked }, now + day)).map(({ memory }) => memory.id).sort();
      expect(await ids({}), `D1 ${JSON.stringify(filter)}`).toEqual(expected);
      expect(await ids({ asOf: now }), `index ${JSON.stringify(filter)}`).toEqual(expected);
      if (expected.length > 0) some += 1;
    }),
    { numRuns: 120 },
  );
  expect(some).toBeGreaterThan(20);
}, 120_000);

test("an empty field equals nothing, is neither before nor after anything and matches nothing; what has no bounds holds always, and what nobody stored is for every role", () => {
  const empty = Object.fromEntries(filters.map(([, { field, test: how }]) => [field, how === "holds all" || how === "holds none" ? [] : how === "holds entries" ? {} : null])) as unknown as Memory;
  for (const [filter, { test: how }] of filters) {
    const asked = how === "equals" || how === "equals or none" ? "x" : how === "at least" ? -1 : how === "before" || how === "within" ? 9e15 : how === "holds entries" ? { category: null } : ["*"];
    expect(matchesFilter(empty, { [filter]: asked }), filter).toBe(how === "within" || how === "equals or none" || how === "holds none");
  }
  expect(matchesFilter(empty, {})).toBe(true);
});

test("entries of a secret's metadata meet no filter, wherever it is asked", async () => {
  const { owner } = await newTeam();
  const { memory } = await owner.remember("the vault code", { sensitivity: "secret", key: "vault", metadata: { category: "codes" } });
  const filter: MemoryFilter = { category: { category: "codes" } };
  expect(matchesFilter(memory, filter)).toBe(false);
  for (const asked of [{}, { key: "vault" }, { key: "vau*" }, { query: "vault" }, { asOf: now + 1 }]) expect(await owner.recall({ filter, ...asked }, now + 2)).toEqual([]);
  expect(await owner.recall({ key: "vault" }, now + 2)).toHaveLength(1);
});

test("what is said on the wire becomes what is asked for; what asks for nothing is left out", () => {
  const input = filterInput.parse({ tags: [" sea "], without_tags: ["commit"], scope: "shared", namespace: "project:*", min_importance: 0.5, max_age_days: 2, author: "ada", type: "reference", occurred_after: "2026-01-02", occurred_before: "2026-01-02T01:00", agent_id: "a_1", run_id: "r-1", category: "food", metadata: { n: 1, b: false, nil: null } });
  expect(toFilter({ ...input, valid_at: 5 }, now)).toEqual({ tags: ["sea"], withoutTags: ["commit"], visibility: "shared", namespaces: ["project:*"], minImportance: 0.5, changedSince: now - 2 * day, author: "ada", type: "reference", occurredAfter: Date.UTC(2026, 0, 2), occurredBefore: Date.UTC(2026, 0, 2, 1), agentId: "a_1", runId: "r-1", category: { category: "food" }, entries: { n: 1, b: false, nil: null }, validAt: 5 });
  expect(toFilter({ tags: [], without_tags: [], metadata: {} }, now)).toEqual({});
  expect(toFilter(undefined, now)).toEqual({});
  expect(conditionsOf({ type: "reference" })).toEqual([{ filter: "type", field: "type", test: "equals", value: "reference" }]);
});
