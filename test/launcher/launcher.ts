import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../../src/launcher/start.mjs", import.meta.url));
const running = new Set<ChildProcess>();
const folders: string[] = [];

export function scratchDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "omnimemory-test-"));
  folders.push(folder);
  return folder;
}

/** Ends what a failed test left behind. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...running].map((child) => ended(child, () => child.kill("SIGTERM"))));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface Launched {
  child: ChildProcess;
  /** What the person at the terminal sees. */
  stdout: () => string;
  stderr: () => string;
  exit: Promise<number | null>;
}

/** `npm start` without npm. */
export function launch(env: Record<string, string>, nodeArgs: string[] = []): Launched {
  const child = spawn(process.execPath, [...nodeArgs, script], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const exit = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  return { child, stdout, stderr, exit };
}

/** Started and ready, as printed. */
export async function launchReady(env: Record<string, string>): Promise<Launched & { url: string; apiKey: string }> {
  const launched = launch(env);
  const failed = launched.exit.then((code) => Promise.reject(new Error(`it ended with ${code}: ${launched.stderr()}`)));
  const ready = new Promise<void>((resolve) => {
    launched.child.stdout?.on("data", () => launched.stdout().includes("claude mcp add") && resolve());
  });
  await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  const [, url = ""] = /MCP URL +(\S+)/.exec(launched.stdout()) ?? [];
  const [, apiKey = ""] = /API key +(\S+)/.exec(launched.stdout()) ?? [];
  return { ...launched, url, apiKey };
}

/** The HTTP status that a tool call without a body worth reading gets: 401 for a key that is not let in. */
export async function statusOf(url: string, apiKey: string): Promise<number> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } } }),
  });
  await answer.text();
  return answer.status;
}

export const localFile = (dataDir: string): { url: string; apiKey: string } =>
  JSON.parse(readFileSync(join(dataDir, "local.json"), "utf8")) as { url: string; apiKey: string };

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  return () => text;
}

function ended(child: ChildProcess, act: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    act();
  });
}
