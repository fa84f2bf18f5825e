import { env, evictDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { youngMs } from "../../../src/platform/team-index/vectors/eviction.ts";
import { markOf, teamDigest, vectorId } from "../../../src/platform/vectorize/vector-ids.ts";
import type { VectorizeBinding } from "../../../src/platform/vectorize/bindings.ts";
import { age, cut, entry, heldIn, memberOf, newTeamRef, over, space, towards } from "../../support/vectorize.ts";

const kinds: Record<string, VectorizeBinding> = { "shown at once": env.VECTORIZE_SMALL, "not shown for an hour": env.VECTORIZE_HELD };

describe.each(Object.entries(kinds))("in an index where what was written is %s", (_delay, binding) => {
  const { index, find, ids } = over(binding);

  test("the nearest come first, with their cosine, at once", async () => {
    const team = newTeamRef();
    const ada = memberOf(team);
    const [near, far, away] = [entry({ values: towards(0, 0.1) }), entry({ values: towards(0, 0.6) }), entry({ values: towards(4) })];
    await index.upsert(team, space, [far, away, near]);
    const hits = await find(ada);
    expect(hits.map(({ id }) => id)).toEqual([near.id, far.id, away.id]);
    expect(hits.map(({ similarity }) => similarity)).toEqual([expect.closeTo(0.995, 3), expect.closeTo(0.8, 3), expect.closeTo(0, 3)]);
    expect(await ids(ada, towards(0), ["memory"], 1)).toEqual([near.id]);
  });

  test("a private one reaches nobody but its owner, also after it ceased to be shared [S6] [A13]", async () => {
    const team = newTeamRef();
    const [ada, grace] = [memberOf(team), memberOf(team)];
    const diary = entry({ visibility: "private", ownerId: ada.userId });
    const plan = entry();
    await index.upsert(team, space, [diary, plan]);
    expect((await ids(ada)).sort()).toEqual([diary.id, plan.id].sort());
    expect(await ids(grace)).toEqual([plan.id]);
    await index.upsert(team, space, [{ ...plan, version: 2, visibility: "private", ownerId: ada.userId }]);
    expect(await ids(grace)).toEqual([]);
    await index.upsert(team, space, [{ ...diary, version: 2, visibility: "shared" }]);
    expect(await ids(grace)).toEqual([diary.id]);
  });

  test("another team finds nothing but what is public, with its place, and another organization nothing at all [S6] [A13]", async () => {
    const team = newTeamRef();
    const sister = memberOf(newTeamRef(team.organizationId));
    const stranger = memberOf(newTeamRef());
    const menu = entry({ visibility: "public" });
    await index.upsert(team, space, [menu, entry(), entry({ visibility: "private", ownerId: sister.userId })]);
    expect(await find(sister)).toEqual([{ kind: "memory", id: menu.id, similarity: expect.closeTo(1, 3), teamId: team.teamId, shard: "SHARD_0" }]);
    expect(await ids(stranger)).toEqual([]);
    expect(await ids(memberOf(team))).toHaveLength(2);
    await index.upsert(team, space, [{ ...menu, version: 2, visibility: "shared" }]);
    expect(await ids(memberOf(team))).toContain(menu.id);
  });

  test("a newer version takes the place of the older one, whatever order they come in", async () => {
    const team = newTeamRef();
    const ada = memberOf(team);
    const old = entry({ values: towards(0) });
    await index.upsert(team, space, [old]);
    await index.upsert(team, space, [{ ...old, version: 3, values: towards(3) }]);
    expect(await find(ada, towards(3), ["memory"], 1)).toMatchObject([{ id: old.id, similarity: expect.closeTo(1, 3) }]);
    expect(await find(ada, towards(0))).toMatchObject([{ id: old.id, similarity: expect.closeTo(0, 3) }]);
  });

  test("up to the limit of each kind: many names that are nearer do not crowd out the memories", async () => {
    const team = newTeamRef();
    const plan = entry({ values: towards(0, 0.5) });
    const names = Array.from({ length: 120 }, () => entry({ kind: "entity", version: 7, values: towards(0, 0.1) }));
    const statement = entry({ kind: "relationship", values: towards(0, 0.05) });
    await index.upsert(team, space, [...names, plan, statement]);
    const found = await find(memberOf(team), towards(0), ["memory", "entity", "relationship"], 3);
    expect(found.map(({ kind }) => kind)).toEqual(["relationship", "entity", "entity", "entity", "memory"]);
    await index.remove(team, names);
    expect(await ids(memberOf(team))).toEqual([statement.id, plan.id]);
  });

  test("only the kinds that were asked for", async () => {
    const team = newTeamRef();
    const ada = memberOf(team);
    const [memory, entity, relationship] = [entry(), entry({ kind: "entity" }), entry({ kind: "relationship" })];
    await index.upsert(team, space, [memory, entity, relationship]);
    expect(await find(ada, towards(0), ["entity"])).toMatchObject([{ kind: "entity", id: entity.id }]);
    expect((await ids(ada, towards(0), ["memory", "relationship"])).sort()).toEqual([memory.id, relationship.id].sort());
  });

  test("vectors of another space are not compared", async () => {
    const team = newTeamRef();
    const other = entry();
    await index.upsert(team, "test:other:8#2", [other]);
    expect(await ids(memberOf(team))).toEqual([]);
    expect(await index.query(memberOf(team), "test:other:8#2", towards(0), { kinds: ["memory"], limit: 5 })).toMatchObject([{ id: other.id }]);
  });

  test("more than one batch of a thousand", async () => {
    const team = newTeamRef();
    await index.upsert(team, space, Array.from({ length: 1_201 }, (_, n) => entry({ values: towards(n % 7, (n % 90) / 100) })));
    expect(await ids(memberOf(team), towards(2), ["memory"], 100)).toHaveLength(100);
  });
});

describe("what Vectorize does not show yet", () => {
  const { index, ids } = over(env.VECTORIZE_SLOW);

  test("is found in the copy, and in Vectorize once the copy has it no longer", async () => {
    const team = newTeamRef();
    const [ada, sister] = [memberOf(team), memberOf(newTeamRef(team.organizationId))];
    const one = entry({ visibility: "public" });
    await index.upsert(team, space, [one]);
    expect(await ids(ada)).toEqual([one.id]);
    expect(await ids(sister)).toEqual([one.id]);
    await cut(`team:${team.teamId}`);
    await cut(`org:${team.organizationId}`);
    expect(await ids(ada)).toEqual([]);
    expect(await ids(sister)).toEqual([]);
    await expect.poll(() => ids(ada)).toEqual([one.id]);
    await expect.poll(() => ids(sister)).toEqual([one.id]);
  });

  test("outlives the object's memory, and an upsert that Vectorize refuses", async () => {
    const team = newTeamRef();
    const refusing: VectorizeBinding = {
      describe: async () => ({ dimensions: 8 }), query: async () => ({ matches: [] }), getByIds: async () => [],
      deleteByIds: async () => undefined, upsert: async () => Promise.reject(new Error("429")),
    };
    const world = over(refusing);
    const one = entry();
    await expect(world.index.upsert(team, space, [one])).rejects.toThrow("429");
    await evictDurableObject(env.TEAM_INDEX.getByName(`team:${team.teamId}`));
    expect(await world.ids(memberOf(team))).toEqual([one.id]);
  });

  test("does not count as missing for ten minutes", async () => {
    const team = newTeamRef();
    const held = over(env.VECTORIZE_HELD).index;
    const [one, other] = [entry({ visibility: "public" }), entry()];
    await held.upsert(team, space, [one, other]);
    expect(await held.missing(team, space, [one, other])).toEqual([]);
    await age(`team:${team.teamId}`, youngMs + 1_000);
    expect(await held.missing(team, space, [one, other])).toEqual([{ kind: "memory", id: one.id }, { kind: "memory", id: other.id }]);
  });
});

describe("a copy that holds all vectors", () => {
  test("answers alone from the second question on", async () => {
    const team = newTeamRef();
    let asked = 0;
    const counting = { ...stub(env.VECTORIZE_SMALL), query: async (values: Float32Array, options: VectorizeQueryOptions) => {
      asked += 1;
      return env.VECTORIZE_SMALL.query(values, options);
    } };
    const { index, ids } = over(counting);
    const [ada, one] = [memberOf(team), entry()];
    await index.upsert(team, space, [one]);
    const whole = async (): Promise<boolean> => (await env.TEAM_INDEX.getByName(`team:${team.teamId}`).nearVectors(team, { mark: await markOf(space), values: towards(0), kinds: ["memory"], limit: 1 })).complete;
    await expect.poll(whole).toBe(true);
    expect(await ids(ada, towards(0), ["entity"])).toEqual([]);
    asked = 0;
    expect(await ids(ada, towards(0), ["memory"])).toEqual([one.id]);
    expect(asked, "the organization follows no team yet").toBe(1);
    await cut(`team:${team.teamId}`);
    expect(await ids(ada, towards(0), ["memory"])).toEqual([one.id]);
    expect(asked).toBe(3);
  });

  test("leaves out what names another team, and another team's object", async () => {
    const [team, other] = [newTeamRef(), newTeamRef()];
    const mark = await markOf(space);
    const planted = async (named: string, said: string, id: string) => ({
      id: vectorId("memory", id, { team: await teamDigest(named), mark, copy: "team" }), kind: "memory", audience: "team", teamId: said, shard: "SHARD_0", version: 1, values: towards(0),
    });
    const id = crypto.randomUUID();
    await env.TEAM_INDEX.getByName(`team:${team.teamId}`).putVectors({ mark, dimensions: 8 }, [
      await planted(other.teamId, team.teamId, crypto.randomUUID()), await planted(other.teamId, other.teamId, crypto.randomUUID()), await planted(team.teamId, team.teamId, id),
    ]);
    expect(await over(env.VECTORIZE_HELD).ids(memberOf(team))).toEqual([id]);
  });
});

describe("removal", () => {
  test.each(Object.entries(kinds))("takes them out of both indexes at once, %s", async (delay, binding) => {
    const { index, ids } = over(binding);
    const team = newTeamRef();
    const [menu, plan] = [entry({ visibility: "public" }), entry()];
    await index.upsert(team, space, [menu, plan]);
    await index.remove(team, [menu]);
    expect(await ids(memberOf(team))).toEqual([plan.id]);
    expect(await ids(memberOf(newTeamRef(team.organizationId)))).toEqual([]);
    expect(await heldIn(`team:${team.teamId}`), delay).toBe(1);
  });

  test("of more than Vectorize deletes in one call, in every space", async () => {
    const { index, ids } = over(env.VECTORIZE_SMALL);
    const team = newTeamRef();
    const entries = Array.from({ length: 130 }, () => entry());
    await index.upsert(team, space, entries);
    await index.upsert(team, "test:other:8#2", entries);
    await cut(`team:${team.teamId}`);
    await index.remove(team, entries);
    expect(await ids(memberOf(team))).toEqual([]);
    expect(await index.query(memberOf(team), "test:other:8#2", towards(0), { kinds: ["memory"], limit: 5 })).toEqual([]);
  });
});

describe("when the truth and Vectorize disagree", () => {
  test("a stale vector is answered as it stands: whoever uses a hit checks it against the truth", async () => {
    const { index, find } = over(env.VECTORIZE_SMALL);
    const team = newTeamRef();
    const erased = entry();
    await index.upsert(team, space, [erased]);
    await cut(`team:${team.teamId}`);
    // Planted: an audience that nobody has told Vectorize is wrong by now.
    expect(await find(memberOf(team))).toMatchObject([{ id: erased.id }]);
  });

  test("what the copy holds hides the older state that Vectorize still shows", async () => {
    const { index, find } = over(env.VECTORIZE_SMALL);
    const team = newTeamRef();
    const [ada, grace] = [memberOf(team), memberOf(team)];
    const plan = entry();
    await index.upsert(team, space, [plan]);
    await cut(`team:${team.teamId}`, { kept: true });
    const halted = over({ ...stub(env.VECTORIZE_SMALL), upsert: async () => undefined });
    await halted.index.upsert(team, space, [{ ...plan, version: 2, visibility: "private", ownerId: ada.userId, values: towards(5) }]);
    expect(await halted.find(grace)).toEqual([]);
    expect(await halted.find(ada)).toMatchObject([{ id: plan.id, similarity: expect.closeTo(0, 3) }]);
    expect(await find(ada, towards(5))).toMatchObject([{ similarity: expect.closeTo(1, 3) }]);
  });
});

describe("indexes of two dimensions", () => {
  test("a model of another dimension runs beside the old one; of a third there is no index", async () => {
    const { index } = over(env.VECTORIZE_SMALL, env.VECTORIZE as unknown as VectorizeBinding);
    const team = newTeamRef();
    const [old, next] = [entry(), entry({ values: new Float32Array(192).fill(1 / Math.sqrt(192)) })];
    await index.upsert(team, space, [old]);
    await index.upsert(team, "test:next:192#2", [next]);
    expect(await index.query(memberOf(team), space, towards(0), { kinds: ["memory"], limit: 5 })).toMatchObject([{ id: old.id }]);
    expect(await index.query(memberOf(team), "test:next:192#2", next.values, { kinds: ["memory"], limit: 5 })).toMatchObject([{ id: next.id }]);
    await expect(index.upsert(team, "test:third:3#2", [entry({ values: new Float32Array(3) })])).rejects.toThrow(
      "No Vectorize index has 3 dimensions (VECTORIZE has 8, VECTORIZE_NEXT has 192). Create one and bind it as VECTORIZE_NEXT.",
    );
    await index.remove(team, [old, next]);
    expect(await index.query(memberOf(team), "test:next:192#2", next.values, { kinds: ["memory"], limit: 5 })).toEqual([]);
  });

  test("the organization's half failing leaves one's own", async () => {
    const broken = { ...stub(env.VECTORIZE_SMALL), query: async (values: Float32Array, options: VectorizeQueryOptions) =>
      options.namespace?.startsWith("org:") ? Promise.reject(new Error("down")) : env.VECTORIZE_SMALL.query(values, options) };
    const { index, ids, faults } = over(broken);
    const team = newTeamRef();
    const one = entry();
    await index.upsert(team, space, [one]);
    expect(await ids(memberOf(team))).toEqual([one.id]);
    expect(faults).toMatchObject([{ message: "down" }]);
  });
});

/** Bindings are proxies: their methods cannot be spread. */
function stub(binding: VectorizeBinding): VectorizeBinding {
  return {
    describe: () => binding.describe(), query: (values, options) => binding.query(values, options), upsert: (vectors) => binding.upsert(vectors),
    getByIds: (ids) => binding.getByIds(ids), deleteByIds: (ids) => binding.deleteByIds(ids),
  };
}
