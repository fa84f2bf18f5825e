import { beforeEach, describe, expect, test } from "vitest";
import type { WalkLimits } from "../../../src/domain/graph/graph-store.ts";
import { linkMemory } from "../../../src/domain/graph/link.ts";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import type { MemoryFilter } from "../../../src/domain/memories/memory-store.ts";
import { WriteConflict } from "../../../src/domain/memories/write-conflict.ts";
import { archiveOne } from "../../../src/domain/memories/forget.ts";
import { commits, day, minute, newTeam, now, services, type Person, type Team } from "../../support/team.ts";
import { redraw } from "./extracted.ts";

const { graph } = services;
const shared = { visibility: "shared" } as const;
let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const keep = (content: string, fields: Record<string, unknown> = shared): Promise<Memory> => ada.keep(content.slice(0, 200), content, fields);
const link = (source: Memory, target: Memory, strength = 1, person = ada) =>
  graph.link(person.principal, person.at(now), [{ source: source.id, target: target.id, type: "extends", strength, reason: "" }]);
const walk = (from: Memory[], limits: Partial<WalkLimits> = {}, person = ada, within?: MemoryFilter) =>
  graph.walk(person.principal, now, from.map(({ id }) => id), { depth: 3, breadth: 16, limit: 100, ...limits }, within);
const chain = async (n: number): Promise<Memory[]> => {
  const memories: Memory[] = [];
  for (let i = 0; i < n; i += 1) {
    memories.push(await keep(`memory ${i}`));
    if (i > 0) await link(memories[i - 1] as Memory, memories[i] as Memory, 0.5);
  }
  return memories;
};

describe("a walk", () => {
  test("goes over links in both directions and over names, and tells the way", async () => {
    const [a, b, c] = [await keep("Redis caches the sessions."), await keep("The sessions are in Redis, says Maria."), await keep("Maria is away.")];
    await link(a, c, 0.5);
    await redraw(team);
    // Written in the same millisecond, the two have no order.
    const around = await walk([b]);
    expect(around).toHaveLength(2);
    expect(around).toEqual(expect.arrayContaining([
      { memoryId: c.id, distance: 1, strength: 1, path: [{ memoryId: c.id, via: { kind: "entity", name: "Maria" } }] },
      { memoryId: a.id, distance: 1, strength: 1, path: [{ memoryId: a.id, via: { kind: "entity", name: "Redis" } }] },
    ]));
    expect(await walk([c], { depth: 1 })).toEqual([
      { memoryId: b.id, distance: 1, strength: 1, path: [{ memoryId: b.id, via: { kind: "entity", name: "Maria" } }] },
      { memoryId: a.id, distance: 1, strength: 0.5, path: [{ memoryId: a.id, via: { kind: "link", type: "extends" } }] },
    ]);
  });

  test("ends after as many steps as asked for, three at most", async () => {
    const memories = await chain(6);
    const ids = memories.map(({ id }) => id);
    expect((await walk([memories[0] as Memory], { depth: 1 })).map(({ memoryId }) => memoryId)).toEqual(ids.slice(1, 2));
    const far = await walk([memories[0] as Memory], { depth: 99 });
    expect(far.map(({ memoryId, distance, strength }) => ({ memoryId, distance, strength }))).toEqual(
      [1, 2, 3].map((distance) => ({ memoryId: ids[distance], distance, strength: 0.5 ** distance })),
    );
    expect(far[2]?.path.map(({ memoryId }) => memoryId)).toEqual(ids.slice(1, 4));
  });

  test("takes from each memory no more than the strongest", async () => {
    const hub = await keep("hub");
    const others: Memory[] = [];
    for (let i = 0; i < 6; i += 1) others.push(await keep(`other ${i}`));
    for (const [i, other] of others.entries()) await link(hub, other, (i + 1) / 10);
    expect((await walk([hub], { depth: 1, breadth: 2 })).map(({ memoryId }) => memoryId)).toEqual([others[5]?.id, others[4]?.id]);
    expect(await walk([hub], { depth: 1, breadth: 16, limit: 3 })).toHaveLength(3);
  });

  test("ends in circles, which may be, and meets no memory twice", async () => {
    const [a, b, c] = await chain(3) as [Memory, Memory, Memory];
    await link(c, a, 1);
    await link(b, a, 1);
    const found = await walk([a]);
    expect(found.map(({ memoryId }) => memoryId).sort()).toEqual([b.id, c.id].sort());
    expect(found.every(({ distance }) => distance === 1)).toBe(true);
  });

  test("does not follow a name that everybody uses, nor a date", async () => {
    const start = await keep("Redis on 2026-03-01.");
    await keep("Something else on 2026-03-01.");
    for (let i = 0; i < 64; i += 1) await ada.remember(`Redis, once more (${i}).`, { ...shared, key: `k${i}` });
    await redraw(team);
    expect(await walk([start])).toEqual([]);
    const [entity] = (await graph.entitiesOf(ada.principal, now, [start.id])).get(start.id) ?? [];
    expect(await graph.memoriesOf(ada.principal, now, [entity?.id ?? ""], 5)).toHaveLength(5);
  }, 60_000);

  test("within a filter takes the strongest of those that it lets through, and goes over no other [D1]", async () => {
    const [start, apart] = [await keep("start", { ...shared, runId: "r" }), await keep("apart")];
    for (let i = 0; i < 4; i += 1) await link(start, await keep(`strong ${i}`), 1);
    const [weak, next] = [await keep("weak", { ...shared, runId: "r", tags: ["t"], metadata: { area: "db" } }), await keep("next", { ...shared, runId: "r" })];
    await link(start, weak, 0.2);
    await link(weak, apart, 1);
    await link(apart, next, 1);
    const found = async (within: MemoryFilter, depth = 3) => (await walk([start], { depth, breadth: 2 }, ada, within)).map(({ memoryId }) => memoryId);
    expect(await found({}, 1)).not.toContain(weak.id);
    expect(await found({ runId: "r" })).toEqual([weak.id]);
    expect(await found({ runId: "r", tags: ["t"], entries: { area: "db" }, agentView: "any" })).toEqual([weak.id]);
    expect(await found({ runId: "other" })).toEqual([]);
  });

  test("never leads over what somebody may not see [S6]", async () => {
    const grace = await team.join();
    const [a, mine, b] = [await keep("a"), await keep("mine", {}), await keep("b")];
    await link(a, mine);
    await link(mine, b);
    expect((await walk([a])).map(({ memoryId }) => memoryId)).toEqual([mine.id, b.id]);
    expect(await walk([a], {}, grace)).toEqual([]);
    expect(await walk([mine], {}, grace)).toEqual([]);
    await archiveOne(ada.at(now), mine);
    expect(await walk([a])).toEqual([]);
  });
});

describe("links", () => {
  const given = (person: Person, ...memories: Memory[]) => graph.links(person.principal, now, memories.map(({ id }) => id));

  test("keep type, strength and reason, and are told from both ends", async () => {
    const [a, b] = [await keep("a"), await keep("b")];
    await linkMemory(ada.at(now), a, [{ to: "b", type: "contradicts", strength: 0.3, reason: "the other number" }]);
    const expected = [{ source: a.id, target: b.id, type: "contradicts", strength: 0.3, reason: "the other number", origin: "explicit", madeBy: "said", createdBy: ada.id, createdAt: now }];
    expect(await given(ada, a)).toEqual(expected);
    expect(await given(ada, b)).toEqual(expected);
    await linkMemory(ada.at(now), a, [{ to: b.id, type: "contradicts", strength: 0.8, reason: "" }]);
    expect(await given(ada, a, b)).toMatchObject([{ strength: 0.8, reason: "" }]);
    expect(await graph.unlink(ada.principal, ada.at(now), [{ source: a.id, target: b.id, type: "extends" }])).toBe(0);
    expect(await graph.unlink(ada.principal, ada.at(now), [{ source: a.id, target: b.id }])).toBe(1);
    expect(await given(ada, a)).toEqual([]);
  });

  test("need both ends in sight, are made all or none, and are seen only with both ends [A13] [S6]", async () => {
    const grace = await team.join();
    const [a, mine, b] = [await keep("a"), await keep("mine", {}), await keep("b")];
    const stranger = (await newTeam()).owner;
    const write = (person: Person, source: Memory, ...targets: Memory[]) =>
      graph.link(person.principal, person.at(now), targets.map((target) => ({ source: source.id, target: target.id, type: "extends" as const, strength: 1, reason: "" })));
    await expect(write(grace, a, b, mine)).rejects.toThrow(WriteConflict);
    await expect(write(grace, mine, a)).rejects.toThrow(WriteConflict);
    await expect(write(stranger, a, b)).rejects.toThrow(WriteConflict);
    expect(await given(ada, a, b, mine)).toEqual([]);
    await expect(linkMemory(grace.at(now), a, [{ to: mine.id, type: "extends", strength: 1, reason: "" }])).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    await write(ada, a, mine, b);
    expect(await given(ada, a)).toHaveLength(2);
    expect(await given(grace, a)).toMatchObject([{ target: b.id }]);
    expect(await given(grace, mine)).toEqual([]);
    expect(await given(stranger, a, b)).toEqual([]);
    expect(await graph.unlink(grace.principal, grace.at(now), [{ source: a.id, target: mine.id }])).toBe(0);
    expect(await given(ada, mine)).toHaveLength(1);
  });

  test("are not made on a version that is no longer the present one [U4]", async () => {
    const [a, b] = [await keep("a"), await keep("b")];
    const on = (sourceVersion: number) =>
      graph.link(ada.principal, ada.at(now), [{ source: a.id, target: b.id, type: "extends", strength: 1, reason: "", sourceVersion }]);
    await expect(on(2)).rejects.toThrow(WriteConflict);
    await on(1);
    expect(await given(ada, a)).toHaveLength(1);
  });

  test("stay through changes and archiving, and go with an erased end", async () => {
    const [a, b] = [await keep("a"), await keep("b")];
    await link(a, b);
    await ada.keep("a", "another text", shared, now + minute);
    await archiveOne(ada.at(now), b);
    expect(await given(ada, a)).toHaveLength(1);
    await commits.erase(ada.principal, ada.at(now), [(await services.memories.get(ada.principal, now, b.id)) as Memory]);
    expect(await given(ada, a)).toEqual([]);
  });

  test("are not told of an end that has expired", async () => {
    const [a, b] = [await keep("a"), await keep("b", { ...shared, expiresAt: now + day })];
    await link(a, b);
    expect(await graph.links(ada.principal, now + 2 * day, [a.id])).toEqual([]);
  });
});

describe("links that are drawn", () => {
  const drawn = async (person: Person, memory: Memory) => (await graph.links(person.principal, now, [memory.id])).map(({ source, target, type, origin }) => ({ source, target, type, origin }));

  test("lead to the memories whose key or id a text names, whichever came first", async () => {
    const early = await ada.keep("early", "As in project.auth.decision, and not as in other.key.", shared);
    const named = await ada.keep("project.auth.decision", "OAuth.", shared);
    const byId = await ada.keep("late", `See ${named.id}, and [[early]].`, shared);
    await redraw(team);
    const expected = (source: Memory, target: Memory) => ({ source: source.id, target: target.id, type: "references", origin: "drawn" });
    expect(await drawn(ada, named)).toEqual(expect.arrayContaining([expected(early, named), expected(byId, named)]));
    expect(await drawn(ada, early)).toEqual(expect.arrayContaining([expected(early, named), expected(byId, early)]));
    const { memory } = await ada.remember("Nothing.", { key: "late", ...shared }, now + minute);
    expect(await drawn(ada, memory)).toEqual([]);
    await redraw(team);
    expect(await drawn(ada, named)).toEqual([expected(early, named)]);
  });

  test("never lead from or to another person's private memory [S6]", async () => {
    const grace = await team.join();
    const hers = await grace.keep("plan.secret", "Mine.", {});
    const open = await ada.keep("open", "See plan.secret.", shared);
    const own = await ada.keep("own", `See plan.secret and ${hers.id}.`, {});
    await redraw(team);
    for (const person of [ada, grace]) for (const memory of [hers, open, own]) expect(await drawn(person, memory)).toEqual([]);
  });

  test("tell what superseded what", async () => {
    const old = await ada.keep("old", "We use Redis.", shared);
    const fresh = await ada.keep("fresh", "We use Valkey.", shared);
    const state = { ...old, supersededBy: fresh.id, archivedAt: now, version: 2 };
    await commits.commit(ada.principal, ada.at(now), [{ memory: state, action: "archive" }]);
    await redraw(team);
    expect(await graph.links(ada.principal, now, [fresh.id])).toMatchObject([{ source: fresh.id, target: old.id, type: "supersedes", strength: 1 }]);
  });
});
