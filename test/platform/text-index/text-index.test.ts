import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shareOf } from "../../../src/domain/recall/ranking/word-match.ts";
import { queryTerms } from "../../../src/domain/text/query-terms.ts";
import { memoryAnalyzer, memoryTextOptions } from "../../../src/platform/team-index/memory-text.ts";
import { idf } from "../../../src/platform/text-index/scoring.ts";
import { contextFrequencyOf, ownFrequencyOf, type TermBag } from "../../../src/platform/text-index/term-bag.ts";
import { TextIndex } from "../../../src/platform/text-index/text-index.ts";

const analyzer = memoryAnalyzer();
const { k1, b, resolution } = memoryTextOptions;

let made = 0;
/** A text index in a storage of its own, with the documents that are alive. */
async function inIndex(work: (bench: Bench) => Promise<void>): Promise<void> {
  made += 1;
  await runInDurableObject(env.TEAM_INDEX.getByName(`team:text-${made}`), (_, state) => work(new Bench(state.storage)));
}

class Bench {
  readonly storage: DurableObjectStorage;
  index: TextIndex;
  readonly alive = new Map<number, { part: string; bag: TermBag }>();
  #slot = 0;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
    this.index = new TextIndex(storage, memoryTextOptions);
  }

  put(part: string, texts: string[]): number[] {
    const entries = texts.map((content) => ({ part, slot: (this.#slot += 1), bag: analyzer.bagOf({ content }) }));
    this.storage.transactionSync(() => this.index.put(entries));
    for (const { slot, bag } of entries) this.alive.set(slot, { part, bag });
    return entries.map(({ slot }) => slot);
  }

  remove(slots: number[]): void {
    const entries = slots.flatMap((slot) => {
      const known = this.alive.get(slot);
      return known ? [{ slot, part: known.part, length: known.bag.length }] : [];
    });
    this.storage.transactionSync(() => this.index.remove(entries));
    for (const { slot } of entries) this.alive.delete(slot);
  }

  maintain(purge: boolean): Promise<void> {
    return this.index.maintain({ purge, alive: (slots) => new Set(slots.filter((slot) => this.alive.has(slot))) });
  }

  /** Slots of the living that match, best first. */
  search(parts: string[], question: string, size = 1_000): { slot: number; score: number }[] {
    const terms = queryTerms(question).map(({ term }) => term);
    return this.index.search(parts, terms, size, { withContext: true }).hits.filter(({ slot }) => this.alive.has(slot)).map(({ slot, score }) => ({ slot, score }));
  }

  /** The same by the formula, document by document. */
  expected(parts: string[], question: string): { slot: number; score: number }[] {
    const terms = queryTerms(question).map(({ term }) => term);
    const seen = [...this.alive].filter(([, { part }]) => parts.includes(part));
    const average = seen.reduce((sum, [, { bag }]) => sum + bag.length, 0) / Math.max(1, seen.length);
    const holding = new Map(terms.map((term) => [term, seen.filter(([, { bag }]) => bag.terms.has(term)).length]));
    const scored = seen.map(([slot, { bag }]) => {
      let score = 0;
      for (const term of terms) {
        const packed = bag.terms.get(term);
        if (packed === undefined) continue;
        const frequency = (ownFrequencyOf(packed) + contextFrequencyOf(packed)) / resolution;
        score += (idf(seen.length, holding.get(term) ?? 0) * (k1 + 1) * frequency) / (frequency + k1 * (1 - b + (b * bag.length) / average));
      }
      return { slot, score };
    });
    return scored.filter(({ score }) => score > 0).sort((x, y) => y.score - x.score || y.slot - x.slot);
  }
}

const vocabulary = ["heron", "lake", "river", "whale", "krill", "deploy", "worker", "queue", "zyzzyva", "漢字", "Größe", "getUserId"];
const anyText = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
const anyPart = fc.constantFrom("now:", "now:ada", "now:bob");
const anyOperation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("put" as const), part: anyPart, texts: fc.array(anyText, { minLength: 1, maxLength: 300 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), nth: fc.array(fc.nat(), { maxLength: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("maintain" as const), purge: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: "wake" as const }) },
);

function expectSame(found: { slot: number; score: number }[], expected: { slot: number; score: number }[]): void {
  expect(new Set(found.map(({ slot }) => slot))).toEqual(new Set(expected.map(({ slot }) => slot)));
  const scores = new Map(expected.map(({ slot, score }) => [slot, score]));
  for (const { slot, score } of found) expect(score).toBeCloseTo(scores.get(slot) as number, 4);
  for (const [i, { score }] of found.entries()) if (i > 0) expect(score).toBeLessThanOrEqual((found[i - 1] as { score: number }).score);
}

describe("the text index ranks by BM25F [S15] [A10]", () => {
  test("a word weighs about what it weighs among the living, however often they were written anew since the last merge", () =>
    inIndex(async (bench) => {
      const texts = Array.from({ length: 900 }, (_, i) => `heron ${i % 3 === 0 ? "lake" : "river"} ${i % 30 === 0 ? "whale" : "krill"}`);
      const weights = (): number[] => bench.index.search(["now:"], ["lake", "whale"], 10, { withContext: true }).weights;
      const first = bench.put("now:", texts);
      const before = weights();
      bench.remove(first);
      bench.put("now:", texts);
      for (const [i, weight] of weights().entries()) expect(weight / (before[i] as number)).toBeCloseTo(1, 1);
      await bench.maintain(true);
      expect(weights()).toEqual(before);
    }));

  test("a word that only one document holds is as rare after that document was written anew", () =>
    inIndex(async (bench) => {
      const [first = 0] = bench.put("now:", ["zyzzyva heron", ...Array.from({ length: 599 }, () => "heron lake")]);
      bench.remove([first]);
      bench.put("now:", ["zyzzyva whale"]);
      const { weights, rarest } = bench.index.search(["now:"], ["zyzzyva"], 10, { withContext: true, alive: (slots) => new Set(slots.filter((slot) => bench.alive.has(slot))) });
      expect(weights).toEqual([rarest]);
    }));

  test("whatever was put, removed, merged and reread: the answer is the formula's, and of the parts asked for alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyOperation, { maxLength: 12 }), anyText, anyPart, (operations, question, own) =>
        inIndex(async (bench) => {
          for (const operation of operations) {
            if (operation.kind === "put") bench.put(operation.part, operation.texts);
            if (operation.kind === "remove") {
              const slots = [...bench.alive.keys()];
              bench.remove([...new Set(operation.nth.map((n) => slots[n % Math.max(1, slots.length)] ?? -1))]);
            }
            if (operation.kind === "maintain") await bench.maintain(operation.purge);
            if (operation.kind === "wake") bench.index = new TextIndex(bench.storage, memoryTextOptions);
          }
          const parts = ["now:", own];
          // Dead postings weigh a little until they are purged; what is found is right at any time.
          expect(new Set(bench.search(parts, question, 5_000).map(({ slot }) => slot))).toEqual(new Set(bench.expected(parts, question).map(({ slot }) => slot)));
          await bench.maintain(true);
          expectSame(bench.search([...new Set(parts)], question, 5_000), bench.expected(parts, question));
        }),
      ),
      { numRuns: 30 },
    );
  }, 120_000);

  test("the best few are the best of all, over many segments", async () => {
    await inIndex(async (bench) => {
      for (let batch = 0; batch < 12; batch += 1) {
        bench.put("now:", Array.from({ length: 300 }, (_, i) => vocabulary.filter((_, w) => (i * 7 + batch * 3) % (w + 2) === 0).join(" ") || "filler"));
      }
      for (const size of [1, 5, 50]) {
        const found = bench.search(["now:"], "heron whale queue zyzzyva", size);
        const expected = bench.expected(["now:"], "heron whale queue zyzzyva").slice(0, size);
        expect(found.map(({ score }) => score.toFixed(3))).toEqual(expected.map(({ score }) => score.toFixed(3)));
      }
    });
  });
});

describe("upkeep [S15]", () => {
  test("who wants documents that hold a share of a question gets all of those, though the commonest words are not looked at [S7]", async () => {
    await inIndex(async (bench) => {
      const rest = (at: number): string => ["heron", "whale", "queue", "lamp", "stone", "bridge"].filter((_, i) => (at >> i) % 2 === 1).join(" ");
      bench.put("now:", Array.from({ length: 64 }, (_, at) => `harbour ${rest(at)}`));
      const terms = queryTerms("harbour heron whale queue lamp stone bridge unheard").map(({ term }) => term);
      const found = (share?: number) => bench.index.search(["now:"], terms, 1_000, { withContext: false, share });
      const all = found();
      const worth = all.weights.map((weight) => Math.min(weight, all.rarest));
      const isHeld = (share: number) => ({ ownTerms }: { ownTerms: number }): boolean => shareOf({ weights: worth }, ownTerms) >= share;
      const slots = (hits: { slot: number }[]): number[] => hits.map(({ slot }) => slot).sort((a, b) => a - b);
      for (const share of [0.05, 0.17, 0.3]) expect(slots(found(share).hits.filter(isHeld(share)))).toEqual(slots(all.hits.filter(isHeld(share))));
      expect(found(0.17).hits.length).toBeLessThan(all.hits.length);
    });
  });

  test("segments are merged, so that a question reads few of them", async () => {
    await inIndex(async (bench) => {
      for (let batch = 0; batch < 40; batch += 1) bench.put("now:", Array.from({ length: 260 }, (_, i) => `heron ${batch} number${i}`));
      expect(bench.index.mergeDue).toBe(true);
      await bench.maintain(false);
      const segments = bench.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM segments").one().n;
      expect(segments).toBeLessThanOrEqual(9);
      expect(bench.search(["now:"], "number7")).toHaveLength(40);
    });
  });

  test("however many writes come without upkeep, the number of unmerged segments is bounded", async () => {
    await inIndex(async (bench) => {
      const segments = (): number => bench.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM segments").one().n;
      let most = 0;
      for (let batch = 0; batch < 80; batch += 1) {
        bench.put("now:", Array.from({ length: 260 }, (_, i) => `heron ${batch % 3 === 0 ? "lake" : "river"} number${i}`));
        most = Math.max(most, segments());
      }
      expect(most).toBeLessThanOrEqual(25);
      expectSame(bench.search(["now:"], "lake number7", 50_000), bench.expected(["now:"], "lake number7"));
      await bench.maintain(false);
      expect(segments()).toBeLessThanOrEqual(12);
      expect(bench.search(["now:"], "number7")).toHaveLength(80);
      bench.index = new TextIndex(bench.storage, memoryTextOptions);
      expect(bench.index.isBehind()).toBe(false);
      expect(bench.search(["now:"], "number7")).toHaveLength(80);
    });
  });

  test("writers that merge during a purge leave its segments to it", async () => {
    await inIndex(async (bench) => {
      const [doomed] = bench.put("now:", ["zyzzyva sings", ...Array.from({ length: 9_000 }, (_, i) => `filler${i} krill`)]);
      for (let batch = 0; batch < 22; batch += 1) bench.put("now:", Array.from({ length: 257 }, () => "lake heron"));
      bench.remove([doomed as number]);
      const purging = bench.maintain(true);
      for (let batch = 0; batch < 12; batch += 1) {
        bench.put("now:", Array.from({ length: 257 }, () => "river heron"));
        await scheduler.wait(0);
      }
      await purging;
      const terms = bench.storage.sql.exec<{ terms: string }>("SELECT terms FROM chunks").toArray().flatMap((row) => row.terms.split("\n"));
      expect(terms).not.toContain("zyzzyva");
      expectSame(bench.search(["now:"], "heron filler7", 50_000), bench.expected(["now:"], "heron filler7"));
    });
  });

  test("writes during a merge are in the answer, and what it merged is not twice", async () => {
    await inIndex(async (bench) => {
      for (let batch = 0; batch < 8; batch += 1) bench.put("now:", Array.from({ length: 1_000 }, (_, i) => `whale ${batch * 1_000 + i}`));
      const merging = bench.maintain(false);
      const [late] = bench.put("now:", ["whale late"]);
      bench.remove([1, 2, 3]);
      bench.put("now:", Array.from({ length: 300 }, () => "krill"));
      await merging;
      const found = bench.search(["now:"], "whale", 10_000).map(({ slot }) => slot);
      expect(found).toHaveLength(8_000 - 3 + 1);
      expect(new Set(found).size).toBe(found.length);
      expect(found).toContain(late);
      expect(bench.search(["now:"], "krill")).toHaveLength(300);
    });
  });

  test("no word of what was removed stays on the disk after a purge", async () => {
    await inIndex(async (bench) => {
      const [doomed] = bench.put("now:", ["zyzzyva sings", ...Array.from({ length: 400 }, (_, i) => `filler${i}`)]);
      bench.remove([doomed as number]);
      const stored = (): string => bench.storage.sql.exec<{ terms: string }>("SELECT terms FROM chunks UNION ALL SELECT terms FROM fresh").toArray().map(({ terms }) => terms).join("\n");
      expect(stored()).toContain("zyzzyva");
      await bench.maintain(true);
      expect(stored()).not.toContain("zyzzyva");
      expect(bench.search(["now:"], "filler7")).toHaveLength(1);
    });
  });

  test("a merge that dies half way leaves nothing behind but what was there", async () => {
    await inIndex(async (bench) => {
      for (let batch = 0; batch < 4; batch += 1) bench.put("now:", Array.from({ length: 2_000 }, (_, i) => `whale ${batch} w${i} v${i}`));
      const merging = bench.maintain(false);
      await scheduler.wait(0);
      bench.index.forget();
      bench.index = new TextIndex(bench.storage, memoryTextOptions);
      expect(bench.search(["now:"], "whale", 10_000)).toHaveLength(8_000);
      await merging;
      bench.index = new TextIndex(bench.storage, memoryTextOptions);
      expect(bench.search(["now:"], "whale", 10_000)).toHaveLength(8_000);
    });
  });
});
