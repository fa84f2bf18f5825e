import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A person's machine as the hooks find it: a home of its own, a git repository, and Claude Code, which runs what its settings name. */
export class ClaudeCode {
  readonly folder = mkdtempSync(join(tmpdir(), "omnimemory-hooks-"));
  readonly repository = join(this.folder, "shop");
  readonly settings = join(this.folder, "config", "settings.json");
  readonly transcript = join(this.folder, "conversation.jsonl");
  /** The file of the command. */
  readonly entry: string;
  /** What the hooks find in their environment. */
  env: Record<string, string>;

  constructor(command: string, env: Record<string, string>) {
    this.entry = command;
    // Nothing of the machine that the test runs on: neither a key nor git's own settings.
    this.env = { PATH: process.env["PATH"] ?? "", HOME: this.folder, CLAUDE_CONFIG_DIR: join(this.folder, "config"), GIT_CONFIG_NOSYSTEM: "1", OMNIMEMORY_DATA_DIR: join(this.folder, "none"), ...env };
    execFileSync("git", ["init", "--quiet", "--initial-branch=main", this.repository]);
    this.git("config", "user.name", "Ada");
    this.git("config", "user.email", "ada@example.com");
    this.git("remote", "add", "origin", "https://ada:secret@github.com/acme/shop.git");
  }

  git(...args: string[]): string {
    return execFileSync("git", ["-C", this.repository, ...args], { encoding: "utf8", env: this.env });
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.repository, path), text);
  }

  say(lines: object[]): void {
    writeFileSync(this.transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }

  /** The command itself, as a person runs it at the root of the repository. */
  run(...args: string[]): Promise<Ran> {
    return this.runIn(this.repository, ...args);
  }

  runIn(folder: string, ...args: string[]): Promise<Ran> {
    return this.#spawn(process.execPath, [this.entry, ...args], "", folder);
  }

  /** A command of the model, in a shell, and then the hook for it: what is there, is run as Claude Code runs it. */
  async bash(command: string, how: { cwd?: string; hidden?: boolean } = {}): Promise<Ran[]> {
    const cwd = how.cwd ?? this.repository;
    const { stdout, stderr } = await this.#spawn("bash", ["-c", command], "", cwd);
    return this.fire("PostToolUse", { cwd, tool_name: "Bash", tool_input: { command }, tool_response: { stdout: how.hidden ? "" : stdout, stderr, interrupted: false, isImage: false } });
  }

  /** Runs all hooks of an event that the settings hold, with the input that Claude Code writes. */
  async fire(event: string, input: Record<string, unknown> = {}): Promise<Ran[]> {
    const { hooks = {} } = JSON.parse(readFileSync(this.settings, "utf8")) as { hooks?: Record<string, { hooks: { command: string }[] }[]> };
    const common = { session_id: "0f9c1a52-7d3e-4b1f-9f6d-2f1d4f5e6a7b", transcript_path: this.transcript, cwd: this.repository, permission_mode: "default", hook_event_name: event };
    const ran: Ran[] = [];
    for (const { command } of (hooks[event] ?? []).flatMap((group) => group.hooks)) ran.push(await this.#spawn("bash", ["-c", command], JSON.stringify({ ...common, ...input }), this.repository));
    return ran;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(program: string, args: string[], stdin: string, cwd: string): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd, env: this.env, stdio: "pipe" });
      const [out, err]: [string[], string[]] = [[], []];
      child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => err.push(text));
      child.on("error", reject).on("close", (code) => resolve({ code, stdout: out.join(""), stderr: err.join("") }));
      // Who reads no input may end before it is written.
      child.stdin.on("error", () => undefined).end(stdin);
    });
  }
}
