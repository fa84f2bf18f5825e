import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { callTool } from "../launcher/call-tool.ts";
import { Product } from "./durability-product.ts";

/** What a person has on the first day, each beside a question in other words that it answers. */
const notes = {
  "How do I undo a faulty release?": "If a release breaks production, run scripts/unship.sh and post in #incidents.",
  "Who is away with a baby?": "Yuki is on parental leave until 29 March.",
  "When is the daily meeting?": "Stand-up is at 9:40 every weekday in the blue room.",
  "Welche Datenbank benutzen wir?": "We chose Postgres over Mongo because of transactions.",
  "How much is a subscription?": "The Nimbus plan costs 14 euros per seat.",
};

const dataDir = mkdtempSync(join(tmpdir(), "omnimemory-first-day-"));
let product: Product;

async function call(name: string, args: Record<string, unknown> = {}): Promise<Record<string, any>> {
  const { structured, error } = await callTool(product.access, name, args);
  expect(error).toBeUndefined();
  return structured;
}

beforeAll(async () => {
  product = await Product.start(dataDir);
  for (const content of Object.values(notes)) await call("omn_store_memory", { content });
  await vi.waitUntil(async () => (await call("omn_memory_stats"))["vectors"].waiting === 0, { timeout: 60_000, interval: 100 });
});

afterAll(async () => {
  await product.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

test.each(Object.entries(notes))("among five notes, the question %j finds the one that is meant, and it alone [D5]", async (query, content) => {
  const { memories } = await call("omn_retrieve_memory", { query });
  expect((memories as { content: string }[]).map((memory) => memory.content)).toEqual([content]);
});

test.each(["What is our Kubernetes version?", "Where does Yuki live?"])("what none of five notes answers (%j) has no certain answer, and one lead at most [D5]", async (query) => {
  const { memories, uncertain } = await call("omn_retrieve_memory", { query });
  expect(memories.length).toBeLessThanOrEqual(1);
  if (memories.length > 0) expect(uncertain).toBe(true);
});

test("what was stored a moment ago is found by its meaning at once [D3]", async () => {
  await call("omn_store_memory", { content: "Peanuts make Anna ill." });
  const { memories } = await call("omn_retrieve_memory", { query: "food allergies" });
  expect(memories).toMatchObject([{ content: "Peanuts make Anna ill." }]);
});
