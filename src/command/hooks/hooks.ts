import { type OmniMemory, OmniMemoryError } from "../../client/client.ts";
import { hookClient } from "../../domain/sessions/session-trail.ts";
import { projectOf } from "../project.ts";
import { clientFor, CommandFailure, type Named } from "../server.ts";
import { stop } from "./conversation.ts";
import { type HookInput, readHookInput } from "./hook-input.ts";
import { postCommit } from "./post-commit.ts";
import { preCompact } from "./pre-compact.ts";
import { sessionStart } from "./session-start.ts";

/** A hook that was called, and the memory of the project it was called in. */
export interface HookRun {
  input: HookInput;
  project: string;
  memory: OmniMemory;
  /** Of another project. */
  memoryIn(project: string): OmniMemory & { namespace: string };
  /** To look something up there, which leaves nothing in the person's work session. */
  lookUpIn(project: string): OmniMemory;
  now: number;
}

interface Hook {
  /** How long each of its calls may take: whoever waits for it waits no longer. */
  timeoutMs: number;
  run(run: HookRun): Promise<string | undefined>;
}

export const hooks = {
  "session-start": { timeoutMs: 2_000, run: sessionStart },
  "post-commit": { timeoutMs: 8_000, run: postCommit },
  "pre-compact": { timeoutMs: 8_000, run: preCompact },
  stop: { timeoutMs: 8_000, run: stop },
} satisfies Record<string, Hook>;
export type HookName = keyof typeof hooks;

export const isHook = (name: string | undefined): name is HookName => name !== undefined && Object.hasOwn(hooks, name);

/** Runs a hook on what Claude Code wrote to its standard input; answers what is to be printed. Whatever goes wrong is one line for the person, never a failed hook. */
export async function runHook(name: HookName, named: Named, io: { stdin: AsyncIterable<Buffer>; env: Readonly<Record<string, string | undefined>>; warn(line: string): void }): Promise<string | undefined> {
  try {
    const { timeoutMs, run } = hooks[name];
    const input = await readHookInput(io.stdin);
    const clientIn = (project: string, client = "claude-code"): OmniMemory => clientFor(named, io.env, { project, client, timeoutMs });
    const project = await projectOf(input.cwd);
    return await run({ input, project, memory: clientIn(project), memoryIn: (other) => Object.assign(clientIn(other), { namespace: `project:${other}` }), lookUpIn: (other) => clientIn(other, hookClient), now: Date.now() });
  } catch (error) {
    io.warn(`omnimemory ${name}: ${reasonOf(error)}`);
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof CommandFailure) return error.message;
  if (!(error instanceof Error)) return "it failed.";
  const code = error instanceof OmniMemoryError ? error.code : undefined;
  if (code === "TIMEOUT") return "the server did not answer in time; nothing was done.";
  if (code === "UNREACHABLE") return "the server cannot be reached; nothing was done.";
  return error.message.split("\n", 1)[0] ?? "it failed.";
}
