import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientsPage, renewedReadme } from "../scripts/guides/pages.ts";

const committed = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("docs/clients.md is what `npm run guides` writes [A16]", () => {
  expect(committed("docs/clients.md")).toBe(clientsPage());
});

test("the clients of the README are what `npm run guides` writes [A16]", () => {
  expect(committed("README.md")).toBe(renewedReadme(committed("README.md")));
});
