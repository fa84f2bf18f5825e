import { parseConfig, type Config } from "../config.ts";
import { MasterKeys } from "../domain/secrets/master-keys.ts";
import { SecretBox } from "../domain/secrets/secret-box.ts";
import { TeamKeys } from "../domain/secrets/team-keys.ts";
import { shardName } from "../domain/tenancy/shard-name.ts";
import { SealedRows } from "../platform/d1/sealed-rows.ts";
import type { ShardOf } from "../platform/d1/shard-of.ts";
import { D1TeamKeyStore } from "../platform/d1/team-key-store.ts";
import { LocalStorageRoom, type StorageRoom, unbounded } from "../platform/storage-room.ts";

/** Where memories are stored, and what seals the secret ones. */
export interface Storage {
  config: Config;
  shardOf: ShardOf;
  masters: MasterKeys;
  keyStore: D1TeamKeyStore;
  teamKeys: TeamKeys;
  sealed: SealedRows;
  room: StorageRoom;
}

export function storageOf(env: Env): Storage {
  const shardOf: ShardOf = (name) => {
    const shard = (env as unknown as Record<string, unknown>)[name];
    if (!shardName.test(name) || shard === undefined) throw new Error(`The shard ${name} is not bound`);
    return shard as D1Database;
  };
  const config = parseConfig(env);
  const masters = new MasterKeys(config.masterKeys);
  const keyStore = new D1TeamKeyStore(env.DB);
  const teamKeys = new TeamKeys(masters, keyStore);
  const { STORAGE_ROOM: launcher } = env as unknown as { STORAGE_ROOM?: Fetcher };
  return {
    config,
    shardOf,
    masters,
    keyStore,
    teamKeys,
    sealed: new SealedRows(new SecretBox(teamKeys)),
    room: launcher ? new LocalStorageRoom(launcher) : unbounded,
  };
}
