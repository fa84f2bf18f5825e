import { queryTerms } from "../../../src/domain/text/query-terms.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { archiveOne } from "../../../src/domain/memories/forget.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { commits, day, minute, newTeam, now, services, sisterOf, type Person, type Team } from "../../support/team.ts";
import { graphWriter, teamRefOf, redraw, stored } from "./extracted.ts";

const { graph } = services;
const shared = { visibility: "shared" } as const;
let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const indexForm = (word: string): string => queryTerms(word)[0]?.term ?? "";

/** Names of all entities that somebody finds by these words. */
const found = async (person: Person, terms: string[], at = now): Promise<string[]> =>
  (await graph.findEntities(person.principal, at, terms.map(indexForm), 20)).map(({ item }) => item.name);
const entityOf = async (person: Person, term: string) => (await graph.findEntities(person.principal, now, [indexForm(term)], 1))[0]?.item;
const said = async (person: Person, terms: string[]): Promise<string[]> =>
  (await graph.findRelationships(person.principal, now, terms.map(indexForm), 20)).map(({ item }) => `${item.source} ${item.type} ${item.target}`);

describe("entities", () => {
  test("stand for all memories that name them, in any spelling", async () => {
    const one = await ada.keep("one", "Maria owns the Node.js gateway.", shared);
    const two = await ada.keep("two", "NodeJS is slow, says Maria.", shared);
    await redraw(team);
    const byMemory = await graph.entitiesOf(ada.principal, now, [one.id, two.id]);
    expect(byMemory.get(two.id)).toEqual(expect.arrayContaining([expect.objectContaining({ name: "Maria", type: "person", mentions: 2 })]));
    const node = await entityOf(ada, "nodejs");
    expect(node).toMatchObject({ type: "technology", mentions: 2 });
    expect(await graph.memoriesOf(ada.principal, now, [node?.id ?? ""], 10)).toEqual([two.id, one.id].sort().reverse());
  });

  test("meet under a short name once a memory says whose it is, and part when it is gone", async () => {
    const cluster = await ada.keep("one", "The k8s cluster is in Frankfurt.", shared);
    await redraw(team);
    expect(await found(ada, ["kubernetes"])).toEqual([]);
    const told = await ada.keep("two", "Kubernetes (k8s) needs an upgrade.", shared);
    await redraw(team);
    const entity = await entityOf(ada, "k8s");
    expect(entity).toMatchObject({ name: "Kubernetes", aliases: ["k8s"], mentions: 2 });
    expect((await graph.memoriesOf(ada.principal, now, [entity?.id ?? ""], 10)).sort()).toEqual([cluster.id, told.id].sort());
    await commits.erase(ada.principal, ada.at(now), [told]);
    expect(await entityOf(ada, "k8s")).toMatchObject({ name: "k8s", aliases: [], mentions: 1 });
  });

  test("are found by rare words before common ones, and whole names before parts", async () => {
    for (const [i, name] of ["OrderService", "CartService", "UserService", "PaymentService"].entries()) await ada.keep(`s${i}`, `${name} is done.`, shared);
    await redraw(team);
    expect((await found(ada, ["cart", "service"]))[0]).toBe("CartService");
    expect(await found(ada, ["service"])).toHaveLength(4);
    expect((await found(ada, ["userservice"]))[0]).toBe("UserService");
    expect(await found(ada, ["nothing"])).toEqual([]);
    expect(await found(ada, [])).toEqual([]);
  });
});

describe("relationships", () => {
  test("say what, when and which memories say so", async () => {
    const memory = await ada.keep("one", "The billing service depends on Redis since 2024-05-01.", shared);
    await redraw(team);
    const expected = {
      source: "billing service",
      type: "depends_on",
      target: "Redis",
      temporalContext: "since 2024-05-01",
      validFrom: Date.UTC(2024, 4, 1),
      validTo: null,
      sourceMemories: [memory.id],
    };
    expect(await graph.relationshipsOf(ada.principal, now, [memory.id], 10)).toMatchObject([expected]);
    expect(await said(ada, ["billing", "redis"])).toEqual(["billing service depends_on Redis"]);
  });
});

describe("private memories [S6]", () => {
  test("name things for their owner alone, by no method", async () => {
    const grace = await team.join();
    const open = await ada.keep("open", "Redis is in use.", shared);
    const secret = await ada.keep("plan", "Globex Inc acquired Redis. See `open`.", {});
    await redraw(team);
    expect(await entityOf(ada, "redis")).toMatchObject({ mentions: 2 });
    expect(await entityOf(grace, "redis")).toMatchObject({ mentions: 1 });
    expect(await found(ada, ["globex"])).toEqual(["Globex Inc"]);
    expect(await found(grace, ["globex"])).toEqual([]);
    expect(await said(ada, ["globex", "redis"])).toHaveLength(1);
    expect(await said(grace, ["globex", "redis"])).toEqual([]);
    const mine = [...(await graph.entitiesOf(ada.principal, now, [secret.id])).values()].flat().map(({ id }) => id);
    expect(mine.length).toBeGreaterThan(1);
    const p = grace.principal;
    expect([...(await graph.entitiesOf(p, now, [secret.id])).keys()]).toEqual([]);
    expect(await graph.memoriesOf(p, now, mine, 10)).not.toContain(secret.id);
    expect(await graph.relationshipsOf(p, now, [secret.id], 10)).toEqual([]);
    expect(await graph.walk(p, now, [open.id], { depth: 3, breadth: 16, limit: 100 })).toEqual([]);
    expect(await graph.walk(p, now, [secret.id], { depth: 3, breadth: 16, limit: 100 })).toEqual([]);
    expect(await graph.links(p, now, [open.id, secret.id])).toEqual([]);
    expect(await graph.links(ada.principal, now, [open.id])).toMatchObject([{ source: secret.id, target: open.id, type: "references", origin: "drawn" }]);
  });

  test("give a shared thing no alias, type or weight that others see", async () => {
    const grace = await team.join();
    await ada.keep("open", "Kubernetes is in use, and k8s too.", shared);
    await ada.keep("plan", "Kubernetes (k8s) is what I call it.", {});
    await redraw(team);
    expect(await entityOf(ada, "kubernetes")).toMatchObject({ aliases: ["k8s"], mentions: 3 });
    expect(await entityOf(grace, "kubernetes")).toMatchObject({ aliases: [], mentions: 1 });
  });

  test("weigh nothing in what others find", async () => {
    const grace = await team.join();
    await ada.keep("open", "OrderService and CartService are done.", shared);
    await redraw(team);
    const before = await graph.findEntities(grace.principal, now, ["order", "service"].map(indexForm), 10);
    for (let i = 0; i < 5; i += 1) await ada.keep(`p${i}`, `Order${i}Service and OrderService are mine.`, {});
    await redraw(team);
    expect(await graph.findEntities(grace.principal, now, ["order", "service"].map(indexForm), 10)).toEqual(before);
  });
});

describe("other teams [A13]", () => {
  test("of the organization and beyond see nothing, and reach nothing by id", async () => {
    const memory = await ada.keep("open", "Maria owns Redis.", { visibility: "public" });
    const other = await ada.keep("more", "Redis is in use.", shared);
    await redraw(team);
    const ids = [...(await graph.entitiesOf(ada.principal, now, [memory.id])).values()].flat().map(({ id }) => id);
    for (const { principal } of [(await sisterOf(team)).owner, (await newTeam()).owner]) {
      expect([...(await graph.entitiesOf(principal, now, [memory.id])).keys()]).toEqual([]);
      expect(await graph.memoriesOf(principal, now, ids, 10)).toEqual([]);
      expect(await graph.relationshipsOf(principal, now, [memory.id], 10)).toEqual([]);
      expect(await graph.walk(principal, now, [memory.id, other.id], { depth: 3, breadth: 16, limit: 100 })).toEqual([]);
      expect(await graph.links(principal, now, [memory.id])).toEqual([]);
      expect(await graph.findEntities(principal, now, ["maria", "redis"].map(indexForm), 10)).toEqual([]);
      expect(await graph.findRelationships(principal, now, ["maria", "redis"].map(indexForm), 10)).toEqual([]);
    }
  });
});

describe("what a memory contributed", () => {
  const nothing = { entities: [], entity_mentions: [], entity_tokens: [], relationships: [], relationship_mentions: [], relationship_tokens: [], memory_references: [] };

  test("is withdrawn with the change that makes it private, archived or other, before anything is drawn anew", async () => {
    const grace = await team.join();
    const changes: Parameters<typeof revise>[1]["changes"][] = [{ visibility: "private" }, { content: "Nothing to see." }, { sensitivity: "secret" }];
    for (const [i, changed] of changes.entries()) {
      const memory = await ada.keep(`k${i}`, "Maria owns Redis. See `other.key`.", shared);
      await redraw(team);
      expect(await found(grace, ["maria"])).toEqual(["Maria"]);
      await revise(ada.at(now + minute), { target: { id: memory.id }, changes: changed });
      expect(await found(grace, ["maria"])).toEqual([]);
      expect(await stored(team)).toMatchObject(nothing);
      await redraw(team);
      expect(await found(grace, ["maria"])).toEqual([]);
      await commits.erase(ada.principal, ada.at(now), [(await services.memories.get(ada.principal, now, memory.id)) ?? memory]);
    }
    const memory = await ada.keep("k", "Maria owns Redis.", shared);
    await redraw(team);
    await archiveOne(ada.at(now + minute), memory);
    expect(await stored(team)).toMatchObject(nothing);
    await redraw(team);
    expect(await stored(team)).toMatchObject(nothing);
    await revise(ada.at(now + 2 * minute), { target: { id: memory.id }, changes: { archivedAt: null } });
    await redraw(team);
    expect(await found(grace, ["maria"])).toEqual(["Maria"]);
  });

  test("leaves no word behind when it is erased, or purged after its expiry [S14]", async () => {
    const kept = await ada.keep("kept", "Redis is in use.", shared);
    await redraw(team);
    const before = await stored(team);
    const erased = await ada.keep("gone", "Maria owns Redis, aka Valkey. See `kept`.", shared);
    const expiring = await ada.keep("soon", "Globex uses Redis.", { ...shared, expiresAt: now + day });
    await redraw(team);
    await commits.erase(ada.principal, ada.at(now), [erased]);
    await services.maintenance.index.purge({ teamId: team.id, organizationId: team.organizationId, shard: "SHARD_0" }, now, [{ teamId: team.id, id: expiring.id, version: 1, visibility: "private" }]);
    expect(await stored(team)).toEqual(before);
    expect(await graph.memoriesOf(ada.principal, now, [(await entityOf(ada, "redis"))?.id ?? ""], 10)).toEqual([kept.id]);
  });

  test("is not there after its expiry, purged or not", async () => {
    const memory = await ada.keep("soon", "Maria owns Redis.", { ...shared, expiresAt: now + day });
    const other = await ada.keep("other", "Redis is in use.", shared);
    await redraw(team);
    const later = now + 2 * day;
    expect(await found(ada, ["maria"])).toEqual(["Maria"]);
    expect(await found(ada, ["maria"], later)).toEqual([]);
    expect([...(await graph.entitiesOf(ada.principal, later, [memory.id])).keys()]).toEqual([]);
    expect(await graph.findRelationships(ada.principal, later, ["maria", "redis"].map(indexForm), 10)).toEqual([]);
    expect(await graph.walk(ada.principal, now, [other.id], { depth: 1, breadth: 8, limit: 10 })).toHaveLength(1);
    expect(await graph.walk(ada.principal, later, [other.id], { depth: 1, breadth: 8, limit: 10 })).toEqual([]);
    await redraw(team, later);
    expect(await found(ada, ["maria"], later)).toEqual([]);
  });

  test("is the same however often the same page is drawn, and no late page brings an old version back", async () => {
    const { extractGraph } = await import("../../../src/domain/graph/extract-graph.ts");
    const first = await ada.keep("one", "Maria owns Redis. Kubernetes (k8s) runs on Hetzner.", shared);
    await ada.keep("two", "Redis replaced Memcached. See `one`.", shared);
    await redraw(team);
    const once = await stored(team);
    await redraw(team);
    await Promise.all([redraw(team), redraw(team)]);
    expect(await stored(team)).toEqual(once);
    const { memory } = await ada.remember("Sarah owns Valkey.", { key: "one", ...shared }, now + minute);
    await redraw(team);
    const present = await stored(team);
    await extractGraph({ graph: graphWriter }, teamRefOf(team), now, [first]);
    expect(await stored(team)).toEqual(present);
    expect((await graph.entitiesOf(ada.principal, now, [memory.id])).get(memory.id)?.map(({ name }) => name).sort()).toEqual(["Sarah", "Valkey"]);
  });

  test("never comes from secret or archived memories", async () => {
    await ada.keep("one", "Maria owns Redis.", { ...shared, sensitivity: "secret" });
    await redraw(team);
    expect(await stored(team)).toMatchObject(nothing);
  });
});

describe("documents for an index that follows", () => {
  const read = async (after: number) => {
    const { items, ...page } = await graphWriter.changedDocuments(teamRefOf(team), after, 100);
    return { ...page, documents: items.flatMap(({ document }) => document ?? []), gone: items.filter(({ document }) => !document) };
  };

  test("are one for each home, and tell what is gone", async () => {
    const open = await ada.keep("open", "Kubernetes (k8s) uses Redis since 2024.", shared);
    await ada.keep("mine", "Redis is mine.", {});
    await redraw(team);
    const page = await read(0);
    expect(page).toMatchObject({ gone: [], last: true });
    expect(page.documents).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "entity", visibilityKey: "", fields: { name: "Kubernetes", aliases: "k8s", type: "technology" } }),
        expect.objectContaining({ kind: "entity", visibilityKey: "", fields: { name: "Redis", aliases: "", type: "technology" } }),
        expect.objectContaining({ kind: "entity", visibilityKey: ada.id, fields: { name: "Redis", aliases: "", type: "technology" } }),
        expect.objectContaining({ kind: "relationship", visibilityKey: "", fields: { statement: "Kubernetes uses Redis", context: "since 2024" } }),
      ]),
    );
    expect(new Set(page.documents.map(({ id }) => id)).size).toBe(page.documents.length);
    expect(await read(page.upTo)).toMatchObject({ documents: [], gone: [] });
    await commits.erase(ada.principal, ada.at(now), [open]);
    const after = await read(page.upTo);
    expect(after.documents).toEqual([]);
    expect(after.gone.map(({ id }) => id).sort()).toEqual(page.documents.filter(({ visibilityKey }) => visibilityKey === "").map(({ id }) => id).sort());
  });
});
