import { beforeEach, describe, expect, test } from "vitest";
import { reverted } from "../support/revert.ts";
import { newTeam, type Person } from "../support/team.ts";

let ada: Person;

beforeEach(async () => {
  ada = (await newTeam()).owner;
});

const add = async (run_id: string | undefined, content: string, timestamp?: string) => {
  const { structured, isError, text } = await ada.call("memory_add", { messages: [{ role: "user", content, ...(timestamp ? { timestamp } : {}) }], user_id: "anna", ...(run_id ? { run_id } : {}) });
  expect(isError, text).toBe(false);
  return { told: structured["data"].map(({ event, memory }: Record<string, string>) => [event, memory]), request: structured["metadata"]["request_id"] as string };
};
/** What memory_search finds, in its order, and whether it is outdated. */
const found = async (query: string, more: Record<string, unknown> = {}): Promise<[string, boolean][]> =>
  (await ada.call("memory_search", { query, user_id: "anna", ...more })).structured["data"].results.map(
    ({ content, metadata }: { content: string; metadata: { superseded_by?: string } }) => [content, metadata.superseded_by !== undefined],
  );
const deleteRun = async (run_id: string): Promise<void> => {
  const { confirm } = (await ada.call("memory_delete_all", { user_id: "anna", run_id })).structured["data"];
  const { isError, text } = await ada.call("memory_delete_all", { user_id: "anna", run_id, confirm });
  expect(isError, text).toBe(false);
};

describe("what a later conversation says takes the place of what an earlier one said [D2]", () => {
  test("which stays where it is, marked, until the later one is deleted", async () => {
    await add("monday", "I live in Kiel.");
    expect((await add("friday", "I moved from Kiel to Bonn.")).told).toEqual([["ADD", "User moved from Kiel to Bonn."]]);
    expect(await found("where does the user live")).toEqual([["User moved from Kiel to Bonn.", false], ["User lives in Kiel.", true]]);
    expect(await found("where does the user live", { run_id: "monday" })).toEqual([["User lives in Kiel.", true]]);
    const { structured } = await ada.call("memory_search", { query: "Kiel", user_id: "anna", run_id: "monday", include_metadata: false });
    expect(structured["data"].results).toMatchObject([{ content: "User lives in Kiel.", superseded_by: expect.any(String) }]);
    await deleteRun("friday");
    expect(await found("where does the user live")).toEqual([["User lives in Kiel.", false]]);
  });

  test("the earlier one is deleted without the later one", async () => {
    await add("monday", "I live in Kiel.");
    await add("friday", "I moved from Kiel to Bonn.");
    await deleteRun("monday");
    expect(await found("Kiel Bonn")).toEqual([["User moved from Kiel to Bonn.", false]]);
  });

  test("an end is a fact of its conversation", async () => {
    await add("monday", "I am a vegetarian.");
    expect((await add("friday", "I'm no longer a vegetarian.")).told).toEqual([["ADD", "User is no longer a vegetarian."]]);
    expect(await found("is the user a vegetarian")).toEqual([["User is no longer a vegetarian.", false], ["User is a vegetarian.", true]]);
  });

  test("what is said again is a fact of both", async () => {
    await add("monday", "I am a vegetarian.");
    expect((await add("friday", "I am a vegetarian.")).told).toEqual([["ADD", "User is a vegetarian."]]);
    await deleteRun("monday");
    expect(await found("is the user a vegetarian")).toEqual([["User is a vegetarian.", false]]);
  });

  test("of facts without a conversation, too; a revert takes the mark along", async () => {
    await add("monday", "I prefer dark mode.");
    const { request } = await add(undefined, "I prefer light mode now.");
    expect(await found("dark or light mode")).toEqual([["User prefers light mode now.", false], ["User prefers dark mode.", true]]);
    await reverted(ada, { request });
    expect(await found("dark or light mode")).toEqual([["User prefers dark mode.", false]]);
  });

  test.each([[undefined], ["old"]])("what was said before it takes no place, however late it is told (conversation %s)", async (run_id) => {
    await add(undefined, "I prefer dark mode.", "2026-03-01T10:00:00Z");
    expect((await add(run_id, "I prefer light mode now.", "2024-03-01T10:00:00Z")).told).toEqual([["ADD", "User prefers light mode now."]]);
    expect(await found("dark mode")).toContainEqual(["User prefers dark mode.", false]);
  });
});
