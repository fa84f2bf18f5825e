import { D1DirectoryStore } from "../platform/d1/directory-store.ts";
import { D1TeamKeyStore } from "../platform/d1/team-key-store.ts";
import { replaceLostDataKeys } from "./data-keys.ts";
import { ensureLocalKey, type LocalKey, renewLocalKey } from "./local-identity.ts";
import { applyMigrations } from "./migrations.ts";
import type { Plan } from "./plan.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Migrates, registers the shards and answers the local API key: `knownKey` if that is still good. `newMasterKeys`: those of
 * a start that makes up for a lost one. Twice is as good as once.
 */
export async function prepare(runtime: Runtime, { directory, shards }: Plan, knownKey: string | undefined, newMasterKeys?: string): Promise<LocalKey> {
  const database = await runtime.d1(directory.binding);
  await applyMigrations(database, directory.migrations);
  for (const binding of shards.bindings) await applyMigrations(await runtime.d1(binding), shards.migrations);
  if (newMasterKeys !== undefined) await replaceLostDataKeys(new D1TeamKeyStore(database), newMasterKeys, Date.now());
  return ensureLocalKey(new D1DirectoryStore(database), shards.bindings, knownKey, Date.now());
}

export const renew = async (runtime: Runtime, { directory }: Plan, key: string): Promise<void> =>
  renewLocalKey(new D1DirectoryStore(await runtime.d1(directory.binding)), key, Date.now());
