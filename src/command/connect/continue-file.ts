import { serverName, type Server, type Told, Unsafe } from "./client.ts";

const text = ({ url, project }: Pick<Told, "url" | "project">): string =>
  [
    "name: OmniMemory",
    "version: 0.0.1",
    "schema: v1",
    "mcpServers:",
    `  - name: ${serverName}`,
    "    type: streamable-http",
    `    url: ${JSON.stringify(url)}`,
    "    requestOptions:",
    "      headers:",
    `        Authorization: "Bearer \${{ secrets.OMNIMEMORY_KEY }}"`,
    ...(project === undefined ? [] : [`        X-Memory-Project: ${JSON.stringify(project)}`]),
    "",
  ].join("\n");

const value = (within: string, name: string): string | undefined => {
  const [, double, single, plain] = new RegExp(`^[ \\t-]*${name}:[ \\t]*(?:"([^"\\n]*)"|'([^'\\n]*)'|([^\\s#][^\\n#]*))`, "m").exec(within) ?? [];
  return (double ?? single ?? plain)?.trim();
};

/** A file of Continue for this server alone; one that somebody changed stays as it is. @throws Unsafe */
export function written(before: string, told: Told): string {
  const there = before.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n").trim();
  const [, url = ""] = /^ {4}url: (".*")$/m.exec(there) ?? [];
  const [, project] = /^ {8}X-Memory-Project: (".*")$/m.exec(there) ?? [];
  const isOurs = there === "" || there === text({ url: said(url) ?? "", project: said(project) }).trim();
  if (!isOurs) throw new Unsafe("was changed by hand");
  return text(told);
}

function said(quoted: string | undefined): string | undefined {
  try {
    return quoted === undefined || quoted === "" ? undefined : (JSON.parse(quoted) as string);
  } catch {
    return undefined;
  }
}

/** The servers of such a file; a secret is a variable like any other. */
export function read(given: string): Record<string, Server> {
  const [, ...parts] = given.split(/^[ \t]*mcpServers:/m).at(-1)?.split(/^[ \t]*-[ \t]+(?=name:)/m) ?? [];
  return Object.fromEntries(
    parts.map((part) => {
      const authorization = value(part, "Authorization")?.replaceAll(/\$\{\{\s*secrets\.(\w+)\s*\}\}/g, "${$1}");
      return [value(part, "name") ?? "", { url: value(part, "url"), headers: authorization === undefined ? {} : { Authorization: authorization } }];
    }),
  );
}
