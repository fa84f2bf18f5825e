import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { newState } from "../../../../src/domain/memories/memory.ts";
import { firstVersion } from "../../../../src/domain/memories/versions.ts";
import type { TeamIndex } from "../../../../src/platform/team-index/team-index.ts";
import type { Near } from "../../../../src/platform/team-index/vectors/vector-copy.ts";
import { VectorSource } from "../../../../src/platform/team-index/vectors/vector-source.ts";
import { markOf, teamDigest, vectorId } from "../../../../src/platform/vectorize/vector-ids.ts";
import { indexed, newTeam, services, sisterOf, type Person, type Team } from "../../../support/team.ts";

type Stub = DurableObjectStub<TeamIndex>;

let team: Team;
let ada: Person;
let mark: string;
let question: Float32Array;

/** As after the object lost its copy, or from before there was one. */
async function lose(object: Stub): Promise<void> {
  await runInDurableObject(object, (_object, { storage: { sql } }) => {
    sql.exec("DELETE FROM vector_rows; DELETE FROM vector_packs; DELETE FROM vector_gone; DELETE FROM copied_spaces; DELETE FROM vector_fills");
  });
  await evictDurableObject(object);
}

const ask = (object: Stub): Promise<Near> => object.nearVectors(team.ref, { mark, values: question, kinds: ["memory", "entity"], limit: 1_000 });
const idsOf = ({ hits }: Near): string[] => hits.map(({ id, version }) => `${id} ${version}`).sort();

async function filled(object: Stub): Promise<Near> {
  await vi.waitUntil(async () => (await ask(object)).complete, { timeout: 20_000 });
  return ask(object);
}

/** Keeps so many memories at once, without a word to the vectors. */
async function keep(count: number, visibility: "private" | "shared" | "public" = "shared"): Promise<string[]> {
  const ctx = ada.at(Date.now());
  const writes = Array.from({ length: count }, (_, i) => ({
    memory: firstVersion(ctx, newState({ content: `the walrus counts ${i} boats of ${visibility} kind`, visibility, ownerId: ada.id })), action: "create" as const,
  }));
  const kept = await services.writer.commit(ada.principal, ctx, writes);
  return kept.map(({ id }) => id);
}

async function forget(id: string, mode: "archive" | "erase"): Promise<void> {
  const { confirm } = (await ada.call("omn_forget_memory", { ids: [id], mode })).structured;
  await ada.call("omn_forget_memory", { ids: [id], mode, confirm });
}

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  await ada.remember("so that the team has vectors");
  await indexed(ada.principal);
  const row = await env.SHARD_0.prepare("SELECT space FROM serving_spaces WHERE team_id = ?").bind(team.id).first<{ space: string }>();
  const { space } = row as { space: string };
  mark = await markOf(space);
  question = new Float32Array(Number.parseInt(space.split(":").at(-1) as string)).fill(0.05);
});

describe("a copy that was lost", () => {
  test("is filled from the truth behind the questions, page by page, and is then whole again", async () => {
    await keep(1_100);
    await indexed(ada.principal);
    const before = await filled(team.index);
    expect(before.hits.length).toBeGreaterThan(1_000 - 1);
    await lose(team.index);
    expect(await ask(team.index)).toEqual({ hits: [], complete: false });
    const after = await filled(team.index);
    expect(idsOf(after)).toEqual(idsOf(before));
    expect(after.hits.map(({ similarity }) => similarity)).toEqual(before.hits.map(({ similarity }) => expect.closeTo(similarity, 5)));
    expect(await team.index.vectorSpaces(), "a removal looks in the space again").toEqual([{ mark, dimensions: question.length }]);
  });

  test("gets what the pipeline puts meanwhile, and nothing back that was erased or archived", async () => {
    const ids = await keep(20);
    await indexed(ada.principal);
    await lose(team.index);
    const first = ask(team.index);
    await keep(5);
    await indexed(ada.principal);
    expect((await first).complete).toBe(false);
    await forget(ids[0] as string, "erase");
    await forget(ids[1] as string, "archive");
    const held = idsOf(await filled(team.index)).map((hit) => hit.split(" ")[0]);
    await indexed(ada.principal);
    const later = idsOf(await ask(team.index)).map((hit) => hit.split(" ")[0]);
    expect(later).toEqual(expect.arrayContaining(ids.slice(2)));
    expect(later).not.toContain(ids[0]);
    expect(later).not.toContain(ids[1]);
    expect(held).toEqual(expect.arrayContaining(ids.slice(2)));
  });

  test("is read from the beginning when it is to be filled anew, though a run has passed that page just then [D5]", async () => {
    await keep(600);
    await indexed(ada.principal);
    await lose(team.index);
    const { below } = VectorSource.prototype;
    const begun: string[] = [];
    const spy = vi.spyOn(VectorSource.prototype, "below").mockImplementation(async function (this: VectorSource, ...which) {
      const page = await below.apply(this, which);
      if (which[1] === "memory" && begun.push(which[2]) === 2) await runInDurableObject(team.index, (object) => void object.rebuild(team.ref));
      return page;
    });
    try {
      await filled(team.index);
    } finally {
      spy.mockRestore();
    }
    expect(begun.slice(2, 4)).toEqual(begun.slice(0, 2));
  });

  test("of the organization gets the public memories of all its teams, and nothing else", async () => {
    const sister = await sisterOf(team);
    await keep(3);
    const open = await keep(4, "public");
    await sister.owner.remember("the sister's walrus", { visibility: "public" }, Date.now());
    for (const { principal } of [ada, sister.owner]) await indexed(principal);
    await lose(team.organizationIndex);
    const near = await filled(team.organizationIndex);
    expect(near.hits.filter(({ teamId }) => teamId === team.id).map(({ id }) => id).sort()).toEqual(open.sort());
    expect(near.hits.filter(({ teamId }) => teamId === sister.id)).toHaveLength(1);
  });
});

describe("what the object applies", () => {
  test("takes the vectors of what is erased, archived or turned secret out at once, before the pipeline comes", async () => {
    const ids = await keep(4);
    await indexed(ada.principal);
    const gone = new Set(ids.slice(0, 3));
    await forget(ids[0] as string, "erase");
    await forget(ids[1] as string, "archive");
    await ada.call("omn_update_memory", { id: ids[2], metadata: { sensitivity: "secret" } });
    const held = (await ask(team.index)).hits.map(({ id }) => id);
    expect(held.filter((id) => gone.has(id))).toEqual([]);
    expect(held).toContain(ids[3]);
  });

  test("takes the vector of what a memory said before out with the change, and leaves it where only its date or weight changed [D5]", async () => {
    const [rewritten, weighed] = await keep(2);
    await indexed(ada.principal);
    const heldOf = async (id: string | undefined): Promise<number[]> => (await ask(team.index)).hits.flatMap((hit) => (hit.id === id ? hit.version : []));
    await ada.call("omn_update_memory", { id: rewritten, content: "the lighthouse is painted green" });
    await ada.call("omn_update_memory", { id: weighed, metadata: { importance: 0.9 } });
    expect(await heldOf(rewritten)).toEqual([]);
    expect(await heldOf(weighed)).toEqual([1]);
    await indexed(ada.principal);
    expect([await heldOf(rewritten), await heldOf(weighed)]).toEqual([[2], [2]]);
  });

  test("leaves out what comes late, from the pipeline or with a fill: a memory is found by what it says now [D5]", async () => {
    const [id] = await keep(1);
    await indexed(ada.principal);
    await ada.call("omn_update_memory", { id, content: "the lighthouse is painted green" });
    // The change is in the tables.
    await ada.call("omn_retrieve_memory", { query: "lighthouse" });
    await lose(team.index);
    const held = await filled(team.index);
    expect(held.hits.flatMap((hit) => (hit.id === id ? hit.version : []))).toEqual([]);
    const late = { id: vectorId("memory", id as string, { team: await teamDigest(team.id), mark, copy: "team" }), kind: "memory", audience: "team", teamId: team.id, shard: team.ref.shard, version: 1, values: question };
    expect(await team.index.putVectors({ mark, dimensions: question.length }, [late])).toEqual({ outdated: [late.id] });
    await indexed(ada.principal);
    expect((await ask(team.index)).hits.filter((hit) => hit.id === id).map(({ version }) => version)).toEqual([2]);
  });

  test("takes out of the organization's copy what ceases to be public", async () => {
    const [id] = await keep(1, "public");
    await indexed(ada.principal);
    const held = async (): Promise<boolean> => (await ask(team.organizationIndex)).hits.some((hit) => hit.id === id);
    expect(await held()).toBe(true);
    await ada.call("omn_update_memory", { id, metadata: { scope: "shared" } });
    expect(await held()).toBe(false);
  });
});
