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

/** What docs/clients.md says stands in a client's file. */
function guide(id: string, needs: "key" | "browser"): unknown {
  const setup = clients.find((client) => client.id === id)?.setups.find((one) => !["shell", "address"].includes(one.format) && one.needs === needs);
  const url = command.product.url("/mcp").href;
  const text = setup?.text({ url, publicUrl: url, project: "github.com/acme/shop" }) ?? "null";
  return setup?.format === "json" ? JSON.parse(text) : `${text}\n`;
}
/** The same, as it stands in a file. */
const said = (path: string): unknown => (path.endsWith(".json") ? JSON.parse(there(path)) : there(path));

const cline = ".cline/data/settings/cline_mcp_settings.json";
const codex = "shop/.codex/config.toml";
const continueFile = "shop/.continue/mcpServers/omnimemory.yaml";

describe("omnimemory connect [F7] [A16]", () => {
  test.each([["claude-code", "shop/.mcp.json"], ["cursor", "shop/.cursor/mcp.json"], ["vscode", "shop/.vscode/mcp.json"], ["codex", codex], ["continue", continueFile]])("%s: the file says what its guide says, holds no key, and the doctor finds it well", async (client, path) => {
    const ran = await connect(client);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain(path);
    expect(said(path)).toEqual(guide(client, "key"));
    expect(there(path)).not.toContain(command.product.apiKey);
    const written = there(path);
    await connect(client);
    expect(there(path)).toBe(written);
    const doctor = await machine.run("doctor");
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok {4}.*\("omnimemory"\) (?:has a key that lets it in|asks for the key itself)$/m) as string });
  });

  test.each([["cursor", "shop/.cursor/mcp.json"], ["vscode", "shop/.vscode/mcp.json"], ["codex", codex]])("%s signs in with the browser where that is asked for, or no key is known", async (client, path) => {
    await connect(client, "--browser");
    expect(said(path)).toEqual(guide(client, "browser"));
    await connect(client);
    expect(said(path)).toEqual(client === "codex" ? expect.stringContaining('bearer_token_env_var = "OMNIMEMORY_KEY"') : guide(client, "key"));
    delete machine.env["OMNIMEMORY_KEY"];
    await connect(client);
    expect({ file: said(path) }).toMatchObject({ file: guide(client, "browser") });
    expect(there(path)).not.toMatch(/Authorization|OMNIMEMORY_KEY/);
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

  test("Cline signs in with the browser, in its one file; what it keeps beside a server that is the same stays", async () => {
    const { code, stdout } = await connect("cline");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/Authenticate/) as string });
    expect(said(cline)).toEqual(guide("cline", "browser"));
    expect((await machine.run("doctor")).stdout).toContain('ok    Cline ("omnimemory") signs in with the browser');
    const url = command.product.url("/mcp").href;
    put(cline, JSON.stringify({ mcpServers: { other: { command: "x" }, omnimemory: { url, type: "streamableHttp", disabled: true, oauth: { tokens: {} } } } }));
    const before = said(cline);
    await connect("cline");
    expect(said(cline)).toEqual(before);
    put(cline, JSON.stringify({ mcpServers: { omnimemory: { transport: { type: "streamableHttp", url, headers: { Authorization: "Bearer omn_bx5OV62no3WD8hqC_XJlC4tRC5A8dOKeVuDWd98QjoiFfiBNi" } } } } }));
    expect((await machine.run("doctor")).stdout).toContain('FAIL  Cline ("omnimemory") has a key that is not valid.');
    machine.env["CLINE_MCP_SETTINGS_PATH"] = join(machine.folder, "elsewhere.json");
    await connect("cline");
    expect(said("elsewhere.json")).toEqual(guide("cline", "browser"));
  });

  test("Codex: comments and what else stands in the file stay, to the letter", async () => {
    const text = ['# mine', 'model = "o3" # fast', '', '[mcp_servers.other]', 'command = "npx"', 'args = [', '  "-y", # ]', '  "[mcp_servers.omnimemory]",', ']', 'note = """', '[mcp_servers.omnimemory]', '"""', ''].join("\n");
    put(".codex/config.toml", text);
    expect((await connect("codex", "--user")).code).toBe(0);
    const url = command.product.url("/mcp").href;
    expect(there(".codex/config.toml")).toBe(`${text}\n[mcp_servers.omnimemory]\nurl = "${url}"\nbearer_token_env_var = "OMNIMEMORY_KEY"\n`);
    expect((await machine.run("doctor")).stdout).toContain('ok    Codex ("omnimemory") has a key that lets it in');

    put(codex, '[mcp_servers."omnimemory"] # ours\r\n# off for now\r\nenabled = false\r\nurl = \'http://old.example.com/mcp\' # here\r\n\r\n[mcp_servers.omnimemory.tools.omn_forget]\r\napproval_mode = "prompt"\r\n');
    await connect("codex");
    expect(there(codex)).toBe(`[mcp_servers."omnimemory"] # ours\r\nbearer_token_env_var = "OMNIMEMORY_KEY"\r\nhttp_headers = { "X-Memory-Project" = "github.com/acme/shop" }\r\n# off for now\r\nenabled = false\r\nurl = "${url}" # here\r\n\r\n[mcp_servers.omnimemory.tools.omn_forget]\r\napproval_mode = "prompt"\r\n`);
    machine.env["CODEX_HOME"] = join(machine.folder, "codex");
    await connect("codex", "--user");
    expect(there("codex/config.toml")).toContain(`url = "${url}"`);
  });

  test.each([
    ['mcp_servers = { omnimemory = { url = "https://old.example.com/mcp" } }\n', "names its servers in another form"],
    ['[mcp_servers]\nomnimemory = { url = "https://old.example.com/mcp" }\n', "names its servers in another form"],
    ['mcp_servers.omnimemory.url = "https://old.example.com/mcp"\n', "names its servers in another form"],
    ['[mcp_servers.omnimemory]\ncommand = "npx"\n', "has a server of another kind"],
    ['[mcp_servers.omnimemory]\nurl = "https://old.example.com/mcp"\nhttp_headers = { "X-Mine" = "1" }\n', "has http_headers of its own"],
    ['[mcp_servers.omnimemory.http_headers]\n"X-Mine" = "1"\n', "has http_headers of its own"],
    ['a = "open\n', "is no TOML"],
  ])("Codex: %j is left as it is, and what to put in is said", async (before, reason) => {
    put(codex, before);
    const ran = await connect("codex");
    expect(ran).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(reason) as string });
    expect(ran.stderr).toContain("so nothing was changed. Put this in by hand:\n[mcp_servers.omnimemory]\nurl = ");
    expect(there(codex)).toBe(before);
  });

  test("Continue: its file is renewed, one that somebody changed stays; the key is looked for where it looks", async () => {
    expect(await connect("continue", "--browser")).toMatchObject({ code: 1, stderr: "Continue does not sign in with the browser: it needs a key.\n" });
    expect(existsSync(join(machine.folder, continueFile))).toBe(false);
    await connect("continue", "--url", "https://old.example.com");
    await connect("continue");
    expect(said(continueFile)).toEqual(guide("continue", "key"));
    await connect("continue", "--user");
    expect(there(".continue/mcpServers/omnimemory.yaml")).not.toContain("X-Memory-Project");

    const key = machine.env["OMNIMEMORY_KEY"] as string;
    delete machine.env["OMNIMEMORY_KEY"];
    expect((await machine.run("doctor")).stdout).toContain(`FAIL  Continue, this project ("omnimemory") reads the key from OMNIMEMORY_KEY, which is not set here.\n      Put OMNIMEMORY_KEY=omn_… into ${join(machine.folder, ".continue/.env")}.`);
    put(".continue/.env", `OTHER=1\nOMNIMEMORY_KEY="${key}"\n`);
    expect((await machine.run("doctor")).stdout).toContain('ok    Continue, this project ("omnimemory") has a key that lets it in');

    const changed = `${there(continueFile)}  - name: other\n    type: sse\n    url: https://other.example.com/sse\n`;
    put(continueFile, changed);
    expect(await connect("continue", "--url", "https://new.example.com")).toMatchObject({ code: 1, stderr: expect.stringContaining("was changed by hand, so nothing was changed. Put this in by hand:\nname: OmniMemory") as string });
    expect(there(continueFile)).toBe(changed);
  });
});
