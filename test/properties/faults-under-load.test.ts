import { withUsual } from "../support/usual.ts";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { runScheduled } from "../../src/jobs/scheduled.ts";
import { sessionName } from "../../src/session/session-call.ts";
import { indexed, minute, newTeam, services, sisterOf, type Person, type Team } from "../support/team.ts";
import type { ToolAnswer } from "../support/mcp.ts";
import { breakCommitsNowAndThen, breakEmbedder, breakGraph, breakIndex, breakKv, breakQueue, breakVectorize, takeStruck } from "./broken.ts";

/** Writers and readers at once, and what each does. */
const hands = 24;
const callsOfEach = 10;

interface Fault {
  name: string;
  strike(): () => void;
  /** What a search of this mode says it did without; left out, it may say anything or nothing. */
  says?: Partial<Record<"text" | "vector" | "hybrid", RegExp>>;
  /** Words are not found while it lasts. */
  hidesWords?: boolean;
  /** Nothing gets a vector while it lasts. */
  holdsVectors?: boolean;
  isOfCache?: boolean;
  /** Another team has something public: else nothing asks the organization's index. */
  othersPublish?: boolean;
  /** What the team's object holds of the vectors when it strikes; left out, it may be all or not yet all. */
  vectors?: "all" | "cut";
  /** Writes may be refused as uncertain while it lasts: `all` of them, or some. */
  refusesWrites?: "all" | "some";
}

const textDown = /text search.*(?:down|late)/;
const ownTeam = /only your own team was asked/;
const vectorsDown = /vector search.*down/;
const vectorsLate = /vector search.*late/;
const nothing = /^undefined$/;
const vectorsOut = /vector search.*(?:down|late)/;

const faults: Fault[] = [
  { name: "the index objects are away", strike: () => breakIndex("down"), says: { text: textDown, hybrid: textDown }, hidesWords: true, refusesWrites: "all" },
  { name: "the index objects hang", strike: () => breakIndex("hangs"), says: { text: textDown, hybrid: textDown }, hidesWords: true, refusesWrites: "all" },
  { name: "the index objects take no change", strike: () => breakIndex("down", { methods: ["commit", "eraseMemories", "bump"] }), refusesWrites: "all" },
  { name: "the index objects fail now and then", strike: () => breakIndex("flaky"), hidesWords: true, refusesWrites: "some" },
  { name: "D1 refuses writes or loses its answers now and then", strike: () => breakCommitsNowAndThen(), refusesWrites: "some" },
  { name: "the organization's index object is away", strike: () => breakIndex("down", { of: "org:" }), says: { text: ownTeam, hybrid: ownTeam }, othersPublish: true },
  { name: "the organization's index object hangs", strike: () => breakIndex("hangs", { of: "org:" }), says: { text: ownTeam, hybrid: ownTeam }, othersPublish: true },
  { name: "Vectorize is away", strike: () => breakVectorize("down"), says: { vector: vectorsDown, hybrid: vectorsDown }, holdsVectors: true, vectors: "cut" },
  { name: "Vectorize hangs", strike: () => breakVectorize("hangs"), says: { vector: vectorsLate, hybrid: vectorsLate }, holdsVectors: true, vectors: "cut" },
  { name: "Vectorize hangs while the object has all vectors", strike: () => breakVectorize("hangs"), says: { vector: nothing, hybrid: nothing }, holdsVectors: true, vectors: "all" },
  { name: "Vectorize fails now and then", strike: () => breakVectorize("flaky") },
  { name: "the embedder is away", strike: () => breakEmbedder("down"), says: { vector: vectorsOut, hybrid: vectorsOut }, holdsVectors: true },
  { name: "the embedder hangs", strike: () => breakEmbedder("hangs"), says: { vector: vectorsLate, hybrid: vectorsLate }, holdsVectors: true },
  { name: "the embedder fails now and then", strike: () => breakEmbedder("flaky") },
  { name: "the graph's tables are away", strike: () => breakGraph(), says: { hybrid: /the graph.*down/ } },
  { name: "the queue is away", strike: () => breakQueue("down"), holdsVectors: true },
  { name: "the queue hangs", strike: () => breakQueue("hangs"), holdsVectors: true },
  { name: "the cache is away", strike: () => breakKv("down"), isOfCache: true },
  { name: "the cache hangs", strike: () => breakKv("hangs"), isOfCache: true },
];

interface Kept {
  who: Person;
  id: string;
  key: string;
  content: string;
  version: number;
}

/** What was acknowledged, and what went wrong. */
class Ledger {
  readonly kept = new Map<string, Kept>();
  readonly gone: Kept[] = [];
  /** What must be so where nobody could say whether a write was done: as before, or as it was to be. */
  readonly uncertain: { key: string; who: Person; before: Kept | undefined; wanted: string | undefined }[] = [];
  readonly failures: string[] = [];
  mayRefuseWrites = false;
  readonly ms: number[] = [];
  reads = 0;
  writes = 0;
  degraded = 0;
  #minted = 0;

  word(): string {
    return `zq${String((this.#minted += 1)).padStart(5, "0")}`;
  }

  async call(who: Person, tool: string, args: Record<string, unknown>): Promise<ToolAnswer | undefined> {
    const started = performance.now();
    const answer = await who.call(tool, args);
    this.ms.push(performance.now() - started);
    if (answer.status === 200 && !answer.isError && !answer.rpcError) return answer;
    if (!this.isUncertain(answer)) this.failures.push(`${tool} ${JSON.stringify(args)}: ${answer.status} ${answer.text}`);
    return undefined;
  }

  isUncertain(answer: ToolAnswer): boolean {
    return this.mayRefuseWrites && answer.error?.code === "PROVIDER_ERROR" && answer.text.includes("not certain");
  }

  async store(who: Person, key: string): Promise<void> {
    const content = `${this.word()}: Maria uses PostgreSQL for the lanterns of ${key}`;
    const answer = await this.call(who, "omn_store_memory", { key, content, metadata: { scope: key.length % 2 === 0 ? "shared" : "private" } });
    this.writes += 1;
    if (!answer) this.uncertain.push({ key, who, before: this.kept.get(key), wanted: content });
    if (answer) this.kept.set(key, { who, key, content, id: answer.structured["memory_id"] as string, version: answer.structured["version"] as number });
  }

  async update(memory: Kept): Promise<void> {
    const content = `${this.word()}: Tom moved the lanterns of ${memory.key} to Redis`;
    const answer = await this.call(memory.who, "omn_update_memory", { id: memory.id, content });
    this.writes += 1;
    if (!answer) this.#doubt(memory, content);
    if (answer) this.kept.set(memory.key, { ...memory, content, version: answer.structured["version"] as number });
  }

  async erase(memory: Kept): Promise<void> {
    const args = { ids: [memory.id], mode: "erase" };
    const preview = await this.call(memory.who, "omn_forget_memory", args);
    const answer = preview && (await this.call(memory.who, "omn_forget_memory", { ...args, confirm: preview.structured["confirm"] as string }));
    this.writes += 1;
    if (!answer) return this.#doubt(memory, undefined);
    this.kept.delete(memory.key);
    this.gone.push(memory);
  }

  #doubt(memory: Kept, wanted: string | undefined): void {
    this.uncertain.push({ key: memory.key, who: memory.who, before: memory, wanted });
    this.kept.delete(memory.key);
  }

  /** Asks what became of the writes that were refused as uncertain, once all is well. */
  async resolve(): Promise<void> {
    for (const { key, who, before, wanted } of this.uncertain) {
      const [found] = withUsual((await who.call("omn_retrieve_memory", { key })).structured)["memories"] as { memory_id: string; content: string; version: number }[];
      expect([before?.content, wanted], key).toContain(found?.content);
      if (found) this.kept.set(key, { who, key, id: found.memory_id, content: found.content, version: found.version });
      else if (before) this.gone.push(before);
    }
  }

  async read(who: Person, tool: string, args: Record<string, unknown>): Promise<ToolAnswer | undefined> {
    this.reads += 1;
    const answer = await this.call(who, tool, args);
    if (answer?.structured["degraded"]) this.degraded += 1;
    return answer;
  }
}

const idsOf = (answer: ToolAnswer | undefined): string[] => ((answer?.structured["memories"] ?? []) as { memory_id: string }[]).map(({ memory_id }) => memory_id);
const wordOf = ({ content }: Kept): string => content.split(":")[0] as string;

/** Each hand works for one person on keys of its own, so that what it last wrote is what must be found. */
async function work(ledger: Ledger, fault: Fault, who: Person, hand: number): Promise<void> {
  let last = ledger.kept.get(`before.${hand}`);
  const own = (key: string): Kept | undefined => (last = ledger.kept.get(key) ?? last);
  const modes = ["hybrid", "text", "vector"] as const;
  for (let n = 0; n < callsOfEach; n += 1) {
    const key = `lantern.${hand}.${n}`;
    const turn = hand + n;
    const mode = modes[turn % 3] as (typeof modes)[number];
    switch (n % 8) {
      case 0: case 2: case 5:
        await ledger.store(who, key);
        own(key);
        break;
      case 1: {
        const found = last && (await ledger.read(who, "omn_retrieve_memory", { query: `what of ${wordOf(last)}`, receipt: true }));
        if (last && !fault.hidesWords && !idsOf(found).includes(last.id)) ledger.failures.push(`not found by its word: ${last.content}`);
        break;
      }
      case 3: {
        const said = (await ledger.read(who, "omn_retrieve_memory", { query: `lanterns and ${ledger.word()}`, mode }))?.structured["degraded"];
        const expected = fault.says?.[mode];
        if (expected && !expected.test(String(said))) ledger.failures.push(`a search by ${mode} says: ${String(said)}`);
        break;
      }
      case 4: {
        const found = last && (await ledger.read(who, "omn_retrieve_memory", { key: last.key }));
        if (last && found?.structured["memories"][0]?.content !== last.content) ledger.failures.push(`not found by its key: ${last.content}`);
        break;
      }
      case 6:
        if (last && turn % 3 > 0) {
          await ledger.update(last);
          last = ledger.kept.get(last.key);
        } else if (last) {
          await ledger.erase(last);
          last = undefined;
        }
        break;
      case 7: {
        const [tool, args] = ([["search", { query: `lanterns ${ledger.word()}` }], ["omn_retrieve_memory", { key: "nobody.has.this" }], ["smart_resume", {}]] as const)[turn % 3] as [string, Record<string, unknown>];
        await ledger.read(who, tool, args);
      }
    }
  }
}

/** The object holds all vectors, or seems to have had no room for some: then Vectorize is asked with every question. */
async function holdVectors({ id, index, owner }: Team, what: "all" | "cut"): Promise<void> {
  await index.verify({ teamId: id, shard: owner.principal.shard });
  if (what === "all") return;
  await runInDurableObject(index, (_, { storage }) => void storage.sql.exec("UPDATE copied_spaces SET evicted = 1"));
  await vi.waitFor(() => evictDurableObject(index), { timeout: 60_000, interval: 500 });
}

/** What goes on after an answer keeps the session object in memory: it is let go of when that has ended. */
async function forgotten(who: Person): Promise<void> {
  const session = env.USER_SESSION.getByName(sessionName(who.principal.teamId, who.id));
  await vi.waitFor(() => evictDurableObject(session), { timeout: 60_000, interval: 500 });
}

/** The same question again, and once more when the session object has forgotten its answer. */
async function askAgain(ledger: Ledger, who: Person): Promise<void> {
  const question = { query: `the lanterns of ${who.id}`, mode: "text" };
  const answers = [];
  for (let n = 0; n < 3; n += 1) {
    if (n === 2) await forgotten(who);
    answers.push(idsOf(await ledger.read(who, "omn_retrieve_memory", question)));
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
}

const rows = async <T>(sql: string, teamId: string): Promise<T[]> => (await env.SHARD_0.prepare(sql).bind(teamId).all<T>()).results;

/** Cron, minute after minute, until nothing is behind. */
async function recovered(team: Team): Promise<number> {
  for (let minutes = 0; minutes < 30; minutes += 1) {
    const [{ seq, drawn } = { seq: 0, drawn: 0 }] = await rows<{ seq: number; drawn: number }>(
      "SELECT seq, (SELECT coalesce(max(o.seq), 0) FROM graph_outbox o WHERE o.team_id = c.team_id) AS drawn FROM counters c WHERE c.team_id = ?", team.id);
    const tracks = await rows<{ stage: string; cursor: number; attempts: number }>("SELECT stage, cursor, attempts FROM index_progress WHERE team_id = ?", team.id);
    const aside = await rows("SELECT 1 FROM index_failures WHERE team_id = ?", team.id);
    const { appliedSeq } = await services.index.stats(team.owner.principal);
    const isBehind = tracks.length < 3 || tracks.some(({ stage, cursor, attempts }) => cursor < (stage === "graph_vectors" ? drawn : seq) || attempts > 0) || aside.length > 0 || appliedSeq < seq;
    if (!isBehind) return minutes;
    const ahead = minutes * minute;
    await runScheduled(services, Date.now() + ahead, () => Date.now() + ahead);
  }
  throw new Error("It did not recover within 30 minutes");
}

const percentile = (values: number[], share: number): number => Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] as number);

// The log has a line for each fault that an answer survived: thousands.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

describe("one part breaks while many work [D5] [E3] [U6]", () => {
  test.each(faults)("$name: nothing fails, nothing is lost, and all is made good", async (fault) => {
    const team = await newTeam();
    const people = [team.owner, await team.join(), await team.join()];
    const ledger = new Ledger();
    for (let hand = 0; hand < hands; hand += 1) await ledger.store(people[hand % people.length] as Person, `before.${hand}`);
    if (fault.othersPublish) await ledger.call((await sisterOf(team)).owner, "omn_store_memory", { key: "boats", content: "The sister team paints its boats", metadata: { scope: "public" } });
    ledger.mayRefuseWrites = fault.refusesWrites !== undefined;
    await indexed(team.owner.principal);
    if (fault.vectors) await holdVectors(team, fault.vectors);
    ledger.ms.length = 0;

    takeStruck();
    const heal = fault.strike();
    let waiting = 0;
    try {
      await Promise.all(Array.from({ length: hands }, (_, hand) => work(ledger, fault, people[hand % people.length] as Person, hand)));
      if (fault.isOfCache) {
        // Kept answers are of use, and so KV is asked, when nothing changes any more.
        await indexed(team.owner.principal);
        await Promise.all(people.map((who) => askAgain(ledger, who)));
      }
      for (const who of people) {
        const { structured } = await who.call("omn_memory_stats");
        const { waiting: now, failed } = structured["vectors"] as { waiting: number; failed: number };
        waiting += now + failed;
      }
    } finally {
      heal();
    }
    const calls = ledger.ms.length;
    const [p50, p95] = [percentile(ledger.ms, 0.5), percentile(ledger.ms, 0.95)];
    expect(ledger.failures, `${ledger.failures.length} failures, such as ${ledger.failures.slice(0, 3).join(" | ")}`).toEqual([]);
    expect(calls).toBeGreaterThanOrEqual(200);
    const struck = takeStruck();
    expect(struck).toBeGreaterThan(0);
    if (fault.holdsVectors) expect(waiting).toBeGreaterThan(0);
    if (fault.refusesWrites === "all") expect(ledger.uncertain.length).toBeGreaterThanOrEqual(hands);

    const minutes = await recovered(team);
    ledger.mayRefuseWrites = false;
    await ledger.resolve();
    for (const memory of ledger.kept.values()) {
      const byKey = await memory.who.call("omn_retrieve_memory", { key: memory.key });
      expect(byKey.structured["memories"], memory.key).toMatchObject([{ memory_id: memory.id, content: memory.content }]);
      for (const mode of ["text", "vector"]) {
        const found = await memory.who.call("omn_retrieve_memory", { query: mode === "text" ? wordOf(memory) : memory.content, mode, min_relevance: 0, limit: 20, without: ["dedupe"] });
        expect(found.structured["degraded"]).toBeUndefined();
        expect(idsOf(found), `${memory.content} by ${mode}`).toContain(memory.id);
      }
    }
    for (const memory of ledger.gone) {
      const found = await memory.who.call("omn_retrieve_memory", { query: wordOf(memory), min_relevance: 0 });
      expect(JSON.stringify(found), "erased").not.toContain(memory.id);
    }
    for (const who of people) {
      const { total, vectors } = (await who.call("omn_memory_stats")).structured as { total: number; vectors: Record<string, number> };
      expect(vectors).toMatchObject({ indexed: total, waiting: 0, failed: 0 });
      expect((await who.call("omn_health_check", { deep: true })).structured["status"]).toBe("ok");
    }
    const held = await rows<{ n: number }>("SELECT count(*) AS n FROM memories WHERE team_id = ?", team.id);
    expect((await services.index.stats(team.owner.principal)).documents).toBe(held[0]?.n);
    expect(held[0]?.n).toBe(ledger.kept.size);
    console.info(`${fault.name}: ${calls} calls (${ledger.writes} writes, ${ledger.reads} recalls, ${ledger.degraded} degraded, ${ledger.uncertain.length} writes uncertain), ${struck} met the broken part, p50 ${p50} ms, p95 ${p95} ms; ${waiting} waited, made good in ${minutes} min`);
  }, 180_000);
});
