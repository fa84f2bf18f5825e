import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "../launcher/call-tool.ts";
import { withDirectory } from "../launcher/directory-file.ts";
import { Product } from "./durability-product.ts";

const dataDir = mkdtempSync(join(tmpdir(), "omnimemory-curator-"));
const day = 86_400_000;
const many = 600;
let product: Product;
let team: string;

beforeAll(async () => {
  product = await Product.start(dataDir);
  team = (await rest("GET", "")).teams[0].id as string;
});
afterAll(async () => {
  await product.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

async function rest(method: string, path: string, body?: unknown): Promise<Record<string, any>> {
  const { url, apiKey } = product.access;
  const answer = await fetch(new URL(`/v1/teams${path}`, url), {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, any>;
}

/** The local key as one that its person made themselves, to administer the team with. The product is stopped. */
const makeAdmin = (): void => withDirectory(dataDir, (db) => db.exec(`UPDATE api_keys SET scopes = '["memory:read","memory:write","memory:admin"]', name = 'mine'`));

/** The memories as they would be half a year later: no test can wait for it. The product is stopped. */
function grow(days: number): void {
  withShard((db) => db.exec(`UPDATE memories SET created_at = created_at - ${days * day}, updated_at = updated_at - ${days * day}; UPDATE versions SET at = at - ${days * day}`));
}

function withShard<T>(use: (db: DatabaseSync) => T): T {
  const folder = join(dataDir, "state", "d1");
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".sqlite") && !name.endsWith("metadata.sqlite"))) {
    const db = new DatabaseSync(join(folder, file));
    try {
      if (db.prepare("select 1 from sqlite_schema where name = 'curator_runs'").get() !== undefined) return use(db);
    } finally {
      db.close();
    }
  }
  throw new Error("no shard");
}

const versions = (): { of: number; most: number } =>
  withShard((db) => db.prepare("SELECT count(*) AS of, max(n) AS most FROM (SELECT count(*) AS n FROM versions WHERE action = 'evolve' GROUP BY memory_id)").get() as { of: number; most: number });

async function store(count: number): Promise<void> {
  const memories = Array.from({ length: count }, (_, i) => ({ content: `Printer ${i} of hall ${i % 7} is called ${Math.sqrt(i + 2).toString(36)}.` }));
  for (let at = 0; at < count; at += 200) {
    const { error } = await callTool(product.access, "omn_import_memories", { memories: memories.slice(at, at + 200) });
    expect(error).toBeUndefined();
  }
}

async function ended(run: string): Promise<Record<string, any>> {
  for (let i = 0; i < 400; i += 1) {
    const { run: found } = await rest("GET", `/${team}/runs/${run}`);
    if (found.ended_at !== null) return found as Record<string, any>;
    await sleep(200);
  }
  throw new Error("the run did not end");
}

test("beside the server, the curator does what it is asked for, is killed in the middle of it, goes on, and changes nothing twice", async () => {
  await store(many);
  await product.kill();
  grow(200);
  makeAdmin();
  product = await Product.start(dataDir);
  const { run } = (await rest("POST", `/${team}/runs`, {})).run as { run: string };
  for (let i = 0; i < 200 && ((await rest("GET", `/${team}/runs/${run}`)).run.state as string) === "waiting"; i += 1) await sleep(20);
  await product.kill();
  expect(withShard((db) => db.prepare("SELECT state, cursor FROM curator_runs WHERE id = ?").get(run))).toEqual({ state: "running", cursor: "" });
  product = await Product.start(dataDir);
  const done = await ended(run);
  expect(done).toMatchObject({ state: "done", counts: { importance: 500 }, more: true });
  // What was more than one run takes is done by the next one, unasked.
  let runs: Record<string, any>[] = [];
  for (let i = 0; i < 400 && !(runs.length > 1 && runs.every(({ ended_at: at }) => at !== null)); i += 1) {
    await sleep(200);
    runs = ((await rest("GET", `/${team}/runs`)).runs as Record<string, any>[]).filter(({ kind }) => kind === "evolution");
  }
  expect(runs[0]).toMatchObject({ state: "done", requested_by: "curator", counts: { importance: many - 500 } });
  // The same call again, and again: every change is there once.
  await ended(((await rest("POST", `/${team}/runs`, {})).run as { run: string }).run);
  await product.kill();
  expect(versions()).toEqual({ of: many, most: 1 });
  product = await Product.start(dataDir);
  expect(product.output).not.toContain('"level":"error"');
});
