import { expect, test } from "vitest";
import { newTeam, type Person } from "../support/team.ts";

/** Every way to read a memory of one's own team, as one text. */
async function everythingRead(who: Person, id: string): Promise<[name: string, said: string][]> {
  const calls: [name: string, args: Record<string, unknown>][] = [
    ["omn_retrieve_memory", { id }],
    ["omn_retrieve_memory", { query: "staging database PostgreSQL" }],
    ["omn_retrieve_memory", { id, as_of: new Date().toISOString() }],
    ["omn_retrieve_memory", { query: "staging database PostgreSQL", as_of: new Date().toISOString() }],
    ["omn_retrieve_memory", { query: "staging database PostgreSQL", valid_at: "2026-01-05T12:00:00Z" }],
    ["omn_list_memories", { full: true }],
    ["omn_export_memories", { include_history: true }],
    ["omn_update_memory", { id, content: "Another.", expected_version: 1 }],
    ["mnemosyne_list", {}],
    ["mnemosyne_context", {}],
    ["mnemosyne_context", { memory_ids: [id] }],
    ["mnemosyne_graph", { seed_ids: [id] }],
    ["memory_get_history", { memory_id: id }],
    ["recall_context", {}],
    ["omn_memory_health", {}],
  ];
  const said: [string, string][] = [];
  for (const [name, args] of calls) {
    const { structured, text } = await who.call(name, args);
    said.push([`${name} ${JSON.stringify(args)}`, `${JSON.stringify(structured)}${text}`]);
  }
  return said;
}

test("who cannot see what took a memory's place sees it as if it had no successor, wherever they read it [S6]", async () => {
  const team = await newTeam();
  const { owner } = team;
  const grace = await team.join("member");
  const noted = async (who: Person, content: string, day: number): Promise<string> => {
    const { structured, text } = await who.call("omn_import_memories", { memories: [{ content, visibility: "shared", occurred_at: new Date(Date.UTC(2026, 0, day)).toISOString() }] });
    expect(structured["memory_ids"], text).toHaveLength(1);
    return (structured["memory_ids"] as [string])[0];
  };
  const stale = await noted(owner, "The staging database runs on PostgreSQL 15 in Frankfurt.", 5);
  const current = await noted(grace, "The staging database now runs on PostgreSQL 16 in Frankfurt.", 6);
  const { structured } = await owner.call("omn_consolidate", {});
  expect((await owner.call("omn_consolidate", { confirm: structured["confirm"] })).structured).toMatchObject({ outcome: "consolidated", count: 1 });
  for (const [name, said] of (await everythingRead(owner, stale)).filter(([name]) => /list|export|retrieve|graph/.test(name))) expect(said, name).toContain(current);

  expect((await grace.call("omn_update_memory", { id: current, metadata: { scope: "private" } })).structured).toMatchObject({ outcome: "updated" });
  for (const [name, said] of await everythingRead(owner, stale)) {
    expect(said, name).not.toContain(current);
    expect(said, name).not.toMatch(/superseded_(?:by|reason)\\?":\\?"/);
  }
  expect((await grace.call("omn_export_memories", {})).text, "who sees both is told").toContain(`"superseded_by":"${current}"`);

  // What holds again is stored; for the owner it is what they were just shown.
  for (const [who, outcome] of [[owner, "duplicate"], [grace, "created"]] as const) {
    await who.call("omn_retrieve_memory", { id: stale });
    const again = await who.call("omn_store_memory", { key: "staging.again", content: "The staging database runs on PostgreSQL 15 in Frankfurt." });
    expect(again.structured, again.text).toMatchObject({ outcome });
  }
});
