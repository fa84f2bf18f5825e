import { D1DirectoryStore } from "../platform/d1/directory-store.ts";
import { D1TeamKeyStore } from "../platform/d1/team-key-store.ts";
import { replaceLostDataKeys } from "./data-keys.ts";
import { ensureLocalKey, type LocalKey, renewLocalKey } from "./local-identity.ts";
import { applyMigrations, unknownMigrations } from "./migrations.ts";
import type { Plan } from "./plan.ts";
import type { Runtime } from "./runtime.ts";
import { StartFailure } from "./start-failure.ts";

/**
 * Migrates, registers the shards and answers the local API key: `knownKey` if that is still good. `newMasterKeys`: those of
 * a start that makes up for a lost one. Twice is as good as once.
 */
export async function prepare(runtime: Runtime, { directory, shards }: Plan, knownKey: string | undefined, newMasterKeys?: string): Promise<LocalKey> {
  const database = await runtime.d1(directory.binding);
  const databases = [{ db: database, migrations: directory.migrations }];
  for (const binding of shards.bindings) databases.push({ db: await runtime.d1(binding), migrations: shards.migrations });
  // Of all of them, before any is changed.
  for (const { db, migrations } of databases) {
    const unknown = await unknownMigrations(db, migrations);
    if (unknown.length > 0) throw newerData(unknown);
  }
  for (const { db, migrations } of databases) await applyMigrations(db, migrations);
  if (newMasterKeys !== undefined) await replaceLostDataKeys(new D1TeamKeyStore(database), newMasterKeys, Date.now());
  return ensureLocalKey(new D1DirectoryStore(database), shards.bindings, knownKey, Date.now());
}

export const renew = async (runtime: Runtime, { directory }: Plan, key: string): Promise<void> =>
  renewLocalKey(new D1DirectoryStore(await runtime.d1(directory.binding)), key, Date.now());

function newerData(unknown: string[]): StartFailure {
  return new StartFailure(
    `The data was written by a newer OmniMemory than this one (its databases have ${unknown.join(", ")}). Nothing was changed. Start the newer version, ` +
      "or put the data directory back from the backup that was made before the update; then start again with: npm start",
  );
}
