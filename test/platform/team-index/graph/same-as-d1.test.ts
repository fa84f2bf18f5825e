import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linkTypes } from "../../../../src/domain/graph/graph.ts";
import type { DrawnContribution, Expansion } from "../../../../src/domain/graph/graph-store.ts";
import { GraphSource } from "../../../../src/platform/team-index/graph/graph-source.ts";
import { teamRefOf as teamRef } from "../../../domain/graph/extracted.ts";
import { newTeam, now, type Person, type Team } from "../../../support/team.ts";
import { contribution, entityId, graphStore, graphWriter, relationshipId, type SaidOf, type Scratch, shard, withCopy } from "./graph-world.ts";

const memoryCount = 9;
const names = ["Alpha", "alpha", "Beta", "be", "Gamma Ray", "gamma-ray", "Delta Force", "Delta", "Epsilon"];
const types = ["technology", "person", "date"] as const;
const verbs = ["uses", "owns"];

const index = fc.nat(memoryCount - 1);
const name = fc.constantFrom(...names);
const confidence = fc.constantFrom(0.3, 0.5, 0.8, 0.95);
const said: fc.Arbitrary<SaidOf> = fc.record({
  entities: fc.array(
    fc.record({ name, alias: fc.option(name, { nil: undefined, freq: 3 }), type: fc.constantFrom(...types), confidence }).map(({ alias, ...rest }) => (alias === undefined ? rest : { ...rest, alias })),
    { maxLength: 5 },
  ),
  relationships: fc.array(
    fc.record({ source: name, type: fc.constantFrom(...verbs), target: name, context: fc.option(fc.constantFrom("since May", "until June"), { nil: undefined }), confidence })
      .map(({ context, ...rest }) => (context === undefined ? rest : { ...rest, context })),
    { maxLength: 4 },
  ),
});

/** What happens to the memories, in D1 and then in the copy. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("draw" as const), of: fc.array(fc.tuple(index, said, fc.array(index, { maxLength: 2 })), { minLength: 1, maxLength: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("revise" as const, "archive" as const, "erase" as const, "conceal" as const, "handOver" as const), memory: index }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("link" as const), source: index, target: index, type: fc.constantFrom(...linkTypes), strength: fc.constantFrom(0.1, 0.35, 0.5, 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unlink" as const), source: index, target: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const) }) },
);
type GraphHit<T> = T extends fc.Arbitrary<infer V> ? V : never;

const near = (ids: fc.Arbitrary<string>) => fc.array(fc.record({ id: ids, score: fc.constantFrom(0.25, 0.5, 0.75) }), { maxLength: 4 });
const terms = fc.uniqueArray(fc.constantFrom("alpha", "beta", "be", "gamma", "ray", "delta", "force", "uses", "owns", "nothing"), { minLength: 1, maxLength: 4 });
/** By the places of memories and homes, which exist only when the property runs. */
const question = fc.record({
  viewer: fc.nat(1), later: fc.boolean(), terms, limit: fc.integer({ min: 1, max: 6 }),
  nearEntities: near(fc.tuple(fc.nat(2), name).map(([home, of]) => JSON.stringify([home, of]))),
  nearRelationships: near(fc.tuple(fc.nat(2), name, fc.constantFrom(...verbs), name).map((of) => JSON.stringify(of))),
  starts: fc.uniqueArray(index, { minLength: 1, maxLength: 4 }), depth: fc.integer({ min: 1, max: 3 }), breadth: fc.integer({ min: 1, max: 8 }), reach: fc.integer({ min: 1, max: 10 }),
});

interface Place {
  id: string;
  version: number;
  home: string;
  expiresAt: number | null;
  state: "live" | "archived" | "secret" | "erased";
}

const soon = now + 1_000;
const isOwn = (place: Place): boolean => place.home !== "";
/** Sums of numbers and their logarithms may differ in the last digits. */
const rounded = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (_, part: unknown) => (typeof part === "number" ? Number(part.toPrecision(9)) : part)));

async function memories(ada: Person, grace: Person): Promise<Place[]> {
  const places: Place[] = [];
  for (let n = 0; n < memoryCount; n += 1) {
    const who = n % 3 === 2 ? grace : ada;
    const visibility = n % 3 === 0 ? "shared" : n === 4 ? "public" : "private";
    const expiresAt = n % 4 === 3 ? soon : null;
    const { id, version } = await who.commitOnly(`Memory number ${n}`, { visibility, key: `key.${n}`, expiresAt });
    places.push({ id, version, home: visibility === "private" ? who.id : "", expiresAt, state: "live" });
  }
  return places;
}

async function apply(team: Team, { copy, rows, atomically, following }: Scratch, places: Place[], ada: Person, action: GraphHit<typeof step>): Promise<void> {
  const run = (sql: string, ...rest: (string | number)[]) => shard.prepare(sql).bind(team.id, ...rest).run();
  const follow = async (ids: string[], contributions: DrawnContribution[] = []): Promise<void> => {
    await rows.read(team);
    atomically(() => copy.withdrawOutdated(ids));
    if (contributions.length > 0) await following.take(team.ref, contributions, ids, () => undefined);
  };
  const at = (n: number): Place => places[n] as Place;
  const told = async (ids: string[]): Promise<void> => {
    await rows.read(team);
    await following.take(team.ref, [], ids, () => undefined);
  };
  switch (action.do) {
    case "draw": {
      const drawn = [...new Map(action.of.map((one) => [one[0], one])).values()].filter(([n]) => at(n).state === "live");
      const contributions = drawn.map(([n, what]) => contribution(at(n), what));
      await graphWriter.contribute(teamRef(team), now, contributions.map((one, i) => ({ ...one, references: (drawn[i]?.[2] ?? []).map((to) => `key.${to}`) })));
      return follow(contributions.map(({ memoryId }) => memoryId), contributions);
    }
    case "link":
    case "unlink": {
      const [source, target] = [at(action.source), at(action.target)];
      if (source.id === target.id || source.state === "erased" || target.state === "erased") return;
      const owner = [source, target].find(isOwn)?.home ?? ada.id;
      if ([source, target].some((end) => isOwn(end) && end.home !== owner)) return;
      const principal = { ...ada.principal, userId: owner };
      const ends = { source: source.id, target: target.id };
      if (action.do === "link") await graphStore.link(principal, ada.at(now), [{ ...ends, type: action.type, strength: action.strength, reason: "" }]);
      else await graphStore.unlink(principal, ada.at(now), [ends]);
      return told([source.id, target.id]);
    }
    case "forget":
      return copy.forget();
    default: {
      const place = at(action.memory);
      if (place.state === "erased") return;
      if (action.do === "erase") {
        place.state = "erased";
        await run("DELETE FROM memories WHERE team_id = ? AND id = ?", place.id);
      } else {
        place.version += 1;
        place.state = action.do === "archive" ? "archived" : action.do === "conceal" ? "secret" : place.state;
        if (action.do === "handOver") place.home = place.home === "" ? ada.id : "";
        await run(
          `UPDATE memories SET version = ?3, home = ?4, visibility = iif(?4 = '', 'shared', 'private'), owner_id = iif(?4 = '', owner_id, ?4),
             archived_at = iif(?5 = 'archived', 1, archived_at), sensitivity = iif(?5 = 'secret', 'secret', sensitivity) WHERE team_id = ?1 AND id = ?2`,
          place.id, place.version, place.home, place.state,
        );
      }
      return follow([place.id]);
    }
  }
}

describe("the graph in the team object", () => {
  test("answers as D1 does, whatever happened to its memories", async () => {
    const team = await newTeam();
    const ada = team.owner;
    const grace = await team.join();
    const met = { entities: 0, relationships: 0, walked: 0, ties: 0 };
    const expectSameTotals = async ({ copy }: Scratch): Promise<void> => expect(copy.totals()).toEqual((await new GraphSource(shard, team.id).checksum()).totals);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), fc.nat(13), fc.array(question, { minLength: 4, maxLength: 8 }), async (steps, readAt, questions) => {
        await shard.prepare("DELETE FROM memories WHERE team_id = ?").bind(team.id).run();
        const places = await memories(ada, grace);
        const homes = ["", ada.id, grace.id];
        const compare = async ({ copy, rows }: Scratch): Promise<void> => {
          for (const asked of questions) {
            const viewer = asked.viewer === 0 ? ada : grace;
            const at = asked.later ? soon + 1 : now;
            const memoryIds = asked.starts.map((n) => (places[n] as Place).id);
            const expansion: Expansion = {
              entities: { terms: asked.terms, limit: asked.limit }, relationships: { terms: asked.terms, limit: asked.limit },
              near: {
                entities: asked.nearEntities.map(({ id, score }) => ({ id: ((of: [number, string]) => entityId(homes[of[0]] as string, of[1]))(JSON.parse(id) as [number, string]), score })),
                relationships: asked.nearRelationships.map(({ id, score }) => {
                  const [home, source, type, target] = JSON.parse(id) as [number, string, string, string];
                  return { id: relationshipId(homes[home] as string, source, type, target), score };
                }),
              },
              walk: { memoryIds, limits: { depth: asked.depth, breadth: asked.breadth, limit: asked.reach } }, ties: { memoryIds, limit: asked.reach },
            };
            const person = { userId: viewer.id, teamId: team.id };
            const truth = await graphStore.expand(viewer.principal, at, expansion);
            met.entities += truth.entities.length + truth.near.entities.length;
            met.relationships += truth.relationships.length + truth.near.relationships.length;
            met.walked += truth.walked.length;
            met.ties += truth.ties.length;
            expect(rounded(copy.expand(person, at, expansion, rows))).toEqual(rounded(truth));
          }
        };
        await withCopy(team, async (scratch) => {
          for (const [i, action] of steps.entries()) {
            if (i === Math.min(readAt, steps.length - 1)) await scratch.following.read(team.ref, now);
            await apply(team, scratch, places, ada, action);
          }
          await compare(scratch);
          scratch.copy.forget();
          await compare(scratch);
          await expectSameTotals(scratch);
        });
        await withCopy(team, async (scratch) => {
          await scratch.following.read(team.ref, now);
          await compare(scratch);
          await expectSameTotals(scratch);
        });
      }),
      { numRuns: 20 },
    );
    // The questions do find something.
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(20);
  }, 240_000);
});
