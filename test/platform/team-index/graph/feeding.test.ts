import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { linkMemory, unlinkMemory } from "../../../../src/domain/graph/link.ts";
import type { Expanded, Expansion } from "../../../../src/domain/graph/graph-store.ts";
import { archiveOne } from "../../../../src/domain/memories/forget.ts";
import { queryTerms } from "../../../../src/domain/text/query-terms.ts";
import { GraphCopy } from "../../../../src/platform/team-index/graph/graph-copy.ts";
import { GraphFollowing } from "../../../../src/platform/team-index/graph/graph-following.ts";
import { GraphSource } from "../../../../src/platform/team-index/graph/graph-source.ts";
import { PresentVersionsOfDocs } from "../../../../src/platform/team-index/graph/memory-rows.ts";
import { TeamIndexMaintenance } from "../../../../src/platform/team-index/index-maintenance.ts";
import { Unannounced } from "../../../support/indexing.ts";
import { indexed, minute, newTeam, now, services, type Person, type Team } from "../../../support/team.ts";
import { RowsOfD1, shard } from "./graph-world.ts";

let team: Team;
let ada: Person;
const shared = { visibility: "shared" } as const;

beforeEach(async () => {
  team = await newTeam();
  ada = Unannounced.of(team.owner);
});

/** The copy as the object has stored it. */
const inObject = <T>(work: (copy: GraphCopy, storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
  runInDurableObject(team.index, (_, { storage }) => work(new GraphCopy(storage.sql, new PresentVersionsOfDocs(storage.sql)), storage));

/** The object reads its graph, as when it is first asked for it. */
async function readGraph(): Promise<void> {
  await inObject((copy, storage) =>
    new GraphFollowing({
      copy, atomically: (work) => storage.transactionSync(work), shard: () => shard, waitUntil: () => undefined, catchUp: async () => 0,
    }).read(team.ref, now));
  await evictDurableObject(team.index);
}

const stateOf = (): Promise<string> => inObject((copy) => copy.state);

/** Asks the copy and D1 the same, and answers what both say. */
async function expand(asked: Expansion): Promise<Expanded> {
  await team.settle();
  const rows = new RowsOfD1();
  await rows.read(team);
  const truth = await services.graph.expand(ada.principal, now, asked);
  const answer = await inObject((copy) => copy.expand({ userId: ada.id, teamId: team.id }, now, asked, rows));
  expect(answer).toEqual(truth);
  return answer;
}

const termsOf = (words: string): string[] => queryTerms(words).map(({ term }) => term);
const namesFound = async (words: string): Promise<string[]> => (await expand({ entities: { terms: termsOf(words), limit: 5 } })).entities.map(({ item }) => item.name);
const tiesOf = async (memoryId: string): Promise<string[]> => (await expand({ ties: { memoryIds: [memoryId], limit: 10 } })).ties.map(({ type, other }) => `${type} ${other.key}`);

const expectSameTotals = async (): Promise<void> => expect(await inObject((copy) => copy.totals())).toEqual((await new GraphSource(shard, team.id).checksum()).totals);

describe("a graph that nobody asked for", () => {
  test("is not held", async () => {
    await ada.keep("one", "Maria owns the Node.js gateway.", shared);
    await indexed(ada.principal);
    expect(await stateOf()).toBe("absent");
    expect(await inObject((copy) => copy.totals())).toMatchObject({ names: 0, relationships: 0 });
  });
});

describe("a graph that was read", () => {
  test("hears of what is drawn, and of each new version, archiving and erasure at once", async () => {
    await ada.keep("one", "Maria owns the Node.js gateway.", shared);
    await indexed(ada.principal);
    await readGraph();
    expect(await namesFound("maria")).toEqual(["Maria"]);

    const two = await ada.keep("two", "Globex Inc acquired Initech LLC.", shared);
    expect(await namesFound("globex")).toEqual([]);
    await indexed(ada.principal);
    expect(await namesFound("globex")).toEqual(["Globex Inc"]);

    await ada.keep("two", "Umbrella Corp acquired Initech LLC.", shared, now + minute);
    expect(await namesFound("globex initech")).toEqual([]);
    await indexed(ada.principal);
    expect(await namesFound("umbrella")).toEqual(["Umbrella Corp"]);
    await expectSameTotals();

    const current = await services.memories.get(ada.principal, now, two.id);
    await archiveOne(ada.at(now + 2 * minute), current as NonNullable<typeof current>);
    expect(await namesFound("umbrella")).toEqual([]);
    await expectSameTotals();
  });

  test("hears of links that people make and take away, and of those that are drawn", async () => {
    const one = await ada.keep("plan.one", "The first plan.", shared);
    const two = await ada.keep("plan.two", "The second plan.", shared);
    await readGraph();
    await linkMemory(ada.at(now), one, [{ to: two.id, type: "extends", strength: 0.8, reason: "" }]);
    expect(await tiesOf(one.id)).toEqual(["extends plan.two"]);
    await unlinkMemory(ada.at(now), one, [{ to: two.id }]);
    expect(await tiesOf(one.id)).toEqual([]);

    await ada.keep("plan.three", "Instead of `plan.one`, this.", shared);
    await indexed(ada.principal);
    expect(await tiesOf(one.id)).toEqual(["references plan.three"]);
    await expectSameTotals();
  });

  test("is not left without what the object could not be told: the stage draws it again", async () => {
    await readGraph();
    const broken = vi.spyOn(TeamIndexMaintenance.prototype, "graphChanged").mockRejectedValueOnce(new Error("out of reach"));
    await ada.keep("one", "Maria owns the Node.js gateway.", shared);
    await indexed(ada.principal);
    expect(broken.mock.calls.length).toBeGreaterThan(1);
    expect(await namesFound("maria")).toEqual(["Maria"]);
  });

  test("is dropped when it differs from D1, once nothing is under way, and kept when it does not", async () => {
    await ada.keep("one", "Maria owns the Node.js gateway.", shared);
    await ada.keep("two", "See `one`.", shared);
    await indexed(ada.principal);
    await readGraph();
    await team.index.verify(team.ref);
    expect(await stateOf()).toBe("complete");

    await inObject((_, { sql }) => void sql.exec("DELETE FROM graph_links"));
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: true });
    expect(await stateOf()).toBe("absent");
  });

  test("goes with an index that is built anew, and when something unknown changed", async () => {
    await ada.keep("one", "Maria owns the Node.js gateway.", shared);
    await indexed(ada.principal);
    await readGraph();
    await team.index.rebuild(team.ref);
    expect(await stateOf()).toBe("absent");

    await evictDurableObject(team.index);
    await readGraph();
    await team.index.bump();
    expect(await stateOf()).toBe("absent");
    expect(await inObject((copy) => copy.totals())).toMatchObject({ names: 0 });
  });
});

describe("the memory of an object", () => {
  test("holds no graph beyond its budget", async () => {
    const object = env.TEAM_INDEX.getByName(`scratch:${crypto.randomUUID()}`);
    await runInDurableObject(object, (_, { storage }) => {
      const ids = Array.from({ length: 500 }, (__, n) => `memory-${n}`);
      const copy = new GraphCopy(storage.sql, { versionsOf: () => new Map(ids.map((id) => [id, 1])) });
      const names = Array.from({ length: 700 }, (__, n) => ({ id: `n${n}`, entity: `n${n}`, norm: `n${n}`, name: `n${n}`, type: "technology", confidence: 1, tokens: [] }));
      copy.clear("filling");
      copy.complete();
      copy.put(ids.map((memoryId) => ({ memoryId, version: 1, home: "", expiresAt: null, entities: names, relationships: [] })));
      expect(copy.state).toBe("too-large");
      expect(copy.totals().names).toBe(0);
    });
  });
});
