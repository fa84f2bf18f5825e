import { logFault } from "./http/log.ts";
import { parseConfig, type Config } from "./config.ts";
import type { MemoryStore, SearchIndex } from "./domain/ports.ts";
import type { MaintenancePorts } from "./domain/memories/maintenance.ts";
import type { KeyDirectory } from "./domain/tenancy/ports.ts";
import { DirectoryStore } from "./platform/d1/directory-store.ts";
import { D1Maintenance } from "./platform/d1/maintenance.ts";
import { D1MemoryStore, type ShardOf } from "./platform/d1/memory-store.ts";
import { TeamIndexClient } from "./platform/team-index/client.ts";
import { announcedKeys } from "./session/announced-keys.ts";
import { TeamIndexMaintenance } from "./platform/team-index/maintenance.ts";

/** Everything the outer layers use, wired once per isolate. */
export interface Services {
  config: Config;
  keys: KeyDirectory;
  memories: MemoryStore;
  index: SearchIndex;
  maintenance: MaintenancePorts;
  /** Writes one structured line to the log. Never holds memory text. */
  report(event: string, requestId: string, error: unknown): void;
}

/** The only place that joins ports and platform. */
export function servicesOf(env: Env): Services {
  const shardOf: ShardOf = (name) => {
    const shard = (env as unknown as Record<string, unknown>)[name];
    if (!/^SHARD_\d+$/.test(name) || shard === undefined) throw new Error(`The shard ${name} is not bound`);
    return shard as D1Database;
  };
  const directory = new DirectoryStore(env.DB);
  const indexReport = (event: string, error: unknown): void => logFault(event, "", error);
  return {
    config: parseConfig(env),
    keys: announcedKeys(directory, (session) => env.USER_SESSION.getByName(session).standingChanged()),
    memories: new D1MemoryStore(shardOf),
    index: new TeamIndexClient(env.TEAM_INDEX, indexReport),
    maintenance: {
      teams: directory,
      store: new D1Maintenance(shardOf),
      index: new TeamIndexMaintenance(env.TEAM_INDEX),
      report: indexReport,
    },
    report: logFault,
  };
}
