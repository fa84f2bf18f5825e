import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../bench/server.ts";
import { evidenceIds, instantOf } from "./locomo.ts";
import { groupMeans, recallAt, reciprocalRank } from "./metrics.ts";
import { judge } from "./report.ts";

test("recall counts each gold once, and only among the first k", () => {
  const gold = new Set(["a", "b"]);
  expect(recallAt(2, ["x", "a", "b"], gold)).toBe(0.5);
  expect(recallAt(3, ["a", "a", "x", "b"], gold)).toBe(0.5);
  expect(reciprocalRank(["x", "b", "a"], gold)).toBe(0.5);
  expect(reciprocalRank(["x"], gold)).toBe(0);
});

test("a mean leaves out the questions that have no such figure", () => {
  const scored = [
    { groups: ["all", "one"], figures: { precision: 1, recall: undefined } },
    { groups: ["all"], figures: { precision: 0, recall: 0.5 } },
  ];
  expect(groupMeans(scored)).toEqual([
    { name: "all", questions: 2, figures: { precision: 0.5, recall: 0.5 } },
    { name: "one", questions: 1, figures: { precision: 1, recall: undefined } },
  ]);
});

test("LoCoMo's evidence and dates are read in all the forms they take", () => {
  expect(evidenceIds(["D8:6; D9:17", "D:11:26", "D30:05"])).toEqual(["D8:6", "D9:17", "D11:26", "D30:5"]);
  expect(instantOf("1:56 pm on 8 May, 2023")).toBe("2023-05-08T13:56:00.000Z");
  expect(instantOf("12:09 am on 13 September, 2023")).toBe("2023-09-13T00:09:00.000Z");
  expect(instantOf("some day")).toBeUndefined();
});

test("a figure that is missing misses its target", () => {
  const target = { set: "devmem", figure: "R@5", least: 0.93, held: 0.9, source: "" } as const;
  const measured = (value: number | undefined) => ({ groups: [{ name: "all", questions: 1, figures: { "R@5": value } }], notes: [], misses: [], recalls: [], faults: [] });
  const met = (held: boolean, value: number | undefined) => judge([target], held, new Map([["devmem", measured(value)]])).map((verdict) => verdict.met);
  expect([met(false, 0.92), met(true, 0.92), met(true, undefined), met(false, 0.93)]).toEqual([[false], [true], [false], [true]]);
  expect(judge([target], false, new Map())).toEqual([]);
});

test("missing data is skipped aloud, and the rest is measured", () => {
  const child = spawnSync(process.execPath, [join(projectRoot, "test/evals/run.ts"), "--only", "locomo,devmem,precision,guard", "--check", "--held", "--data", "/nonexistent"], { encoding: "utf8" });
  expect(child.status, child.stderr).toBe(0);
  expect(child.stdout.match(/SKIPPED/g)).toHaveLength(3);
  expect(child.stdout).toContain("guard secrets recall");
});
