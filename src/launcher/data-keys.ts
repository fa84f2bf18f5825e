import { MasterKeys } from "../domain/secrets/master-keys.ts";
import { newDataKey } from "../domain/secrets/team-keys.ts";
import type { D1TeamKeyStore } from "../platform/d1/team-key-store.ts";

const atOnce = 10_000;

/**
 * Gives teams whose data key only a lost master key opens another one, so that they can store secrets again. The keys before
 * stay, and so does what they sealed, for the day on which the lost one is found.
 */
export async function replaceLostDataKeys(store: D1TeamKeyStore, masterKeys: string, now: number): Promise<void> {
  const known = (JSON.parse(masterKeys) as { id: string; key: string }[]).map(({ id, key }) => ({ id, secret: Uint8Array.from(Buffer.from(key, "base64")) }));
  const masters = new MasterKeys(known);
  const foreign = await store.wrappedByOthers(masters.current ?? "", { teamId: "", number: 0 }, atOnce);
  for (const teamId of new Set(foreign.map((key) => key.teamId))) {
    const newest = (await store.keysOf(teamId)).at(-1);
    if (!newest || known.some(({ id }) => id === newest.masterId)) continue;
    await store.insertFirst(await newDataKey(masters, teamId, newest.number + 1), now);
  }
}
