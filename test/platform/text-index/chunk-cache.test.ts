import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { ChunkCache } from "../../../src/platform/text-index/chunk.ts";
import { chunkOf, SegmentWriter, type Segment } from "../../../src/platform/text-index/segment.ts";

const termsOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `term${String(i).padStart(5, "0")}`);

let made = 0;
async function inStorage(work: (sql: SqlStorage) => void): Promise<void> {
  made += 1;
  await runInDurableObject(env.TEAM_INDEX.getByName(`team:chunks-${made}`), (_, { storage }) => work(storage.sql));
}

function write(sql: SqlStorage, seg: number, terms: string[], frequency: number): Segment {
  const writer = new SegmentWriter(sql, seg);
  for (const term of terms) writer.add(term, Uint32Array.of(frequency, 65_536 + frequency));
  return writer.finish("now:", Uint32Array.of(1, 2), Uint16Array.of(1, 1));
}

test("a term is found in its chunk, and no other text is", async () => {
  await inStorage((sql) => {
    const segment = write(sql, 1, termsOf(2_000), 64);
    const cache = new ChunkCache(sql, 1_000_000);
    const find = (term: string) => {
      const chunk = chunkOf(segment, term);
      return chunk === undefined ? undefined : cache.get(new Set([chunk])).get(chunk)?.find(term);
    };
    for (const term of ["term00000", "term00511", "term00512", "term01999"]) expect(find(term)).toEqual({ positions: Uint16Array.of(0, 1), frequencies: Uint16Array.of(64, 64) });
    for (const term of ["term", "term02000", "term0051", "term005111", "a", "zebra"]) expect(find(term)).toBeUndefined();
    const chunk = segment.chunks[0] as number;
    expect([...(cache.get(new Set([chunk])).get(chunk)?.termsFrom("term0001") ?? [])]).toEqual(termsOf(20).slice(10));
  });
});

test("the cache stays within its bytes and answers all the same", async () => {
  await inStorage((sql) => {
    const segment = write(sql, 1, termsOf(20_000), 64);
    const cache = new ChunkCache(sql, 100_000);
    for (let round = 0; round < 2; round += 1) {
      for (const chunk of segment.chunks) {
        expect(cache.get(new Set([chunk])).get(chunk)?.size).toBeGreaterThan(0);
        expect(cache.bytes).toBeLessThanOrEqual(100_000);
      }
    }
    cache.clear();
    expect(cache.bytes).toBe(0);
  });
});

test("a chunk that takes the id of a dropped one is read anew", async () => {
  await inStorage((sql) => {
    const old = write(sql, 1, ["heron"], 64);
    const cache = new ChunkCache(sql, 100_000);
    const id = old.chunks[0] as number;
    cache.get(new Set([id]));
    sql.exec("DELETE FROM chunks");
    cache.drop(old.chunks);
    const next = write(sql, 2, ["whale"], 64);
    expect(next.chunks[0]).toBe(id);
    expect(cache.get(new Set([id])).get(id)?.find("whale")).toBeDefined();
  });
});
