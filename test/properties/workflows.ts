import { expect } from "vitest";
import { bit, expectRefusal, fieldsOf, present, reads, type Command } from "./commands.ts";
import { canRead, canWrite, keyMatches, latest, now, type Principal } from "./model.ts";
import { refused } from "./model-keys.ts";
import { remember } from "./model-writes.ts";
import type { TestServer } from "./test-server.ts";

/** What each did in each team, oldest first: nobody else is told of it. */
const logs = new WeakMap<TestServer, Map<string, string[]>>();
function logOf(server: TestServer, { team, user }: Principal): string[] {
  const all = logs.get(server) ?? new Map<string, string[]>();
  logs.set(server, all);
  const mine = all.get(`${team} ${user}`) ?? [];
  all.set(`${team} ${user}`, mine);
  return mine;
}

/** As it was said when it was recorded. */
const commandsIn = (log: readonly string[]): string[] => log.map((said) => said.replace(" (failed)", ""));

const own = (server: TestServer, p: Principal) => [{ state: { content: logOf(server, p).join(" ") } }];
const mostRecent = 10;

const record: Command = async (server, p, op, tool) => {
  const log = logOf(server, p);
  const command = op.flag && log.length > 0 ? (commandsIn(log)[op.target % log.length] as string) : server.mint();
  const args = { command, success: bit(op, 1) };
  const answer = await server.tool(p, tool, args);
  if (!canWrite(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  log.push(args.success ? command : `${command} (failed)`);
  expect(answer.structured).toMatchObject({ outcome: "recorded", command });
  server.scan(p, answer, args);
};

const suggest: Command = async (server, p, op, tool) => {
  const log = logOf(server, p);
  const args = { limit: 10, ...(op.flag ? { context: [server.mint()] } : {}) };
  await reads(server, p, tool, args, own(server, p), (structured) => {
    const actions = fieldsOf(structured, "suggestions").map(({ action }) => action);
    expect(commandsIn(log)).toEqual(expect.arrayContaining(actions));
    expect(actions.length).toBe(Math.min(10, new Set(commandsIn(log)).size));
  });
};

const patterns: Command = async (server, p, op, tool) => {
  const log = logOf(server, p);
  const args = op.flag && log.length > 0 ? { context: [log[op.target % log.length]] } : {};
  await reads(server, p, tool, args, own(server, p), (structured) => {
    for (const { commands, support } of fieldsOf(structured, "patterns") as { commands: string[]; support: number }[]) {
      expect(commandsIn(log)).toEqual(expect.arrayContaining(commandsIn(commands)));
      expect(support).toBeLessThanOrEqual(log.length);
    }
  });
};

const name = (key: number): string => `c${key}`;
const keyOf = (key: number): string => `workflow.checkpoint.${name(key)}`;

const checkpoint: Command = async (server, p, op, tool) => {
  const { model } = server;
  const here = model.own(p, { namespaces: ["project:p"] });
  const named = here.filter((entry) => now(entry).key === keyOf(op.key));
  const saves = op.place > 2;
  const args = saves ? { name: name(op.key), note: server.mint() } : op.place === 0 ? { action: "list" } : { action: "restore", name: name(op.key) };
  const answer = await server.tool(p, tool, args);
  if (!canWrite(p) || (!saves && !canRead(p))) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  if (saves) {
    const value = { note: args.note, recent_commands: logOf(server, p).slice(-mostRecent) };
    const expected = remember(model, p, { key: keyOf(op.key), content: JSON.stringify(value), value, namespace: "project:p", tags: ["workflow-checkpoint"] });
    if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
    await server.learn();
    expect(answer.structured).toMatchObject({ outcome: expected.outcome, checkpoint_id: expected.entry.id, version: latest(expected.entry).version });
    return server.scan(p, answer, args, [{ entry: expected.entry, state: {} }]);
  }
  if (op.place === 0) {
    const listed = here.filter((entry) => keyMatches("workflow.checkpoint.*", now(entry).key));
    expect(fieldsOf(answer.structured, "checkpoints").map(({ checkpoint_id }) => checkpoint_id)).toEqual(listed.map(({ id }) => id));
    return server.scan(p, answer, args, listed.map((entry) => ({ entry, state: {} })));
  }
  if (named.length === 0) return expectRefusal(server, p, answer, args, "MEMORY_NOT_FOUND");
  expect(named.map(({ id }) => id)).toContain(answer.structured["checkpoint_id"]);
  server.scan(p, answer, args, [...present(named), ...own(server, p)]);
};

export const workflows: Record<string, Command> = {
  omn_record_workflow_step: record,
  omn_suggest_next_action: suggest,
  omn_get_workflow_patterns: patterns,
  omn_workflow_checkpoint: checkpoint,
};
