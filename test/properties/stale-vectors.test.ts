import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { archiveOne } from "../../src/domain/memories/forget.ts";
import { revise } from "../../src/domain/memories/revise.ts";
import { staticModel } from "../../src/platform/local/static-model.ts";
import { markOf, organizationNamespace, teamDigest, teamNamespace, vectorId } from "../../src/platform/vectorize/vector-ids.ts";
import { hour, indexed, minute, newTeam, services, sisterOf, type Person, type Team } from "../support/team.ts";
import type { ToolAnswer } from "../support/mcp.ts";

/** What became of a memory after its vector was made. */
const fates = ["stays", "archived", "erased", "expired", "revised", "withdrawn", "secret"] as const;
type Fate = (typeof fates)[number];
type Visibility = "private" | "shared" | "public";

interface Told {
  owner: Person;
  id: string;
  fate: Fate;
  /** Of the present version. */
  visibility: Visibility;
  /** A word of the present text that no other holds; earlier texts have others. */
  word: string;
}

/** Of all runs: the teams are the same. */
const everything: Told[] = [];
let people: Person[];
let teams: Team[];
let mark: string;
let dimensions: number;
let minted = 0;
const mint = (): string => `zq${String((minted += 1)).padStart(6, "0")}`;
const marked = /zq\d{6}/g;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const question = "where did the walrus sleep";

beforeAll(async () => {
  const team = await newTeam();
  teams = [team, await sisterOf(team), await newTeam()];
  const [first, sister, stranger] = teams as [Team, Team, Team];
  people = [first.owner, await first.join(), sister.owner, stranger.owner];
  for (const { owner } of teams) {
    await owner.remember("so that the team has vectors");
    await indexed(owner.principal);
  }
  const row = await env.SHARD_0.prepare("SELECT space FROM serving_spaces WHERE team_id = ?").bind(first.id).first<{ space: string }>();
  const { space } = row as { space: string };
  mark = await markOf(space);
  dimensions = Number.parseInt(space.split(":").at(-1) as string);
});

/** Who may see it now, said a second time. */
const maySee = (who: Person, { owner, visibility, fate }: Told): boolean => {
  if (fate === "archived" || fate === "erased" || fate === "expired") return false;
  if (owner.principal.teamId === who.principal.teamId) return visibility !== "private" || owner.id === who.id;
  return visibility === "public" && owner.principal.organizationId === who.principal.organizationId;
};

async function tell(owner: Person, visibility: Visibility, fate: Fate, shade: number): Promise<Told> {
  const now = Date.now();
  const word = mint();
  const { memory } = await owner.remember(
    `the walrus slept ${"long and ".repeat(shade)}under ${word}`,
    { visibility, ...(fate === "expired" ? { expiresAt: now - minute } : {}), ...(fate === "secret" ? { sensitivity: "secret" } : {}) },
    fate === "expired" ? now - hour : now - minute,
  );
  const told: Told = { owner, id: memory.id, fate, visibility, word };
  const ctx = owner.at(now);
  if (fate === "archived") await archiveOne(ctx, memory);
  if (fate === "erased") await services.writer.erase(owner.principal, ctx, [memory]);
  if (fate === "revised") {
    told.word = mint();
    await revise(ctx, { target: { id: memory.id }, changes: { content: `the walrus slept beside ${told.word}` } });
  }
  if (fate === "withdrawn") {
    told.visibility = "private";
    await revise(ctx, { target: { id: memory.id }, changes: { visibility: "private" } });
  }
  return told;
}

interface Plant {
  which: number;
  /** Of a team, or of its organization. */
  place: number;
  organization: boolean;
  pending: boolean;
  audience: number;
  /** Whose it says it is, in its metadata and in its id. */
  team: number;
  named: number;
  version: number;
  near: number;
}

/** A vector as it may have been left behind by a bug, a race or a move: under any name, for any audience, of any version. */
async function plant(memories: Told[], plants: Plant[], values: Float32Array): Promise<void> {
  for (const { which, place, organization, pending, audience, team, named, version, near } of plants) {
    const { id } = memories[which % memories.length] as Told;
    const at = teams[place % teams.length] as Team;
    const namespace = organization ? organizationNamespace(at.organizationId, mark) : teamNamespace(at.id, mark);
    const said = teams[team % teams.length] as Team;
    const vector = {
      id: vectorId("memory", id, { team: await teamDigest((teams[named] as Team).id), mark, copy: organization ? "organization" : "team" }),
      namespace, kind: "memory", version,
      audience: ["team", ...people.map((who) => who.id)][audience % (people.length + 1)] as string,
      teamId: said.id,
      shard: said.owner.principal.shard,
      values: values.map((value, i) => value + (i === near ? near / 400 : 0)),
    };
    if (pending) await (organization ? at.organizationIndex : at.index).putVectors({ mark, dimensions }, [vector]);
    const { teamId, shard, audience: seenBy } = vector;
    if (!pending) await env.VECTORIZE.upsert([{ id: vector.id, namespace, values: vector.values, metadata: { kind: "memory", version, audience: seenBy, team: teamId, shard } }]);
  }
}

async function valuesOf(text: string): Promise<Float32Array> {
  const { data } = (await env.AI.run(staticModel.name as keyof AiModels, { text: [text] } as never)) as unknown as { data: number[][] };
  return new Float32Array(data[0] as number[]);
}

const told = fc.record({ owner: fc.nat(3), visibility: fc.constantFrom<Visibility[]>("private", "shared", "public"), fate: fc.constantFrom(...fates), shade: fc.nat(3) });
const planted: fc.Arbitrary<Plant> = fc.record({
  which: fc.nat(99), place: fc.nat(2), organization: fc.boolean(), pending: fc.boolean(), audience: fc.nat(4), team: fc.nat(2), named: fc.nat(2), version: fc.integer({ min: 1, max: 3 }), near: fc.nat(20),
});

const receiptOf = (answer: ToolAnswer) =>
  (answer.structured["receipt"] ?? { legs: {}, hits: [], dropped: {} }) as {
    legs: Record<string, { candidates: number }>;
    hits: { id: string }[];
    dropped: Record<string, { count: number; items: { id: string; of?: string }[] }>;
  };

describe("stale vectors [S6] [S14]", () => {
  test("of another organization's public memory, among those of one's own", async () => {
    const [home, , strangers] = teams as [Team, Team, Team];
    const memory = await tell(strangers.owner, "public", "stays", 0);
    everything.push(memory);
    await indexed(strangers.owner.principal);
    const plants = [false, true].map((pending): Plant => ({ which: 0, place: 0, organization: true, pending, audience: 0, team: 2, named: 2, version: 1, near: 1 }));
    for (const each of plants) {
      await plant([memory], [each], await valuesOf(question));
      const answer = await home.owner.call("omn_retrieve_memory", { query: question, min_relevance: 0, limit: 100 });
      expect(JSON.stringify(answer)).not.toContain(memory.id);
    }
  });

  test("show nobody what they may not see, nor its id, nor that it is there", async () => {
    const figures = { memories: 0, plants: 0, asked: 0, shown: 0 };
    const values = await valuesOf(question);
    await fc.assert(
      fc.asyncProperty(fc.array(told, { minLength: 4, maxLength: 12, size: "max" }), fc.array(planted, { minLength: 10, maxLength: 40, size: "max" }), async (tells, plants) => {
        const memories: Told[] = [];
        for (const { owner, visibility, fate, shade } of tells) memories.push(await tell(people[owner] as Person, visibility, fate, shade));
        everything.push(...memories);
        for (const { owner } of teams) await indexed(owner.principal);
        await plant(memories, plants, values);
        figures.memories += memories.length;
        figures.plants += plants.length;

        for (const who of people) {
          const visible = everything.filter((memory) => maySee(who, memory));
          const ids = new Set(visible.map(({ id }) => id));
          const words = new Set(visible.map(({ word }) => word));
          const hidden = new Set(everything.filter(({ id }) => !ids.has(id)).map(({ id }) => id));
          const asks: [string, Record<string, unknown>][] = [
            ...(["text", "vector", "hybrid"] as const).map((mode): [string, Record<string, unknown>] => ["omn_retrieve_memory", { query: question, mode, min_relevance: 0, limit: 100, receipt: true, without: ["dedupe"] }]),
            ["omn_retrieve_memory", { query: question, receipt: true, max_tokens: 600, limit: 5 }],
            ["search", { query: question }],
            ["smart_resume", {}],
          ];
          for (const [tool, args] of asks) {
            const answer = await who.call(tool, args);
            figures.asked += 1;
            expect(answer.isError, answer.text).toBe(false);
            const raw = JSON.stringify([answer.structured, answer.text]);
            expect((raw.match(marked) ?? []).filter((word) => !words.has(word)), `words shown by ${tool} ${JSON.stringify(args)}`).toEqual([]);
            expect((raw.match(uuid) ?? []).filter((id) => hidden.has(id)), `ids shown by ${tool} ${JSON.stringify(args)}`).toEqual([]);
            const { legs, hits, dropped } = receiptOf(answer);
            // The team's first memory has no word of its own.
            const most = visible.length + 1;
            for (const [leg, { candidates }] of Object.entries(legs)) expect(candidates, leg).toBeLessThanOrEqual(most);
            const counted = hits.length + Object.values(dropped).reduce((sum, { count }) => sum + count, 0);
            expect(counted).toBeLessThanOrEqual(2 * most);
            expect(Number(answer.structured["total_found"] ?? 0)).toBeLessThanOrEqual(most);
            figures.shown += ((answer.structured["memories"] ?? []) as unknown[]).length;
          }
        }
      }),
      { numRuns: 12 },
    );
    console.info(`stale vectors: ${JSON.stringify(figures)}`);
  }, 240_000);
});
