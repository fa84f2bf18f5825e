import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { measuredScale } from "../../../src/domain/embedding/measured-scales.ts";
import { similarityOf } from "../../../src/domain/embedding/similarity-scale.ts";
import { importMemories } from "../../../src/domain/memories/import.ts";
import { portableMemory } from "../../../src/domain/memories/portable.ts";
import { Semantic } from "../../../src/domain/recall/retrievers/vector-retriever.ts";
import { queryTerms } from "../../../src/domain/text/query-terms.ts";
import { D1ErasureStore } from "../../../src/platform/d1/erasure-store.ts";
import { ServingSpaces } from "../../../src/platform/d1/serving-spaces.ts";
import { busy, down, Jobs, rows, shardOf, teamRefOf } from "../../support/indexing.ts";
import { SqueezedEmbedder } from "../../support/squeezed-embedder.ts";
import { day, hour, indexed, minute, newTeam, now, type Person, sisterOf, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;
let model: SqueezedEmbedder;
let jobs: Jobs;

const jobsOf = (whose: Team, at: number, embedder: SqueezedEmbedder) =>
  new Jobs(whose, at, { withScale: true, within: { embedders: { current: embedder, bySpace: (space) => (space === embedder.space ? embedder : undefined) } } });

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  model = new SqueezedEmbedder();
  jobs = jobsOf(team, now, model);
});

const contentOf = (n: number) => `Somebody asks about subject-${n} here. The answer tells all of subject-${n}, number ${n}.`;
/** Memories of two sentences, with the numbers `from` to `to`. */
const write = (who: Person, from: number, to: number) =>
  importMemories(who.at(now), { records: Array.from({ length: to - from }, (_, i) => portableMemory.parse({ content: contentOf(from + i) })), onConflict: "update" });

/** What a question is told, by an isolate that has not asked before. */
const scaleFor = async (whose: Team, embedder = model) => {
  const serving = new ServingSpaces(shardOf);
  const semantic = new Semantic({ embedders: { current: embedder, bySpace: () => embedder }, index: { query: async () => [] }, servingSpace: (principal, at) => serving.of(principal, at) });
  return (await semantic.nearest(whose.owner.principal, now, "who", { kinds: ["memory"], limit: 1, signal: AbortSignal.timeout(1_000) })).scale;
};
const stored = (whose: Team) => rows<{ space: string; made_at: number; pairs: number | null }>("SELECT * FROM similarity_scales WHERE team_id = ?", whose.id);

describe("a model that comes without a scale", () => {
  test("is measured on the team's own memories: its pairs come to about 1, other texts to about 0", async () => {
    await write(ada, 0, 100);
    expect(await scaleFor(team)).toBeUndefined();
    model.asked.length = 0;
    expect(await jobs.run(team)).toEqual({ state: "done" });
    const scale = await scaleFor(team);
    expect(scale?.pairs).toBe(64);
    const similarity = similarityOf(scale);
    expect(similarity(0.9)).toBeCloseTo(1, 1);
    expect(similarity(0.6)).toBeCloseTo(0, 1);
    // The query of `scaleFor` is the last one.
    expect(model.asked.map(({ kind, texts }) => [kind, texts.length])).toEqual([["passage", 100], ["query", 64], ["passage", 64], ["query", 1]]);
  });

  test("is not measured on few memories, nor on many that make no pair", async () => {
    await write(ada, 0, 23);
    await jobs.run(team);
    expect(model.of("query")).toEqual([]);
    await importMemories(ada.at(now), { records: Array.from({ length: 20 }, (_, n) => portableMemory.parse({ content: `heron ${n}` })), onConflict: "update" });
    await jobs.run(team);
    expect(model.of("query")).toEqual([]);
    expect(await scaleFor(team)).toBeUndefined();

    await write(ada, 23, 40);
    await jobs.run(team);
    expect(await scaleFor(team)).toMatchObject({ pairs: 40 });
  });

  test("is measured anew when there are eight times as many memories, not before", async () => {
    await write(ada, 0, 24);
    await jobs.run(team);
    const [first] = await stored(team);
    jobs.now = now + hour;
    await write(ada, 24, 191);
    await jobs.run(team);
    expect(await stored(team)).toEqual([first]);
    await write(ada, 191, 192);
    await jobs.run(team);
    expect(await stored(team)).toEqual([expect.objectContaining({ made_at: now + hour, pairs: 64 })]);
  });

  test("is never shown a secret, nor what is quarantined or expired", async () => {
    await write(ada, 0, 24);
    await ada.remember(contentOf(501), { sensitivity: "secret" });
    await ada.commitOnly(contentOf(502), { trust: { source: "web", quarantined: true } });
    await ada.remember(contentOf(503), { expiresAt: now + minute });
    await jobs.run(team);
    jobs.now = now + hour;
    await rows("DELETE FROM similarity_scales WHERE team_id = ?", team.id);
    await jobs.run(team);
    const measured = [...model.of("query"), ...model.asked.filter(({ texts }) => texts.length === 24).flatMap(({ texts }) => texts)];
    expect(measured.length).toBeGreaterThan(48);
    expect(measured.filter((text) => /subject-50[12]/.test(text))).toEqual([]);
    expect(model.asked.at(-2)?.texts.filter((text) => text.includes("subject-503"))).toEqual([]);
  });

  test("that is away delays nothing, and is asked again when it has had time", async () => {
    for (const trouble of [busy(), down]) {
      const whose = await newTeam();
      await write(whose.owner, 0, 30);
      const failing = jobsOf(whose, now, model);
      model.broken = trouble;
      expect(await failing.run(whose)).toEqual({ state: "done" });
      expect(failing.index.of(whose, model.space).size).toBe(30);
      expect(failing.reported).toHaveLength(1);
      const asked = model.of("query").length;
      expect(await failing.run(whose)).toEqual({ state: "done" });
      expect(model.of("query"), "it is left alone for a while").toHaveLength(asked);
      model.broken = undefined;
      failing.now += 10 * minute;
      await failing.run(whose);
      expect(await scaleFor(whose)).toMatchObject({ pairs: 30 });
    }
  });
});

describe("a scale", () => {
  test("is its team's alone", async () => {
    const other = await sisterOf(team);
    await write(ada, 0, 24);
    await write(other.owner, 0, 3);
    await jobs.run(team);
    await jobsOf(other, now, model).run(other);
    expect(await scaleFor(team)).toMatchObject({ pairs: 24 });
    expect(await scaleFor(other)).toBeUndefined();
  });

  test("goes with the space when the model is replaced", async () => {
    await write(ada, 0, 24);
    await jobs.run(team);
    const next = new SqueezedEmbedder("test:next:1024");
    const changed = jobsOf(team, now + day, next);
    await changed.run(team);
    await write(ada, 24, 25);
    changed.now += hour;
    await changed.run(team);
    expect((await stored(team)).map(({ space }) => space)).toEqual([next.space]);
    expect(await rows("SELECT 1 FROM index_progress WHERE team_id = ? AND space = ?", team.id, model.space)).toEqual([]);
    expect(await scaleFor(team, next)).toMatchObject({ pairs: 24 });
  });

  test("is erased with the team [F3]", async () => {
    await write(ada, 0, 24);
    await jobs.run(team);
    expect(await stored(team)).toHaveLength(1);
    const erasure = new D1ErasureStore(shardOf);
    while (await erasure.eraseRows(teamRefOf(team))) continue;
    expect(await stored(team)).toEqual([]);
  });
});

test("a recall brings the scale of the built-in model with what it found", async () => {
  const request = { text: "heron", terms: queryTerms("heron"), mode: "hybrid" as const, without: [], filter: {}, limit: 5 };
  const { index } = ada.at(now);
  expect((await index.recall(ada.principal, Date.now(), request))?.scale).toBeUndefined();
  const another = await newTeam();
  await another.owner.remember("The heron nests by the lake.", {}, Date.now());
  await indexed(another.owner.principal);
  const [row] = (await env.SHARD_0.prepare("SELECT space FROM serving_spaces WHERE team_id = ?").bind(another.id).all<{ space: string }>()).results;
  const found = await index.recall(another.owner.principal, Date.now(), request);
  expect(found?.nearest).toHaveLength(1);
  expect(found?.scale).toEqual(measuredScale(row?.space ?? ""));
  expect(found?.scale).toBeDefined();
});
