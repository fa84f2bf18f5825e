import { expect } from "vitest";
import { bit, expectRefusal, fieldsOf, reads, type Command } from "./commands.ts";
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
  const log = logOf(server, p);
  const here = model.own(p, { namespaces: ["project:p"] });
  if (op.place === 0) {
    const listed = here.filter((entry) => keyMatches("workflow.checkpoint.*", now(entry).key));
    await reads(server, p, tool, { action: "list" }, listed.map((entry) => ({ entry, state: {} })), (structured) =>
      expect(fieldsOf(structured, "checkpoints").map(({ checkpoint_id }) => checkpoint_id)).toEqual(listed.map(({ id }) => id)),
    );
    return;
  }
  if (op.place < 3) {
    const args = { action: "restore", name: name(op.key) };
    const found = here.filter((entry) => now(entry).key === keyOf(op.key));
    if (canRead(p) && found.length === 0) return expectRefusal(server, p, await server.tool(p, tool, args), args, "MEMORY_NOT_FOUND");
    const shown = [...found.map((entry) => ({ entry, state: now(entry) })), ...own(server, p)];
    await reads(server, p, tool, args, shown, (structured) => expect(found.map(({ id }) => id)).toContain(structured["checkpoint_id"]));
    return;
  }
  const note = server.mint();
  const args = { name: name(op.key), note };
  const answer = await server.tool(p, tool, args);
  if (!canRead(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  const value = { note, recent_commands: log.slice(-mostRecent) };
  const expected = remember(model, p, { key: keyOf(op.key), content: JSON.stringify(value), value, namespace: "project:p", tags: ["workflow-checkpoint"] });
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  await server.learn();
  expect(answer.structured).toMatchObject({ outcome: expected.outcome, checkpoint_id: expected.entry.id, version: latest(expected.entry).version });
  server.scan(p, answer, args, [{ entry: expected.entry, state: {} }]);
};

export const workflows: Record<string, Command> = {
  omn_record_workflow_step: record,
  omn_suggest_next_action: suggest,
  omn_get_workflow_patterns: patterns,
  omn_workflow_checkpoint: checkpoint,
};
