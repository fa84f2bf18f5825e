import { expect, test } from "vitest";
import { newTeam } from "../support/team.ts";

test("an import of more records than one takes is refused before each of them is looked at [S6]", async () => {
  const { owner } = await newTeam();
  const { error } = await owner.call("omn_import_memories", { data: `[${"0,".repeat(100_000)}0]` });
  expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("100001 records") });
});

test("of many names that nobody knows some are said, and what is known [S6]", async () => {
  const { owner } = await newTeam();
  const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`field_${i}`, 0]));
  const { error } = await owner.call("omn_store_memory", { content: "Deploys run on Tuesdays.", ...unknown });
  expect(error?.message).toContain("field_0");
  expect(error?.message).toContain("Known here: content");
  expect(error?.message.length).toBeLessThan(4_000);
});
