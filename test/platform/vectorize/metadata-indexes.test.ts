import { expect, test } from "vitest";
import deploy from "../../../docs/deploy.md?raw";
import { metadataIndexes } from "../../../src/platform/vectorize/metadata-indexes.ts";

test("who deploys by the document makes every metadata index that questions need [F8]", () => {
  const [, names = ""] = /for name in ([\w ]+); do .*create-metadata-index .*--type=string/.exec(deploy) ?? [];
  expect(Object.fromEntries(names.split(" ").map((name) => [name, "string"]))).toEqual(metadataIndexes);
});
