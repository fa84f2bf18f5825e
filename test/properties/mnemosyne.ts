import { expect } from "vitest";
import { bit, contentOf, expectRefusal, fieldsOf, present, reads, sameAsAbsent, type Command } from "./commands.ts";
import { canRead, canWrite, latest, now, type Entry, type State } from "./model.ts";
import { refused } from "./model-keys.ts";
import { archive, remember, revise } from "./model-writes.ts";
import { wordOf } from "./reads.ts";
import { expectProposal } from "./writes.ts";

/** The tools of the Mnemosyne family. The connection's project is p. */
const place = "project:p";
const idsOf = (entries: Entry[]): string[] => entries.map(({ id }) => id);
const memoryIds = (structured: Record<string, unknown>, list: string): unknown[] => fieldsOf(structured, list).map(({ memory_id }) => memory_id);

const recall: Command = async (server, p, op, tool) => {
  const { model } = server;
  const seen = [...model.own(p), ...model.foreign(p)];
  const args = { query: wordOf(server, op), max_results: 100, ...(op.flag ? { namespace: place } : {}) };
  await reads(server, p, tool, args, present(seen), (structured) => expect(idsOf(seen)).toEqual(expect.arrayContaining(memoryIds(structured, "results"))));
};

const list: Command = async (server, p, op, tool) => {
  const filter = { ...(bit(op, 1) ? { namespaces: [place] } : {}), ...(bit(op, 2) ? { tags: ["red"] } : {}) };
  const byImportance = bit(op, 4);
  const args = { limit: op.limit, ...(bit(op, 1) ? { namespace: place } : {}), ...(bit(op, 2) ? { tags: ["red"] } : {}), ...(byImportance ? { sort_by: "importance" } : {}) };
  const all = server.model.own(p, filter);
  await reads(server, p, tool, args, present(byImportance ? all : all.slice(0, op.limit)), (structured) => {
    const ids = memoryIds(structured, "memories");
    if (!byImportance) return expect(ids).toEqual(idsOf(all).slice(0, op.limit));
    // Rules say how important a memory is of which nobody has said it: the order is that of what is shown.
    const importance = fieldsOf(structured, "memories").map((memory) => memory["importance"] as number);
    expect(importance).toEqual(importance.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(Math.min(all.length, op.limit));
    expect(idsOf(all)).toEqual(expect.arrayContaining(ids));
  });
};

const graph: Command = async (server, p, op, tool) => {
  const { model } = server;
  const id = server.pick(op.target)?.id ?? crypto.randomUUID();
  const args = { seed_ids: [id], max_hops: 1 + (op.limit % 3) };
  const seed = model.named(p, id);
  if (canRead(p) && (!seed || now(seed).archivedAt !== null)) {
    const answer = await server.tool(p, tool, args);
    expectRefusal(server, p, answer, args, "MEMORY_NOT_FOUND");
    if (!seed) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
    return;
  }
  const seen = model.own(p);
  await reads(server, p, tool, args, present(seen), (structured) => {
    const [first, ...others] = memoryIds(structured, "nodes");
    expect(first).toBe(seed?.id);
    expect(idsOf(seen)).toEqual(expect.arrayContaining(others));
  });
};

const context: Command = async (server, p, op, tool) => {
  const { model } = server;
  if (!op.flag) {
    const seen = model.own(p);
    await reads(server, p, tool, {}, present(seen), (structured) => {
      expect(structured["statistics"]).toMatchObject({ total_memories: model.own(p, { namespaces: [place, "session:p/s1", "global"] }).length });
      for (const group of ["recent", "important", "connected"]) expect(idsOf(seen)).toEqual(expect.arrayContaining(memoryIds(structured, group)));
    });
    return;
  }
  const id = server.pick(op.target)?.id ?? crypto.randomUUID();
  const args = { memory_ids: [id] };
  const found = [canRead(p) ? model.byId(p, id) : undefined].filter((entry) => entry !== undefined);
  const answer = await reads(server, p, tool, args, present(found), (structured) => expect(memoryIds(structured, "memories")).toEqual(idsOf(found)));
  if (found.length === 0) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
};

const store: Command = async (server, p, op, tool) => {
  const tags = bit(op, 1) ? ["red", server.mint()] : undefined;
  const given: Partial<State> = { content: contentOf(server, op), visibility: op.visibility, ...(tags ? { tags } : {}), ...(bit(op, 2) ? { importance: 0.9 } : {}) };
  const args = { content: given.content, scope: op.visibility, ...(tags ? { tags } : {}), ...(bit(op, 2) ? { importance: 9 } : {}) };
  const answer = await server.tool(p, tool, args);
  const expected = remember(server.model, p, { ...given, namespace: place });
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  await server.learn();
  expect(answer.structured).toMatchObject({ outcome: expected.outcome, memory_id: expected.entry.id, importance: bit(op, 2) ? 9 : 5 });
  expectProposal(answer, expected);
  server.scan(p, answer, args, [{ entry: expected.entry, state: now(expected.entry) }]);
};

const update: Command = async (server, p, op, tool) => {
  const { model } = server;
  const id = server.pick(op.target)?.id ?? crypto.randomUUID();
  const more = bit(op, 2) ? [server.mint()] : [];
  const args = {
    memory_id: id,
    ...(bit(op, 1) ? { content: contentOf(server, op) } : {}),
    ...(more.length > 0 ? { add_tags: more } : {}),
    ...(bit(op, 4) ? { importance: 9 } : {}),
    ...(bit(op, 8) ? { archived: false } : {}),
  };
  const answer = await server.tool(p, tool, args);
  const target = model.named(p, id);
  const changes: Partial<State> = {
    ...("content" in args ? { content: args.content as string } : {}),
    ...(more.length > 0 ? { tags: [...(target ? now(target).tags : []), ...more] } : {}),
    ...(bit(op, 4) ? { importance: 0.9 } : {}),
    ...(bit(op, 8) ? { archivedAt: null } : {}),
  };
  const expected = revise(model, p, { target: { id }, changes });
  if (refused(expected)) {
    expectRefusal(server, p, answer, args, expected.code);
    if (expected.code === "MEMORY_NOT_FOUND") await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
    return;
  }
  await server.learn();
  const { entry, outcome } = expected;
  expect(answer.structured).toMatchObject({ outcome, memory_id: entry.id, version: latest(entry).version });
  expectProposal(answer, expected);
  server.scan(p, answer, args, [{ entry, state: now(entry) }]);
};

const forget: Command = async (server, p, op, tool) => {
  const { model } = server;
  const id = server.pick(op.target)?.id ?? crypto.randomUUID();
  const args = { memory_id: id };
  const answer = await server.tool(p, tool, args);
  if (!canWrite(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  const entry = model.named(p, id);
  if (!entry) {
    expectRefusal(server, p, answer, args, "MEMORY_NOT_FOUND");
    await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
    return;
  }
  const { proposals } = archive(model, p, [entry]);
  await server.learn();
  expect(answer.structured).toMatchObject({ memory_id: entry.id, archived: proposals.length === 0 });
  expectProposal(answer, { proposal: proposals[0] });
  server.scan(p, answer, args, [{ entry, state: {} }]);
};

export const mnemosyne: Record<string, Command> = {
  mnemosyne_recall: recall, mnemosyne_list: list, mnemosyne_graph: graph, mnemosyne_context: context,
  mnemosyne_remember: store, mnemosyne_update: update, mnemosyne_delete: forget,
};
