import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OmniMemory } from "../../src/client/client.ts";
import { freePort } from "../launcher/free-port.ts";
import type { ClaudeCode, Ran } from "./support/claude-code.ts";
import { Command } from "./support/command.ts";

const command = new Command();

let claude: ClaudeCode;
beforeEach(() => {
  claude = command.machine();
});
afterEach(() => claude.remove());

const install = (): Promise<Ran> => claude.run("hooks", "install");
const settings = (): any => JSON.parse(readFileSync(claude.settings, "utf8"));
const quiet = { code: 0, stdout: "", stderr: "" };

describe("omnimemory hooks install [C6]", () => {
  test("one command, and the settings hold a hook for each event, the server and no key", async () => {
    const ran = await install();
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(Object.keys(settings().hooks)).toEqual(["SessionStart", "PostToolUse", "PreCompact", "Stop"]);
    expect(settings().hooks.PostToolUse).toEqual([{ matcher: "Bash", hooks: [expect.objectContaining({ type: "command", if: "Bash(git *)", async: true, command: expect.stringContaining(`omnimemory.js" hook post-commit --url ${command.product.url().origin}`) as string }) as object] }]);
    expect(readFileSync(claude.settings, "utf8") + ran.stdout).not.toContain(command.product.apiKey);
    expect(statSync(claude.settings).mode & 0o777).toBe(0o600);
  });

  test("the command says how it is used when it is asked", async () => {
    for (const ask of ["--help", "-h"]) expect(await claude.run(ask)).toMatchObject({ code: 0, stdout: expect.stringContaining("omnimemory hooks install") as string, stderr: "" });
  });

  test("what else is in the settings stays as it is, however often it is installed; removing takes out just what was put in", async () => {
    const own = {
      $schema: "https://json.schemastore.org/claude-code-settings.json",
      permissions: { allow: ["Bash(npm test)"], deny: [] },
      hooks: {
        PostToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: "npx prettier --write" }] }, { matcher: "Bash", hooks: [{ type: "http", url: "http://localhost:1/hook" }] }],
        Stop: [],
        UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo omnimemory hook stop", timeout: 5 }] }],
      },
      model: "opus",
      unknown: { later: [1, { 2: null }] },
    };
    const before = `${JSON.stringify(own, undefined, "\t")}\n`;
    mkdirSync(dirname(claude.settings));
    writeFileSync(claude.settings, before);
    await install();
    const once = readFileSync(claude.settings, "utf8");
    expect(settings()).toMatchObject({ ...own, hooks: { ...own.hooks, PostToolUse: [...own.hooks.PostToolUse, {}], Stop: [{}] } });
    await install();
    expect(readFileSync(claude.settings, "utf8")).toBe(once);
    expect(await claude.run("hooks", "remove")).toMatchObject({ code: 0 });
    // An event that had an empty list has none.
    const { Stop: _none, ...hooks } = own.hooks;
    expect(readFileSync(claude.settings, "utf8")).toBe(`${JSON.stringify({ ...own, hooks }, undefined, "\t")}\n`);
  });

  test("a file keeps its form: the mark of UTF-8, the ends of lines, and the link to it, of an empty file or one that is not there, too", async () => {
    mkdirSync(dirname(claude.settings));
    const before = '\ufeff{\r\n  "model": "opus"\r\n}\r\n';
    writeFileSync(claude.settings, before);
    expect(await install()).toMatchObject({ code: 0 });
    expect(readFileSync(claude.settings, "utf8")).toMatch(/^\ufeff\{\r\n {2}"model": "opus",\r\n {2}"hooks": (?:[^\r\n]*\r\n)+$/);
    await claude.run("hooks", "remove");
    expect(readFileSync(claude.settings, "utf8")).toBe(before);
    for (const text of ["", undefined]) {
      const target = join(claude.folder, `dotfiles-${text}.json`);
      if (text !== undefined) writeFileSync(target, text, { mode: 0o640 });
      rmSync(claude.settings);
      symlinkSync(join("..", basename(target)), claude.settings);
      expect(await install()).toMatchObject({ code: 0 });
      expect(lstatSync(claude.settings).isSymbolicLink()).toBe(true);
      expect(JSON.parse(readFileSync(target, "utf8"))).toMatchObject({ hooks: { Stop: [{}] } });
      expect(statSync(target).mode & 0o777).toBe(text === undefined ? 0o600 : 0o640);
    }
  });

  test("an empty variable is as good as none, and what is no address of a server is refused before anything is written", async () => {
    const data = join(claude.folder, "data");
    mkdirSync(data);
    writeFileSync(join(data, "local.json"), JSON.stringify({ url: command.product.url().href, apiKey: command.product.apiKey }));
    claude.env = { ...claude.env, OMNIMEMORY_DATA_DIR: data, OMNIMEMORY_URL: "", OMNIMEMORY_KEY: "" };
    for (const url of ["localhost:26366", "ftp://memory.example.com"]) expect(await claude.run("hooks", "install", "--url", url)).toMatchObject({ code: 1, stderr: `${url} is not the URL of a server: it begins with https:// or http://.\n` });
    expect(existsSync(claude.settings)).toBe(false);
    expect(await install()).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(`Hooks for ${command.product.url().origin} `) as string });
    claude.git("remote", "remove", "origin");
    expect(await claude.fire("SessionStart", { source: "startup" })).toEqual([quiet]);
  });

  test("a file that is no settings file is left alone", async () => {
    mkdirSync(dirname(claude.settings));
    for (const text of ["{ // mine\n}", '{"hooks": []}', '{"hooks": {"Stop": [{"command": "x"}]}}']) {
      writeFileSync(claude.settings, text);
      for (const act of ["install", "remove"]) expect(await claude.run("hooks", act)).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was changed") as string });
      expect(readFileSync(claude.settings, "utf8")).toBe(text);
    }
  });

  test("--project writes the file of the repository that Claude Code does not commit", async () => {
    expect(await claude.run("hooks", "install", "--project")).toMatchObject({ code: 0 });
    expect(existsSync(claude.settings)).toBe(false);
    expect(JSON.parse(readFileSync(join(claude.repository, ".claude", "settings.local.json"), "utf8"))).toMatchObject({ hooks: { SessionStart: [{}] } });
    expect(claude.git("status", "--porcelain")).toBe("");
    const exclude = join(claude.repository, ".git", "info", "exclude");
    const told = readFileSync(exclude, "utf8");
    await claude.run("hooks", "install", "--project");
    expect(readFileSync(exclude, "utf8")).toBe(told);
  });

  test("the key of this machine's server goes to that server only, and a project's settings cannot turn hooks to another", async () => {
    const data = join(claude.folder, "data");
    mkdirSync(data);
    writeFileSync(join(data, "local.json"), JSON.stringify({ url: command.product.url().href, apiKey: command.product.apiKey }));
    const { OMNIMEMORY_KEY: _key, OMNIMEMORY_URL: _url, ...rest } = claude.env;
    claude.env = { ...rest, OMNIMEMORY_DATA_DIR: data };
    await install();
    const memory = new OmniMemory({ url: command.product.url().origin, key: command.product.apiKey, project: "github.com/acme/shop" });
    await memory.call("omn_store_memory", { content: "The tills close at ten.", metadata: { importance: 0.9 } });
    expect((await claude.fire("SessionStart", { source: "startup" }))[0]?.stdout).toContain("The tills close at ten.");
    const seen: string[] = [];
    const other = createServer((socket) => socket.on("data", (bytes) => {
      seen.push(bytes.toString());
      socket.end();
    }));
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    claude.env = { ...claude.env, OMNIMEMORY_URL: `http://127.0.0.1:${port}` };
    expect((await claude.fire("SessionStart", { source: "startup" }))[0]?.stdout).toContain("The tills close at ten.");
    expect(await claude.run("hook", "stop", "--url", `http://127.0.0.1:${port}`)).toMatchObject({ code: 0 });
    await claude.run("hooks", "install", "--url", `http://127.0.0.1:${port}`);
    expect((await claude.fire("SessionStart", { source: "startup" }))[0]).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("set OMNIMEMORY_KEY") as string });
    expect(seen).toEqual([]);
    await new Promise((resolve) => other.close(resolve));
  });
});
