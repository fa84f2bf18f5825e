import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { minuteOf, sweep } from "../../src/domain/memories/sweep.ts";
import { markOf, organizationNamespace, teamDigest, teamNamespace, vectorId } from "../../src/platform/vectorize/vector-ids.ts";
import { hour, indexed, minute, newTeam, now, services, sisterOf, type Person, type Team } from "../support/team.ts";
import { cut } from "../support/vectorize.ts";

const texts = ["the walrus sleeps on the ice", "the heron stands by the river", "the pelican eats in the harbour"];

let team: Team;
let ada: Person;
let ids: string[];
let mark: string;
let dimensions: number;

const nameOf = async (id: string, copy: "team" | "organization" = "team"): Promise<string> => vectorId("memory", id, { team: await teamDigest(team.id), mark, copy });
const shownOf = async (...names: string[]): Promise<string[]> => (await env.VECTORIZE.getByIds(names)).map(({ id }) => id).sort();
const vectors = async (who = ada) => (await who.call("omn_memory_stats")).structured["vectors"] as Record<string, unknown>;
const near = async (who: Person): Promise<string[]> =>
  (await who.recall({ query: "an animal", mode: "vector", without: ["dedupe", "diversity"] }, Date.now())).map(({ memory }) => memory.content).sort();

/** The index objects hold no vectors: what is found by meaning is found in Vectorize. */
async function settle(): Promise<void> {
  await cut(`team:${team.id}`);
  await cut(`org:${team.organizationId}`);
}

/** The cron at the minute of the hour that is the team's. */
const hourly = () => sweep(services.maintenance, Math.floor(now / hour) * hour + minuteOf(team.id) * minute);

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  const kept = [];
  for (const [i, text] of texts.entries()) kept.push(await ada.remember(text, { visibility: i === 0 ? "public" : "private" }, Date.now()));
  ids = kept.map(({ memory }) => memory.id);
  await indexed(ada.principal);
  await settle();
  const row = await env.SHARD_0.prepare("SELECT space FROM serving_spaces WHERE team_id = ?").bind(team.id).first<{ space: string }>();
  mark = await markOf((row as { space: string }).space);
  dimensions = Number.parseInt((row as { space: string }).space.split(":").at(-1) as string);
});

test("vectors that Vectorize lost are found missing within the hour, told in the statistics, and written again", async () => {
  const sister = (await sisterOf(team)).owner;
  const names = await Promise.all(ids.map((id) => nameOf(id)));
  const copy = await nameOf(ids[0] as string, "organization");
  await env.VECTORIZE.deleteByIds([...names, copy]);
  expect(await near(ada)).toEqual([]);
  expect(await vectors()).toMatchObject({ indexed: 3, waiting: 0, missing: 0, compared_at: null });

  expect((await hourly()).vectorsRepaired).toBeGreaterThanOrEqual(3);

  expect(await shownOf(...names, copy)).toEqual([...names, copy].sort());
  expect(await near(ada)).toEqual([...texts].sort());
  await indexed(sister.principal);
  expect(await vectors()).toMatchObject({ indexed: 3, waiting: 0, missing: 3, compared_at: expect.stringMatching(/Z$/) });
  await settle();
  await hourly();
  expect(await vectors(), "the next comparison finds all of them").toMatchObject({ indexed: 3, waiting: 0, missing: 0 });
});

test("one that was found missing waits until Vectorize takes it, and the statistics say so", async () => {
  const grace = await team.join();
  await env.SHARD_0.prepare("UPDATE vector_items SET version = 0 WHERE team_id = ? AND id = ?").bind(team.id, ids[1]).run();
  await env.VECTORIZE.deleteByIds([await nameOf(ids[1] as string)]);
  expect(await vectors()).toMatchObject({ indexed: 2, waiting: 1 });
  await hourly();
  expect(await vectors()).toMatchObject({ indexed: 3, waiting: 0, missing: 1 });
  expect(await vectors(grace), "of what somebody may not see they are told nothing").toMatchObject({ missing: 0 });
});

test("an older version, a wrong audience and another team's metadata are written again", async () => {
  const values = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
  const own = { namespace: teamNamespace(team.id, mark), values };
  const copy = await nameOf(ids[0] as string, "organization");
  await env.VECTORIZE.upsert([
    { ...own, id: await nameOf(ids[1] as string), metadata: { kind: "memory", version: 0, audience: ada.id } },
    { ...own, id: await nameOf(ids[2] as string), metadata: { kind: "memory", version: 1, audience: "team" } },
    { id: copy, namespace: organizationNamespace(team.organizationId, mark), values, metadata: { kind: "memory", version: 1, team: crypto.randomUUID(), shard: "SHARD_0" } },
  ]);
  await hourly();
  const shown = await env.VECTORIZE.getByIds([await nameOf(ids[1] as string), await nameOf(ids[2] as string), copy]);
  expect(shown.map(({ metadata }) => metadata)).toEqual(expect.arrayContaining([
    { kind: "memory", version: 1, audience: ada.id }, { kind: "memory", version: 1, audience: ada.id }, { kind: "memory", version: 1, team: team.id, shard: ada.principal.shard },
  ]));
});

test("what Vectorize shows and the truth does not want is removed, and nothing of another team", async () => {
  const other = await sisterOf(team);
  await other.owner.remember("the sister's walrus", { visibility: "public" }, Date.now());
  await indexed(other.owner.principal);
  const values = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
  const [gone, privateCopy] = [await nameOf(crypto.randomUUID()), await nameOf(ids[1] as string, "organization")];
  await env.VECTORIZE.upsert([
    { id: gone, namespace: teamNamespace(team.id, mark), values, metadata: { kind: "memory", version: 1, audience: "team" } },
    { id: privateCopy, namespace: organizationNamespace(team.organizationId, mark), values, metadata: { kind: "memory", version: 1, team: team.id, shard: "SHARD_0" } },
  ]);
  await hourly();
  expect(await shownOf(gone, privateCopy)).toEqual([]);
  expect(await near(ada)).toEqual([...texts, "the sister's walrus"].sort());
  expect(await vectors()).toMatchObject({ indexed: 3, missing: 0 });
});
