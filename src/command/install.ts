import { appendFileSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rewrite, textOf } from "./files.ts";
import { git, projectFolder } from "./git.ts";
import { clientFor, type Named, serverOf } from "./server.ts";
import { indented, settingsIn, withHooks, withoutHooks } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** For all projects of the person, or for this one: in the file that is not committed, since it names places on this machine. */
export type Where = "user" | "project";

const entry = fileURLToPath(import.meta.url);

export async function installHooks(where: Where, named: Named, env: Environment): Promise<string[]> {
  const { origin, key } = serverOf(named, env);
  const team = key === undefined ? undefined : await clientFor({ url: origin }, env, { project: undefined, client: "claude-code", timeoutMs: 5_000 }).team().catch(() => undefined);
  const path = await settingsFile(where, env);
  const flags = [`--url ${origin}`, ...(team === undefined || !/^[\w-]+$/.test(team) ? [] : [`--team ${team}`])].join(" ");
  if (where === "project") await keepUncommitted(path);
  rewrite(path, (text) => indented(withHooks(settingsIn(text, path), (hook) => `"${process.execPath}" "${entry}" hook ${hook} ${flags}`), text));
  return [
    `Hooks for ${origin} are in ${path}. Sessions of Claude Code that start from now on use them.`,
    ...(key === undefined ? ["They need the key: set OMNIMEMORY_KEY where Claude Code starts."] : []),
    ...(key !== undefined && team === undefined ? ["The server did not answer just now; they will ask it."] : []),
  ];
}

export async function removeHooks(where: Where, env: Environment): Promise<string[]> {
  const path = await settingsFile(where, env);
  const before = textOf(path);
  if (before !== "") rewrite(path, (text) => indented(withoutHooks(settingsIn(text, path)), text));
  return [`The hooks are not in ${path} any more.`];
}

const projectFile = ".claude/settings.local.json";

async function settingsFile(where: Where, env: Environment): Promise<string> {
  if (where === "user") return join(env["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude"), "settings.json");
  return join(await projectFolder(process.cwd()), projectFile);
}

/** Claude Code has git ignore this file where it makes it itself; made here, it would go into the next commit, and its paths to everybody. */
async function keepUncommitted(settings: string): Promise<void> {
  const root = dirname(dirname(settings));
  const exclude = await git(root, "rev-parse", "--git-path", "info/exclude");
  if (exclude === undefined || (await git(root, "check-ignore", "--no-index", "--quiet", projectFile)) !== undefined) return;
  const path = resolve(root, exclude);
  mkdirSync(dirname(path), { recursive: true });
  const before = textOf(path);
  appendFileSync(path, `${before === "" || before.endsWith("\n") ? "" : "\n"}/${projectFile}\n`);
}
