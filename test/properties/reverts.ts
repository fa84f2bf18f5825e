import { expect } from "vitest";
import { bit, expectRefusal, fieldsOf, present, sorted, type Command, type Op } from "./commands.ts";
import { hasImported } from "./jobs.ts";
import { canRead, canWrite, type Entry, type Principal } from "./model.ts";
import { carryOutPlan, mayUndo, type Plan, planRevert, planUndo } from "./model-reverts.ts";
import type { TestServer } from "./test-server.ts";

const keptOf = (kept: Plan["kept"]) => sorted(kept.map(({ entry, reason }) => ({ memory_id: entry.id, reason })));
const listed = (list: Record<string, unknown>[]) => sorted(list.map(({ memory_id, reason }) => ({ memory_id, reason })));
const entriesOf = ({ changes, kept }: Plan): Entry[] => [...changes, ...kept].map(({ entry }) => entry);

/** The whole work of one person, or of everybody's client, is reverted; now and then a run is undone instead. */
export const revert: Command = async (server, p, op, tool) => {
  const { model } = server;
  if (bit(op, 1) && model.runs.length > 0) return undo(server, p, op, tool);
  const author = op.limit === 1 && !hasImported(server, p.team) ? undefined : (server.principals[op.target % server.principals.length] as Principal).user;
  const args = author === undefined ? { tool: "vitest" } : { author };
  const plan = planRevert(model, p, author);
  const preview = await server.tool(p, tool, args);
  const code = !canWrite(p) || !canRead(p) ? "PERMISSION_DENIED" : plan.changes.length + plan.kept.length === 0 ? "MEMORY_NOT_FOUND" : undefined;
  if (code !== undefined) return expectRefusal(server, p, preview, args, code);
  expect(preview.structured, preview.raw).toMatchObject({ outcome: "preview", count: plan.changes.length });
  expect(sorted(fieldsOf(preview.structured, "would_revert").map(({ memory_id }) => memory_id))).toEqual(sorted(plan.changes.map(({ entry }) => entry.id)));
  expect(listed((preview.structured["kept_memories"] ?? []) as Record<string, unknown>[])).toEqual(keptOf(plan.kept));
  server.scan(p, preview, args, present(entriesOf(plan)));
  await server.learn();
  const { confirm } = preview.structured;
  expect(confirm !== undefined).toBe(plan.changes.length > 0);
  if (bit(op, 2) || typeof confirm !== "string") return;
  const answer = await server.tool(p, tool, { ...args, confirm });
  const after = carryOutPlan(plan.changes);
  const items = plan.changes.map(({ entry, restored }, i) => ({ entry, before: (after[i] as number) - 1, after: after[i] as number, restored, undo: null }));
  model.runs.push({ id: confirm, team: p.team, by: p.user, count: items.length, items });
  expect(answer.structured, answer.raw).toMatchObject({ outcome: "reverted", run: confirm, count: items.length, archived: items.filter(({ restored }) => restored === null).length });
  expect(listed((answer.structured["kept_memories"] ?? []) as Record<string, unknown>[])).toEqual(keptOf(plan.kept));
  server.scan(p, answer, args, plan.kept.map(({ entry }) => ({ entry, state: {} })));
  await server.learn();
};

async function undo(server: TestServer, p: Principal, op: Op, tool: string): Promise<void> {
  const { model } = server;
  const run = model.runs[op.target % model.runs.length];
  const args = { undo: run?.id };
  const answer = await server.tool(p, tool, args);
  const code = !canWrite(p) || !canRead(p) ? "PERMISSION_DENIED" : mayUndo(p, run) ? undefined : "NOT_FOUND";
  if (code !== undefined || !run) return expectRefusal(server, p, answer, args, code ?? "");
  const { already, gone, ...plan } = planUndo(model, p, run);
  const numbers = carryOutPlan(plan.changes);
  for (const item of run.items) {
    const at = plan.changes.findIndex(({ entry }) => entry === item.entry);
    if (at !== -1) item.undo = numbers[at] as number;
  }
  const { outcome, count, kept = 0, kept_memories = [], already: told = 0, gone: missing = 0 } = answer.structured;
  expect({ outcome, count, kept, already: told, gone: missing }, answer.raw).toEqual({ outcome: "undone", count: plan.changes.length, kept: plan.kept.length, already, gone });
  expect(listed(kept_memories as Record<string, unknown>[])).toEqual(keptOf(plan.kept));
  server.scan(p, answer, args, plan.kept.map(({ entry }) => ({ entry, state: {} })));
  await server.learn();
}
