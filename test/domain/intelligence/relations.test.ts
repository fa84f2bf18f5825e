import { describe, expect, test } from "vitest";
import { consolidateByRules } from "../../../src/domain/intelligence/rules/consolidate.ts";
import { linkByRules } from "../../../src/domain/intelligence/rules/link.ts";
import { retold, standing, superseding } from "./supersession-cases.ts";

const day = 86_400_000;
const conflicts = (earlier: string, later: string): string[] =>
  linkByRules({ content: later, at: day }, [{ content: earlier, at: 0 }]).links.flatMap(({ type }) => (type === "supersedes" || type === "contradicts" ? [type] : []));

describe("what a later note says of an earlier one", () => {
  test.each(superseding)("%s | %s: superseded, and sure enough to be marked", (earlier, later) => {
    expect(consolidateByRules({ content: earlier, at: 0 }, { content: later, at: day })).toMatchObject({ decision: "supersede", kept: "second" });
    expect(consolidateByRules({ content: earlier, at: 0 }, { content: later, at: day }).confidence).toBeGreaterThanOrEqual(0.8);
    expect(conflicts(earlier, later)).toEqual(["supersedes"]);
  });

  test.each(standing)("%s | %s: both stand", (earlier, later) => {
    expect(consolidateByRules({ content: earlier, at: 0 }, { content: later, at: day }).decision).toBe("keep_both");
    expect(conflicts(earlier, later)).toEqual([]);
  });

  test.each(retold)("%s | %s: a change that is told again replaces nothing", (earlier, later) => {
    expect(consolidateByRules({ content: earlier, at: 0 }, { content: later, at: day }).decision).not.toBe("supersede");
    expect(conflicts(earlier, later)).toEqual([]);
  });

  test("what the earlier one says never supersedes the later one", () => {
    for (const [earlier, later] of superseding) expect(conflicts(later, earlier)).not.toContain("supersedes");
  });
});
