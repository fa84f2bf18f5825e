import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { type JsonClient, jsonClients } from "../connect/entries.ts";
import { projectFolder } from "../git.ts";
import { initialize } from "./session.ts";
import { Failed, type Finding, fine, note } from "./step.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const entry = z.object({ url: z.optional(z.string()), headers: z.optional(z.record(z.string(), z.string())) });
const servers = z.optional(z.record(z.string(), z.unknown()));
const settings = z.object({ mcpServers: servers, servers, projects: z.optional(z.record(z.string(), z.object({ mcpServers: servers }))) });

/** Files in which clients keep which servers they know: what Claude Code keeps itself, and those that `connect` writes. */
const files = (root: string): [client: string, path: string][] => [
  ["Claude Code", join(homedir(), ".claude.json")],
  ...Object.values<JsonClient>(jsonClients).flatMap(({ name, user, project }): [string, string][] => [...(user === undefined ? [] : [[name, join(homedir(), user)] as [string, string]]), [`${name}, this project`, join(root, project)]]),
];

/** What the clients of this machine are told of the server, and whether that lets them in. */
export async function* clients(origin: string, env: Environment, folder: string): AsyncGenerator<Finding> {
  let found = 0;
  const root = await projectFolder(folder);
  for (const [client, path] of files(root)) {
    for (const [name, { url, headers }] of entriesIn(path, [root, folder], origin)) {
      found += 1;
      try {
        yield await connection(`${client} ("${name}")`, url, headers ?? {}, env);
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        yield error.finding;
      }
    }
  }
  if (found === 0) yield note("No client of this machine has it in a file that is looked at (docs/clients.md says how each is told).");
}

/** `folders`: those that Claude Code may have been started in when it was told of a server for one project. */
function entriesIn(path: string, folders: string[], origin: string): [name: string, entry: { url: string; headers?: Record<string, string> | undefined }][] {
  const { mcpServers, servers: others, projects } = read(path);
  return Object.entries({ ...mcpServers, ...others, ...Object.assign({}, ...folders.map((folder) => projects?.[folder]?.mcpServers)) }).flatMap(([name, given]) => {
    const { url, headers } = entry.safeParse(given).data ?? {};
    return url !== undefined && URL.canParse(url) && new URL(url).origin === origin ? [[name, { url, headers }]] : [];
  });
}

function read(path: string): z.output<typeof settings> {
  try {
    // VS Code takes comments on lines of their own.
    return settings.parse(JSON.parse(readFileSync(path, "utf8").replaceAll(/^\s*\/\/.*$/gm, "")));
  } catch {
    return {};
  }
}

async function connection(client: string, url: string, headers: Record<string, string>, env: Environment): Promise<Finding> {
  const { pathname } = new URL(url);
  if (!/^\/(?:mcp|sse)\/?$/.test(pathname)) throw new Failed(`${client} asks at ${pathname}.`, "The endpoint is /mcp (or /sse for clients that speak only the old transport).");
  const [, given] = Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  if (given === undefined) return fine(`${client} signs in with the browser`);
  if (given.includes("${input:")) return fine(`${client} asks for the key itself`);
  const missing = [...given.matchAll(/\$\{(?:env:)?(\w+)\}/g)].map(([, name]) => name as string).find((name) => !env[name]);
  if (missing !== undefined) throw new Failed(`${client} reads the key from ${missing}, which is not set here.`, `Set ${missing} where the client is started: a variable that is not set is sent as it stands, and refused.`);
  const authorization = given.replaceAll(/\$\{(?:env:)?(\w+)\}/g, (_, name: string) => env[name] ?? "");
  if (!/^Bearer \S+$/i.test(authorization)) throw new Failed(`${client} sends an Authorization header that is no "Bearer <key>".`, "It has to be: Authorization: Bearer omn_…");
  if (pathname.startsWith("/sse")) return fine(`${client} has a key`);
  const { status } = await initialize(url, { authorization });
  if (status === 401) throw new Failed(`${client} has a key that is not valid.`, "It is mistyped, expired or revoked: make another on the server's page, and put it there.");
  return fine(`${client} has a key that lets it in`);
}
