import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../launcher/free-port.ts";
import { BenchClient } from "./client.ts";
import { isRunning, processTree, treeRssMiB } from "./process-tree.ts";

export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));

const startLimitMs = 120_000;
const stopLimitMs = 15_000;

const running = new Set<ChildProcess>();
let closing = false;

/** For the way out, whatever happened; nothing starts after it. */
export async function stopAll(): Promise<void> {
  closing = true;
  await Promise.all([...running].map(endTree));
}

/** The product, started as a user starts it, without its rate limit unless a row is about limits. */
export class Server {
  readonly dataDir: string;
  readonly url: string;
  readonly apiKey: string;
  readonly spawnedAt: number;
  readonly client: BenchClient;
  readonly #child: ChildProcess;
  readonly #output: () => string;

  private constructor(child: ChildProcess, output: () => string, dataDir: string, spawnedAt: number, local: { url: string; apiKey: string }) {
    this.#child = child;
    this.#output = output;
    this.dataDir = dataDir;
    this.spawnedAt = spawnedAt;
    this.url = local.url;
    this.apiKey = local.apiKey;
    this.client = new BenchClient(local.url, local.apiKey);
  }

  static async start(dataDir: string, rateLimit: "on" | "off" = "off"): Promise<Server> {
    if (closing) throw new Error("the bench is ending");
    mkdirSync(dataDir, { recursive: true });
    const port = await freePort();
    const [command, ...args] = startCommand();
    const spawnedAt = performance.now();
    const child = spawn(command, args, {
      cwd: projectRoot,
      env: { ...process.env, PORT: String(port), OMNIMEMORY_DATA_DIR: dataDir, OMNIMEMORY_RATE_LIMIT: rateLimit },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const output = keepTail(child);
    try {
      await healthy(child, `http://127.0.0.1:${port}/health`);
    } catch (error) {
      await endTree(child);
      throw new Error(`the product did not start: ${(error as Error).message}\n${output()}`, { cause: error });
    }
    const local = JSON.parse(readFileSync(join(dataDir, "local.json"), "utf8")) as { url: string; apiKey: string };
    return new Server(child, output, dataDir, spawnedAt, local);
  }

  /** The link that signs the owner in with a browser, once it is printed. */
  async signInUrl(): Promise<string> {
    for (const deadline = performance.now() + stopLimitMs; performance.now() < deadline; await sleep(20)) {
      const [url] = /http:\S+\/sign-in\/link\?token=\w{43}/.exec(this.#output()) ?? [];
      if (url !== undefined) return url;
    }
    throw new Error("the product printed no sign-in link");
  }

  rssMiB(): number | undefined {
    return this.#child.pid === undefined ? undefined : treeRssMiB(this.#child.pid);
  }

  async stop(): Promise<void> {
    this.client.close();
    await endTree(this.#child);
  }
}

/** What `npm start` runs; npm itself is left out because its own memory and start-up would be counted. */
function startCommand(): [string, ...string[]] {
  const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { scripts: { start: string } };
  const [command = "", ...args] = manifest.scripts.start.split(" ");
  return [command === "node" ? process.execPath : command, ...args];
}

async function healthy(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline) {
    const ending = child.exitCode ?? child.signalCode;
    if (ending !== null) throw new Error(`it ended with ${ending}`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(10);
  }
  throw new Error(`no answer at ${url} after ${startLimitMs / 1000} s`);
}

/** SIGTERM as a user's Ctrl-C would; what outlives it is killed by pid, so that no run leaves a process behind. */
async function endTree(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const tree = processTree(child.pid);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  await Promise.race([ended, sleep(stopLimitMs, undefined, { ref: false })]);
  await sleep(200);
  for (const pid of tree.filter(isRunning)) {
    process.stderr.write(`bench: process ${pid} of the product outlived SIGTERM; killing it\n`);
    process.kill(pid, "SIGKILL");
  }
}

/** Drains the child's output (a full pipe would block it) and keeps the end of it for error messages. */
function keepTail(child: ChildProcess): () => string {
  let tail = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      tail = (tail + chunk.toString("utf8")).slice(-4_000);
    });
  }
  return () => tail;
}
