import { beforeEach, describe, expect, test } from "vitest";
import { fill } from "../evals/guard-values.ts";
import { send } from "../http/raw.ts";
import { callTool } from "../support/mcp.ts";
import { newTeam, type Person, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const shared = { key: "shared.count", scope: "shared" };

describe("write_memory with the version that was read [B2]", () => {
  test("several AIs count in one value, and no count is lost", async () => {
    const grace = await team.join();
    await ada.call("write_memory", { ...shared, value: { count: 0 } });
    const countUp = async (who: Person, client: string): Promise<void> => {
      for (;;) {
        const { value, metadata } = (await callTool(who.token, "read_memory", shared, client)).structured["memory"];
        const { isError, error } = await callTool(who.token, "write_memory", { ...shared, value: { count: value.count + 1 }, expected_version: metadata.version ?? 1 }, client);
        if (!isError) return;
        expect(error?.code).toBe("CONFLICT");
      }
    };
    await Promise.all([countUp(ada, "claude"), countUp(ada, "gemini"), countUp(grace, "claude"), countUp(grace, "codex")]);
    const { value, metadata } = (await ada.call("read_memory", shared)).structured["memory"];
    expect([value, metadata.version]).toEqual([{ count: 4 }, 5]);
  });

  test("a conflict says both values, whose the present one is, and writes nothing", async () => {
    const grace = await team.join();
    await ada.call("write_memory", { ...shared, value: "mine" });
    await grace.call("write_memory", { ...shared, value: "hers" });
    const { error, text } = await ada.call("write_memory", { ...shared, value: "mine again", expected_version: 1 });
    expect(error).toMatchObject({ code: "CONFLICT", hint: expect.stringContaining("expected_version 2"), details: { current: { value: "hers", author: "member", version: 2 }, attempted: { value: "mine again" } } });
    expect(text).toContain("hers");
    expect((await ada.call("read_memory", shared)).structured["memory"].value).toBe("hers");
  });

  test.each([
    ["omn_update_memory", "id"],
    ["mnemosyne_update", "memory_id"],
  ])("%s says a conflict in the form for programs, too [B2]", async (tool, name) => {
    const { structured } = await ada.call("omn_store_memory", { content: "The port is 8080." });
    const { isError, error } = await ada.call(tool, { [name]: structured["memory_id"], content: "The port is 9090.", expected_version: 7 });
    expect(isError).toBe(true);
    expect(error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("version 1, not 7"), request_id: expect.any(String) });
  });

  test("who may not read is told of the version, not of what it says", async () => {
    await ada.call("write_memory", { ...shared, value: "hush-hush" });
    const writer = await team.join("member", ["memory:write"]);
    const { error, text } = await writer.call("write_memory", { ...shared, value: "x", expected_version: 7 });
    expect(error?.code).toBe("CONFLICT");
    expect(text).not.toContain("hush-hush");
  });

  test("another's private value under the same key is not there [S6]", async () => {
    const grace = await team.join();
    await grace.call("write_memory", { key: "current.task", value: "hers" });
    const { error, text } = await ada.call("write_memory", { key: "current.task", value: "mine", expected_version: 1 });
    expect(error?.code).toBe("MEMORY_NOT_FOUND");
    expect(text).not.toContain("hers");
    expect((await grace.call("read_memory", { key: "current.task" })).structured["memory"].value).toBe("hers");
  });

  test("keeps tags that it does not name, ends a ttl that it does not name, and the guard looks at it [U8]", async () => {
    await ada.call("write_memory", { key: "k", value: "v", tags: ["a"], ttl: 60 });
    const { text: token } = fill("{{github_pat}}", 7);
    const written = await ada.call("write_memory", { key: "k", value: `Deploys run with the token ${token}.`, expected_version: 1 });
    expect(written.structured).toMatchObject({ outcome: "updated", version: 2, masked: expect.any(Array) });
    const { value, metadata } = (await ada.call("read_memory", { key: "k" })).structured["memory"];
    expect(value).not.toContain(token);
    expect(metadata).toMatchObject({ tags: ["a"], version: 2 });
    expect(metadata).not.toHaveProperty("ttl");
  });

  test("in a team that reviews, a member's change waits", async () => {
    await ada.call("write_memory", { ...shared, value: "v" });
    await send({ token: ada.token, method: "PUT", path: `/v1/teams/${team.id}/review`, body: { required: true } });
    const grace = await team.join();
    const { structured } = await grace.call("write_memory", { ...shared, value: "hers", expected_version: 1 });
    expect(structured).toMatchObject({ outcome: "proposed", version: 1, proposal: { state: "pending" } });
    expect((await ada.call("read_memory", shared)).structured["memory"].value).toBe("v");
  });
});
