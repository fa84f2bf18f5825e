import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Timed, ToolResult } from "./client.ts";
import { treeRssMiB } from "./process-tree.ts";

const callLimitMs = 60_000;

export interface PeerCall extends Timed {
  result: ToolResult;
}

interface Waiting {
  start: number;
  resolve: (call: PeerCall) => void;
  reject: (error: Error) => void;
}

/** An MCP server over stdio (2025-06-18, Transports: one JSON-RPC message a line), asked one request at a time. */
export class StdioPeer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #id = 0;
  #errors = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString("utf8")).slice(-1_000);
    });
    child.on("error", (error) => this.#fail(error));
    child.on("exit", (code) => this.#fail(new Error(`it ended with ${code}: ${this.#errors.trim()}`)));
    // A peer that ended makes its pipe fail; the exit event says why.
    child.stdin?.on("error", () => undefined);
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => this.#receive(line));
  }

  static async start(script: string, env: Record<string, string>): Promise<StdioPeer> {
    const child = spawn(process.execPath, [script], { env: { PATH: process.env["PATH"] ?? "", ...env }, stdio: "pipe" });
    const peer = new StdioPeer(child);
    try {
      const clientInfo = { name: "omnimemory-bench", version: "1" };
      await peer.call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      peer.#write({ jsonrpc: "2.0", method: "notifications/initialized" });
      return peer;
    } catch (error) {
      await peer.stop();
      throw error;
    }
  }

  async callTool(name: string, args: Record<string, unknown>): Promise<PeerCall> {
    const call = await this.call("tools/call", { name, arguments: args });
    if (call.result.isError) throw new Error(`${name}: ${call.result.content?.[0]?.text ?? "isError"}`);
    return call;
  }

  call(method: string, params: Record<string, unknown>): Promise<PeerCall> {
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method}: no answer after ${callLimitMs / 1000} s: ${this.#errors.trim()}`));
      }, callLimitMs);
      const settle = <T>(done: (value: T) => void) => (value: T): void => {
        clearTimeout(timer);
        done(value);
      };
      this.#waiting.set(id, { start: performance.now(), resolve: settle(resolve), reject: settle(reject) });
      this.#write({ jsonrpc: "2.0", id, method, params });
    });
  }

  rssMiB(): number | undefined {
    return this.#child.pid === undefined ? undefined : treeRssMiB(this.#child.pid);
  }

  /** Closes its input, which ends a stdio server; then SIGTERM, then SIGKILL. */
  async stop(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    this.#child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
      await Promise.race([ended, sleep(500, undefined, { ref: false })]);
      this.#child.kill(signal);
    }
  }

  #write(message: Record<string, unknown>): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #receive(line: string): void {
    const ended = performance.now();
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line) as { id?: number; result?: ToolResult; error?: { message: string } };
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (!waiting || message.id === undefined) return;
    this.#waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve({ ms: ended - waiting.start, bytes: Buffer.byteLength(line) + 1, result: message.result ?? {} });
  }

  #fail(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
