import { expect } from "vitest";
import { bit, everything, expectRefusal, type Command } from "./commands.ts";
import { canRead, canWrite, type Principal } from "./model.ts";
import type { Answer, TestServer } from "./test-server.ts";

/** The tools of sessions: what they tell of memories is what the person may see now, and of searches what the person asked. */

/** One for each server, so that people try each other's. */
const known = new WeakMap<TestServer, { id: string; owner: string }[]>();
export const ownerOf = (p: Principal): string => `${p.user} ${p.team}`;

/** The links of exported sessions. */
const links = new WeakMap<TestServer, { url: string; session: string; owner: string; used: boolean }[]>();
export const linksOf = (server: TestServer) => links.get(server) ?? [];

export function learnSession(server: TestServer, p: Principal, answer: Answer): void {
  const url = answer.structured["export_url"];
  if (typeof url === "string") links.set(server, [...linksOf(server), { url, session: answer.structured["session_id"] as string, owner: ownerOf(p), used: false }]);
  const id = answer.structured["session_id"];
  if (typeof id !== "string") return;
  const sessions = known.get(server) ?? [];
  const before = sessions.find((session) => session.id === id);
  expect(before?.owner ?? ownerOf(p), "a session is its person's own").toBe(ownerOf(p));
  if (!before) known.set(server, [...sessions, { id, owner: ownerOf(p) }]);
}

const scan = (server: TestServer, p: Principal, answer: Answer, args: unknown): void => {
  server.scan(p, answer, [args, ...server.saidBy(p)], canRead(p) ? everything(server, p) : []);
  learnSession(server, p, answer);
};

/** Calls with the id of somebody's session, or with none. */
const session = (mayDo: (p: Principal) => boolean, more: (tool: string) => Record<string, unknown> = () => ({})): Command => async (server, p, op, tool) => {
  const sessions = known.get(server) ?? [];
  const named = bit(op, 1) ? sessions[op.target % Math.max(1, sessions.length)] : undefined;
  const args = { ...more(op.flag ? "cursor" : "vscode"), ...(named ? { [tool === "omn_create_session" ? "restore_from" : "session_id"]: named.id } : {}) };
  const answer = await server.tool(p, tool, args);
  if (!mayDo(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  if (named && named.owner !== ownerOf(p)) return expectRefusal(server, p, answer, args, "NOT_FOUND");
  expect(["NOT_FOUND", undefined]).toContain(answer.code);
  // The link to an exported session names its person's own team, in which it is looked for.
  scan(server, p, answer, tool === "omn_export_session" ? [args, p.team] : args);
};

export const sessions: Record<string, Command> = {
  omn_create_session: session(canWrite, (tool) => ({ tool_id: tool })),
  omn_restore_session: session((p) => canWrite(p) && canRead(p), (tool) => ({ tool_id: tool })),
  omn_get_session_context: session(canRead),
  omn_migrate_session: session(canWrite, (tool) => ({ to_tool: tool })),
  omn_export_session: session((p) => canWrite(p) && canRead(p)),
  omn_end_session: session(canWrite),
};
