import { serverName, type Server, type Told, Unsafe } from "./client.ts";
import { type Statement, statementsOf, stringOf } from "./toml.ts";

const holder = "mcp_servers";
const own = [holder, serverName];
const header = `[${own.join(".")}]`;
const isBelow = (path: readonly string[], above: readonly string[]): boolean => above.every((name, at) => path[at] === name);
const isAt = (path: readonly string[], other: readonly string[]): boolean => path.length === other.length && isBelow(path, other);

/** Keys of the server's table that are written or, where they have no value, taken away. */
const wantedOf = ({ url, by, project }: Told): [key: string, value: string | undefined][] => [
  ["url", JSON.stringify(url)],
  ["bearer_token_env_var", by === "key" ? '"OMNIMEMORY_KEY"' : undefined],
  ["http_headers", project === undefined ? undefined : `{ "X-Memory-Project" = ${JSON.stringify(project)} }`],
];
/** Headers that are ours alone. */
const projectAlone = /^\{\s*["']?X-Memory-Project["']?\s*=\s*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')\s*,?\s*\}$/;

/** Codex's `config.toml` with the server: only its own table changes, and there only the keys above. @throws Unsafe */
export function written(before: string, told: Told): string {
  const statements = statementsOf(before);
  if (!statements) throw new Unsafe("is no TOML that is understood here");
  const isInline = ({ kind, path, table }: Statement): boolean =>
    path[0] === holder && (kind === "value" ? table.length === 0 || path.length === 1 || (table.length === 1 && path[1] === serverName) : kind === "tables" && (path.length === 1 || isAt(path, own)));
  if (statements.some(isInline)) throw new Unsafe(`names its servers in another form than ${header}`);
  const tables = statements.filter(({ kind, path }) => kind === "table" && isAt(path, own));
  if (tables.length > 1) throw new Unsafe(`has ${header} twice`);
  if (statements.some(({ path }) => isBelow(path, [...own, "command"]))) throw new Unsafe(`has a server of another kind below ${header}`);
  const changes = wantedOf(told).flatMap(([key, value]) => changeOf(before, statements, key, value));
  const eol = before.includes("\r\n") ? "\r\n" : "\n";
  const added = changes.flatMap(({ key, value, there }) => (there || value === undefined ? [] : [`${key} = ${value}${eol}`])).join("");
  const edits = changes.flatMap(({ value, there }) => (!there ? [] : value === undefined ? [{ from: there.start, to: there.end, text: "" }] : [{ ...there.value, text: value }]));
  const [table] = tables;
  if (table) edits.push({ from: table.end, to: table.end, text: added === "" || before.slice(0, table.end).endsWith("\n") ? added : eol + added });
  // From the end on, so that places stay what they are.
  edits.sort((one, other) => other.from - one.from);
  const edited = edits.reduce((text, { from, to, text: put }) => text.slice(0, from) + put + text.slice(to), before);
  if (table) return checked(edited, told);
  const gap = before === "" ? "" : before.endsWith("\n") ? eol : eol + eol;
  return checked(`${edited}${gap}${header}${eol}${added}`, told);
}

interface Change {
  key: string;
  value: string | undefined;
  there: Statement | undefined;
}

function changeOf(text: string, statements: readonly Statement[], key: string, value: string | undefined): Change[] {
  const found = statements.filter(({ path }) => isBelow(path, [...own, key]));
  const [there] = found;
  if (!there) return [{ key, value, there }];
  const isPlain = found.length === 1 && there.kind === "value" && there.path.length === own.length + 1 && isAt(there.table, own);
  const isOthers = !isPlain || (key === "http_headers" && !projectAlone.test(text.slice(there.value.from, there.value.to)));
  if (!isOthers) return [{ key, value, there }];
  if (value === undefined && key === "http_headers") return [];
  throw new Unsafe(`has ${key} of its own below ${header}`);
}

/** What was written is read back before it is put anywhere. @throws Unsafe */
function checked(after: string, { url }: Told): string {
  if (read(after)[serverName]?.url !== url) throw new Unsafe("is no TOML that is understood here");
  return after;
}

/** The servers of a `config.toml` that stand in tables. */
export function read(text: string): Record<string, Server> {
  const servers: Record<string, { url?: string; headers: Record<string, string> }> = {};
  for (const { kind, path, value } of statementsOf(text) ?? []) {
    const [above, name, key, ...more] = path;
    if (kind !== "value" || above !== holder || name === undefined || key === undefined) continue;
    const server = (servers[name] ??= { headers: {} });
    const given = text.slice(value.from, value.to);
    const said = stringOf(given);
    if (key === "url" && said !== undefined) server.url = said;
    if (key === "bearer_token_env_var" && said !== undefined) server.headers["Authorization"] = `Bearer \${${said}}`;
    const authorization = more[0]?.toLowerCase() === "authorization" ? said : /["']?authorization["']?\s*=\s*["']([^"'\n]*)["']/i.exec(given)?.[1];
    if (key === "http_headers" && authorization !== undefined) server.headers["Authorization"] = authorization;
    if (key === "env_http_headers" && authorization !== undefined) server.headers["Authorization"] = `\${${authorization}}`;
  }
  return servers;
}
