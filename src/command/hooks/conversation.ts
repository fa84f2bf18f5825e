import { createHash } from "node:crypto";
import type { HookRun } from "./hooks.ts";
import { type Said, saidIn } from "./transcript.ts";

/** Turns and characters of one call; the server takes 100 and 40,000. */
const mostTurns = 40;
const mostText = 38_000;

/** The last thing that the person asked, and what was said to it, in the parts that calls take. What is said later changes the last part alone. */
export function lastExchange(said: readonly Said[]): Said[][] {
  const from = said.findLastIndex(({ role }) => role === "user");
  const parts: Said[][] = [];
  let room = 0;
  for (const turn of from < 0 ? [] : said.slice(from)) {
    const last = parts.at(-1);
    room -= turn.content.length;
    if (last && last.length < mostTurns && room >= 0) {
      last.push(turn);
    } else {
      parts.push([turn]);
      room = mostText - turn.content.length;
    }
  }
  return parts;
}

/** Adds the last exchange to the person's work session. Whatever was added by an earlier call is recognised and not added again. */
export async function recordExchange({ input, memory, project }: HookRun, said: readonly Said[]): Promise<void> {
  const parts = lastExchange(said);
  if (parts.length === 0) return;
  const session = await memory.openSession("claude-code", project);
  for (const turns of parts) {
    const key = `${input.session_id}/${turns[0]?.id}`;
    // Cut off, it would be that of another exchange of the same session, and this one would count as added.
    const fitting = key.length <= 190 ? key : createHash("sha256").update(key).digest("hex");
    await memory.recordTurns(session, turns.map(({ role, content, timestamp }) => ({ role, content, ...(timestamp === undefined ? {} : { timestamp }) })), fitting);
  }
}

/** Feeds the conversation into the work session each time the model has answered. */
export async function stop(run: HookRun): Promise<undefined> {
  const { transcript_path: path } = run.input;
  if (path !== undefined) await recordExchange(run, saidIn(path));
  return undefined;
}
