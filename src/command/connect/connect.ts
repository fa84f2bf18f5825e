import { homedir } from "node:os";
import { join } from "node:path";
import { rewrite } from "../files.ts";
import { projectFolder } from "../git.ts";
import { jsonOf } from "../json.ts";
import { projectOf } from "../project.ts";
import { CommandFailure, type Named, serverOf } from "../server.ts";
import { indented } from "../settings.ts";
import { type JsonClient, jsonClients, serverName, type Told } from "./entries.ts";

export interface Asked {
  client: string;
  /** For all projects of the person. */
  user: boolean;
  /** With the browser, though there is a key. */
  browser: boolean;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Writes the server into the file that a client reads, in the form of docs/clients.md, beside what stands there. No key goes into a file: the client reads
 * it from its environment, or asks for it. @throws CommandFailure
 */
export async function connect(named: Named, { client, user, browser, env }: Asked): Promise<string[]> {
  const known: JsonClient | undefined = Object.hasOwn(jsonClients, client) ? jsonClients[client as keyof typeof jsonClients] : undefined;
  if (!known) throw new CommandFailure(`${client} is none of ${Object.keys(jsonClients).join(", ")}. How others are told: docs/clients.md.`);
  const { origin } = serverOf(named, env);
  if (user && known.user === undefined) throw new CommandFailure(`${known.name} keeps what is for all projects itself: docs/clients.md says how it is told.`);
  const folder = await projectFolder(process.cwd());
  const path = user ? join(homedir(), known.user as string) : join(folder, known.project);
  const told: Told = { url: `${origin}/mcp`, by: browser || !env["OMNIMEMORY_KEY"] ? "browser" : "key", project: user ? undefined : await projectOf(folder) };
  rewrite(path, (before) => indented(withServer(documentIn(before, path, known, told), known, told), before));
  return [`${known.name} finds ${told.url} in ${path}. ${known.next[told.by]}`, "omnimemory doctor says whether it gets in."];
}

function documentIn(text: string, path: string, client: JsonClient, told: Told): Record<string, unknown> {
  const given = jsonOf(text.replace(/^\uFEFF/, "").trim() || "{}");
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  // A file with comments would lose them.
  throw new CommandFailure(`${path} is no plain JSON, so nothing was changed. Put this in by hand:\n${JSON.stringify(withServer({}, client, told), undefined, 2)}`);
}

/** What else stands there stays as it is; lists beside the servers get what they lack. */
export function withServer(document: Record<string, unknown>, { holder, entry, beside }: JsonClient, told: Told): Record<string, unknown> {
  const servers = document[holder];
  const lists = Object.entries(beside?.(told) ?? {}).map(([name, wanted]) => {
    const there = Array.isArray(document[name]) ? (document[name] as unknown[]) : [];
    const ids = new Set(there.map((one) => (one as { id?: unknown } | null)?.id));
    return [name, [...there, ...wanted.filter((one) => !ids.has((one as { id?: unknown }).id))]] as const;
  });
  return { ...document, ...Object.fromEntries(lists), [holder]: { ...(typeof servers === "object" && servers !== null ? servers : {}), [serverName]: entry(told) } };
}
