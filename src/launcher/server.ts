import { join, resolve } from "node:path";
import { bundleWorker } from "./bundle.ts";
import { startCron } from "./cron.ts";
import { DataDir } from "./data-dir.ts";
import { localPlatformEntry } from "./local-platform.ts";
import { DiskRoom, fullDisk } from "./disk-room.ts";
import type { Logger } from "./log.ts";
import type { LocalKey } from "./local-identity.ts";
import { endOrphan } from "./orphan.ts";
import { claimPort, PortTaken } from "./port.ts";
import { planFor } from "./plan.ts";
import { projectRoot } from "./project.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { messageOf, StartFailure } from "./start-failure.ts";
import { healState } from "./state-files.ts";
import { readWorkerOptions } from "./worker-options.ts";

export interface ServerOptions {
  dataDir: string;
  /** 0 takes a free one. */
  port: number;
  host?: string;
  /** The Worker's main module. */
  entry?: string;
  /** Added to the `vars` of wrangler.toml. */
  vars?: Record<string, string>;
  /** Added to those of wrangler.curator.toml, and given to no other Worker. */
  curatorVars?: Record<string, string>;
  /** Make a sign-in link even for a person who has other ways in. */
  recovery?: boolean;
  /** Make another master key where that of the data is gone. */
  newMasterKey?: boolean;
  log?: Logger;
  /** The runtime died after the start; everything is closed by then. */
  onCrash?: (line: string) => void;
}

export interface LocalServer {
  /** URL of the MCP endpoint. */
  url: string;
  origin: string;
  apiKey: string;
  /** ms since the epoch; `null` for a key that the person made themselves, without an end. */
  apiKeyExpiresAt: number | null;
  /** Why clients that hold the key of the last start need this one. */
  apiKeyNotice: string | undefined;
  /** Signs the local person in with a browser, once; none when they have a way in of their own. */
  signInUrl: string | undefined;
  /** Process id of workerd. */
  pid: number | undefined;
  /** Lets open requests finish for at most `limitMs`, then ends everything. */
  close: (limitMs?: number) => Promise<void>;
}

const drainMs = 10_000;
const dayMs = 86_400_000;

/**
 * The beginnings of workerd's and the Worker's messages about a database that cannot be opened or read. Only at the beginning,
 * so that no text in an error is taken for it.
 */
const damageWords = /^(?:\w+ = workerd\/util\/sqlite.*|\{"level":"error","event":"[^"]*","requestId":"[^"]*","name":"Error","message":"(?:D1_ERROR: )?(?:database disk image is malformed|file is not a database): )SQLITE_(?:CORRUPT|NOTADB)/;
const healDrainMs = 2_000;
const healEveryMs = 60_000;

/** The whole product on this machine: the Worker in workerd, its data under `dataDir`. @throws StartFailure */
export async function startServer(options: ServerOptions): Promise<LocalServer> {
  // Its stand-in embeds, and refuses all else: every answer would be missing, one note after another.
  if (options.curatorVars?.["INTELLIGENCE_PROVIDER"] === "workers-ai") throw new StartFailure("Workers AI has no language models on this machine. INTELLIGENCE_PROVIDER=openai-compatible asks a local one, anthropic that of Anthropic.");
  const dataDir = DataDir.open(resolve(options.dataDir));
  const started: Runtime[] = [];
  let room: DiskRoom | undefined;
  try {
    room = DiskRoom.open(dataDir.path, options.log ?? (() => undefined));
    return await startIn(dataDir, room, options, started);
  } catch (error) {
    await Promise.all(started.map((runtime) => runtime.stop()));
    room?.close();
    dataDir.close();
    throw fullDisk(dataDir.path, error) ?? error;
  }
}

async function startIn(dataDir: DataDir, room: DiskRoom, options: ServerOptions, started: Runtime[]): Promise<LocalServer> {
  const { host = "127.0.0.1", log = () => undefined, entry = join(projectRoot, "src", "index.ts") } = options;
  const vars = { MASTER_KEYS: options.vars?.["MASTER_KEYS"] ?? dataDir.masterKeys(options.newMasterKey ?? false), ...options.vars };
  await endOrphan(dataDir.pidFile, dataDir.path);
  let port = await claimPort(host, options.port);
  const prepared = dataDir.readPrepared();
  const discardDamaged = (): void => {
    for (const file of healState(dataDir.path, dataDir.stateDir, dataDir.readPrepared().databases)) {
      log("warn", `${join(dataDir.stateDir, file)} was damaged and is discarded. It is made anew from the memories, which are whole.`);
    }
  };
  discardDamaged();

  // Side by side: esbuild and wrangler work in processes of their own while this one loads Miniflare.
  const [modules, platform, worker, curator, { Runtime }] = await Promise.all([
    bundleWorker(entry), bundleWorker(localPlatformEntry), readWorkerOptions(), options.entry === undefined ? readCurator() : undefined, import("./runtime.ts"),
  ]);
  const plan = planFor(worker);

  let onCrash: (line: string) => void = () => undefined;
  const crash = new Promise<never>((_, reject) => {
    onCrash = (line) => reject(new StartFailure(line));
  });
  crash.catch(() => undefined);
  let onLine: (line: string) => void = () => undefined;
  const watchedLog: Logger = (level, line) => {
    log(level, line);
    onLine(line);
  };
  const { path, stateDir, pidFile } = dataDir;
  // Nothing is to be curated before the tables are there, and nobody can reach the server.
  const run = async (listen?: RuntimeOptions["listen"]): Promise<Runtime> => {
    const runtime = await Runtime.start({ worker, modules, ...(curator && listen ? { curator } : {}), platform, vars, curatorVars: options.curatorVars ?? {}, dataDir: path, stateDir, pidFile, log: watchedLog, onCrash, hasRoom: () => !room.isFull, ...(listen ? { listen } : {}) });
    started.push(runtime);
    return runtime;
  };
  // drizzle takes 0.2 s and more to load, which it can while the runtime starts.
  const signIn = import("./sign-in-link.ts");
  signIn.catch(() => undefined);
  const prepareIn = async (starting: Runtime | Promise<Runtime>, known: string | undefined): Promise<LocalKey> => {
    const [runtime, { prepare }] = await Promise.all([starting, import("./prepare.ts")]);
    return Promise.race([prepare(runtime, plan, known, options.newMasterKey ? vars.MASTER_KEYS : undefined), crash]);
  };

  const known = dataDir.readLocal()?.apiKey;
  let key: LocalKey | undefined;
  if (known === undefined || prepared.digest !== plan.digest || prepared.databases.length === 0) {
    // The first start, or the first after an update: nobody may reach the Worker before its tables are there.
    const unreachable = run();
    key = await prepareIn(unreachable, known);
    await (await unreachable).stop();
    dataDir.writePrepared(plan.digest);
  }
  let runtime: Runtime | undefined;
  while (!runtime) {
    // Before the port opens, so that whoever sees the server answer finds the file.
    dataDir.writeLocal({ url: `http://${host}:${port}/mcp`, apiKey: key?.token ?? known ?? "" });
    try {
      runtime = await run({ host, port });
    } catch (error) {
      if (options.port !== 0 || !(error instanceof PortTaken)) throw error;
      port = await claimPort(host, 0);
    }
  }
  const origin = `http://${host}:${port}`;
  const url = `${origin}/mcp`;
  // Also finds out whether the databases or local.json were exchanged behind the mark, or the key has ended.
  key ??= await prepareIn(runtime, known);
  const { token: apiKey, expiresAt: apiKeyExpiresAt, notice: apiKeyNotice } = key;
  if (apiKey !== known) dataDir.writeLocal({ url, apiKey });
  await warmUp(url, apiKey);

  const signInUrl = await signIn.then(({ signInLink }) => Promise.race([signInLink(runtime, port, options.recovery ?? false), crash]));

  let serving = runtime;
  let healing = Promise.resolve();
  let healedAt = Number.NEGATIVE_INFINITY;
  const heal = async (): Promise<void> => {
    await serving.drain(healDrainMs);
    discardDamaged();
    serving = await run({ host, port });
  };
  // The runtime can neither start an object on a damaged file nor close the file.
  onLine = (line) => {
    if (!damageWords.test(line) || performance.now() - healedAt < healEveryMs) return;
    healedAt = performance.now();
    log("warn", "A database was damaged under the running server, which therefore starts anew.");
    healing = heal().catch((error: unknown) => onCrash(messageOf(error)));
  };

  // Tried again every minute; a runtime that has died says so itself.
  const purge = (): Promise<void> => serving.purgeExpired().catch((error: unknown) => log("debug", `Expired entries could not be deleted: ${messageOf(error)}`));
  void purge();
  const cron = startCron(worker.cronTriggers, async (expression, at) => {
    await purge();
    await serving.fireScheduled(expression, at);
  }, log);
  const curatorCron = startCron(curator?.worker.cronTriggers ?? [], (expression, at) => serving.fireCurator(expression, at), log);
  const renewal = setInterval(() => {
    const renewed = import("./prepare.ts").then(({ renew }) => renew(serving, plan, apiKey));
    renewed.catch((error: unknown) => log("error", `The API key could not be renewed: ${messageOf(error)}`));
  }, dayMs);
  crash.catch(async (failure: StartFailure) => {
    clearInterval(renewal);
    onLine = () => undefined;
    cron.stop();
    curatorCron.stop();
    room.close();
    await serving.stop();
    dataDir.close();
    options.onCrash?.(failure.message);
  });
  const close = async (limitMs: number): Promise<void> => {
    clearInterval(renewal);
    onLine = () => undefined;
    cron.stop();
    curatorCron.stop();
    room.close();
    await healing;
    await serving.drain(limitMs);
    dataDir.close();
  };
  let closed: Promise<void> | undefined;
  return {
    url, origin, apiKey, apiKeyExpiresAt, apiKeyNotice, signInUrl,
    get pid() {
      return serving.pid;
    },
    close: (limitMs = drainMs) => (closed ??= close(limitMs)),
  };
}

/** The Worker of the curator; a main module of somebody else's need not have what it binds to. */
async function readCurator(): Promise<NonNullable<RuntimeOptions["curator"]>> {
  const [worker, modules] = await Promise.all([readWorkerOptions("wrangler.curator.toml"), bundleWorker(join(projectRoot, "src", "curator", "index.ts"))]);
  return { worker, modules };
}

/** A whole request of the stateless protocol era: it goes through every layer and leaves nothing behind. */
const discover = {
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-method": "server/discover", "mcp-protocol-version": "2026-07-28" },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "server/discover",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "omnimemory-launcher", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
};

/** The first request, which finds the Worker cold, so that no client's does. */
async function warmUp(url: string, apiKey: string): Promise<void> {
  const headers = { ...discover.headers, authorization: `Bearer ${apiKey}` };
  const answer = await fetch(url, { method: "POST", headers, body: discover.body, signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  await answer?.body?.cancel();
}
