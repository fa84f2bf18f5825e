import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isRunning, processTree } from "../bench/process-tree.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const startLimitMs = 60_000;

/** The product as a person starts it, on a data directory that outlives it. */
export class Product {
  readonly #child: ChildProcess;
  readonly #dataDir: string;
  #output = "";

  private constructor(dataDir: string, vars: Record<string, string> = {}) {
    this.#dataDir = dataDir;
    this.#child = spawn(process.execPath, ["src/launcher/start.mjs"], {
      cwd: root,
      env: { ...process.env, PORT: "0", OMNIMEMORY_DATA_DIR: dataDir, OMNIMEMORY_RATE_LIMIT: "off", ...vars },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
  }

  static spawn(dataDir: string): Product {
    return new Product(dataDir);
  }

  static async start(dataDir: string, vars: Record<string, string> = {}): Promise<Product> {
    const product = new Product(dataDir, vars);
    const started = performance.now();
    while (!product.#output.includes("API key")) {
      if (product.#child.exitCode !== null || performance.now() - started > startLimitMs) {
        await product.kill();
        throw new Error(`the product did not start:\n${product.#output}`);
      }
      await sleep(20);
    }
    return product;
  }

  /** What the product said; memory text never belongs in it. */
  get output(): string {
    return this.#output;
  }

  get access(): { url: string; apiKey: string } {
    return JSON.parse(readFileSync(join(this.#dataDir, "local.json"), "utf8")) as { url: string; apiKey: string };
  }

  /** Process ids: the launcher, workerd and whatever else it started. */
  get processes(): number[] {
    return this.#child.pid === undefined ? [] : processTree(this.#child.pid);
  }

  /** Nothing of it moves until it is thawed or killed. */
  freeze(): void {
    for (const pid of this.processes) signal(pid, "SIGSTOP");
  }

  thaw(): void {
    for (const pid of this.processes) signal(pid, "SIGCONT");
  }

  /** The launcher, workerd and whatever else it started, all at once and without a chance to tidy up. */
  async kill(): Promise<void> {
    const pids = this.processes;
    for (const pid of pids) signal(pid, "SIGKILL");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
    while (pids.some(isRunning)) await sleep(5);
  }
}

function signal(pid: number, name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
