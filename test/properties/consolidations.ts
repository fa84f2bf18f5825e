import { expect } from "vitest";
import { bit, expectRefusal, fieldsOf, keyOf, present, type Command, type Op } from "./commands.ts";
import { canRead, canWrite, latest, now, sees, unknown, type Entry, type Principal, type State } from "./model.ts";
import { importRecords, type PortableRecord } from "./model-imports.ts";
import { advance, refused } from "./model-keys.ts";
import { isReviewed } from "./model-review.ts";
import type { TestServer } from "./test-server.ts";
import { omnWrites } from "./writes.ts";

/** Of each pair the second replaces the first, or says all of it and more. Secret words stand in their tags, so that they are alike for all. */
const notes = [
  ["The staging database runs on PostgreSQL 15 in Frankfurt.", "The staging database now runs on PostgreSQL 16 in Frankfurt."],
  ["The importer validates the CSV files of the bank.", "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows."],
] as const;
const day = 86_400_000;

interface Pair {
  decision: "merge" | "supersede";
  reason: string;
  kept: { memory_id: string };
  gone: { memory_id: string };
  content?: string;
}

/** What is alike is merged, what is out of date is marked: only what the caller sees, and no text comes before other eyes by it. */
const consolidate: Command = async (server, p, op, tool) => {
  if (bit(op, 1)) await note(server, p, op);
  const { model } = server;
  const args = { ...(tool === "omn_consolidate" ? { limit: 200 } : {}), ...(bit(op, 2) ? { namespace: "global" } : {}) };
  const preview = await server.tool(p, tool, args);
  if (!canWrite(p) || !canRead(p)) return expectRefusal(server, p, preview, args, "PERMISSION_DENIED");
  const [pairs, proposed] = tool === "omn_consolidate"
    ? [fieldsOf(preview.structured, "would_settle") as unknown as Pair[], fieldsOf(preview.structured, "proposals") as unknown as Pair[]]
    : [variants(preview.structured["decisions"]), variants(preview.structured["proposals"])];
  expect(preview.structured, preview.raw).toMatchObject({ outcome: "preview", count: pairs.length });
  const entryOf = ({ memory_id: id }: { memory_id: string }): Entry => model.own(p).find((entry) => entry.id === id) as Entry;
  const named = [...pairs, ...proposed].flatMap(({ kept, gone }) => [kept, gone].map(entryOf));
  expect(named, "only what the caller sees, and what is in force").not.toContain(undefined);
  server.scan(p, preview, args, present(named));
  const steps = pairs.map((pair) => ({ ...pair, kept: entryOf(pair.kept), gone: entryOf(pair.gone) }));
  for (const { kept, gone } of steps) expect(mayMeet(server, p, kept, gone), `${preview.raw}: two that nobody else sees apart`).toBe(true);
  expect(new Set(steps.flatMap(({ kept, gone }) => [kept, gone])).size, "each has one part").toBe(2 * steps.length);
  await server.learn();
  const { confirm } = preview.structured;
  expect(confirm !== undefined).toBe(pairs.length > 0);
  if (bit(op, 4) || typeof confirm !== "string") return;

  const answer = await server.tool(p, tool, { ...args, confirm });
  const changed = steps.flatMap((step) => settle(p, step));
  model.runs.push({ id: confirm, team: p.team, by: p.user, count: changed.length, items: changed.map((entry) => ({ entry, before: latest(entry).version - 1, after: latest(entry).version, restored: latest(entry).version - 1, undo: null })) });
  expect(answer.structured, answer.raw).toMatchObject({ outcome: "consolidated", run: confirm, count: changed.length });
  await server.learn();
  server.scan(p, answer, { ...args, confirm }, named.flatMap((entry) => entry.versions.slice(-2).map(({ state }) => ({ entry, state }))));
};

/** A ConsolidationDecision of the Mnemosyne document. */
interface Variant extends Omit<Pair, "decision" | "content"> {
  decision: { Merge?: { into: string; content: string }; Supersede?: { kept: string; superseded: string } };
}
const variants = (list: unknown): Pair[] =>
  ((list ?? []) as Variant[]).map(({ decision: { Merge, Supersede }, ...pair }): Pair => {
    expect(Merge ? [Merge.into, pair.gone.memory_id] : [Supersede?.kept, Supersede?.superseded]).toEqual([pair.kept.memory_id, pair.gone.memory_id]);
    return { ...pair, ...(Merge ? { decision: "merge", content: Merge.content } : { decision: "supersede" }) };
  });

/** The same people see both, in one place; neither has been replaced, and none of it needs a review. */
function mayMeet(server: TestServer, p: Principal, kept: Entry, gone: Entry): boolean {
  const [a, b] = [now(kept), now(gone)];
  return (
    sees(p, kept) && sees(p, gone) && a.visibility === b.visibility && a.namespace === b.namespace && a.supersededBy === null && b.supersededBy === null &&
    (a.visibility === "private" ? a.owner === p.user && b.owner === p.user : !isReviewed(server.model, p))
  );
}

/** By the decision of the answer; the one that gives way comes first. */
function settle(p: Principal, { decision, reason, kept, gone, content }: Omit<Pair, "kept" | "gone"> & { kept: Entry; gone: Entry }): Entry[] {
  const [stays, goes] = [now(kept), now(gone)];
  const mark = { supersededBy: kept.id, supersededReason: reason };
  if (decision === "supersede") {
    advance(p, gone, { ...goes, ...mark, validTo: stays.occurredAt ?? kept.createdAt });
    return [gone];
  }
  expect(content, "rules write no text of their own").toBe(stays.content);
  advance(p, gone, { ...goes, ...mark, archivedAt: unknown });
  advance(p, kept, united(stays, goes));
  return [gone, kept];
}

const united = (stays: State, goes: State): State => ({
  ...stays,
  key: stays.key ?? goes.key,
  tags: [...new Set([...stays.tags, ...goes.tags])],
  metadata: { ...goes.metadata, ...stays.metadata },
  importance: Math.max(stays.importance, goes.importance),
  occurredAt: stays.occurredAt ?? goes.occurredAt,
});

/** An import: a store would settle what it can by itself. */
async function note(server: TestServer, p: Principal, op: Op): Promise<void> {
  const second = op.place % 3 === 0 ? "shared" : op.visibility;
  const records = notes[op.target % notes.length]?.map((content, i): PortableRecord => ({
    content,
    namespace: "project:p",
    visibility: i === 0 ? op.visibility : second,
    tags: ["red", server.mint()],
    importance: op.flag ? 0.9 : 0.5,
    occurred_at: new Date(Date.UTC(2026, 0, op.limit) + i * day).toISOString(),
    ...(op.limit > 4 && i === 0 ? { key: keyOf(op) } : {}),
  })) as PortableRecord[];
  const args = { memories: records, on_conflict: "skip" };
  const answer = await server.tool(p, "omn_import_memories", args);
  const expected = importRecords(server.model, p, records, "skip");
  await server.learn();
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  expect(answer.structured).toMatchObject({ created: expected.created, memory_ids: expected.entries.map(({ id }) => id) });
}

/** The owner of what took a memory's place keeps it for themselves from then on, so that others see no successor any more. */
export const hideSuccessor: Command = async (server, _p, op) => {
  const ids = new Set(server.model.entries.map((entry) => now(entry).supersededBy));
  const seen = server.model.entries.filter((entry) => ids.has(entry.id) && now(entry).visibility !== "private" && now(entry).archivedAt === null);
  const entry = seen[op.target % Math.max(1, seen.length)];
  const owner = server.principals.find((one) => one.active && canWrite(one) && one.team === entry?.team && one.user === now(entry).owner);
  if (!entry || !owner) return;
  await omnWrites["omn_update_memory"]?.(server, owner, { ...op, target: server.indexOf(entry), variant: 2, visibility: "private", limit: 1 }, "omn_update_memory");
};

export const consolidations: Record<string, Command> = { omn_consolidate: consolidate, mnemosyne_consolidate: consolidate };
