import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LruMap } from "../../src/domain/lru-map.ts";

test("never holds more bytes than it may, and lets go of what was unused for longest [A11]", () => {
  const step = fc.record({ key: fc.constantFrom(..."abcdefgh"), bytes: fc.integer({ min: 0, max: 40 }), write: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new LruMap<number>(100);
      let model: { key: string; bytes: number; value: number }[] = [];
      for (const [value, { key, bytes, write }] of steps.entries()) {
        const held = model.find((entry) => entry.key === key);
        if (!write) {
          expect(map.get(key)).toBe(held?.value);
          if (held) model = [...model.filter((entry) => entry !== held), held];
          continue;
        }
        map.set(key, value, bytes);
        model = [...model.filter((entry) => entry.key !== key), { key, bytes, value }];
        while (model.reduce((sum, entry) => sum + entry.bytes, 0) > 100) model.shift();
        expect(map.bytes).toBe(model.reduce((sum, entry) => sum + entry.bytes, 0));
      }
      for (const { key, value } of model) expect(map.get(key)).toBe(value);
      map.clear();
      expect([map.bytes, map.get("a")]).toEqual([0, undefined]);
    }),
  );
});

test("what is larger than all the room is not taken [A11]", () => {
  const map = new LruMap<string>(10);
  map.set("a", "small", 5);
  map.set("b", "large", 11);
  map.set("a", "grown", 11);
  expect([map.get("a"), map.get("b"), map.bytes]).toEqual([undefined, undefined, 0]);
});
