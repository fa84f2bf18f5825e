import { describe, expect, test } from "vitest";
import { importMemories } from "../../../src/domain/memories/import.ts";
import type { MemoryState } from "../../../src/domain/memories/memory.ts";
import type { PortableMemory } from "../../../src/domain/memories/portable.ts";
import type { MemoryFilter } from "../../../src/domain/memories/memory-store.ts";
import { day, newTeam, now, type Person } from "../../support/team.ts";

const best = "whale whale whale whale";
const wanted = "among many other things that were said here on that long afternoon there was also a whale";

/** 200 memories that rank better than the one wanted. */
async function crowd(person: Person, fields: Partial<PortableMemory>, at = now): Promise<void> {
  const records = Array.from({ length: 200 }, (_, n) => ({ content: best, key: `crowd.${n}`, ...fields }));
  await importMemories(person.at(at), { records, onConflict: "update" });
}

describe("filters hold inside the query: better ranking memories that they exclude take no place [S15] [S6]", () => {
  test("others' private memories", async () => {
    const team = await newTeam();
    const grace = await team.join();
    await crowd(grace, { visibility: "private" });
    await team.owner.remember(wanted);
    expect(await team.owner.search("whale", { limit: 1 })).toEqual([wanted]);
  });

  test("expired memories that no sweep has purged yet", async () => {
    const { owner } = await newTeam();
    await crowd(owner, { expires_at: now + 1_000 });
    await owner.remember(wanted);
    expect(await owner.search("whale", {}, now + 1_000)).toEqual([wanted]);
  });

  const rows: [name: string, crowd: Partial<PortableMemory>, one: Partial<MemoryState>, filter: MemoryFilter][] = [
    ["namespace", { namespace: "project:other" }, { namespace: "project:mine" }, { namespaces: ["project:mine"] }],
    ["a wildcard of namespaces", { namespace: "session:shop" }, { namespace: "session:shop/7" }, { namespaces: ["session:shop/*"] }],
    ["one of several namespaces", { namespace: "project:other" }, { namespace: "project:mine" }, { namespaces: ["global", "project:mine"] }],
    ["one tag", { tags: ["sea"] }, { tags: ["sea", "atlas"] }, { tags: ["atlas"] }],
    ["all tags", { tags: ["sea"] }, { tags: ["sea", "atlas"] }, { tags: ["sea", "atlas"] }],
    ["visibility", { visibility: "private" }, { visibility: "shared" }, { visibility: "shared" }],
    ["type", { type: "insight" }, { type: "bug_fix" }, { type: "bug_fix" }],
    ["occurred after", { occurred_at: now - 3 * day }, { occurredAt: now - 2 * day }, { occurredAfter: now - 2 * day }],
    ["occurred before", { occurred_at: now - 2 * day }, { occurredAt: now - 3 * day }, { occurredBefore: now - 2 * day }],
    ["stored after, where nothing is said of when it happened", { occurred_at: now - day }, {}, { occurredAfter: now }],
    ["valid from then on", { valid_from: now + 1 }, { validFrom: now }, { validAt: now }],
    ["valid until then", { valid_to: now }, { validTo: now + 1 }, { validAt: now }],
    ["always valid", { valid_from: now - day, valid_to: now }, {}, { validAt: now }],
    ["agent", { agent_id: "a_1" }, { agentId: "a_2" }, { agentId: "a_2" }],
    ["run", { run_id: "r-1" }, { runId: "r-2" }, { runId: "r-2" }],
    ["category", { metadata: { category: "food" } }, { metadata: { category: "travel" } }, { category: { category: "travel" } }],
    ["entries of the metadata", { metadata: { checked: 1 } }, { metadata: { checked: true, by: "x" } }, { entries: { checked: true } }],
    ["importance", { importance: 0.69 }, { importance: 0.7 }, { minImportance: 0.7 }],
  ];
  test.each(rows)("%s", async (_name, crowdFields, oneFields, filter) => {
    const { owner } = await newTeam();
    await crowd(owner, crowdFields);
    await owner.remember(wanted, oneFields);
    expect(await owner.search("whale", { filter })).toEqual([wanted]);
    expect(await owner.search("whale", { filter, asOf: now }, now + 1)).toEqual([wanted]);
  });

  test("age", async () => {
    const { owner } = await newTeam();
    await crowd(owner, {}, now - 10 * day);
    await owner.remember(wanted, {}, now - day);
    expect(await owner.search("whale", { filter: { changedSince: now - 2 * day } })).toEqual([wanted]);
  });

  test("author: who wrote the present version", async () => {
    const team = await newTeam();
    const grace = await team.join();
    await crowd(grace, { visibility: "shared" });
    const memory = await grace.keep("note", "a draft", { visibility: "shared" });
    await team.owner.keep("note", wanted, { visibility: "shared" }, now + 1);
    expect(memory.updatedBy).toBe(grace.id);
    expect(await team.owner.search("whale", { filter: { author: team.owner.id } }, now + 1)).toEqual([wanted]);
    expect(await team.owner.search("whale", { filter: { author: grace.id }, limit: 100 }, now + 1)).not.toContain(wanted);
  });

  test("all at once, through the tool", async () => {
    const { owner } = await newTeam();
    await crowd(owner, { visibility: "private", tags: ["sea"] }, Date.now());
    await owner.call("omn_store_memory", {
      key: "the.one", content: wanted, type: "reference", namespace: "project:mine", metadata: { tags: ["sea", "atlas"], importance: 0.9, scope: "shared" },
    });
    const filters = {
      tags: ["atlas"], scope: "shared", namespace: "project:*", min_importance: 0.9, max_age_days: 1, author: owner.id, type: "reference",
    };
    const found = await owner.call("omn_retrieve_memory", { query: "whale", filters });
    expect(found.structured["memories"].map((memory: { key: string }) => memory.key)).toEqual(["the.one"]);
    for (const [name, other] of Object.entries({ tags: ["x"], scope: "private", namespace: "project:m", min_importance: 0.91, author: "nobody", type: "entity" })) {
      const none = await owner.call("omn_retrieve_memory", { query: "whale", filters: { ...filters, [name]: other } });
      expect(none.structured["memories"], name).toEqual([]);
    }
  });
});
