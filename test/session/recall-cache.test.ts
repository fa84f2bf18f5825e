import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openCopy, sealCopy } from "../../src/domain/secrets/sealed-copy.ts";
import { cachedAnswerShape } from "../../src/domain/recall/cache/cached-answer.ts";
import { keyFor } from "../domain/tenancy/tenant.ts";
import { Clock } from "../support/clock.ts";
import { hour, indexed, newTeam, services, sessionOf, sisterOf, type Person, type Team } from "../support/team.ts";
import { callTool } from "../support/mcp.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});
afterEach(() => void vi.restoreAllMocks());

interface Rates {
  l1: { hits: number; misses: number; rate: number };
  l2: { hits: number; misses: number; rate: number };
  tokens_not_fetched_again: number;
}

const ratesOf = async (who: Person): Promise<Rates> => (await who.call("omn_memory_stats")).structured["caches"] as Rates;

/** How often each level has answered, so far. */
async function hits(who: Person): Promise<[l1: number, l2: number]> {
  const { l1, l2 } = await ratesOf(who);
  return [l1.hits, l2.hits];
}

const contents = async (who: Person, args: Record<string, unknown>): Promise<string[]> =>
  (await who.call("omn_retrieve_memory", args)).structured["memories"].map(({ content }: { content: string }) => content);

/** With its vector, which would otherwise land some time later and make what is kept old. */
async function stored(who: Person, key: string, content: string, metadata: Record<string, unknown> = {}) {
  const answer = await who.call("omn_store_memory", { key, content, metadata });
  await indexed(who.principal);
  return answer;
}

/** An answer goes to KV when it is asked for again. */
async function askedTwice(who: Person, args: Record<string, unknown>): Promise<string[]> {
  await contents(who, args);
  return contents(who, args);
}

/** Counts are written within a second. */
const saved = async (who: Person): Promise<void> => {
  await expect
    .poll(() => runInDurableObject(sessionOf(who), (_, { storage }) => storage.sql.exec("SELECT * FROM cache_count").toArray().length))
    .toBeGreaterThan(0);
};

async function forgotten(who: Person, id: string, mode: "archive" | "erase"): Promise<void> {
  const preview = await who.call("omn_forget_memory", { ids: [id], mode });
  const { confirm } = preview.structured;
  expect((await who.call("omn_forget_memory", { ids: [id], mode, confirm })).isError).toBe(false);
}

/** The team's index takes no more changes, until healed. */
async function breakApply(broken: Team): Promise<() => Promise<void>> {
  const run = (statement: string) => runInDurableObject(broken.index, (_, { storage }) => void storage.sql.exec(statement));
  await run("CREATE TRIGGER broken BEFORE INSERT ON docs BEGIN SELECT RAISE(ABORT, 'broken for the test'); END");
  return () => run("DROP TRIGGER broken");
}

describe("a question asked again [A11]", () => {
  test("is answered from the session's memory, and the figures say so", async () => {
    await stored(ada, "k", "The lighthouse is white");
    const first = await ada.call("omn_retrieve_memory", { query: "lighthouse" });
    const again = await ada.call("omn_retrieve_memory", { query: "  lighthouse " });
    const { query_time_ms: _1, ...before } = first.structured;
    const { query_time_ms: _2, ...after } = again.structured;
    expect(after).toEqual(before);
    expect(again.text).toBe(first.text);
    expect(await ratesOf(ada)).toEqual({
      l1: { hits: 1, misses: 1, rate: 0.5 },
      l2: { hits: 0, misses: 1, rate: 0 },
      tokens_not_fetched_again: expect.toSatisfy((n: number) => n > 3 && n < 10),
    });
    expect((await ada.call("omn_memory_stats")).text).toMatch(/Answered from cache: L1 50%, L2 0% of the rest; \d tokens not fetched again\.$/);
  });

  test("after the object was evicted it is answered from KV, and the figures go on", async () => {
    await stored(ada, "k", "The lighthouse is white");
    await askedTwice(ada, { query: "lighthouse" });
    await saved(ada);
    await evictDurableObject(sessionOf(ada));
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is white"]);
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is white"]);
    expect(await hits(ada)).toEqual([2, 1]);
  });

  test("so is one that had too little room, with the words that say how much would do", async () => {
    await stored(ada, "k", `The lighthouse is white. ${"Its keeper writes long letters. ".repeat(20)}`);
    const question = { query: "lighthouse", max_tokens: 60 };
    await askedTwice(ada, question);
    const { text } = await ada.call("omn_retrieve_memory", question);
    await saved(ada);
    await evictDurableObject(sessionOf(ada));
    expect((await ada.call("omn_retrieve_memory", question)).text).toBe(text);
    expect(text).toMatch(/max_tokens is too small for any\. \d+ shows the first\./);
    expect((await hits(ada))[1]).toBe(1);
  });

  test("so is one of leads alone, which says that nothing was certain", async () => {
    await stored(ada, "k", "The backup of the database runs every night at three");
    await stored(ada, "other", "The office has a new coffee machine in the kitchen");
    const question = { query: "Wann läuft die Sicherung der Datenbank?" };
    await askedTwice(ada, question);
    await saved(ada);
    await evictDurableObject(sessionOf(ada));
    const { structured } = await ada.call("omn_retrieve_memory", question);
    expect(structured).toMatchObject({ uncertain: true, memories: [{ key: "k" }] });
    expect((await hits(ada))[1]).toBe(1);
  });

  test("asked once it is not written to KV", async () => {
    await stored(ada, "k", "The lighthouse is white");
    await contents(ada, { query: "lighthouse" });
    expect((await env.CACHE.list({ prefix: `r${cachedAnswerShape}:${team.id}:` })).keys).toEqual([]);
  });

  test("counts as a reading of what it returns", async () => {
    await stored(ada, "k", "The lighthouse is white");
    for (let n = 0; n < 3; n += 1) await contents(ada, { query: "lighthouse" });
    await expect
      .poll(async () => (await services.memories.byKey(ada.principal, Date.now(), "k", {}))[0]?.accessCount)
      .toBe(3);
  });

  test("in another form, with another budget or filter, is another question", async () => {
    for (let n = 0; n < 5; n += 1) await stored(ada, `k${n}`, `The lighthouse number${n} is white, and its keeper writes long letters to the harbour office.`);
    const asked = [{ min_relevance: 0 }, { limit: 2 }, { max_tokens: 120 }, { filters: { scope: "shared" } }, { filters: { tags: ["x"] } }, { min_relevance: 1 }];
    const sizes = [];
    for (const args of asked) sizes.push((await contents(ada, { query: "lighthouse", ...args })).length);
    expect(sizes).toEqual([5, 2, expect.toSatisfy((n: number) => n < 5), 0, 0, 0]);
    expect(await hits(ada)).toEqual([0, 0]);
  });

  test("about a span of time that moves with the clock is asked anew", async () => {
    await stored(ada, "k", "The lighthouse is white");
    for (let n = 0; n < 2; n += 1) await contents(ada, { query: "lighthouse", filters: { max_age_days: 1 } });
    expect((await ratesOf(ada)).l1).toEqual({ hits: 0, misses: 0, rate: 0 });
  });
});

describe("no answer is older than the last acknowledged write [A11] [U6]", () => {
  let grace: Person;
  let sister: Team;

  beforeEach(async () => {
    grace = await team.join();
    sister = await sisterOf(team);
  });

  /** Asks until the answer comes from the cache. */
  async function warmUp(who: Person): Promise<string[]> {
    await Promise.all([ada, grace, sister.owner].map(({ principal }) => indexed(principal)));
    await contents(who, { query: "lighthouse" });
    const [before] = await hits(who);
    const answer = await contents(who, { query: "lighthouse" });
    expect((await hits(who))[0]).toBe(before + 1);
    return answer;
  }

  test.each([
    ["one's own", () => ada, { scope: "private" }],
    ["a colleague's", () => grace, { scope: "shared" }],
    ["another team's, for the organization", () => sister.owner, { scope: "public" }],
  ] as const)("%s: created, updated, archived, erased", async (_whose, writer, metadata) => {
    expect(await warmUp(ada)).toEqual([]);
    const { memory_id: id } = (await stored(writer(), "k", "The lighthouse is white", metadata)).structured;
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is white"]);
    await warmUp(ada);
    await writer().call("omn_update_memory", { id, content: "The lighthouse is red" });
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is red"]);
    await warmUp(ada);
    await writer().call("omn_update_memory", { id, metadata: { tags: ["coast"] } });
    expect((await ada.call("omn_retrieve_memory", { query: "lighthouse" })).structured["memories"][0].metadata.tags).toEqual(["coast"]);
    await warmUp(ada);
    await forgotten(writer(), id, "archive");
    expect(await contents(ada, { query: "lighthouse" })).toEqual([]);
    await warmUp(ada);
    await writer().call("omn_update_memory", { id, archived: false });
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is red"]);
    await warmUp(ada);
    await forgotten(writer(), id, "erase");
    expect(await contents(ada, { query: "lighthouse" })).toEqual([]);
  });

  test("what is withdrawn from the organization or from the team is gone at once", async () => {
    await sister.owner.call("omn_store_memory", { key: "p", content: "The lighthouse is for all", metadata: { scope: "public" } });
    await stored(grace, "s", "The lighthouse is for us", { scope: "shared" });
    expect((await warmUp(ada)).sort()).toEqual(["The lighthouse is for all", "The lighthouse is for us"]);
    await sister.owner.call("omn_update_memory", { key: "p", metadata: { scope: "shared" } });
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is for us"]);
    await warmUp(ada);
    await grace.call("omn_update_memory", { key: "s", metadata: { scope: "private" } });
    expect(await contents(ada, { query: "lighthouse" })).toEqual([]);
  });

  test("what the index heard of late, by a rebuild or by following, counts as well", async () => {
    await warmUp(ada);
    await grace.commitOnly("The lighthouse is late", { visibility: "shared" }, Date.now());
    await team.index.catchUp(team.ref, 1);
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is late"]);
    await warmUp(ada);
    const before = await services.index.state(ada.principal);
    await team.index.rebuild(team.ref);
    expect((await services.index.state(ada.principal))?.generation).not.toBe(before?.generation);
  });

  test("a write that the index cannot take is acknowledged, and kept answers are served no more; it is found once the index is whole", async () => {
    await warmUp(ada);
    const heal = await breakApply(team);
    const args = { key: "k", content: "The lighthouse is white", metadata: { scope: "shared" } };
    expect((await grace.call("omn_store_memory", args)).structured).toMatchObject({ memory_id: expect.any(String), version: 1 });
    const before = await hits(ada);
    await contents(ada, { query: "lighthouse" });
    expect(await hits(ada)).toEqual(before);
    await heal();
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is white"]);
  });

  test("what a withdrawal that was refused as uncertain did holds as soon as the index is whole", async () => {
    const { structured } = await stored(grace, "k", "The lighthouse is white", { scope: "shared" });
    expect(await askedTwice(ada, { query: "lighthouse" })).toEqual(["The lighthouse is white"]);
    const heal = await breakApply(team);
    const refused = await grace.call("omn_update_memory", { id: structured["memory_id"], metadata: { scope: "private" } });
    expect(refused.error?.code).toBe("PROVIDER_ERROR");
    expect(refused.text).toContain("not certain");
    expect(await contents(ada, { query: "lighthouse" })).toEqual([]);
    await heal();
    expect(await contents(ada, { query: "lighthouse" })).toEqual([]);
    expect(await contents(grace, { query: "lighthouse" })).toEqual(["The lighthouse is white"]);
  });

  test("what a write hid that died on its way is found again as soon as the write cannot be done any more", async () => {
    const { structured } = await stored(ada, "k", "The lighthouse is white");
    const clock = new Clock();
    const until = Date.now() + hour;
    await runInDurableObject(team.index, (_, { storage }) =>
      void storage.sql.exec("INSERT INTO unsettled_writes (memory_ids, until) VALUES (?, ?)", JSON.stringify([structured["memory_id"]]), until));
    await evictDurableObject(team.index);
    expect(await askedTwice(ada, { query: "lighthouse" })).toEqual([]);
    clock.forward(hour);
    await expect.poll(() => contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is white"]);
  });

  test("what colleagues keep to themselves is no reason to ask anew, so nobody notices it", async () => {
    await warmUp(ada);
    await stored(grace, "mine", "The lighthouse keeper is my aunt");
    const [before] = await hits(ada);
    expect(await contents(ada, { query: "lighthouse" })).toEqual([]);
    expect((await hits(ada))[0]).toBe(before + 1);
  });

  test("writers and readers of two teams at once: each answer holds all that was acknowledged before the question", async () => {
    const writers = [ada, grace, sister.owner];
    const acknowledged = new Map<string, number>();
    const state = { open: writers.length };
    const reads = [0, 0, 0];
    const write = async (who: Person, w: number): Promise<void> => {
      for (let n = 1; n <= 12 || Math.min(...reads) < 4; n += 1) {
        await who.call("omn_store_memory", { key: `k${w}`, content: `lighthouse of writer${w} in round ${n}`, metadata: { scope: w === 2 ? "public" : "shared" } });
        acknowledged.set(`writer${w}`, n);
      }
      state.open -= 1;
    };
    const read = async (who: Person, r: number): Promise<void> => {
      while (state.open > 0) {
        const before = new Map(acknowledged);
        const found = await contents(who, { query: "lighthouse", min_relevance: 0 });
        for (const [writer, round] of before) {
          const shown = found.find((content) => content.includes(writer));
          expect(Number(shown?.split(" ").at(-1)), `${writer}, ${round} acknowledged: ${shown}`).toBeGreaterThanOrEqual(round);
        }
        reads[r] = (reads[r] ?? 0) + 1;
      }
    };
    await Promise.all([...[ada, grace, ada].map(read), ...writers.map(write)]);
    expect(await contents(ada, { query: "lighthouse", min_relevance: 0 })).toHaveLength(3);
  });
});

describe("nobody shares a kept answer [A11] [S6]", () => {
  test("members do not, and each sees their own figures only", async () => {
    const grace = await team.join();
    await stored(ada, "k", "The lighthouse is mine");
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is mine"]);
    expect(await contents(grace, { query: "lighthouse" })).toEqual([]);
    expect(await hits(grace)).toEqual([0, 0]);
    expect((await ratesOf(grace)).l1.misses).toBe(1);
  });

  test("keys of one person with other scopes do not, and one that may not read is refused what is kept", async () => {
    const tenant = { teamId: team.id, organizationId: team.organizationId };
    const reader = await keyFor(tenant, ada.id, ["memory:read"]);
    const writer = await keyFor(tenant, ada.id, ["memory:write"]);
    await stored(ada, "k", "The lighthouse is white");
    await askedTwice(ada, { query: "lighthouse" });
    const refused = await callTool(writer.token, "omn_retrieve_memory", { query: "lighthouse" });
    expect(refused.error?.code).toBe("PERMISSION_DENIED");
    await callTool(reader.token, "omn_retrieve_memory", { query: "lighthouse" });
    expect(await hits(ada)).toEqual([1, 0]);
    await callTool(reader.token, "omn_retrieve_memory", { query: "lighthouse" });
    expect((await env.CACHE.list({ prefix: `r${cachedAnswerShape}:${team.id}:${ada.id}:` })).keys).toHaveLength(2);
  });
});

describe("what is kept [A11]", () => {
  const keyOf = async (who: Person): Promise<string> => (await services.index.state(who.principal))?.copyKey as string;

  /** The one entry that is in KV for this person, opened. */
  async function entryOf(who: Person): Promise<{ name: string; text: string }> {
    const { keys } = await env.CACHE.list({ prefix: `r${cachedAnswerShape}:${who.principal.teamId}:${who.id}:` });
    expect(keys).toHaveLength(1);
    const name = keys[0]?.name as string;
    const sealed = (await env.CACHE.get(name)) as string;
    expect(sealed).toMatch(/^[\w-]+$/);
    return { name, text: (await openCopy(await keyOf(who), name, sealed)) as string };
  }

  test("expires before the first of its memories does", async () => {
    const clock = Clock.atNoon();
    const expiry = new Date(Date.now() + hour).toISOString();
    await stored(ada, "k", "The lighthouse is white today", { expiry });
    expect(await contents(ada, { query: "lighthouse" })).toHaveLength(1);
    expect(await contents(ada, { query: "lighthouse" })).toHaveLength(1);
    expect(await hits(ada)).toEqual([1, 0]);
    expect(JSON.parse((await entryOf(ada)).text).until).toBe(Date.parse(expiry));
    clock.forward(hour);
    expect(await contents(ada, { query: "lighthouse" })).toEqual([]);
  });

  test("is in KV under a key without words, for an hour", async () => {
    const kvClock = Date.now;
    Clock.atNoon();
    await stored(ada, "k", "The lighthouse is white");
    const began = kvClock();
    await askedTwice(ada, { query: "lighthouse" });
    const { keys } = await env.CACHE.list({ prefix: `r${cachedAnswerShape}:${team.id}:${ada.id}:` });
    expect(keys[0]?.name).toMatch(/^r\d+:[^:]+:[^:]+:[\d.]+(?:-\d+)?:[0-9a-f]{64}$/);
    expect(keys[0]?.expiration).toSatisfy((at: number) => at > began / 1_000 + 3_599 && at < kvClock() / 1_000 + 3_601);
  });

  test.each([
    ["no JSON", () => "{"],
    ["another shape", () => JSON.stringify({ until: Date.now() + 60_000, tokens: 1, outcome: { items: [{ memory: {} }], totalFound: 1 } })],
    ["expired", (text: string) => JSON.stringify({ ...JSON.parse(text), until: Date.now() - 1 })],
    ["a secret", (text: string) => text.replace('"sensitivity":"normal"', '"sensitivity":"secret"')],
  ])("is not believed when it comes back as %s", async (_what, spoilt) => {
    await stored(ada, "k", "The lighthouse is white");
    await askedTwice(ada, { query: "lighthouse" });
    const { name, text } = await entryOf(ada);
    await env.CACHE.put(name, await sealCopy(await keyOf(ada), name, spoilt(text)));
    await evictDurableObject(sessionOf(ada));
    expect(await contents(ada, { query: "lighthouse" })).toEqual(["The lighthouse is white"]);
    expect((await hits(ada))[1]).toBe(0);
  });

  test("never holds a secret", async () => {
    await ada.remember("The lighthouse password is swordfish", { key: "lighthouse.password", sensitivity: "secret" }, Date.now());
    for (let n = 0; n < 2; n += 1) {
      expect(await contents(ada, { query: "lighthouse" })).toEqual([expect.not.stringContaining("swordfish")]);
      expect(await contents(ada, { key: "lighthouse.password" })).toEqual(["The lighthouse password is swordfish"]);
    }
    expect(await hits(ada)).toEqual([0, 0]);
    expect((await env.CACHE.list({ prefix: `r${cachedAnswerShape}:${team.id}:` })).keys).toEqual([]);
  });
});
