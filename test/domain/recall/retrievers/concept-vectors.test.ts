import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Context } from "../../../../src/domain/context.ts";
import { recall, type RecallInput, type RecallOutcome } from "../../../../src/domain/recall/recall.ts";
import { receiptSchema } from "../../../../src/domain/recall/presentation/receipt.ts";
import { Semantic } from "../../../../src/domain/recall/retrievers/vector-retriever.ts";
import { GraphCopy } from "../../../../src/platform/team-index/graph/graph-copy.ts";
import { D1GraphStore } from "../../../../src/platform/d1/graph-store.ts";
import type { VectorHit } from "../../../../src/domain/embedding/vector-index.ts";
import { rendering } from "../../../support/rendering.ts";
import { redraw } from "../../graph/extracted.ts";
import { nearestAre } from "../../../support/nearest.ts";
import { commits, indexed, newTeam, now, services, type Person, type Team } from "../../../support/team.ts";

const shared = { visibility: "shared" } as const;
let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

afterEach(() => {
  vi.restoreAllMocks();
});

const ask = (ctx: Context, query: string, input: Partial<RecallInput> = {}): Promise<RecallOutcome> =>
  recall(ctx, { query, limit: 10, minRelevance: 0, receipt: true, rendering, ...input });
const asked = (who: Person, near: VectorHit[], input: Partial<RecallInput> = {}): Promise<RecallOutcome> => {
  nearestAre(() => near);
  return ask(who.at(now), "sqlite", input);
};
const contents = ({ items }: RecallOutcome): string[] => items.map(({ memory }) => memory.content);

/** As the vectors of this person's graph would be, all at the same distance. */
async function vectorsOf(who: Person, memoryId: string, similarity = 0.9): Promise<VectorHit[]> {
  const entities = [...(await services.graph.entitiesOf(who.principal, now, [memoryId])).values()].flat();
  const relationships = await services.graph.relationshipsOf(who.principal, now, [memoryId], 10);
  return [
    ...entities.map(({ id }): VectorHit => ({ kind: "entity", id, similarity })),
    ...relationships.map(({ id }): VectorHit => ({ kind: "relationship", id, similarity })),
  ];
}

describe("entities and relationships by meaning [D3] [D5]", () => {
  test("a question that shares no word with a name, but is near it in meaning, brings its memory; the receipt shows how", async () => {
    const party = await ada.keep("party", "The garden party is in Paris next week.", shared);
    for (const text of ["Rent the big tent.", "Buy lemonade for everybody.", "Ask Elena about the music."]) await ada.remember(text, shared);
    await indexed(ada.principal);
    const { structured } = await ada.call("omn_retrieve_memory", { query: "capital of France", min_relevance: 0, receipt: true });
    const receipt = receiptSchema.parse(structured["receipt"]);
    expect(structured["memories"][0]["memory_id"]).toBe(party.id);
    expect(receipt.hits[0]).toMatchObject({ id: party.id, matched: [], legs: { entity_vector: { rank: 1, score: expect.any(Number) } } });
    expect(receipt.legs.entity_vector).toMatchObject({ status: "ok", candidates: 1 });
    expect(receipt.legs.relationship_vector).toMatchObject({ status: "ok" });
  });

  test("they bring memories that no other leg found", async () => {
    const target = await ada.keep("target", "Elena moved the batch to PostgreSQL.", shared);
    const others = [];
    for (let i = 0; i < 12; i += 1) others.push(await ada.keep(`k${i}`, `Heron number ${i}.`, shared));
    await redraw(team);
    const concepts = await vectorsOf(ada, target.id, 0.6);
    const near = [...concepts, ...others.map(({ id }, at): VectorHit => ({ kind: "memory", id, similarity: 0.3 - at / 100 }))];
    nearestAre(() => near);
    const outcome = await ask(ada.at(now), "sqlite", { limit: 2 });
    expect(contents(outcome)[0]).toBe(target.content);
    expect(outcome.items[0]?.related?.map(({ kind }) => kind)).toEqual(["entity", "entity"]);
  });

  test("what is named everywhere, or far off, brings nothing", async () => {
    for (let i = 0; i < 8; i += 1) await ada.keep(`k${i}`, `Redis is slow on host ${i}.`, shared);
    const lone = await ada.keep("lone", "Valkey is slow.", shared);
    await redraw(team);
    const [redis] = await services.graph.findEntities(ada.principal, now, ["redi"], 1);
    const near: VectorHit[] = [{ kind: "entity", id: redis?.item.id ?? "", similarity: 0.9 }, ...(await vectorsOf(ada, lone.id, 0.4))];
    expect(redis?.item.mentions).toBe(8);
    expect(contents(await asked(ada, near))).toEqual([]);
  });
});

describe("stale and planted vectors [S6]", () => {
  test("of somebody's private memory bring nothing to others, nor show in the receipt", async () => {
    const grace = await team.join();
    const mine = await grace.keep("plan", "Globex acquired Redis.", {});
    await redraw(team);
    const planted = await vectorsOf(grace, mine.id);
    expect(planted.length).toBeGreaterThan(2);
    expect(contents(await asked(grace, planted))).toEqual([mine.content]);
    const outcome = await asked(ada, planted);
    expect(outcome).toMatchObject({ items: [], totalFound: 0 });
    expect(outcome.receipt?.legs).toMatchObject({ entity_vector: { candidates: 0 }, relationship_vector: { candidates: 0 } });
    expect(JSON.stringify(outcome)).not.toMatch(/Globex|Redis/);
  });

  test("of what was erased bring nothing back", async () => {
    const memory = await ada.keep("one", "Maria owns Redis.", shared);
    await redraw(team);
    const stale = await vectorsOf(ada, memory.id);
    await commits.erase(ada.principal, ada.at(now), [memory]);
    expect(await asked(ada, stale)).toMatchObject({ items: [], receipt: { legs: { entity_vector: { candidates: 0 } } } });
  });

  test("filters hold for what they bring", async () => {
    const memory = await ada.keep("one", "Maria owns Redis.", shared);
    await redraw(team);
    const near = await vectorsOf(ada, memory.id);
    expect(contents(await asked(ada, near, { filter: { tags: ["absent"] } }))).toEqual([]);
  });
});

describe("which of them are asked", () => {
  const legsOf = async (input: Partial<RecallInput>): Promise<string[]> => {
    const memory = await ada.keep("one", "Maria owns Redis.", shared);
    await redraw(team);
    const { receipt } = await asked(ada, [...(await vectorsOf(ada, memory.id)), { kind: "memory", id: memory.id, similarity: 0.9 }], input);
    return Object.entries(receipt?.legs ?? {}).flatMap(([leg, { status }]) => (status === "ok" ? leg : [])).sort();
  };
  const vectors = ["entity_vector", "memory_vector", "relationship_vector"];

  test.each<[string, Partial<RecallInput>, string[]]>([
    ["all in a hybrid search", {}, [...vectors, "entity_text", "memory_text", "query_expansion", "relationship_text"]],
    ["vectors alone in vector mode", { mode: "vector" }, vectors],
    ["none in text mode", { mode: "text" }, ["memory_text"]],
    ["none of the past", { asOf: now + 1 }, ["memory_text"]],
    ["none without vectors", { without: ["vector"] }, ["entity_text", "memory_text", "relationship_text"]],
    ["both legs go with entities", { without: ["entities"] }, ["memory_text", "memory_vector", "query_expansion", "relationship_text", "relationship_vector"]],
    ["both legs go with relationships", { mode: "vector", without: ["relationships"] }, ["entity_vector", "memory_vector"]],
  ])("%s", async (_, input, expected) => {
    expect(await legsOf(input)).toEqual(expected.sort());
  });

  test("vectors that are away, or a graph that is, take nothing else along", async () => {
    const memory = await ada.keep("one", "Maria owns sqlite.", shared);
    await redraw(team);
    const broken = () => {
      throw new Error("away");
    };
    vi.spyOn(Semantic.prototype, "nearest").mockRejectedValue(new Error("away"));
    const withoutVectors = await ask(ada.at(now), "sqlite");
    expect(withoutVectors).toMatchObject({ items: [{ memory: { id: memory.id } }], degraded: ["vector search is down: answered from text"] });
    expect(withoutVectors.receipt?.legs.entity_vector?.status).toBe("failed");
    const near = await vectorsOf(ada, memory.id);
    nearestAre(() => near);
    vi.spyOn(GraphCopy.prototype, "expand").mockImplementation(broken);
    vi.spyOn(D1GraphStore.prototype, "expand").mockImplementation(broken);
    const withoutGraph = await ask(ada.at(now), "sqlite");
    expect(withoutGraph).toMatchObject({ items: [{ memory: { id: memory.id } }], degraded: ["the graph is down: answered from text and vectors"] });
  });
});

describe("what was drawn is counted [A1] [D3]", () => {
  test("for whoever may see it, and what waits until it is there", async () => {
    const grace = await team.join();
    await ada.remember("OmniMemory uses PostgreSQL", { visibility: "shared" });
    await ada.remember("Swordfish uses SQLite");
    const graph = async (who: Person) => (await who.call("omn_memory_stats")).structured["graph"];
    expect([(await graph(ada)).waiting, (await graph(grace)).waiting]).toEqual([2, 1]);
    await indexed(ada.principal);
    expect(await graph(ada)).toEqual({ entities: 4, relationships: 2, waiting: 0 });
    expect(await graph(grace)).toEqual({ entities: 2, relationships: 1, waiting: 0 });
  });
});
