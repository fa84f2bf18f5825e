import { type Client as Connectable, serverName } from "../../src/command/connect/client.ts";
import { connectable } from "../../src/command/connect/entries.ts";
import { guided, json, keyMark, shell, type Setup, type Site } from "./setup.ts";

/** An AI tool and how it is told of this server: the one place that README.md and docs/clients.md are written from. */
export interface Client {
  readonly id: string;
  readonly name: string;
  /** Whether it can sign in with a browser (OAuth), so that the URL is all that it needs. */
  readonly speaksOAuth: boolean;
  /** The first is the one to take where nothing speaks for another. */
  readonly setups: readonly Setup[];
  /** Adds the server by being opened; whoever opens it signs in with the browser. */
  readonly link?: (site: Site) => string;
  /** How a person sees in the client itself that it is connected. */
  readonly look: string;
  /** How its memories are kept apart by project. */
  readonly scope: string;
  /** What goes wrong here and nowhere else. */
  readonly trouble?: string;
}

const name = serverName;
const bearer = (key: string): string => `Bearer ${key}`;
/** As `omnimemory connect` writes it. */
const written =
  (client: keyof typeof connectable, by: "key" | "browser"): Setup["text"] =>
  ({ url, project }) => {
    const known: Connectable = connectable[client];
    const text = known.written("", { url, by, project: known.project === undefined ? undefined : project }).trimEnd();
    return known.format === "json" ? json(JSON.parse(text)) : text;
  };
const inProject = "The header `X-Memory-Project` in the file: put in your git remote, or the folder's path where there is none.";

const claudeCode: Client = {
  id: "claude-code",
  name: "Claude Code",
  speaksOAuth: true,
  setups: [
    shell("In the project's folder", {
      place: "a command",
      note: "keeps the key in `~/.claude.json`",
      text: ({ url }) => `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer $OMNIMEMORY_KEY" --header "X-Memory-Project: $(git remote get-url origin || pwd)"`,
    }),
    guided("For everybody who works on the project", "json", {
      place: "`.mcp.json`",
      note: "each reads their own key from the environment",
      isCommitted: true,
      needs: "key",
      text: written("claude-code", "key"),
    }),
    shell("Signing in with the browser instead of a key", {
      place: "a command",
      note: "then `/mcp` in a session, and Authenticate",
      needs: "browser",
      text: ({ url }) => `claude mcp add --transport http ${name} ${url} --header "X-Memory-Project: $(git remote get-url origin || pwd)"`,
    }),
  ],
  look: "`claude mcp list` says connected, `/mcp` in a session shows the tools.",
  scope: "The header `X-Memory-Project`; the command fills in the git remote of the folder it runs in. `--scope user` adds the server for all folders: leave the header out then.",
  trouble: "An unset variable in `.mcp.json` is sent as it stands and answered with 401: set it before `claude` starts.",
};

const claudeDesktop: Client = {
  id: "claude-desktop",
  name: "Claude Desktop",
  speaksOAuth: true,
  setups: [
    guided("A deployed server", "address", {
      place: "Settings → Connectors → Add custom connector",
      note: "this is its URL; Claude's own servers call it, so the internet must reach it by https; claude.ai and the phones have it too",
      needs: "browser",
      text: ({ publicUrl }) => publicUrl,
    }),
    guided("A server on this machine", "json", {
      place: "`claude_desktop_config.json` in `~/Library/Application Support/Claude/` (macOS) or `%APPDATA%\\Claude\\` (Windows)",
      note: "Settings → Developer → Edit Config opens it; such a file starts programs only, so `mcp-remote` (Node 20) carries the calls over; put in your key, and keep the file to yourself",
      needs: "key",
      text: ({ url }) =>
        json({ mcpServers: { [name]: { command: "npx", args: ["-y", "mcp-remote", url, "--transport", "http-only", "--header", "Authorization:${AUTHORIZATION}"], env: { AUTHORIZATION: bearer(keyMark) } } } }),
    }),
  ],
  look: "Settings → Connectors lists it as connected; in the file's case Settings → Developer says running.",
  scope: "Chats belong to no project. `?project=github.com/acme/shop` at the end of the URL keeps one connector to one project.",
  trouble: "Quit the app, not only its window, after a change of the file. On Windows `npx` may not start: put `cmd` as `command` and `\"/c\", \"npx\"` before the other `args`. Without `--header` and `env` the bridge signs in with the browser.",
};

const cursor: Client = {
  id: "cursor",
  name: "Cursor",
  speaksOAuth: true,
  setups: [
    guided("In a project", "json", {
      place: "`.cursor/mcp.json`, for all projects `~/.cursor/mcp.json`",
      note: "started where that variable is set",
      isCommitted: true,
      needs: "key",
      text: written("cursor", "key"),
    }),
    guided("Signing in with the browser instead of a key", "json", {
      place: "`.cursor/mcp.json`",
      isCommitted: true,
      needs: "browser",
      text: written("cursor", "browser"),
    }),
  ],
  link: ({ url }) => `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${encodeURIComponent(Buffer.from(JSON.stringify({ url })).toString("base64"))}`,
  look: "Customize → MCPs (before, Settings → MCP) shows a green dot and the tools.",
  scope: `${inProject} In \`~/.cursor/mcp.json\` leave it out.`,
  trouble: "An app that was started from the dock does not know the variables of your shell: start it from there with `cursor .`.",
};

const vscode: Client = {
  id: "vscode",
  name: "VS Code",
  speaksOAuth: true,
  setups: [
    guided("In a project, for GitHub Copilot's agent mode", "json", {
      place: "`.vscode/mcp.json`, for all projects command `MCP: Open User Configuration`",
      note: "it asks for the key once",
      isCommitted: true,
      needs: "key",
      text: written("vscode", "key"),
    }),
    guided("Signing in with the browser instead of a key", "json", {
      place: "`.vscode/mcp.json`",
      isCommitted: true,
      needs: "browser",
      text: written("vscode", "browser"),
    }),
  ],
  link: ({ url }) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: "http", url }))}`,
  look: "Command `MCP: List Servers` says running; the tools button of the chat in agent mode lists the tools.",
  scope: `${inProject} In the user configuration leave it out.`,
  trouble: "A wrong key stays stored: the lens above it in `mcp.json` clears it, and the next start asks anew.",
};

const continueDev: Client = {
  id: "continue",
  name: "Continue",
  speaksOAuth: false,
  setups: [
    guided("In a project", "yaml", {
      place: "`.continue/mcpServers/omnimemory.yaml`, for all projects in `~/.continue/mcpServers/`",
      note: "the key stands as `OMNIMEMORY_KEY=omn_…` in `~/.continue/.env`",
      isCommitted: true,
      needs: "key",
      text: written("continue", "key"),
    }),
  ],
  look: "The tools button below the chat in agent mode (the only one with MCP) lists omnimemory.",
  scope: `${inProject} In \`~/.continue\` leave it out.`,
  trouble: "`headers` beside `url` are ignored: they belong below `requestOptions`. A `.env` inside the project belongs into `.gitignore`.",
};

const cline: Client = {
  id: "cline",
  name: "Cline",
  speaksOAuth: true,
  setups: [
    guided("For all projects, signing in with the browser", "json", {
      place: "`~/.cline/data/settings/cline_mcp_settings.json`",
      note: "then Authenticate beside the server; version 3 of the extension keeps its file elsewhere, and MCP Servers → Configure → Configure MCP Servers opens it",
      needs: "browser",
      text: written("cline", "browser"),
    }),
    guided("With a key", "json", {
      place: "the same file",
      note: "put in your key, and keep the file to yourself: version 4 sends a header as it stands, so that a variable in it stays one",
      needs: "key",
      text: ({ url }) => json({ mcpServers: { [name]: { type: "streamableHttp", url, headers: { Authorization: bearer(keyMark) } } } }),
    }),
  ],
  look: "MCP Servers → Configure shows a green dot and the tools.",
  scope: "The file is for all projects. Write into the project's `.clinerules`: Pass project \"github.com/acme/shop\" to the tools of omnimemory.",
  trouble: "Without `type` Cline speaks the old SSE transport, which is at `/sse`.",
};

const codex: Client = {
  id: "codex",
  name: "Codex",
  speaksOAuth: true,
  setups: [
    shell("For all projects", {
      place: "a command",
      note: "reads the key at each start",
      text: ({ url }) => `codex mcp add ${name} --url ${url} --bearer-token-env-var OMNIMEMORY_KEY`,
    }),
    guided("In a project", "toml", {
      place: "`.codex/config.toml`, for all projects `~/.codex/config.toml`",
      note: "reads the key from that variable, and a project's file once you trust the project",
      isCommitted: true,
      needs: "key",
      text: written("codex", "key"),
    }),
    guided("Signing in with the browser instead of a key", "toml", {
      place: "`.codex/config.toml`",
      note: "then `codex mcp login omnimemory`",
      isCommitted: true,
      needs: "browser",
      text: written("codex", "browser"),
    }),
  ],
  look: "`codex mcp list` names it, `/mcp` in a session shows the tools.",
  scope: `${inProject} In \`~/.codex/config.toml\` leave it out.`,
};

export const clients: readonly Client[] = [claudeCode, claudeDesktop, cursor, vscode, continueDev, cline, codex];
