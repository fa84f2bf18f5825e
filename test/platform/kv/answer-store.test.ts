import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { KvAnswerStore } from "../../../src/platform/kv/answer-store.ts";

const broken = (fails: () => Promise<never>): KVNamespace => ({ get: fails, put: fails }) as unknown as KVNamespace;

test("what was put is got, until then nothing [A11]", async () => {
  const store = new KvAnswerStore(env.CACHE, () => undefined);
  expect(await store.get("answer-store/a")).toBeUndefined();
  await store.put("answer-store/a", "text", Date.now() + 60_000);
  expect(await store.get("answer-store/a")).toBe("text");
});

test("a KV that fails has nothing and takes nothing; the fault is reported [A11]", async () => {
  const reported: string[] = [];
  const store = new KvAnswerStore(broken(() => Promise.reject(new Error("KV GET failed: 500"))), (event) => reported.push(event));
  expect(await store.get("a")).toBeUndefined();
  await store.put("a", "text", Date.now() + 60_000);
  expect(reported).toEqual(["answers.get", "answers.put"]);
});

test("a KV that does not answer is not waited for [A11]", async () => {
  const store = new KvAnswerStore(broken(() => new Promise(() => undefined)), () => undefined);
  const started = Date.now();
  expect(await store.get("a")).toBeUndefined();
  expect(Date.now() - started).toBeLessThan(1_000);
});
