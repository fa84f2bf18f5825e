import type { KeyStore } from "../domain/tenancy/key-store.ts";
import { sessionName } from "./session-call.ts";

type InvalidateSession = (session: string) => Promise<void>;

/**
 * The key store, invalidating a person's session object for every change to their keys before the change is acknowledged: a
 * revoked key is refused from the next request on.
 */
export function keysWithInvalidation(keys: KeyStore, invalidate: InvalidateSession): KeyStore {
  const invalidateHolder: (...found: Parameters<KeyStore["findKey"]>) => Promise<void> = async (principal, keyId) => {
    const key = await keys.findKey(principal, keyId);
    if (key) await invalidate(sessionName(key.teamId, key.userId));
  };
  return {
    authenticate: (keyId) => keys.authenticate(keyId),
    touchKey: (keyId, now, unlessAfter) => keys.touchKey(keyId, now, unlessAfter),
    auditFailure: (entry, limit) => keys.auditFailure(entry, limit),
    insertKey: (key, most, audit) => keys.insertKey(key, most, audit),
    findKey: (principal, keyId) => keys.findKey(principal, keyId),
    listOwnKeys: (person, now) => keys.listOwnKeys(person, now),
    listKeys: (principal, userId) => keys.listKeys(principal, userId),
    async revokeKey(principal, keyId, now, audit) {
      const revoked = await keys.revokeKey(principal, keyId, now, audit);
      await invalidateHolder(principal, keyId);
      return revoked;
    },
    async rotateKey(principal, oldKeyId, oldExpiresAt, successor, most, audit) {
      const rotated = await keys.rotateKey(principal, oldKeyId, oldExpiresAt, successor, most, audit);
      await invalidateHolder(principal, oldKeyId);
      return rotated;
    },
  };
}
