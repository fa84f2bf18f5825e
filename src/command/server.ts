import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import { OmniMemory } from "../client/client.ts";

/** What a command line says of the server. */
export interface Named {
  url?: string | undefined;
  team?: string | undefined;
}

export interface Reached {
  origin: string;
  key: string | undefined;
}

/** Why a command cannot do what it was asked for: told to the person, and no fault. */
export class CommandFailure extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const localFile = z.object({ url: z.string(), apiKey: z.string() });

/** The command line goes before the environment, so that a project's settings cannot turn an installed hook to another server. */
export function serverOf({ url }: Named, env: Environment): Reached {
  // A variable that is empty is as good as none: a profile's line that read a key which was not there yet leaves one.
  const local = localOf(env["OMNIMEMORY_DATA_DIR"] || dataDir);
  const given = url ?? (env["OMNIMEMORY_URL"] || undefined);
  if (given !== undefined && !(/^https?:/i.test(given) && URL.canParse(given))) throw new CommandFailure(`${given} is not the URL of a server: it begins with https:// or http://.`);
  const origin = given === undefined ? local?.origin : new URL(given).origin;
  if (origin === undefined) throw new CommandFailure("No server is known: start one with npm start, or set OMNIMEMORY_URL and OMNIMEMORY_KEY.");
  // The key of one machine's own server is for no other.
  return { origin, key: env["OMNIMEMORY_KEY"] || (local?.origin === origin ? local.key : undefined) };
}

export function clientFor(named: Named, env: Environment, options: { project: string | undefined; client: string; timeoutMs: number }): OmniMemory {
  const { origin, key } = serverOf(named, env);
  if (key === undefined) throw new CommandFailure(`No key to ${origin}: set OMNIMEMORY_KEY.`);
  const { project, ...rest } = options;
  return new OmniMemory({ url: origin, key, ...(named.team === undefined ? {} : { team: named.team }), ...(project === undefined ? {} : { project }), ...rest });
}

/** Where `npm start` keeps its data, beside `dist/`. */
const dataDir = fileURLToPath(new URL("../.data", import.meta.url));

function localOf(dir: string): { origin: string; key: string } | undefined {
  try {
    const { url, apiKey } = localFile.parse(JSON.parse(readFileSync(join(dir, "local.json"), "utf8")));
    return { origin: new URL(url).origin, key: apiKey };
  } catch {
    return undefined;
  }
}
