import { join } from "node:path";
import { rewrite } from "../files.ts";
import { projectFolder } from "../git.ts";
import { projectOf } from "../project.ts";
import { CommandFailure, type Named, serverOf } from "../server.ts";
import { type Client, type Told, Unsafe } from "./client.ts";
import { connectable } from "./entries.ts";

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
  const known: Client | undefined = Object.hasOwn(connectable, client) ? connectable[client as keyof typeof connectable] : undefined;
  if (!known) throw new CommandFailure(`${client} is none of ${Object.keys(connectable).join(", ")}. How others are told: docs/clients.md.`);
  const { origin } = serverOf(named, env);
  if (user && known.user === undefined) throw new CommandFailure(`${known.name} keeps what is for all projects itself: docs/clients.md says how it is told.`);
  if (browser && known.only === "key") throw new CommandFailure(`${known.name} does not sign in with the browser: it needs a key.`);
  const folder = await projectFolder(process.cwd());
  const inProject = user ? undefined : known.project;
  const path = inProject === undefined ? known.user?.(env) ?? "" : join(folder, inProject);
  const told: Told = { url: `${origin}/mcp`, by: known.only ?? (browser || !env["OMNIMEMORY_KEY"] ? "browser" : "key"), project: inProject === undefined ? undefined : await projectOf(folder) };
  rewrite(path, (before) => withServer(before, path, known, told));
  return [`${known.name} finds ${told.url} in ${path}. ${known.next[told.by]}`, "omnimemory doctor says whether it gets in."];
}

function withServer(before: string, path: string, known: Client, told: Told): string {
  try {
    return known.written(before, told);
  } catch (error) {
    if (!(error instanceof Unsafe)) throw error;
    throw new CommandFailure(`${path} ${error.message}, so nothing was changed. Put this in by hand:\n${known.written("", told).trimEnd()}`);
  }
}
