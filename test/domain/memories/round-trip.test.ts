import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportMemories, type ExportOutcome } from "../../../src/domain/memories/export.ts";
import { archiveOne } from "../../../src/domain/memories/forget.ts";
import { importMemories, parseExport } from "../../../src/domain/memories/import.ts";
import { remember } from "../../../src/domain/memories/remember.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { fill } from "../../evals/guard-values.ts";
import { anyKey, said } from "./arbitrary.ts";
import { day, minute, newTeam, now, type Person } from "../../support/team.ts";

const later = now + day;

async function exportPages(who: Person, format: "ndjson" | "json", limit: number, at = later): Promise<ExportOutcome[]> {
  const pages: ExportOutcome[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await exportMemories(who.at(at), { format, limit, includeHistory: true, includeSecrets: true, ...(cursor ? { cursor } : {}) });
    pages.push(page);
    cursor = page.nextCursor;
    if (!cursor) return pages;
  }
}

async function importPages(who: Person, pages: ExportOutcome[], at = later) {
  const sum = { created: 0, updated: 0, unchanged: 0, skipped: 0 };
  for (const { data, sha256, count } of pages.filter((page) => page.count > 0)) {
    const part = await importMemories(who.at(at), { records: await parseExport(data, { sha256, count }), onConflict: "update" });
    for (const name of ["created", "updated", "unchanged", "skipped"] as const) sum[name] += part[name];
  }
  return sum;
}

/** One memory's life: its first state, what was changed later, and whether it was archived in the end. */
const life = fc.record({
  // A key that an archived memory had is often given again.
  key: fc.option(fc.oneof(anyKey, fc.constantFrom("project.database", "project.owner")), { nil: undefined }),
  first: said,
  changes: fc.array(said, { maxLength: 3 }),
  archived: fc.boolean(),
});

async function live(who: Person, lives: (typeof life extends fc.Arbitrary<infer T> ? T : never)[]): Promise<number> {
  const ids = new Set<string>();
  for (const { key, first, changes, archived } of lives) {
    const { memory } = await remember(who.at(now), { ...first, ...(key === undefined ? {} : { key }) });
    ids.add(memory.id);
    let newest = memory;
    for (const [n, change] of changes.entries()) {
      const outcome = await revise(who.at(now + (n + 1) * minute), { target: { id: memory.id }, changes: change }).catch(() => undefined);
      if (outcome?.outcome === "updated") newest = outcome.memory;
    }
    if (archived) await archiveOne(who.at(now + 10 * minute), newest);
  }
  return ids.size;
}

test("a memory whose secret is masked, and the original that is kept back under the same key, come back as both", async () => {
  for (const isReversed of [false, true]) {
    const [source, copy] = [await newTeam("SHARD_0"), await newTeam()];
    await remember(source.owner.at(now), { key: "ops.token", content: fill("Deploys use {{github_pat}} in CI.", 7).text });
    const { data } = (await exportPages(source.owner, "ndjson", 10))[0] as ExportOutcome;
    const records = await parseExport(data, {});
    expect(records).toHaveLength(2);
    await importMemories(copy.owner.at(later), { records: isReversed ? records.toReversed() : records, onConflict: "update" });
    const found = (await exportPages(copy.owner, "ndjson", 10)).flatMap(({ data: lines }) => lines.split("\n").filter(Boolean).map((line) => JSON.parse(line) as { quarantine?: object; archived_at?: string; content: string }));
    expect(found.map(({ quarantine, content }) => [quarantine != null, content.includes("[masked")]).sort()).toEqual([[false, true], [true, false]]);
    expect((await copy.owner.recall({ key: "ops.token" }, later)).map(({ memory }) => memory.content)).toEqual([expect.stringContaining("[masked")]);
  }
});

describe("export and import are lossless [U10] [S14] [A1]", () => {
  test("whatever was stored, changed and archived: an export of another server's team is the same, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 6 }), fc.constantFrom("ndjson", "json"), fc.integer({ min: 1, max: 4 }), async (lives, format, limit) => {
        const [source, copy] = [await newTeam("SHARD_0"), await newTeam()];
        const count = await live(source.owner, lives);
        const exported = await exportPages(source.owner, format, limit);
        expect(exported.reduce((sum, page) => sum + page.count, 0)).toBe(count);

        // Where everything is known already, nothing changes.
        expect(await importPages(source.owner, exported)).toEqual({ created: 0, updated: 0, unchanged: count, skipped: 0 });

        // The same person brings it to another server, where nothing of it is known.
        await env.SHARD_0.prepare("DELETE FROM memories WHERE team_id = ?").bind(source.id).run();
        const newcomer = await copy.admit(source.owner);
        expect(await importPages(newcomer, exported)).toEqual({ created: count, updated: 0, unchanged: 0, skipped: 0 });
        const again = await exportPages(newcomer, format, limit);
        expect(again.map(({ data }) => data)).toEqual(exported.map(({ data }) => data));
        expect(again.map(({ sha256 }) => sha256)).toEqual(exported.map(({ sha256 }) => sha256));

        expect(await importPages(newcomer, exported)).toEqual({ created: 0, updated: 0, unchanged: count, skipped: 0 });
        expect(await copy.index.verify(copy.ref)).toEqual({ rebuilt: false });
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  test("brought to another team of the same server it is the same but for the ids, which are taken", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
        const [source, copy] = [await newTeam(), await newTeam()];
        const count = await live(source.owner, lives);
        const [page] = (await exportPages(source.owner, "ndjson", 100)) as [ExportOutcome];
        const newcomer = await copy.admit(source.owner);
        const { created, renamed } = await importMemories(newcomer.at(later), { records: await parseExport(page.data, {}), onConflict: "update" });
        expect({ created, renamed: renamed.length }).toEqual({ created: count, renamed: count });
        const [again] = (await exportPages(newcomer, "ndjson", 100)) as [ExportOutcome];
        const copied = renamed.reduce((data, { from, to }) => data.replaceAll(from, to), page.data);
        expect(again.data.split("\n").sort()).toEqual(copied.split("\n").sort());
        expect(await importPages(newcomer, [page])).toEqual({ created: 0, updated: 0, unchanged: count, skipped: 0 });
      }),
      { numRuns: 10 },
    );
  }, 60_000);

  test("what comes back is what was said: every field of the newest version, in both teams", async () => {
    await fc.assert(
      fc.asyncProperty(said, async (state) => {
        const team = await newTeam();
        const { memory } = await team.owner.remember(state.content, state);
        const [found] = await team.owner.recall({ id: memory.id });
        expect(found?.memory).toMatchObject(state);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test("what another member may not see is not in their export, nor what was private once", async () => {
    const team = await newTeam();
    const grace = await team.join();
    const { id } = await team.owner.keep("plan", "the secret draft", { visibility: "private" });
    await revise(team.owner.at(now + minute), { target: { id }, changes: { visibility: "shared", content: "the plan" } });
    await team.owner.keep("diary", "very private");
    const [page] = await exportPages(grace, "ndjson", 100);
    expect(page?.count).toBe(1);
    expect(page?.data).not.toMatch(/secret draft|very private/);
    const copy = await newTeam();
    expect(await importPages(copy.owner, [page as ExportOutcome])).toMatchObject({ created: 1 });
    expect(await copy.owner.listed(later)).toEqual(["the plan"]);
  });
});
