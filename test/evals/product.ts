import { addTeams } from "../bench/tenants.ts";
import { BenchClient } from "../bench/client.ts";
import { Server } from "../bench/server.ts";
import { Memories } from "./memories.ts";

/**
 * The product, offline, with a fresh data directory and a team for each name: full-text statistics are a team's own, so no
 * data set weighs in the ranking of another.
 */
export async function startProduct<Name extends string>(dataDir: string, names: readonly Name[]): Promise<Record<Name, Memories>> {
  // Teams can only be added while it rests.
  await (await Server.start(dataDir)).stop();
  const keys = addTeams(dataDir, names.length);
  const { url } = await Server.start(dataDir);
  const teams = names.map((name, index) => [name, new Memories(new BenchClient(url, keys[index] ?? ""))] as const);
  return Object.fromEntries(teams) as Record<Name, Memories>;
}
