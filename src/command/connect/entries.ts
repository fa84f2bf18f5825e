/** How clients name the server, and where their JSON files keep it. */
export const serverName = "omnimemory";

export interface Told {
  /** Of the MCP endpoint. */
  url: string;
  /** Left out of a file that is for all projects. */
  project?: string | undefined;
  /** A key that the client reads from its environment or asks for, or a person who signs in with the browser. */
  by: "key" | "browser";
}

export interface JsonClient {
  name: string;
  /** The property that holds the servers. */
  holder: "mcpServers" | "servers";
  /** In a project's folder, and in the person's home where the client reads such a file. */
  project: string;
  user?: string;
  entry(told: Told): Record<string, unknown>;
  /** What stands beside the servers. */
  beside?(told: Told): Record<string, unknown[]>;
  /** What a person does then. */
  next: Record<Told["by"], string>;
}

const headersOf = ({ project, by }: Told, key: string): Record<string, unknown> => {
  const headers = { ...(by === "key" ? { Authorization: `Bearer ${key}` } : {}), ...(project === undefined ? {} : { "X-Memory-Project": project }) };
  return Object.keys(headers).length === 0 ? {} : { headers };
};
const withKey = (client: string): string => `Set OMNIMEMORY_KEY where ${client} is started.`;
const input = "omnimemory-key";

export const jsonClients = {
  "claude-code": {
    name: "Claude Code", holder: "mcpServers", project: ".mcp.json",
    entry: (told) => ({ type: "http", url: told.url, ...headersOf(told, "${OMNIMEMORY_KEY}") }),
    next: { key: withKey("claude"), browser: "In a session: /mcp, then Authenticate." },
  },
  cursor: {
    name: "Cursor", holder: "mcpServers", project: ".cursor/mcp.json", user: ".cursor/mcp.json",
    entry: (told) => ({ url: told.url, ...headersOf(told, "${env:OMNIMEMORY_KEY}") }),
    next: { key: withKey("Cursor"), browser: "Customize → MCPs, then sign in." },
  },
  vscode: {
    name: "VS Code", holder: "servers", project: ".vscode/mcp.json",
    entry: (told) => ({ type: "http", url: told.url, ...headersOf(told, `\${input:${input}}`) }),
    beside: ({ by }): Record<string, unknown[]> => (by === "key" ? { inputs: [{ id: input, type: "promptString", description: "OmniMemory API key", password: true }] } : {}),
    next: { key: "It asks for the key once.", browser: "MCP: List Servers, then start it and sign in." },
  },
} satisfies Record<string, JsonClient>;
