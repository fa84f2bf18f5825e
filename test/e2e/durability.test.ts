import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BenchClient } from "../bench/client.ts";
import { type Exported, Ledger, type Probe } from "./durability-ledger.ts";
import { Product } from "./durability-product.ts";
import { type Random, randomFrom, Writer } from "./durability-writer.ts";

const rounds = 20;
const writers = 6;
/** What was to be taken from readers when the product died is hidden until D1 cannot do it any more, ms. */
const hiddenMs = 45_000;
/** The choices of the writers and the moments of death; DURABILITY_SEED repeats them, as far as timing allows. */
const seed = Number(process.env["DURABILITY_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

let dataDir: string;
let product: Product | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "omnimemory-durability-"));
});

afterEach(async () => {
  await product?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

type Call = (tool: string, args?: Record<string, unknown>) => Promise<Record<string, any>>;

async function exportAll(call: Call): Promise<Exported[]> {
  const all: Exported[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await call("omn_export_memories", { limit: 1_000, include_history: true, ...(cursor ? { cursor } : {}) });
    all.push(...String(page["data"]).split("\n").filter(Boolean).map((line) => JSON.parse(line) as Exported));
    cursor = page["next_cursor"] as string | undefined;
    if (!cursor) return all;
  }
}

/** The counts that the product gives of itself are those of its export. */
async function checkStats(call: Call, exported: Exported[]): Promise<void> {
  const countsOf = (all: Exported[]): Record<string, number> => {
    const live = all.filter((memory) => memory.archived_at === null);
    return { total: live.length, archived: all.length - live.length, versions: live.reduce((sum, memory) => sum + memory.version, 0) };
  };
  // The curator may have changed a memory after the export, which a second one has.
  const counts = (await call("omn_memory_stats")) as Record<string, number>;
  const isSame = Object.entries(countsOf(exported)).every(([name, count]) => counts[name] === count);
  expect(isSame ? counts : await call("omn_memory_stats")).toMatchObject(countsOf(isSame ? exported : await exportAll(call)));
}

/** Sends again, twice, what was never answered: it must have been done exactly once in the end. */
async function retry(call: Call, ledger: Ledger, round: number): Promise<void> {
  const { stores, imports } = ledger;
  for (const store of stores) {
    // What is similar is looked for with the first answer only.
    const { similar: _similar, advice: _advice, ...first } = await call("omn_store_memory", store);
    const second = await call("omn_store_memory", store);
    expect(second, store.key).toEqual({ ...first, replayed: true });
    if (ledger.boards.has(store.key)) ledger.posted(store.key, first["version"], store.content);
    else {
      expect(first).toMatchObject({ version: 1, outcome: "created" });
      ledger.created(first["memory_id"], store.key, store.content, round);
    }
    ledger.unanswered[first["replayed"] ? "done" : "undone"] += 1;
  }
  for (const records of imports) {
    const first = await call("omn_import_memories", { memories: records });
    expect([first["created"], first["unchanged"]].sort(), "all of it, or nothing").toEqual([0, records.length].sort());
    expect(await call("omn_import_memories", { memories: records })).toMatchObject({ created: 0, updated: 0, unchanged: records.length });
    ledger.unanswered[first["unchanged"] > 0 ? "done" : "undone"] += 1;
    for (const [i, { key, content }] of records.entries()) ledger.created(first["memory_ids"][i], key, content, round);
  }
  ledger.stores = [];
  ledger.imports = [];
}

/**
 * Each word finds the memory whose present text has it; words of superseded, archived and erased texts find nothing. Among few
 * memories a word that nothing has may bring a lead, which the answer calls uncertain: never one that is gone.
 */
async function checkIndex(call: Call, probes: Probe[]): Promise<void> {
  const queue = [...probes];
  const found = async ({ word, id: present, gone }: Probe): Promise<string[]> => {
    const { memories, uncertain } = (await call("omn_retrieve_memory", { query: word, limit: 5 })) as { memories: { memory_id: string }[]; uncertain?: boolean };
    const ids = memories.map(({ memory_id: id }) => id);
    return uncertain && present === undefined ? ids.filter((id) => id === gone) : ids;
  };
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let probe = queue.pop(); probe; probe = queue.pop()) {
        const { word, id, of, mayBeHidden } = probe;
        const [expected, message] = [id ? [id] : [], `found by ${word}, which is ${of}`];
        if (mayBeHidden) await expect.poll(() => found(probe), { timeout: hiddenMs, interval: 500, message }).toEqual(expected);
        else expect(await found(probe), message).toEqual(expected);
      }
    }),
  );
}

async function checkAll(access: { url: string; apiKey: string }, ledger: Ledger, round: number, random: Random): Promise<void> {
  const clients = Array.from({ length: 4 }, () => new BenchClient(access.url, access.apiKey));
  let turn = 0;
  const call: Call = async (tool, args = {}) => {
    turn += 1;
    return (await (clients[turn % clients.length] as BenchClient).callTool(tool, args)).result.structuredContent ?? {};
  };
  const pick = <T>(from: T[], count: number): T[] => Array.from({ length: Math.min(count, from.length) }, () => from[Math.floor(random() * from.length)] as T);
  try {
    // The index first: nothing but a search repairs it, and the search must do so by itself.
    await checkIndex(call, ledger.probes(round, pick, 40).filter(({ id }) => id !== undefined && !ledger.entries.get(id)?.unanswered));
    const found = await exportAll(call);
    ledger.check(found);
    await checkStats(call, found);
    await retry(call, ledger, round);
    const mended = await exportAll(call);
    ledger.check(mended);
    await checkStats(call, mended);
    await checkIndex(call, ledger.probes(round === rounds ? undefined : round, pick, 40));
  } finally {
    for (const client of clients) client.close();
  }
}

test(
  "killed at any moment under concurrent writers, the product keeps every acknowledged write exactly once [S5] [B5] [U6] [S14]",
  async () => {
    const random = randomFrom(seed);
    const ledger = new Ledger();
    let acknowledged = 0;
    for (let round = 1; round <= rounds; round += 1) {
      try {
        // Every fourth start dies on the way, the very first with its migrations among them.
        if (round % 4 === 1) {
          product = Product.spawn(dataDir);
          await sleep(random() * 2_500);
          await product.kill();
        }
        product = await Product.start(dataDir);
        if (round > 1) await checkAll(product.access, ledger, round - 1, random);
        expect(product.processes.length, "launcher and workerd").toBeGreaterThan(1);
        const { access } = product;
        const crowd = Array.from({ length: writers }, (_, n) => new Writer(access, ledger, randomFrom(random() * 2 ** 32), round, `w${n}`));
        const [counts] = await Promise.all([Promise.all(crowd.map((writer) => writer.work())), sleep(100 + random() * 1_900).then(() => product?.kill())]);
        acknowledged += counts.reduce((sum, count) => sum + count, 0);
      } catch (error) {
        throw new Error(`round ${round}, DURABILITY_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}\n${product?.output ?? ""}`, { cause: error });
      }
    }
    product = await Product.start(dataDir);
    await checkAll(product.access, ledger, rounds, random);
    expect(product.output).not.toContain("harbour");
    expect(acknowledged).toBeGreaterThan(rounds * writers);
    const { done, undone } = ledger.unanswered;
    expect(done + undone, "calls that were on their way when the server died").toBeGreaterThan(rounds);
    console.info(`${rounds} kills: ${acknowledged} calls acknowledged, ${done + undone} unanswered (${done} of them carried out), ${ledger.entries.size} memories, seed ${seed}`);
  },
  20 * 60_000,
);
