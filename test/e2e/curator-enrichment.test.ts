import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "../launcher/call-tool.ts";
import { withDirectory } from "../launcher/directory-file.ts";
import { Product } from "./durability-product.ts";
import { ModelEndpoint, says } from "./support/model-endpoint.ts";

/** `npm start` with a local service of OpenAI's form, as Ollama is one: what the curator asks it, and what becomes of the answers. */
const dataDir = mkdtempSync(join(tmpdir(), "omnimemory-enrichment-"));
const endpoint = new ModelEndpoint();
const apiKey = "sk-local-and-nobody-elses";
const by = "openai-compatible:qwen3";
const raw = "For billing we took PostgreSQL 17, because of its partitions.";
let product: Product;
let team: string;

beforeAll(async () => {
  const url = await endpoint.start();
  const vars = { INTELLIGENCE_PROVIDER: "openai-compatible", INTELLIGENCE_MODEL: "qwen3", INTELLIGENCE_BASE_URL: url, INTELLIGENCE_API_KEY: apiKey, INTELLIGENCE_TIMEOUT_MS: "2000" };
  product = await Product.start(dataDir, vars);
  await callTool(product.access, "omn_store_memory", { content: raw });
  await callTool(product.access, "omn_store_memory", { content: "The vault of the office opens with 0417 and a key.", sensitivity: "secret" });
  await product.kill();
  withDirectory(dataDir, (db) => db.exec(`UPDATE api_keys SET scopes = '["memory:read","memory:write","memory:admin"]', name = 'mine'`));
  product = await Product.start(dataDir, vars);
  team = (await rest("GET", "")).teams[0].id as string;
}, 120_000);
afterAll(async () => {
  await product.kill();
  await endpoint.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function rest(method: string, path: string, body?: unknown): Promise<Record<string, any>> {
  const { url, apiKey: key } = product.access;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(new URL(`/v1/teams${path}`, url), { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return (await answer.json()) as Record<string, any>;
}

async function exported(): Promise<Record<string, any>> {
  const { structured } = await callTool(product.access, "omn_export_memories", {});
  const records = (structured["data"] as string).split("\n").filter(Boolean).map((line) => JSON.parse(line) as Record<string, any>);
  const found = records.find(({ content }) => content === raw);
  if (!found) throw new Error("the memory is gone");
  return found;
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 450; i += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(200);
  }
  throw new Error(`nothing came of it:\n${product.output}`);
}

test("while the service is down the rules' result stays; once it answers, the note is what the model says, and its words are as they were", async () => {
  const before = await exported();
  expect(before["enrichment"]).toMatchObject({ by: "rules" });
  await rest("POST", `/${team}/runs`, { kind: "enrichment" });
  const failing = await until(async () => ((await rest("GET", `/${team}/runs`)).runs as Record<string, any>[]).find(({ kind, error }) => kind === "enrichment" && error === "PROVIDER_ERROR"));
  expect(endpoint.seen.length).toBeGreaterThan(0);
  expect(await exported()).toEqual(before);

  const answer = { summary: "Billing runs on PostgreSQL 17.", keywords: ["billing", "postgresql"], tags: ["database"], type: "architecture_decision", importance: 0.9, confidence: 0.8 };
  endpoint.script.push(...Array.from({ length: 4 }, () => says("openai-compatible", answer)));
  // The run is still open, and the curator takes it up again within a minute.
  const done = await until(async () => ((await rest("GET", `/${team}/runs`)).runs as Record<string, any>[]).find(({ run, state }) => run === failing["run"] && state === "done"));
  expect(done["counts"]).toMatchObject({ enrichment: 1 });
  const after = await exported();
  expect(after).toMatchObject({ content: raw, type: answer.type, keywords: answer.keywords, tags: answer.tags, enrichment: { by, confidence: 0.8 }, updated_at: before["updated_at"] });

  const request = endpoint.seen.at(-1);
  expect(request).toMatchObject({ path: "/v1/chat/completions", headers: { authorization: `Bearer ${apiKey}` }, body: { model: "qwen3" } });
  expect(request?.text).toContain("PostgreSQL 17");
  expect(endpoint.seen.some(({ text }) => text.includes("vault"))).toBe(false);
  expect(product.output).not.toContain(apiKey);
  expect(product.output).not.toContain("PostgreSQL");

  await rest("POST", `/${team}/runs/${failing["run"]}/undo`);
  expect(await exported()).toEqual(before);
}, 120_000);
