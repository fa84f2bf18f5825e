import { expect, test } from "vitest";
import { Changes } from "../../../src/curator/changes.ts";

test("whoever has seen all waits for the next change, and whoever has not is answered at once", async () => {
  const changes = new Changes();
  const first = await changes.since(undefined, 60_000);
  const waiting = changes.since(first, 60_000);
  changes.note();
  const second = await waiting;
  expect(second).not.toBe(first);
  // What changed between two questions is not missed.
  expect(await changes.since(first, 60_000)).toBe(second);
  expect(await changes.since(second, 0)).toBe(second);
  // A mark of an object that has been started anew since.
  expect(await new Changes().since(second, 60_000)).not.toBe(second);
});

test("no more than a hundred wait at once", async () => {
  const changes = new Changes();
  const mark = changes.mark;
  const waiting = Array.from({ length: 100 }, () => changes.since(mark, 60_000));
  expect(await changes.since(mark, 60_000)).toBe(mark);
  changes.note();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([changes.mark]));
});
