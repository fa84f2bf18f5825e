import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { CuratedProduct } from "./support/curated-product.ts";
import { Product } from "./support/product.ts";

let product: CuratedProduct | undefined;
afterEach(async () => product?.discard());

const entries = 2_000;

test("a server that is killed in the middle of a long import goes on after its restart and stores every entry once [E3]", async () => {
  product = await CuratedProduct.start();
  await product.ofTeam("PUT", "/evolution", { policy: "off" });
  // Without keys and ids: nothing but the job tells one of them from another.
  const { job } = (await product.ofTeam("POST", "/jobs/import", Array.from({ length: entries }, (_, i) => ({ content: `Crate ${i} of the warehouse` })))) as { job: { job: string; state: string } };
  expect(await product.killJobWhen(job.job, (done) => done >= 300)).toBeLessThan(entries);
  await product.start();
  let left: Record<string, any> = {};
  for (const started = performance.now(); performance.now() - started < 150_000 && left["ended_at"] == null; await sleep(500)) left = (await product.ofTeam("GET", `/jobs/${job.job}`))["job"];
  expect(left).toMatchObject({ state: "done", done: entries, counts: { created: entries } });
  const contents = (await product.exported()).trim().split("\n").map((line) => JSON.parse(line) as { content: string; version: number });
  expect([contents.length, new Set(contents.map(({ content }) => content)).size, Math.max(...contents.map(({ version }) => version ?? 1))]).toEqual([entries, entries, 1]);
}, 300_000);

test("a server takes as many large files as come one after the other [E3]", async () => {
  const server = await Product.start({ OMNIMEMORY_RATE_LIMIT: "off" });
  try {
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const answer = await fetch(server.url(`/v1/teams/local/jobs/import?sha256=${"0".repeat(64)}`), { method: "POST", headers: { authorization: `Bearer ${server.apiKey}` }, body: "x".repeat(7 * 1024 * 1024) });
      statuses.push(answer.status);
      await answer.text();
    }
    expect(statuses).toEqual([400, 400, 400]);
  } finally {
    await server.remove();
  }
}, 120_000);
