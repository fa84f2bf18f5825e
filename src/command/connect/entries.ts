import { homedir } from "node:os";
import { join } from "node:path";
import { type Client, headersOf } from "./client.ts";
import * as codex from "./codex-file.ts";
import * as continueFile from "./continue-file.ts";
import { inJson } from "./json-file.ts";

const withKey = (client: string): string => `Set OMNIMEMORY_KEY where ${client} is started.`;
const input = "omnimemory-key";
const clineFile = "cline_mcp_settings.json";
const continuePath = ".continue/mcpServers/omnimemory.yaml";

/** The clients that `omnimemory connect` tells of the server: the one place for it, docs/clients.md and the doctor. */
export const connectable = {
  "claude-code": {
    name: "Claude Code", project: ".mcp.json",
    ...inJson({ holder: "mcpServers", entry: (told) => ({ type: "http", url: told.url, ...headersOf(told, "${OMNIMEMORY_KEY}") }) }),
    next: { key: withKey("claude"), browser: "In a session: /mcp, then Authenticate." },
  },
  cursor: {
    name: "Cursor", project: ".cursor/mcp.json", user: () => join(homedir(), ".cursor/mcp.json"),
    ...inJson({ holder: "mcpServers", entry: (told) => ({ url: told.url, ...headersOf(told, "${env:OMNIMEMORY_KEY}") }) }),
    next: { key: withKey("Cursor"), browser: "Customize → MCPs, then sign in." },
  },
  vscode: {
    name: "VS Code", project: ".vscode/mcp.json",
    ...inJson({
      holder: "servers",
      entry: (told) => ({ type: "http", url: told.url, ...headersOf(told, `\${input:${input}}`) }),
      beside: ({ by }): Record<string, unknown[]> => (by === "key" ? { inputs: [{ id: input, type: "promptString", description: "OmniMemory API key", password: true }] } : {}),
    }),
    next: { key: "It asks for the key once.", browser: "MCP: List Servers, then start it and sign in." },
  },
  codex: {
    name: "Codex", format: "toml", project: ".codex/config.toml", user: (env) => join(env["CODEX_HOME"] || join(homedir(), ".codex"), "config.toml"),
    written: codex.written, read: codex.read,
    next: { key: `${withKey("codex")} It reads a project's file once you trust the project.`, browser: "codex mcp login omnimemory. It reads a project's file once you trust the project." },
  },
  // Version 4 sends a header as it stands, so that a key in one would have to stand in the file.
  cline: {
    name: "Cline", only: "browser",
    user: (env) => env["CLINE_MCP_SETTINGS_PATH"] || join(env["CLINE_DATA_DIR"] || join(env["CLINE_DIR"] || join(homedir(), ".cline"), "data"), "settings", clineFile),
    ...inJson({ holder: "mcpServers", entry: (told) => ({ type: "streamableHttp", url: told.url, ...headersOf(told, "") }) }),
    next: { key: "", browser: "MCP Servers, then Authenticate beside the server." },
  },
  continue: {
    name: "Continue", format: "yaml", only: "key", project: continuePath, user: () => join(homedir(), continuePath),
    written: continueFile.written, read: continueFile.read,
    keyFiles: (root) => [join(homedir(), ".continue/.env"), join(root, ".continue/.env"), join(root, ".env")],
    next: { key: "Put OMNIMEMORY_KEY=omn_… into ~/.continue/.env.", browser: "" },
  },
} satisfies Record<string, Client>;
