import { createHash } from "node:crypto";
import type { HookRun } from "./hooks.ts";
import { type Said, saidIn } from "./transcript.ts";

const mostTurns = 40;
/** Characters of one call; the server takes 40,000. */
const mostText = 38_000;

/** The last thing that the person asked, and what was said to it. */
export function lastExchange(said: readonly Said[]): Said[] {
  const from = said.findLastIndex(({ role }) => role === "user");
  if (from < 0) return [];
  let room = mostText;
  return said.slice(from, from + mostTurns).filter(({ content }) => (room -= content.length) >= 0);
}

/** Adds the last exchange to the person's work session. Whatever was added by an earlier call is recognised and not added again. */
export async function recordExchange({ input, memory, project }: HookRun, said: readonly Said[]): Promise<void> {
  const turns = lastExchange(said);
  const [first] = turns;
  if (!first) return;
  const session = await memory.openSession("claude-code", project);
  const key = `${input.session_id}/${first.id}`;
  // Cut off, it would be that of another exchange of the same session, and this one would count as added.
  const fitting = key.length <= 190 ? key : createHash("sha256").update(key).digest("hex");
  await memory.recordTurns(session, turns.map(({ role, content, timestamp }) => ({ role, content, ...(timestamp === undefined ? {} : { timestamp }) })), fitting);
}

/** Feeds the conversation into the work session each time the model has answered. */
export async function stop(run: HookRun): Promise<undefined> {
  const { transcript_path: path } = run.input;
  if (path !== undefined) await recordExchange(run, saidIn(path));
  return undefined;
}
