import { expect, test } from "vitest";
import { newTeam } from "../support/team.ts";

test("a plain list leaves messages of conversations out; by tag, namespace or key they are listed, and they are exported and counted", async () => {
  const { owner } = await newTeam();
  const { structured: added } = await owner.call("memory_add", { messages: [{ role: "user", content: "My sister Greta lives in Porto." }, { role: "assistant", content: "Noted." }], run_id: "r1" });
  await owner.call("omn_store_memory", { key: "messages.of-the-day", content: "Messages of the day are written by Ben." });
  const { memories } = (await owner.call("omn_export_memories", { format: "json" }).then(({ structured }) => JSON.parse(structured["data"] as string))) as { memories: { id: string; key: string | null; namespace: string }[] };
  const record = memories.find(({ key, namespace }) => key?.startsWith("messages.") && namespace === "thread:r1");
  expect(record, JSON.stringify(added)).toBeDefined();
  const listed = async (args: Record<string, unknown>) => ((await owner.call("omn_list_memories", { limit: 100, ...args })).structured["memories"] as { memory_id: string }[]).map(({ memory_id: id }) => id);
  const all = memories.map(({ id }) => id).sort();
  expect((await listed({})).sort()).toEqual(all.filter((id) => id !== record?.id));
  for (const asked of [{ filters: { tags: ["messages"] } }, { filters: { namespace: "thread:r1" } }, { key: record?.key }]) expect(await listed(asked)).toContain(record?.id);
  expect((await owner.call("omn_memory_stats", {})).structured).toMatchObject({ total: all.length });
});
