import { AsyncLocalStorage } from "node:async_hooks";
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { accessSync, constants, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { D1Database } from "@cloudflare/workers-types";
import type * as MiniflareModule from "miniflare";
import type { WorkerModule } from "./bundle.ts";
import { aiStandIn, localPlatform, outbound } from "./local-platform.ts";
import { type Logger, type LogLevel, levelOf } from "./log.ts";
import { ownerVariable } from "./orphan.ts";
import { PortTaken } from "./port.ts";
import { codeOf, messageOf, StartFailure } from "./start-failure.ts";
import type { WorkerOptions } from "./worker-options.ts";

const require = createRequire(import.meta.url);
// Not `import`: to find the names that a CommonJS module exports, Node would first read all 6 MB of it (0.3 s of 0.7 s).
const miniflare = require("miniflare") as typeof MiniflareModule;

export interface RuntimeOptions {
  worker: WorkerOptions;
  modules: WorkerModule[];
  /** The Worker of the curator, where it runs beside. */
  curator?: { worker: WorkerOptions; modules: WorkerModule[] };
  /** Modules of the Worker that stands in for Workers AI and Vectorize. */
  platform: WorkerModule[];
  vars: Record<string, string>;
  /** Of the curator alone. */
  curatorVars: Record<string, string>;
  dataDir: string;
  stateDir: string;
  pidFile: string;
  /** Where the Worker is reached from outside; without it nothing but this process can reach it. */
  listen?: { host: string; port: number };
  log: Logger;
  onCrash: (line: string) => void;
  /** Whether the disk takes more; the Worker asks before it stores. */
  hasRoom: () => boolean;
}

/** The error that a module threw while it was loaded, up to the stack: a configuration that the Worker refuses, for one. */
const uncaught = /Uncaught (?:Error: )?([\s\S]+?)(?:\n\s+at [^\n]*\.js:\d|$)/;

/** How the child process reaches the Runtime that caused it: Miniflare starts it in an async context of our making. */
const starting = new AsyncLocalStorage<(child: ChildProcess) => void>();

subscribe("child_process", (message) => {
  const adopt = starting.getStore();
  const { process: child } = message as { process: ChildProcess };
  child.once("spawn", () => {
    if (child.spawnfile === (process.env.MINIFLARE_WORKERD_PATH ?? workerdBinary)) adopt?.(child);
  });
});

const workerdBinary = findWorkerd();
useWrapper();

/** The Worker in workerd, run by Miniflare. */
export class Runtime {
  readonly #miniflare: MiniflareModule.Miniflare;
  readonly #options: RuntimeOptions;
  #child: ChildProcess | undefined;
  #state: "starting" | "up" | "ending" = "starting";
  #disposed: Promise<void> | undefined;
  /** Output from before it was up: the reason, if it does not come up, and then not to be printed beside it. */
  readonly #early: { level: LogLevel; message: string }[] = [];

  private constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#miniflare = starting.run((child) => this.#adopt(child), () => new miniflare.Miniflare(this.#miniflareOptions()));
  }

  static async start(options: RuntimeOptions): Promise<Runtime> {
    const runtime = new Runtime(options);
    try {
      await runtime.#miniflare.ready;
      runtime.#state = "up";
      for (const { level, message } of runtime.#early) options.log(level, message);
      return runtime;
    } catch (error) {
      await runtime.stop();
      if (codeOf(error) === "ERR_ADDRESS_IN_USE" && options.listen) throw new PortTaken(options.listen.host, options.listen.port, error);
      const thrown = runtime.#early.map(({ message }) => uncaught.exec(message)?.[1]).find((text) => text !== undefined);
      const reason = (thrown ?? messageOf(error)).replaceAll(/\s*\n\s*/g, " ");
      throw new StartFailure(`The ${thrown === undefined ? "Workers runtime" : "Worker"} did not start: ${reason}`, { cause: error });
    }
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async d1(binding: string): Promise<D1Database> {
    return (await this.#miniflare.getD1Database(binding)) as unknown as D1Database;
  }

  /** Cloudflare deletes expired entries of KV by itself; Miniflare does when it lists them. */
  async purgeExpired(): Promise<void> {
    for (const binding of Object.keys(this.#options.worker.kvNamespaces)) await (await this.#miniflare.getKVNamespace(binding)).list({ limit: 1 });
  }

  /** Straight into the Worker; no URL is opened for it, so nobody else can fire it. */
  async fireScheduled(cron: string, at: Date): Promise<void> {
    const worker = await this.#miniflare.getWorker();
    await worker.scheduled({ cron, scheduledTime: at });
  }

  /** The same of the curator. */
  async fireCurator(cron: string, at: Date): Promise<void> {
    const { curator } = this.#options;
    if (!curator) return;
    const worker = await this.#miniflare.getWorker(curator.worker.name);
    await worker.scheduled({ cron, scheduledTime: at });
  }

  /** Takes no more connections, lets open requests finish for at most `limitMs`, then stops. */
  async drain(limitMs: number): Promise<void> {
    const child = this.#child;
    if (child && this.#state === "up") {
      this.#state = "ending";
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      // workerd answers SIGTERM by draining.
      child.kill("SIGTERM");
      await Promise.race([ended, sleep(limitMs, undefined, { ref: false })]);
    }
    return this.stop();
  }

  /** At once, whatever is open. */
  stop(): Promise<void> {
    this.#state = "ending";
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async #dispose(): Promise<void> {
    try {
      await this.#miniflare.dispose();
    } catch (error) {
      // A runtime that never came up cannot be disposed of; why it did not is reported by `start`.
      this.#options.log("debug", messageOf(error));
    }
    rmSync(this.#options.pidFile, { force: true });
  }

  #adopt(child: ChildProcess): void {
    this.#child = child;
    writeFileSync(this.#options.pidFile, String(child.pid));
    child.once("exit", (code, signal) => {
      this.#child = undefined;
      if (this.#state === "starting") return;
      const crashed = this.#state === "up";
      // Before Miniflare hears of it: it would start workerd again behind our back, with the port open.
      void this.stop();
      if (crashed) this.#options.onCrash(`The Workers runtime ended unexpectedly (${signal ?? `exit code ${code}`}). What was answered is stored; start again with: npm start`);
    });
  }

  #miniflareOptions(): MiniflareModule.MiniflareOptions {
    const { worker, modules, curator, vars, curatorVars, listen, log, hasRoom } = this.#options;
    const { product, standIn } = localPlatform({ worker, modules: this.#options.platform, vars });
    const { modulesRules: _, ...options } = product;
    const { TEAM_INDEX: teamIndex } = worker.durableObjects;
    const main = {
      ...options,
      d1Databases: filesOf(worker),
      modules,
      durableObjects: {
        ...worker.durableObjects,
        // workerd drops an object that nobody has asked for ten seconds, and of 30,000 memories the next search would wait seconds for its graph and vectors.
        ...(teamIndex ? { TEAM_INDEX: { ...teamIndex, unsafePreventEviction: true } } : {}),
        ...(curator ? { CURATOR: { className: "Curator", scriptName: curator.worker.name, useSQLite: true } } : {}),
      },
      serviceBindings: { ...product.serviceBindings, STORAGE_ROOM: () => new miniflare.Response(null, { status: hasRoom() ? 204 : 507 }) },
      outboundService: outbound(vars),
      ...(listen ? { unsafeDirectSockets: [listen] } : {}),
    };
    return miniflare.convertV4MiniflareOptions({
      workers: [main, standIn, ...(curator ? [{ ...curatorOf(curator, curatorVars), outboundService: outbound(curatorVars) }] : [])],
      // Miniflare's own entry worker stands before the Worker and costs 0.3–0.6 ms a request (p50 of a plain fetch 0.76 ms
      // through it, 0.47 ms direct), and serves /cdn-cgi/ to whoever asks. So the public socket leads straight into the
      // Worker, and the entry stays on a random port of the loopback address for our own use (D1, cron).
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: this.#options.stateDir,
      isolatedResourcePersistencePath: this.#options.stateDir,
      // Nothing leaves the machine: no request for the `cf` object, no telemetry.
      cf: false,
      telemetry: { enabled: false },
      logRequests: false,
      log: new miniflare.Log(miniflare.LogLevel.NONE),
      handleStructuredLogs: ({ level, message }) =>
        this.#state === "starting" ? void this.#early.push({ level: levelOf(level, message), message }) : log(levelOf(level, message), message),
      unsafeRuntimeEnv: { [ownerVariable]: this.#options.dataDir },
    });
  }
}

/** The id names the file. It must not change when wrangler.toml is given the id of a database at Cloudflare. */
const filesOf = ({ d1Databases }: WorkerOptions) => Object.fromEntries(Object.keys(d1Databases).map((binding) => [binding, { id: binding }]));

function curatorOf({ worker, modules }: NonNullable<RuntimeOptions["curator"]>, vars: Record<string, string>) {
  const { modulesRules: _, ai: _ai, ...options } = worker;
  return { ...options, d1Databases: filesOf(worker), modules, bindings: { ...options.bindings, ...vars }, serviceBindings: { AI: aiStandIn } };
}

/** The same binary that Miniflare would take. */
function findWorkerd(): string {
  const fromMiniflare = createRequire(require.resolve("miniflare"));
  return (fromMiniflare("workerd") as { default: string }).default;
}

/** workerd.sh, unless the user chose a binary of their own or the file lost its mode on the way here. */
function useWrapper(): void {
  if (process.env.MINIFLARE_WORKERD_PATH || process.platform === "win32") return;
  const wrapper = fileURLToPath(new URL("./workerd.sh", import.meta.url));
  try {
    accessSync(wrapper, constants.X_OK);
    process.env.MINIFLARE_WORKERD_PATH = wrapper;
    process.env.WORKERD_BINARY = workerdBinary;
  } catch {
    // Then Ctrl-C ends workerd at once; everything else is the same.
  }
}
