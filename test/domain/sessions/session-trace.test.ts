import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyTrace, mergedTraces, most, ratedFiles, type SessionTrace, type TraceEntry, withEntries } from "../../../src/domain/sessions/session-trace.ts";

const name = fc.nat(150).map(String);
const entry: fc.Arbitrary<TraceEntry> = fc
  .tuple(fc.constantFrom("file", "search", "decision", "state", "command"), name)
  .map(([kind, of]): TraceEntry => {
    switch (kind) {
      case "file": return { kind, path: of, at: 0 };
      case "search": return { kind, query: of, at: 0 };
      case "decision": return { kind, id: of, at: 0 };
      case "state": return { kind, key: of, id: `m${of}`, at: 0 };
      default: return { kind: "command", name: of, at: 0 };
    }
  });
/** In the order in which they happened. */
const entries = fc.array(entry, { maxLength: 400, size: "max" }).map((list) => list.map((one, at) => ({ ...one, at })));

test("a trace holds the newest of each kind once, and no more than its bounds, however it was added [A4]", () => {
  fc.assert(
    fc.property(entries, fc.nat(400), (all, cut) => {
      const trace = withEntries(emptyTrace(), all);
      // Saved in two steps it is the same, but for counts of files that had fallen out.
      const inSteps = withEntries(withEntries(emptyTrace(), all.slice(0, cut)), all.slice(cut));
      expect({ ...inSteps, files: inSteps.files.map(({ path, at }) => ({ path, at })) }).toEqual({ ...trace, files: trace.files.map(({ path, at }) => ({ path, at })) });
      for (const [kind, limit] of Object.entries(most)) expect(trace[kind as keyof typeof most].length).toBeLessThanOrEqual(limit);
      const searches = [...new Set(all.filter((one) => one.kind === "search").map((one) => one.query).reverse())].slice(0, most.searches);
      expect(trace.searches.map(({ query }) => query).reverse()).toEqual(searches);
      expect(trace.commands).toEqual(all.flatMap((one) => (one.kind === "command" ? one.name : [])).slice(-most.commands));
    }),
  );
});

test("two traces together hold what a passport told of either, the newest of a key [A4]", () => {
  const told = (decision: string, value: string, at: number) => ({ decisions: [{ decision, at }], state: [{ key: "current.task", value, at }] });
  const [one, other] = [{ ...emptyTrace(), told: told("Use SQLite.", "search", 1) }, { ...emptyTrace(), told: told("Use trigrams.", "import", 2) }];
  expect(mergedTraces(emptyTrace(), one).told).toEqual(one.told);
  expect(mergedTraces(one, emptyTrace()).told).toEqual(one.told);
  expect(mergedTraces(one, other).told).toEqual({ decisions: [...one.told.decisions, ...other.told.decisions], state: other.told.state });
  expect(mergedTraces(emptyTrace(), emptyTrace())).toEqual(emptyTrace());
});

test("two traces together hold what both held, files by the more of their uses, however often they are put together [A4]", () => {
  fc.assert(
    fc.property(entries, entries, (earlier, later) => {
      const [one, other] = [withEntries(emptyTrace(), earlier.slice(0, 40)), withEntries(emptyTrace(), later.slice(0, 40).map((each) => ({ ...each, at: each.at + 1_000 })))];
      const merged = mergedTraces(one, other);
      const uses = ({ files }: SessionTrace): Map<string, number> => new Map(files.map(({ path, count }) => [path, count]));
      for (const [path, count] of uses(merged)) expect(count).toBe(Math.max(uses(one).get(path) ?? 0, uses(other).get(path) ?? 0));
      expect(mergedTraces(one, merged)).toEqual(merged);
      expect(new Set(merged.searches.map(({ query }) => query))).toEqual(new Set([...one.searches, ...other.searches].map(({ query }) => query)));
    }),
  );
});

test("a file matters by how often and how lately it was named, beside the one that matters most", () => {
  const day = 86_400_000;
  const trace: SessionTrace = { ...emptyTrace(), files: [{ path: "old", count: 4, at: 0 }, { path: "often", count: 4, at: 2 * day }, { path: "once", count: 1, at: 2 * day }] };
  expect(ratedFiles(trace)).toMatchObject([{ path: "often", importance: 1 }, { path: "once", importance: 0.33 }, { path: "old", importance: 0.25 }]);
});
