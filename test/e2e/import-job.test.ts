import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { CuratedProduct } from "./support/curated-product.ts";

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
