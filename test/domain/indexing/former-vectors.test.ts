import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import { indexTeam, type IndexingPorts } from "../../../src/domain/indexing/index-team.ts";
import { retireAfterMs, vectorTask, graphVectorTask } from "../../../src/domain/indexing/vector-task.ts";
import { newState } from "../../../src/domain/memories/memory.ts";
import { firstVersion } from "../../../src/domain/memories/versions.ts";
import type { Embedders } from "../../../src/domain/embedding/embedder.ts";
import { withTeamIds } from "../../../src/domain/embedding/vector-space.ts";
import { embeddersOf } from "../../../src/platform/ai/embedders.ts";
import type { AiBinding } from "../../../src/platform/ai/workers-ai-embedder.ts";
import { D1GraphWriter } from "../../../src/platform/d1/graph-writer.ts";
import { D1ProgressStore } from "../../../src/platform/d1/progress-store.ts";
import { D1VectorStore } from "../../../src/platform/d1/vector-store.ts";
import { VectorizeBindings } from "../../../src/platform/vectorize/bindings.ts";
import { hasFormerIds, markOf, vectorId } from "../../../src/platform/vectorize/vector-ids.ts";
import { VectorizeIndex } from "../../../src/platform/vectorize/vectorize-index.ts";
import { newTeam, sisterOf, type Person, type Team } from "../../support/team.ts";
import { teamRefOf, rows, shardOf, Unannounced } from "../../support/indexing.ts";
import { cut } from "../../support/vectorize.ts";

const start = Date.now();
const texts = ["the walrus sleeps on the ice", "the heron stands by the river", "the pelican eats in the harbour", "the gull steals at the pier"];

/** What the provider was asked. */
let embedded = 0;
const ai: AiBinding = {
  run: async (model, input) => {
    embedded += 1;
    return (env.AI as unknown as AiBinding).run(model, input);
  },
};
const plain = embeddersOf(parseConfig(env).embeddings, { AI: ai });

const vectorIndex = new VectorizeIndex(VectorizeBindings.of(env), env.TEAM_INDEX, () => undefined);

function deployment(embedders: Embedders): IndexingPorts {
  const graph = new D1GraphWriter(shardOf);
  const ports = { progress: new D1ProgressStore(shardOf), vectors: new D1VectorStore(shardOf), vectorIndex, graph, embedders, report: (_event: string, error: unknown) => { throw error; } };
  return { teams: { findTeam: async () => undefined, listShards: async () => [] }, progress: ports.progress, tasks: [vectorTask(ports), graphVectorTask(ports)], report: ports.report };
}

/** As it was before ids named teams, and as it is now. */
const before = deployment(plain);
const after = deployment(withTeamIds(plain));

async function run(ports: IndexingPorts, team: Team, at = start, memories = 10_000): Promise<void> {
  for (let state = ""; state !== "done"; ) {
    ({ state } = await indexTeam(ports, teamRefOf(team), () => at, { deadline: at + 10_000, memories }));
  }
}

interface Holder {
  team: Team;
  who: Person;
  own: string[];
}

/** A team whose memories have these ids, not announced to the running Worker. */
async function holder(team: Team, name: string, ids: string[], visibility: "private" | "public" = "private"): Promise<Holder> {
  const who = Unannounced.of(team.owner);
  const ctx = who.at(start);
  const own = texts.map((text) => `${text}, says ${name}`);
  const writes = own.map((content, i) => ({ memory: firstVersion(ctx, newState({ content, visibility, ownerId: who.id }), ids[i]), action: "create" as const }));
  await ctx.writer.commit(who.principal, ctx, writes);
  return { team, who, own: own.sort() };
}

let at = start;
/** Each question is asked later than the one before, so that nobody remembers which space served. */
async function near({ who, own }: Holder): Promise<string[]> {
  at += 2 * 60_000;
  const found = await who.recall({ query: "an animal", mode: "vector", without: ["dedupe", "diversity"] }, at);
  return found.map(({ memory }) => memory.content).filter((content) => own.includes(content)).sort();
}

let ids: string[];
let formerIds: string[];

beforeEach(async () => {
  ids = texts.map(() => crypto.randomUUID());
  const mark = await markOf(plain.current.space);
  expect(hasFormerIds(mark)).toBe(true);
  formerIds = ids.flatMap((id) => (["team", "organization"] as const).map((copy) => vectorId("memory", id, { team: "", mark, copy })));
});

const formerShown = async (): Promise<number> => (await env.VECTORIZE.getByIds(formerIds)).length;

test("vectors under ids of the former form move to ids of the team, bounded, without embedding, answering all the while", async () => {
  const ada = await holder(await newTeam(), "Ada", ids, "public");
  await run(before, ada.team);
  expect(await formerShown()).toBe(8);
  expect(await near(ada)).toEqual(ada.own);
  const asked = embedded;

  for (let turn = 0; turn < 3; turn += 1) {
    await indexTeam(after, teamRefOf(ada.team), () => start, { deadline: start + 10_000, memories: 1 });
    expect(await near(ada)).toEqual(ada.own);
  }
  await run(after, ada.team);
  expect(await near(ada)).toEqual(ada.own);
  expect(embedded, "the cached vectors were taken over").toBe(asked);

  await run(after, ada.team, start + 2 * retireAfterMs);
  expect(await formerShown(), "no former id is left").toBe(0);
  expect(await near(ada)).toEqual(ada.own);
  expect(embedded).toBe(asked);
  expect(await rows("SELECT DISTINCT space FROM vector_items WHERE team_id = ?", ada.team.id)).toEqual([{ space: withTeamIds(plain).current.space }]);
  expect(await rows("SELECT count(*) AS n FROM vector_cache WHERE team_id = ?", ada.team.id)).toEqual([{ n: 4 }]);
});

test.each(["of the organization", "of another organization"])("two teams that share ids of the former form both have their vectors in the end, a team %s", async (whose) => {
  const ada = await holder(await newTeam("SHARD_0"), "Ada", ids, "public");
  const other = await holder(whose === "of the organization" ? await sisterOf(ada.team) : await newTeam("SHARD_0"), "Mallory", ids, "public");
  await run(before, ada.team);
  await run(before, other.team);
  await cut(`team:${ada.team.id}`);
  expect(await near(ada), "the fault: the last to write has the vectors").toEqual([]);
  expect(await near(other)).toEqual(other.own);

  await run(after, ada.team);
  expect(await near(ada)).toEqual(ada.own);
  expect(await near(other)).toEqual(other.own);
  await run(after, ada.team, start + 2 * retireAfterMs);
  expect(await formerShown(), "what another team still relies on stays").toBe(8);
  expect(await near(other)).toEqual(other.own);

  await run(after, other.team);
  await run(after, other.team, start + 2 * retireAfterMs);
  expect(await formerShown(), "no former id is left").toBe(0);
  expect(await near(ada)).toEqual(ada.own);
  expect(await near(other)).toEqual(other.own);
});
