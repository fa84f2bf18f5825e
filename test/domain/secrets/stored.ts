import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sessionName } from "../../../src/session/session-call.ts";
import type { Person, Team } from "../../support/team.ts";

const shown = (value: unknown): string =>
  value instanceof ArrayBuffer ? new TextDecoder("latin1").decode(value) : Array.isArray(value) ? new TextDecoder("latin1").decode(Uint8Array.from(value as number[])) : String(value);
const rowsOf = (rows: Record<string, unknown>[]): string => rows.flatMap((row) => Object.values(row).map(shown)).join("\n");
const everyTable = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'";

async function database(db: D1Database): Promise<[table: string, text: string][]> {
  const { results } = await db.prepare(everyTable).all<{ name: string }>();
  return Promise.all(results.map(async ({ name }) => [name, rowsOf((await db.prepare(`SELECT * FROM "${name}"`).all()).results)] as [string, string]));
}

const object = (stub: Team["index"] | ReturnType<typeof env.USER_SESSION.getByName>): Promise<string> =>
  runInDurableObject(stub as Team["index"], (_, { storage }) => {
    const tables = storage.sql.exec<{ name: string }>(everyTable).toArray();
    return tables.map(({ name }) => rowsOf(storage.sql.exec(`SELECT * FROM "${name}"`).toArray())).join("\n");
  });

/** Where any of the words is found among all that is stored: whole databases, KV, and the objects of the team and of its people. */
export async function placesWith(words: string[], team: Team, people: Person[]): Promise<string[]> {
  const stores: [place: string, text: string][] = [];
  for (const [name, db] of Object.entries({ DB: env.DB, SHARD_0: env.SHARD_0, SHARD_1: env.SHARD_1 })) {
    stores.push(...(await database(db)).map(([table, text]) => [`${name}.${table}`, text] as [string, string]));
  }
  for (const { name } of (await env.CACHE.list()).keys) stores.push([`KV ${name}`, (await env.CACHE.get(name)) ?? ""]);
  for (const [name, index] of Object.entries({ "team index": team.index, "organization index": team.organizationIndex })) {
    // What runs half a minute after words left the index.
    await runDurableObjectAlarm(index);
    stores.push([name, await object(index)]);
  }
  for (const { principal } of people) stores.push(["session", await object(env.USER_SESSION.getByName(sessionName(principal.teamId, principal.userId)))]);
  return stores.filter(([, text]) => words.some((word) => text.toLowerCase().includes(word))).map(([place]) => place);
}
