/** The command `omnimemory`: hooks of Claude Code, what other tools remember, why a client does not connect, and which project a folder is. One file without dependencies, so that it starts fast. */
import { parseArgs } from "node:util";
import { version } from "../../package.json";
import { connect } from "./connect/connect.ts";
import { connectable } from "./connect/entries.ts";
import { doctor } from "./doctor/doctor.ts";
import { isHook, runHook } from "./hooks/hooks.ts";
import { importFiles } from "./import/import.ts";
import { installHooks, removeHooks } from "./install.ts";
import { projectOf } from "./project.ts";
import { CommandFailure } from "./server.ts";

const usage = `Usage:
  omnimemory hooks install [--user | --project] [--url <server>]   hooks of Claude Code, for all projects or this one
  omnimemory hooks remove [--user | --project]
  omnimemory hook session-start | post-commit | pre-compact | stop   as Claude Code calls them
  omnimemory import <file or folder> … [--namespace <name>] [--shared] [--dry-run]
                       what other tools remember: CLAUDE.md and other Markdown, memory.jsonl, Mem0, exports of Claude and ChatGPT
  omnimemory connect ${Object.keys(connectable).join(" | ")} [--user] [--browser] [--url <server>]   tells a client of the server
  omnimemory doctor [--sign-in] [--url <server>]   does what a client does to connect, and says what does not work
  omnimemory project   how this folder's project is called
  omnimemory help | --help | -h
  omnimemory --version | -V

The server is OMNIMEMORY_URL, else the one of this machine; the key is OMNIMEMORY_KEY, else that of .data/local.json.`;

/** What was typed is no command. */
class Misspelt extends CommandFailure {}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { url: { type: "string" }, team: { type: "string" }, user: { type: "boolean" }, project: { type: "boolean" }, namespace: { type: "string" }, shared: { type: "boolean" }, "dry-run": { type: "boolean" }, "sign-in": { type: "boolean" }, browser: { type: "boolean" }, help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "V" } } });
  } catch (error) {
    throw new Misspelt(`${error instanceof Error ? error.message.split(". ", 1)[0] : "This is no option"}.\n\n${usage}`);
  }
}

async function run(args: string[]): Promise<string[]> {
  const { positionals, values } = parse(args);
  const [command, what] = positionals;
  if (values.help || command === "help") return [usage];
  if (values.version) return [version];
  const named = { url: values.url, team: values.team };
  if (values.user && values.project) throw new Misspelt("Say --user or --project.");
  const where = values.project ? "project" : "user";
  if (command === "hook" && isHook(what)) {
    const printed = await runHook(what, named, { stdin: process.stdin, env: process.env, warn: (line) => void process.stderr.write(`${line}\n`) });
    return printed === undefined ? [] : [printed];
  }
  if (command === "hooks" && what === "install") return installHooks(where, named, process.env);
  if (command === "hooks" && what === "remove") return removeHooks(where, process.env);
  if (command === "import" && what !== undefined) {
    const wanted = { paths: positionals.slice(1), namespace: values.namespace, shared: values.shared ?? false, dryRun: values["dry-run"] ?? false };
    return importFiles(wanted, named, { env: process.env, say: (line) => void process.stderr.write(`${line}\n`) });
  }
  if (command === "connect" && what !== undefined) return connect(named, { client: what, user: values.user ?? false, browser: values.browser ?? false, env: process.env });
  if (command === "doctor" && what === undefined) {
    const isWell = await doctor(named, { signIn: values["sign-in"] ?? false, folder: process.cwd(), env: process.env, print: (line) => void process.stdout.write(`${line}\n`) });
    if (!isWell) process.exitCode = 1;
    return [];
  }
  if (command === "project" && what === undefined) return [await projectOf(process.cwd())];
  throw new Misspelt(command === undefined ? usage : `There is no command "${positionals.join(" ")}".\n\n${usage}`);
}

// Whoever reads the output may have enough of it before it is over, as `head` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

try {
  for (const line of await run(process.argv.slice(2))) process.stdout.write(`${line}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : "It failed."}\n`);
  // A hook never fails: Claude Code would tell the model.
  process.exitCode = process.argv[2] === "hook" ? 0 : error instanceof Misspelt ? 2 : 1;
}
