import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { CuratedProduct, type Run } from "./support/curated-product.ts";

const products: CuratedProduct[] = [];
afterEach(async () => {
  for (const product of products.splice(0)) await product.discard();
});

async function started(): Promise<CuratedProduct> {
  const product = await CuratedProduct.start();
  products.push(product);
  return product;
}

const syllables = ["ba", "ke", "li", "mo", "tu", "ra", "ze"];
/** A word of its own for each number. */
const named = (i: number): string => `${"BKLMTRZ"[i % 7]}${[1, 7, 49].map((of) => syllables[Math.floor(i / of) % 7]).join("")}`;
const printers = (count: number): Record<string, unknown>[] => Array.from({ length: count }, (_, i) => ({ content: `Printer ${i} of hall ${i % 7} is called ${Math.sqrt(i + 2).toString(36)}.` }));

const pairs = 160;
/** Of every two pairs one that changed, and one that says more. */
const settled = { supersede: pairs / 2, merge: pairs };
/** Two between every pair: a run takes eleven steps, and on a busy machine several of them pass between two looks at it. */
const unsettled = printers(2 * pairs);
const notes = (): Record<string, unknown>[] =>
  Array.from({ length: pairs }, (_, i) => {
    const [before, after] = i % 2 === 0
      ? [`The ${named(i)} service runs on PostgreSQL 15 in Frankfurt.`, `The ${named(i)} service now runs on PostgreSQL 17 in Frankfurt.`]
      : [`The importer of ${named(i)} validates the CSV files of the bank.`, `The importer of ${named(i)} validates the CSV files of the bank with the ${named(i + pairs)} schema.`];
    return [{ content: before, occurred_at: "2026-01-01T09:00:00.000Z" }, { content: after, occurred_at: "2026-02-01T09:00:00.000Z" }, ...unsettled.slice(2 * i, 2 * i + 2)];
  }).flat();

/** An export, without the instants at which something was done since. */
const since = (data: string, from: number): string => data.replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (whole, at: string) => (Date.parse(at) >= from ? '"later"' : whole));
/** A merge is by the run, whose id is its own. */
const withoutRun = (data: string, run: string): string => data.replaceAll(run, "run");

test("beside the server, the curator does what it is asked for, is killed in the middle of it, goes on, and changes nothing twice", async () => {
  const many = 600;
  const product = await started();
  // None by itself before the one that is asked for.
  await product.ofTeam("PUT", "/evolution", { policy: "off" });
  await product.import(printers(many));
  await product.kill();
  product.grow(200);
  await product.start();
  const before = await product.exported();
  const run = await product.startRun("evolution");
  await product.ofTeam("PUT", "/evolution", { policy: "on" });
  expect(await product.killWhen(run, ({ state }) => state === "running")).toEqual({ state: "running", lookedAt: 0 });
  await product.start();
  expect(await product.ended(run)).toMatchObject({ state: "done", counts: { importance: 500 }, more: true });
  // What was more than one run takes is done by the next one, unasked.
  let runs: Run[] = [];
  for (let i = 0; i < 400 && !(runs.length > 1 && runs.every(({ ended_at: at }) => at !== null)); i += 1) {
    await sleep(200);
    runs = ((await product.ofTeam("GET", "/runs")).runs as Run[]).filter(({ kind }) => kind === "evolution");
  }
  expect(runs[0]).toMatchObject({ state: "done", requested_by: "curator", counts: { importance: many - 500 } });
  // The same call again, and again: every change is there once.
  await product.ended(await product.startRun("evolution"));
  await product.kill();
  expect(product.evolved()).toEqual({ of: many, most: 1 });
  await product.start();
  for (const { run: id } of runs) await product.ofTeam("POST", `/runs/${id}/undo`);
  expect(await product.exported()).toBe(before);
  expect(product.running.output).not.toContain('"level":"error"');
}, 240_000);

test("a consolidation that is killed again and again ends as one that nobody killed, and its undo gives back the same bytes", async () => {
  const product = await started();
  // Only what this test asks for.
  await product.ofTeam("PUT", "/evolution", { policy: "off" });
  await product.import(notes());
  const before = await product.exported();
  const from = Date.now();
  const other = await product.copy();
  products.push(other);

  await other.start();
  const undisturbed = await other.startRun("consolidation");
  expect(await other.ended(undisturbed)).toMatchObject({ state: "done", counts: settled });
  const wanted = withoutRun(since(await other.exported(), from), undisturbed);
  await other.kill();

  await product.start();
  const run = await product.startRun("consolidation");
  let seen = -1;
  // As soon as it has begun; then each time just when a step has been noted, and some way into the next one.
  for (const after of [0, 0, 30]) {
    const left = await product.killWhen(run, ({ state, lookedAt }) => state === "running" && lookedAt > seen, after);
    expect(left.state, "killed while it was at work").toBe("running");
    seen = left.lookedAt;
    await product.start();
  }
  expect(seen, "with a part done").toBeGreaterThan(0);
  const done = await product.ended(run);
  expect(done).toMatchObject({ state: "done", counts: settled, more: false });
  expect(withoutRun(since(await product.exported(), from), run)).toBe(wanted);
  await product.kill();
  expect(product.evolved()).toEqual({ of: settled.supersede + settled.merge, most: 1 });

  await product.start();
  await product.ofTeam("POST", `/runs/${run}/undo`);
  expect(await product.exported()).toBe(before);
  expect(product.running.output).not.toContain('"level":"error"');
}, 240_000);

test("a consolidation by hand that is killed before its answer has happened whole or not at all, and the same call again says so", async () => {
  const product = await started();
  await product.ofTeam("PUT", "/evolution", { policy: "off" });
  await product.import(notes());
  const before = await product.exported();
  for (const delay of [5, 40, 120]) {
    const { confirm, count } = await product.call("omn_consolidate", { limit: 100 });
    expect(count).toBeGreaterThan(10);
    const call = product.call("omn_consolidate", { limit: 100, confirm }).catch(() => undefined);
    await sleep(delay);
    await product.kill();
    await call;
    await product.start();
    const between = await product.exported();
    const first = await product.call("omn_consolidate", { limit: 100, confirm });
    expect(first).toMatchObject({ outcome: "consolidated" });
    const after = await product.exported();
    if (between !== before) expect(after).toBe(between);
    expect(await product.call("omn_consolidate", { limit: 100, confirm })).toMatchObject({ outcome: "consolidated", run: first["run"] });
    expect(await product.exported()).toBe(after);
    await product.call("omn_revert", { undo: first["run"] });
    expect(await product.exported()).toBe(before);
  }
}, 240_000);

test("a person pauses the curator, which begins nothing then, resumes it, and watches the run to its end", async () => {
  const product = await started();
  await product.ofTeam("PUT", "/evolution", { policy: "off" });
  await product.import(notes());
  const before = await product.exported();
  const listener = await product.listen("/runs/events");
  expect(await listener.hears("state")).toMatchObject({ paused: false });
  await product.ofTeam("POST", "/curator/pause");
  const run = await product.startRun("consolidation");
  expect(await listener.hears("state", ({ paused, run: waits }) => paused === true && waits !== null)).toMatchObject({ run: { state: "waiting" } });
  await sleep(2_000);
  expect(await product.ofTeam("GET", "/runs")).toMatchObject({ paused: true });
  expect(await product.run(run)).toMatchObject({ state: "waiting" });
  expect(await product.exported()).toBe(before);
  await product.ofTeam("POST", "/curator/resume");
  // Beside it may end what the schedule had asked for before the policy was off.
  expect(await listener.hears("ended", (ended) => ended["run"] === run)).toMatchObject({ state: "done", counts: settled });
  await listener.close();
  expect(product.running.output).not.toContain('"level":"error"');
}, 240_000);
