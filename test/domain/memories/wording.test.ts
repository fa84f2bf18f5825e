import fc from "fast-check";
import { expect, test } from "vitest";
import { plainerOf } from "../../../src/domain/memories/wording.ts";

const plain = "The staging database is restored every Monday.";

test.each([
  "Note: the staging database is restored every Monday!", "Please note that the staging database is restored every Monday.", "THE STAGING DATABASE IS RESTORED EVERY MONDAY.",
  "the staging database is restored every Monday", "**The staging database is restored every Monday.**",
])("the plain sentence stands against %s, whichever came first", (other) => {
  expect(plainerOf(plain, other)).toBe(plain);
  expect(plainerOf(other, plain)).toBe(plain);
});

test("of two that are alike in form the newer one stands", () => {
  expect(plainerOf("The cache is cleared daily.", "A cache is cleared daily.")).toBe("A cache is cleared daily.");
  expect(plainerOf("数据库每周一恢复。", "数据库每周一恢复！")).toBe("数据库每周一恢复。");
});

test("one of the two is always chosen, and asked again with it the choice stays", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (present, fresh) => {
    const chosen = plainerOf(present, fresh);
    expect([present, fresh]).toContain(chosen);
    expect(plainerOf(chosen, chosen === present ? present : fresh)).toBe(chosen);
  }));
});
