import { join, resolve } from "node:path";
import type { LogLevel } from "./log.ts";
import { defaultPort } from "./port.ts";
import { projectRoot } from "./project.ts";
import { type LocalServer, startServer } from "./server.ts";
import { messageOf, StartFailure } from "./start-failure.ts";

const { env } = process;

/** A link for whoever lost their passkeys and accounts, and still has this machine. */
const isRecovery = env.OMNIMEMORY_RECOVERY === "on";
/** Another master key where the one of the data is lost for good. */
const newMasterKey = env.OMNIMEMORY_NEW_MASTER_KEY === "on";

/** Settings of the launcher itself; every other one of the Worker that one machine can have is handed to it. */
const own = new Set(["OMNIMEMORY_DATA_DIR", "OMNIMEMORY_LOG", "OMNIMEMORY_RECOVERY", "OMNIMEMORY_NEW_MASTER_KEY"]);
const handedOn = /^(?:OMNIMEMORY_|SIGN_IN_|EMBEDDINGS(?:_|$)|(?:MASTER_KEYS|TEAM_MAX_MEMORIES|TEAM_MAX_BYTES|RECENCY_HALF_LIFE_DAYS|TOKEN_PRICE_PER_1K|ALLOWED_HOSTS|ALLOWED_ORIGINS)$)/;
/** To the curator, and to no Worker that serves requests. */
const handedToCurator = /^(?:INTELLIGENCE_|ANTHROPIC_API_KEY$)/;

try {
  await main();
} catch (error) {
  if (!(error instanceof StartFailure) && error instanceof Error) log("debug", error.stack ?? "");
  fail(error instanceof StartFailure ? error.message : `OmniMemory could not start: ${messageOf(error).replaceAll(/\s*\n\s*/g, " ")} (OMNIMEMORY_LOG=all npm start tells more)`);
}

async function main(): Promise<void> {
  const dataDir = env.OMNIMEMORY_DATA_DIR ? resolve(env.OMNIMEMORY_DATA_DIR) : join(projectRoot, ".data");
  const named = (names: RegExp): Record<string, string> =>
    Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (names.test(name) && !own.has(name) && value !== undefined ? [[name, value]] : [])));
  let stopping: number | undefined;
  // systemd, CI and the like send SIGTERM to the runtime as well, whose end may be seen first; that is no crash.
  const onCrash = (line: string): unknown => setTimeout(() => stopping ?? fail(line), 250);
  const server = await startServer({ dataDir, port: portOf(env.PORT ?? ""), vars: named(handedOn), curatorVars: named(handedToCurator), recovery: isRecovery, newMasterKey, log, onCrash });

  // Miniflare ends the process on these signals at once; here the launcher decides.
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.removeAllListeners(signal);
  const stop = async (): Promise<void> => {
    // Ctrl-C under npm arrives twice, from the terminal and from npm; only a later one is impatience.
    if (stopping !== undefined) return performance.now() - stopping > 1_000 ? process.exit(130) : undefined;
    stopping = performance.now();
    const patience = setTimeout(() => process.stderr.write("Open requests may finish for 10 seconds; Ctrl-C again stops at once.\n"), 1_000);
    await server.close();
    clearTimeout(patience);
    process.exit(0);
  };
  for (const signal of signals) process.on(signal, () => void stop());

  process.stdout.write(`OmniMemory is running. Ctrl-C stops it.

  MCP URL  ${server.url}
  API key  ${server.apiKey}
           ${keyTerms(server)}
  Data     ${dataDir}
${server.apiKeyNotice === undefined ? "" : `\nThe API key is new; clients that hold the one before need it. ${server.apiKeyNotice}\n`}
Add it to Claude Code or Codex, in a shell that knows the key:

  export OMNIMEMORY_KEY=$(node -p ${shellQuoted(`require(${JSON.stringify(join(dataDir, "local.json"))}).apiKey`)})
  claude mcp add --transport http omnimemory ${server.url} --header "Authorization: Bearer $OMNIMEMORY_KEY" --header "X-Memory-Project: $(git remote get-url origin || pwd)"
  codex mcp add omnimemory --url ${server.url} --bearer-token-env-var OMNIMEMORY_KEY

Other clients: docs/clients.md
${signInLine(server.signInUrl)}`);
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function keyTerms({ apiKeyExpiresAt: at }: LocalServer): string {
  return at === null ? "never expires" : `reads and writes memories until ${new Date(at).toISOString().slice(0, 10)}; starting renews it for 90 days`;
}

function signInLine(url: string | undefined): string {
  return url === undefined ? "" : `\nSign in with a browser (the link works once, for ${isRecovery ? "15 minutes" : "a day"}):\n\n  ${url}\n`;
}

function portOf(text: string): number {
  const port = text === "" ? defaultPort : Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new StartFailure(`PORT is a number from 0 to 65535, not "${text}".`);
  return port;
}

/** Errors and warnings of the Worker for the person at the terminal; OMNIMEMORY_LOG=all shows the rest. */
function log(level: LogLevel, message: string): void {
  if (level === "error" || level === "warn" || env.OMNIMEMORY_LOG === "all") process.stderr.write(`${message}\n`);
}

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
