import { connectable } from "../../src/command/connect/entries.ts";
import { type Client, clients } from "./clients.ts";
import type { Format, Setup, Site } from "./setup.ts";

/** As `npm start` serves it. */
export const exampleSite: Site = { url: "http://127.0.0.1:26366/mcp", publicUrl: "https://memory.example.com/mcp", project: "github.com/acme/shop" };

const fence: Record<Format, string> = { shell: "sh", json: "json", toml: "toml", yaml: "yaml", address: "text" };
const block = (setup: Setup, site: Site): string => `\`\`\`${fence[setup.format]}\n${setup.text(site)}\n\`\`\``;

/** docs/clients.md */
export function clientsPage(site: Site = exampleSite): string {
  return `${[intro(site), common, ...clients.map((client) => section(client, site)), otherClients(site)].join("\n\n")}\n`;
}

const intro = (site: Site): string => `# Add OmniMemory to a client

Written by \`npm run guides\` from \`scripts/guides/clients.ts\`; the tests read each configuration as its client does and connect with it.

\`${site.url}\` is where \`npm start\` serves, and \`${site.project}\` an example of a project. For a deployed server put in its own URL.

| | transport | signs in with the browser | by API key |
|---|---|---|---|
${clients.map(({ id, name, speaksOAuth, setups }) => `| [${name}](#${id}) | Streamable HTTP${setups.some(({ text }) => text(site).includes("mcp-remote")) ? ", on this machine through a bridge" : ""} | ${speaksOAuth ? "yes" : "no"} | ${setups.some(({ needs }) => needs === "key") ? "yes" : "no"} |`).join("\n")}`;

const common = `## For all of them

**Key.** With the browser you sign in, pick the team and what the client may do, and can disconnect it later on the server's own page; the URL is all that is needed. A client
that takes a key reads it from the environment or asks for it. The key is printed at the start and made on the server's page; no file that a project commits holds one:

\`\`\`sh
export OMNIMEMORY_KEY=$(node -p 'require("/…/.data/local.json").apiKey')   # macOS, Linux; best in your shell's profile
\`\`\`

\`\`\`powershell
setx OMNIMEMORY_KEY omn_…   # Windows; programs started afterwards know it
\`\`\`

**By a command.** \`omnimemory connect\` with ${Object.keys(connectable).map((id) => `\`${id}\``).join(", ").replace(/, (?=[^,]*$)/, " or ")} (known everywhere once \`npm link\` ran in the server's folder) writes
the file of the project that you are in, beside what stands there: with the key where \`OMNIMEMORY_KEY\` is set, else, or with \`--browser\`, signing in. \`--url\` names a deployed server,
\`--user\` is for all projects (Cursor, Codex, Continue). Cline has one file, for all projects, and signs in with the browser; Continue only takes a key. A file that it cannot change
without a loss stays as it is, and it says what to put in.

**See that it works.** Ask: *Remember with omnimemory that the staging port is 8443.* In a new chat, or another client of the same project: *What is the staging port? Look in omnimemory.*

**Project.** \`X-Memory-Project\` names it by its git remote in any spelling, else by its folder's path. Clients that name the same one share what belongs to it, and other projects
do not get it in the way. A file that is for all projects names none; a single call can, in its argument \`project\`.

**Tools.** Listed are those of the surface \`core\`; \`?surface=omn\` at the end of the URL lists others, as the README says.

**When it does not work.** \`omnimemory doctor\` does what a client does to connect, looks at what the clients of this machine are told, and says which step fails and what to do; with
\`--sign-in\` it signs in with your browser, too. \`--url\` names a deployed server.

| what the client says | what to do |
|---|---|
| 401, unauthorized, "needs authentication" | the key is missing, mistyped, expired or revoked, or the variable is not set where the client was started; with the browser: sign in again |
| connection refused | the server is not running, or on another port: \`npm start\` prints the URL |
| 403 with "Host" or "Origin" | the URL has another name than the server knows: \`127.0.0.1\` or \`localhost\`, and for a deployment its own (\`docs/configuration.md\`) |
| 429 | 100 requests in a minute; \`Retry-After\` says how long to wait |
| connected, but no tools | the client kept an older list: restart it |`;

const placed = ({ place, note }: Setup): string => [place, ...(note === undefined ? [] : [note])].join("; ");

const section = (client: Client, site: Site): string =>
  [
    `<a id="${client.id}"></a>\n\n## ${client.name}`,
    ...client.setups.map((setup) => `**${setup.title}:** ${placed(setup)}.\n\n${block(setup, site)}`),
    ...(client.link ? [`**One click**: open this in a browser; for all projects, and it signs in with the browser.\n\n\`\`\`text\n${client.link(site)}\n\`\`\``] : []),
    [`- **Look:** ${client.look}`, `- **Project:** ${client.scope}`, ...(client.trouble === undefined ? [] : [`- **Trouble:** ${client.trouble}`])].join("\n"),
  ].join("\n\n");

const otherClients = (site: Site): string => `## Others

Whatever speaks Streamable HTTP takes the URL \`${site.url}\` and the header \`Authorization: Bearer omn_…\`; what speaks only the old HTTP+SSE transport \`${new URL("/sse", site.url)}\`. A program
without MCP calls the same tools over [REST](rest.md), as [openapi.json](openapi.json) describes it.`;

const begin = "<!-- clients: written by npm run guides -->";
const end = "<!-- /clients -->";

/** The part of the README between the two marks: the shortest way for those that most people have. */
export function readmeClients(site: Site = exampleSite): string {
  const first = (id: string): Setup => {
    const setup = clients.find((client) => client.id === id)?.setups[0];
    if (!setup) throw new Error(`there is no client ${id}`);
    return setup;
  };
  const [claude, codex, cursor, vscode] = ["claude-code", "codex", "cursor", "vscode"].map(first) as [Setup, Setup, Setup, Setup];
  return `${begin}
**Claude Code** (in the project's folder; ${claude.note}) and **Codex** (for all projects; ${codex.note})
\`\`\`sh
export OMNIMEMORY_KEY=$(node -p 'require("/…/.data/local.json").apiKey')   # best in your shell's profile
${claude.text(site)}
${codex.text(site)}
\`\`\`

**Cursor** (${placed(cursor)})
${block(cursor, site)}

**VS Code** (${placed(vscode)})
${block(vscode, site)}

${clients.filter(({ id }) => !["claude-code", "codex", "cursor", "vscode"].includes(id)).map(({ id, name }) => `[${name}](docs/clients.md#${id})`).join(", ")}, signing in with the browser, links that add it with one click, and what to do when it
does not work: [docs/clients.md](docs/clients.md).
${end}`;
}

/** The README with that part renewed. */
export function renewedReadme(readme: string): string {
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md lacks the marks ${begin} … ${end}`);
  return readme.slice(0, from) + readmeClients() + readme.slice(to + end.length);
}
