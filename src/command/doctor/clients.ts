import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Client, Server } from "../connect/client.ts";
import { connectable } from "../connect/entries.ts";
import { textOf } from "../files.ts";
import { projectFolder } from "../git.ts";
import { jsonOf } from "../json.ts";
import { initialize } from "./session.ts";
import { Failed, type Finding, fine, note } from "./step.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const server = z.object({ url: z.optional(z.string()), headers: z.optional(z.record(z.string(), z.string())) });
/** Cline may keep both a level deeper. */
const entry = z.extend(server, { transport: z.optional(server) });
const servers = z.optional(z.record(z.string(), z.unknown()));
const settings = z.object({ mcpServers: servers, servers, projects: z.optional(z.record(z.string(), z.object({ mcpServers: servers }))) });

interface Place {
  client: string;
  path: string;
  read?: Client["read"];
  keyFiles?: string[];
}

/** Files in which clients keep which servers they know: what Claude Code keeps itself, and those that `connect` writes. */
const places = (root: string, env: Environment): Place[] => [
  { client: "Claude Code", path: join(homedir(), ".claude.json") },
  ...Object.values<Client>(connectable).flatMap(({ name, user, project, read, keyFiles }): Place[] => {
    const more = { ...(read && { read }), ...(keyFiles && { keyFiles: keyFiles(root) }) };
    return [...(user ? [{ client: name, path: user(env), ...more }] : []), ...(project === undefined ? [] : [{ client: `${name}, this project`, path: join(root, project), ...more }])];
  }),
];

/** What the clients of this machine are told of the server, and whether that lets them in. */
export async function* clients(origin: string, env: Environment, folder: string): AsyncGenerator<Finding> {
  let found = 0;
  const root = await projectFolder(folder);
  for (const place of places(root, env)) {
    for (const [name, { url, headers }] of entriesIn(place, [root, folder], origin)) {
      found += 1;
      try {
        yield await connection(`${place.client} ("${name}")`, url, headers ?? {}, env, place.keyFiles);
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        yield error.finding;
      }
    }
  }
  if (found === 0) yield note("No client of this machine has it in a file that is looked at (docs/clients.md says how each is told).");
}

/** `folders`: those that Claude Code may have been started in when it was told of a server for one project. */
function entriesIn({ path, read }: Place, folders: string[], origin: string): [name: string, server: Server & { url: string }][] {
  const text = given(path);
  const named = read ? read(text) : inJson(text, folders);
  return Object.entries(named).flatMap(([name, { url, headers }]) => (url !== undefined && URL.canParse(url) && new URL(url).origin === origin ? [[name, { url, headers }]] : []));
}

function inJson(text: string, folders: string[]): Record<string, Server> {
  // VS Code takes comments on lines of their own.
  const { mcpServers, servers: others, projects } = settings.safeParse(jsonOf(text.replaceAll(/^\s*\/\/.*$/gm, ""))).data ?? {};
  const all: Record<string, unknown> = Object.assign({}, mcpServers, others, ...folders.map((folder) => projects?.[folder]?.mcpServers));
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, one]) => {
      const { data } = entry.safeParse(one);
      return data ? [[name, data.transport ?? data] as const] : [];
    }),
  );
}

/** A file that cannot be read is as good as none. */
function given(path: string): string {
  try {
    return textOf(path);
  } catch {
    return "";
  }
}

/** The variables that a client finds in files beside its environment. */
const variablesIn = (paths: readonly string[]): Environment =>
  Object.fromEntries(paths.flatMap((path) => [...given(path).matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*["']?([^"'\s]+)/gm)].map(([, name, value]) => [name as string, value as string])));

async function connection(client: string, url: string, headers: Record<string, string>, environment: Environment, keyFiles: readonly string[] = []): Promise<Finding> {
  const env = { ...variablesIn(keyFiles), ...environment };
  const { pathname } = new URL(url);
  if (!/^\/(?:mcp|sse)\/?$/.test(pathname)) throw new Failed(`${client} asks at ${pathname}.`, "The endpoint is /mcp (or /sse for clients that speak only the old transport).");
  const [, given] = Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  if (given === undefined) return fine(`${client} signs in with the browser`);
  if (given.includes("${input:")) return fine(`${client} asks for the key itself`);
  const missing = [...given.matchAll(/\$\{(?:env:)?(\w+)\}/g)].map(([, name]) => name as string).find((name) => !env[name]);
  if (missing !== undefined) throw new Failed(`${client} reads the key from ${missing}, which is not set here.`, keyFiles[0] === undefined ? `Set ${missing} where the client is started: a variable that is not set is sent as it stands, and refused.` : `Put ${missing}=omn_… into ${keyFiles[0]}.`);
  const authorization = given.replaceAll(/\$\{(?:env:)?(\w+)\}/g, (_, name: string) => env[name] ?? "");
  if (!/^Bearer \S+$/i.test(authorization)) throw new Failed(`${client} sends an Authorization header that is no "Bearer <key>".`, "It has to be: Authorization: Bearer omn_…");
  if (pathname.startsWith("/sse")) return fine(`${client} has a key`);
  const { status } = await initialize(url, { authorization });
  if (status === 401) throw new Failed(`${client} has a key that is not valid.`, "It is mistyped, expired or revoked: make another on the server's page, and put it there.");
  return fine(`${client} has a key that lets it in`);
}
