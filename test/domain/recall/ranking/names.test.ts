import { expect, test } from "vitest";
import { namesOf } from "../../../../src/domain/recall/ranking/text-traits.ts";

test.each([
  ["deploy.rollback", [["rollback"]]],
  ["adr.12", [["adr", "12"]]],
  ["talk-4:D1:3", [["d1", "3"]]],
  ["12", [["12"]]],
  [null, []],
])("the key %j names its memory %j: a number alone names nothing", (key, names) => {
  expect(namesOf({ key, tags: [], enrichment: null })).toEqual(names);
});
