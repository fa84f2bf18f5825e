import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { bit, contentOf, expectRefusal, fieldsOf, type Command } from "./commands.ts";
import { latest, now, type Entry } from "./model.ts";
import { refused } from "./model-keys.ts";
import { remember } from "./model-writes.ts";

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
  const said = { content: `Speaker: ${text}`, namespace: `thread:${run}`, tags: ["messages"], importance: 0.1, key, metadata: { request: done["request_id"], by: "rules", operations: [{ id, event }] } };
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

export const memoryServer: Record<string, Command> = { memory_add: add };
