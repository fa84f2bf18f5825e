import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { bit, contentOf, expectRefusal, fieldsOf, present, reads, sameAsAbsent, type Command } from "./commands.ts";
import { canRead, canWrite, latest, now, seesVersion, type Entry, type Filter, type State } from "./model.ts";
import { refused } from "./model-keys.ts";
import { archive, remember, revise } from "./model-writes.ts";
import { wordOf } from "./reads.ts";
import { expectProposal } from "./writes.ts";

/** The tools of the memory-server family: other words for the same memories. */

interface Operation {
  id: string;
  event: string;
  memory: string;
  reasoning: string;
  proposal?: unknown;
}

/** Messages word for word, or the fact that they state and the record of what was said. */
const add: Command = async (server, p, op, tool) => {
  const infers = bit(op, 1);
  const text = infers ? `The lamp of ${contentOf(server, op)} is made of brass.` : contentOf(server, op);
  const scope = bit(op, 2) ? { user_id: "u1", namespace: "user:u1" } : { namespace: "project:p" };
  const { namespace, ...named } = scope;
  const run = `run-${op.limit}`;
  const args = { messages: [{ role: "user", content: text }], run_id: run, ...named, metadata: { scope: op.visibility }, ...(infers ? {} : { infer: false }) };
  const answer = await server.tool(p, tool, args);
  const { data, metadata: done } = answer.structured as unknown as { data: Operation[]; metadata: Record<string, unknown> };
  const key = infers && !answer.isError ? await keyOf(done, p.team) : null;
  // The fact says why it was stored and where it was said, and the record what became of it.
  const metadata = infers ? { decision: { event: "ADD", reasoning: data?.[0]?.reasoning, by: "rules", source: key } } : { role: "user" };
  const expected = remember(server.model, p, { content: text, namespace, visibility: op.visibility, metadata });
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  const { id, event } = data[0] as Operation;
  const said = { content: `Speaker: ${text}`, namespace: `thread:${bit(op, 2) ? "user:u1/" : ""}${run}`, tags: ["messages"], importance: 0.1, key, metadata: { request: done["request_id"], by: "rules", operations: [{ id, event }] } };
  const record = infers ? recordOf(remember(server.model, p, said)) : undefined;
  await server.learn();
  const { entry, proposal } = expected;
  expect(data).toMatchObject([{ event: "ADD", id: entry.id, memory: text }]);
  expect(data[0]?.proposal).toEqual(proposal && { id: proposal.id, scope: proposal.visibility, state: proposal.state });
  expect(fieldsOf(answer.structured, "data")).toHaveLength(1);
  const shown = [entry, ...(record ? [record] : [])];
  for (const one of shown) expect(latest(one).by).toBe(p.user);
  server.scan(p, answer, args, shown.map((one) => ({ entry: one, state: { content: now(one).content } })));
};

const recordOf = (written: ReturnType<typeof remember>): Entry | undefined => (refused(written) ? undefined : written.entry);

/** The record's name is made of its words, which only the server knows how. */
async function keyOf({ messages_id: id }: Record<string, unknown>, team: string): Promise<string> {
  for (const shard of [env.SHARD_0, env.SHARD_1]) {
    const key = await shard.prepare("SELECT key FROM memories WHERE id = ? AND team_id = ?").bind(id, team).first<string>("key");
    if (key !== null) return key;
  }
  throw new Error("The record is nowhere");
}

const idsOf = (entries: Entry[]): string[] => entries.map(({ id }) => id);
const resultIds = ({ data }: Record<string, unknown>): unknown[] => fieldsOf(data as Record<string, unknown>, "results").map(({ id }) => id);

/** Of one user, or of all. */
const scopeOf = (op: Parameters<Command>[2]): [args: Record<string, unknown>, filter: Filter] => (bit(op, 64) ? [{ user_id: "u1" }, { namespaces: ["user:u1"] }] : [{}, {}]);

const search: Command = async (server, p, op, tool) => {
  const [scope, filter] = scopeOf(op);
  const seen = [...server.model.own(p, filter), ...server.model.foreign(p, filter)];
  const args = { query: wordOf(server, op), limit: 100, score_threshold: 0, ...scope };
  await reads(server, p, tool, args, present(seen), (structured) => expect(idsOf(seen)).toEqual(expect.arrayContaining(resultIds(structured))));
};

const getAll: Command = async (server, p, op, tool) => {
  const [scope, filter] = scopeOf(op);
  const expected = server.model.own(p, filter);
  const offset = bit(op, 1) ? op.limit : 0;
  const page = expected.slice(offset, offset + op.limit);
  await reads(server, p, tool, { limit: op.limit, offset, ...scope }, present(page), (structured) => {
    expect(resultIds(structured)).toEqual(idsOf(page));
    expect(structured["data"]).toMatchObject({ has_more: expected.length > offset + op.limit });
  });
};

/** A memory outside of the scope that is named is not there. */
const targetOf = (server: Parameters<Command>[0], p: Parameters<Command>[1], op: Parameters<Command>[2]) => {
  const [scope, filter] = scopeOf(op);
  const id = server.pick(op.target)?.id ?? crypto.randomUUID();
  const entry = server.model.named(p, id);
  return { id, scope, target: entry && (filter.namespaces === undefined || now(entry).namespace === "user:u1") ? entry : undefined };
};

const update: Command = async (server, p, op, tool) => {
  const { id, scope, target } = targetOf(server, p, op);
  const args = { memory_id: id, data: contentOf(server, op), ...scope };
  const answer = await server.tool(p, tool, args);
  const expected = revise(server.model, p, { target: { id: target?.id ?? crypto.randomUUID() }, changes: { content: args.data } as Partial<State> });
  if (refused(expected)) {
    expectRefusal(server, p, answer, args, expected.code);
    if (expected.code === "MEMORY_NOT_FOUND") await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
    return;
  }
  await server.learn();
  const { entry, outcome } = expected;
  const data = answer.structured["data"] as Record<string, unknown>;
  expect(data).toMatchObject({ id: entry.id, event: outcome === "updated" ? "UPDATE" : "NONE", version: latest(entry).version });
  expectProposal({ ...answer, structured: data }, expected);
  server.scan(p, answer, args, [{ entry, state: now(entry) }]);
};

const forget: Command = async (server, p, op, tool) => {
  const { id, scope, target: entry } = targetOf(server, p, op);
  const args = { memory_id: id, ...scope };
  const answer = await server.tool(p, tool, args);
  if (!canWrite(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  if (!entry) {
    expectRefusal(server, p, answer, args, "MEMORY_NOT_FOUND");
    await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
    return;
  }
  const { proposals } = archive(server.model, p, [entry]);
  await server.learn();
  const data = answer.structured["data"] as Record<string, unknown>;
  expect(data).toMatchObject({ id: entry.id, event: proposals.length === 0 ? "DELETE" : "NONE" });
  expectProposal({ ...answer, structured: data }, { proposal: proposals[0] });
  server.scan(p, answer, args, [{ entry, state: {} }]);
};

const forgetAll: Command = async (server, p, op, tool) => {
  const scope = { user_id: "u1" };
  const args = { ...scope, ...(bit(op, 1) ? { confirm: "stale" } : {}) };
  const seen = server.model.own(p, { namespaces: ["user:u1", "thread:user:u1/*"] });
  const answer = await server.tool(p, tool, args);
  if (!canWrite(p) || !canRead(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  if (seen.length === 0) return expectRefusal(server, p, answer, args, "MEMORY_NOT_FOUND");
  const { count, confirm } = answer.structured["data"] as { count: number; confirm: string };
  expect(count).toBe(seen.length);
  server.scan(p, answer, args, present(seen));
  if (!bit(op, 2)) return;
  const confirmed = { ...scope, confirm };
  const done = await server.tool(p, tool, confirmed);
  const { proposals } = archive(server.model, p, seen);
  await server.learn();
  expect(done.structured["data"]).toMatchObject({ success_count: seen.length - proposals.length, failure_count: proposals.length });
  server.scan(p, done, confirmed, seen.map((entry) => ({ entry, state: {} })));
};

const history: Command = async (server, p, op, tool) => {
  const { id, scope, target: entry } = targetOf(server, p, op);
  const args = { memory_id: id, limit: op.limit, ...scope };
  if (canRead(p) && !entry) {
    const answer = await server.tool(p, tool, args);
    expectRefusal(server, p, answer, args, "MEMORY_NOT_FOUND");
    await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
    return;
  }
  const seen = entry ? entry.versions.filter((version) => seesVersion(p, entry, version)) : [];
  const shown = entry ? seen.map(({ state: { content } }) => ({ entry, state: { content } })) : [];
  await reads(server, p, tool, args, shown, ({ data }) => {
    const { history: told, total_count } = data as { history: Record<string, unknown>[]; total_count: number };
    expect(total_count).toBe(seen.length);
    expect(told.map(({ version }) => version)).toEqual(seen.map(({ version }) => version).reverse().slice(0, op.limit));
  });
};

const stats: Command = async (server, p, op, tool) => {
  const [scope, filter] = scopeOf(op);
  const seen = server.model.own(p, filter);
  const shown = seen.map((entry) => ({ entry, state: { namespace: now(entry).namespace } }));
  await reads(server, p, tool, scope, shown, ({ data }) => expect(data).toMatchObject({ total_memories: seen.length, archived_memories: server.model.own(p, filter, true).length }));
};

/** The defaults of a client that makes no other call: those of the others say everything themselves. */
const init: Command = async (server, p, _op, tool) => {
  const args = { agent_id: "a1" };
  const answer = await server.tool(p, tool, args);
  if (!canRead(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  expect(answer.structured["data"]).toMatchObject({ agent_id: "a1", permissions: { read: true, write: canWrite(p), delete: canWrite(p) } });
  server.scan(p, answer, args);
  await server.tool(p, tool, {});
};

const graph: Command = async (server, p, op, tool) => {
  const { id, scope, target: seed } = targetOf(server, p, op);
  const args = { memory_id: id, max_hops: 1 + (op.limit % 3), ...scope };
  if (canRead(p) && (!seed || now(seed).archivedAt !== null)) {
    const answer = await server.tool(p, tool, args);
    expectRefusal(server, p, answer, args, "MEMORY_NOT_FOUND");
    if (!seed) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
    return;
  }
  const seen = server.model.own(p, scopeOf(op)[1]);
  await reads(server, p, tool, args, present(seen), ({ data }) => {
    const [first, ...others] = fieldsOf(data as Record<string, unknown>, "memories").map((memory) => memory["id"]);
    expect(first).toBe(seed?.id);
    expect(idsOf(seen)).toEqual(expect.arrayContaining(others));
  });
};

export const memoryServer: Record<string, Command> = {
  memory_add: add, memory_search: search, memory_get_all: getAll, memory_update: update, memory_delete: forget, memory_delete_all: forgetAll,
  memory_get_history: history, memory_get_stats: stats, memory_init_session: init, memory_graph: graph,
};
