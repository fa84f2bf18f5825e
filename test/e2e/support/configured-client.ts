import { execFileSync } from "node:child_process";
import { parse as parseYaml } from "yaml";
import { keyMark, type Setup } from "../../../scripts/guides/setup.ts";

/** What a client sends, once it has read its configuration. */
export interface Reached {
  url: string;
  headers: Record<string, string>;
}

/** What the person has at hand: a folder of the project, and the key, where the client may ask for one. */
export interface AtHand {
  folder: string;
  key: string | undefined;
}

type Reader = (text: string, hand: AtHand) => Reached;

const known = (hand: AtHand): Record<string, string | undefined> => ({ OMNIMEMORY_KEY: hand.key });

/** The placeholders of one client, filled in. What is not known is an error, as a request with it would be. */
function filled(value: string, pattern: RegExp, values: Record<string, string | undefined>): string {
  const text = value.replaceAll(pattern, (_, name: string) => {
    const found = values[name];
    if (found === undefined) throw new Error(`${name} is not known`);
    return found;
  });
  if (text.includes("${")) throw new Error(`This client leaves ${text} as it stands`);
  return text;
}

const allFilled = (headers: Record<string, string> | undefined, pattern: RegExp, values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, filled(value, pattern, values)]));

interface Entry {
  type?: string;
  url: string;
  headers?: Record<string, string>;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
}

const entryOf = (text: string, property = "mcpServers"): Entry => {
  const entry = (JSON.parse(text) as Record<string, Record<string, Entry>>)[property]?.["omnimemory"];
  if (!entry) throw new Error(`no server below ${property}`);
  return entry;
};

function ofType({ type, ...entry }: Entry, expected: string): Entry {
  if (type !== expected) throw new Error(`The type is ${type}, not ${expected}`);
  return entry;
}

/** The words that a shell in the project's folder hands to the program. */
function argumentsOf(line: string, program: string, { folder, key }: AtHand): string[] {
  const env = { PATH: process.env.PATH ?? "", ...(key === undefined ? {} : { OMNIMEMORY_KEY: key }) };
  const words = execFileSync("sh", ["-euc", `${program}() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${line}`], { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  return words.split("\0").slice(0, -1);
}

/** Codex's table, one key a line. */
const codexFile: Reader = (text, hand) => {
  const [name, ...lines] = text.split("\n");
  if (name !== "[mcp_servers.omnimemory]") throw new Error(`no server below ${name}`);
  const { url, bearer_token_env_var: variable, http_headers: headers = "{}", ...others } = Object.fromEntries(lines.map((line) => line.split(/ = (.*)/) as [string, string]));
  if (!url || Object.keys(others).length > 0) throw new Error(text);
  const own = JSON.parse(headers.replaceAll('" = "', '": "')) as Record<string, string>;
  return { url: JSON.parse(url) as string, headers: { ...own, ...(variable ? { Authorization: filled(`Bearer \${${JSON.parse(variable) as string}}`, /\$\{(\w+)\}/g, known(hand)) } : {}) } };
};

const header = (line: string): [name: string, value: string] => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()];

const claudeCommand: Reader = (text, hand) => {
  const [mcp, add, transport, http, , url = "", ...options] = argumentsOf(text, "claude", hand);
  if (`${mcp} ${add} ${transport} ${http}` !== "mcp add --transport http") throw new Error(text);
  const headers: Record<string, string> = {};
  for (let i = 0; i < options.length; i += 2) {
    if (options[i] !== "--header") throw new Error(`claude has no ${options[i]}`);
    const [name, value] = header(options[i + 1] ?? "");
    headers[name] = value;
  }
  return { url, headers };
};

const codexCommand: Reader = (text, hand) => {
  const [mcp, add, , at, url = "", from, variable = ""] = argumentsOf(text, "codex", hand);
  if (`${mcp} ${add} ${at} ${from}` !== "mcp add --url --bearer-token-env-var") throw new Error(text);
  return { url, headers: { Authorization: filled(`Bearer \${${variable}}`, /\$\{(\w+)\}/g, known(hand)) } };
};

/** Claude Desktop starts a program; this one is the bridge, which fills its headers in from its own environment. */
const bridge: Reader = (text, hand) => {
  const { command, args = [], env = {} } = entryOf(text);
  const [yes, packageName, url = "", ...options] = args;
  if (`${command} ${yes} ${packageName}` !== "npx -y mcp-remote") throw new Error(text);
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace(keyMark, () => hand.key ?? keyMark)]));
  const headers = options.flatMap((option, i) => (options[i - 1] === "--header" ? [header(option)] : []));
  // A space in an argument is lost on Windows.
  if (args.some((word) => word.includes(" "))) throw new Error("an argument has a space");
  return { url, headers: allFilled(Object.fromEntries(headers), /\$\{(\w+)\}/g, own) };
};

const vscode: Reader = (text, hand) => {
  const { inputs = [] } = JSON.parse(text) as { inputs?: { id: string; type: string; password?: boolean }[] };
  const answers = Object.fromEntries(inputs.map(({ id, type, password }) => [id, type === "promptString" && password === true ? hand.key : undefined]));
  const { url, headers } = ofType(entryOf(text, "servers"), "http");
  return { url, headers: allFilled(headers, /\$\{input:([\w-]+)\}/g, answers) };
};

const continueDev: Reader = (text, hand) => {
  const block = parseYaml(text) as Record<string, unknown> & { mcpServers: { name: string; type: string; url: string; requestOptions?: { headers: Record<string, string> } }[] };
  const [server] = block.mcpServers;
  if (!server || typeof block["name"] !== "string" || typeof block["version"] !== "string" || block["schema"] !== "v1") throw new Error("not a block of Continue");
  const { url, requestOptions } = { ...server, ...ofType(server, "streamable-http") };
  return { url, headers: allFilled(requestOptions?.headers, /\$\{\{ secrets\.(\w+) \}\}/g, known(hand)) };
};

const inJson =
  (type: string | undefined, placeholder: RegExp): Reader =>
  (text, hand) => {
    const entry = entryOf(text);
    const { url, headers } = type === undefined ? entry : ofType(entry, type);
    return { url, headers: allFilled(headers, placeholder, known(hand)) };
  };

const address: Reader = (text) => ({ url: text, headers: {} });
const ofEnvironment = /\$\{env:(\w+)\}/g;

const readers: Record<string, Reader> = {
  "claude-code shell": claudeCommand,
  "claude-code json": inJson("http", /\$\{(\w+)\}/g),
  "claude-desktop address": address,
  "claude-desktop json": bridge,
  "cursor json": inJson(undefined, ofEnvironment),
  "vscode json": vscode,
  "continue yaml": continueDev,
  "cline json": (text, hand) => inJson("streamableHttp", /\$^/g)(text.replace(keyMark, () => hand.key ?? keyMark), hand),
  "codex shell": codexCommand,
  "codex toml": codexFile,
};

/** Reads a configuration as its client does. */
export function readAs(client: string, format: Setup["format"], text: string, hand: AtHand): Reached {
  const reader = readers[`${client} ${format}`];
  if (!reader) throw new Error(`nobody reads ${format} for ${client}`);
  return reader(text, hand);
}

/** The server that a link adds. */
export function linked(link: string): Entry & { name: string } {
  const url = new URL(link);
  if (url.protocol === "vscode:") return JSON.parse(decodeURIComponent(url.search.slice(1))) as Entry & { name: string };
  const config = Buffer.from(url.searchParams.get("config") ?? "", "base64").toString("utf8");
  return { name: url.searchParams.get("name") ?? "", ...(JSON.parse(config) as Entry) };
}
