import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clients } from "../../scripts/guides/clients.ts";
import type { ClaudeCode, Ran } from "./support/claude-code.ts";
import { Command } from "./support/command.ts";

const command = new Command();
let machine: ClaudeCode;
beforeEach(() => {
  machine = command.machine();
});
afterEach(() => machine.remove());

const connect = (...args: string[]): Promise<Ran> => machine.run("connect", ...args);
const there = (path: string): string => readFileSync(join(machine.folder, path), "utf8");
function put(path: string, text: string): void {
  mkdirSync(dirname(join(machine.folder, path)), { recursive: true });
  writeFileSync(join(machine.folder, path), text);
}

/** What docs/clients.md says stands in a project's file. */
function guide(id: string, needs: "key" | "browser"): unknown {
  const setup = clients.find((client) => client.id === id)?.setups.find((one) => one.format === "json" && one.needs === needs);
  const url = command.product.url("/mcp").href;
  return JSON.parse(setup?.text({ url, publicUrl: url, project: "github.com/acme/shop" }) ?? "null");
}

describe("omnimemory connect [F7] [A16]", () => {
  test.each([["claude-code", "shop/.mcp.json"], ["cursor", "shop/.cursor/mcp.json"], ["vscode", "shop/.vscode/mcp.json"]])("%s: the file says what its guide says, holds no key, and the doctor finds it well", async (client, path) => {
    const ran = await connect(client);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain(path);
    expect(JSON.parse(there(path))).toEqual(guide(client, "key"));
    expect(there(path)).not.toContain(command.product.apiKey);
    const written = there(path);
    await connect(client);
    expect(there(path)).toBe(written);
    const doctor = await machine.run("doctor");
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok {4}.*\("omnimemory"\) (?:has a key that lets it in|asks for the key itself)$/m) as string });
  });

  test.each([["cursor", "shop/.cursor/mcp.json"], ["vscode", "shop/.vscode/mcp.json"]])("%s signs in with the browser where that is asked for, or no key is known", async (client, path) => {
    await connect(client, "--browser");
    expect(JSON.parse(there(path))).toEqual(guide(client, "browser"));
    await connect(client);
    expect(JSON.parse(there(path))).toEqual(guide(client, "key"));
    delete machine.env["OMNIMEMORY_KEY"];
    await connect(client);
    expect(JSON.parse(there(path))).toMatchObject(guide(client, "browser") as object);
    expect(there(path)).not.toContain("Authorization");
  });

  test("what else stands in the file stays, in its form; for all projects no project is named", async () => {
    const before = '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"url": "https://other.example.com/mcp"\n\t\t}\n\t},\n\t"more": 1\n}\n';
    put(".cursor/mcp.json", before);
    expect((await connect("cursor", "--user")).code).toBe(0);
    const { mcpServers, more } = JSON.parse(there(".cursor/mcp.json")) as { mcpServers: Record<string, unknown>; more: number };
    expect(more).toBe(1);
    expect(mcpServers).toEqual({ other: { url: "https://other.example.com/mcp" }, omnimemory: { url: command.product.url("/mcp").href, headers: { Authorization: "Bearer ${env:OMNIMEMORY_KEY}" } } });
    expect(there(".cursor/mcp.json")).toMatch(/^\{\n\t"mcpServers": \{\n\t\t"other"/);
  });

  test("a question for the key that is there is not asked twice, and others stay", async () => {
    put("shop/.vscode/mcp.json", JSON.stringify({ inputs: [{ id: "mine", type: "promptString" }], servers: {} }));
    await connect("vscode");
    await connect("vscode");
    expect((JSON.parse(there("shop/.vscode/mcp.json")) as { inputs: { id: string }[] }).inputs.map(({ id }) => id)).toEqual(["mine", "omnimemory-key"]);
  });

  test("a file with comments keeps them: nothing is changed, and what to put in is said", async () => {
    const before = '{\n  // mine\n  "servers": {}\n}\n';
    put("shop/.vscode/mcp.json", before);
    const ran = await connect("vscode");
    expect(ran).toMatchObject({ stdout: "", stderr: expect.stringMatching(/is no plain JSON, so nothing was changed\.[\s\S]*"omnimemory": \{/) as string });
    expect(ran.code).not.toBe(0);
    expect(there("shop/.vscode/mcp.json")).toBe(before);
  });

  test.each([[["emacs"], "emacs is none of claude-code, cursor, vscode"], [["toString"], "toString is none of"], [["claude-code", "--user"], "Claude Code keeps what is for all projects itself"]])("%j is refused, and nothing is written", async (args, reason) => {
    const ran = await connect(...args);
    expect(ran).toMatchObject({ stdout: "", stderr: expect.stringContaining(reason) as string });
    expect(existsSync(join(machine.folder, "shop/.mcp.json"))).toBe(false);
  });
});
