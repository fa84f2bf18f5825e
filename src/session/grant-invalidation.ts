import { type GrantStore, parseSubject } from "../domain/tenancy/grant-store.ts";
import { type OAuthRecordStore, parseGrantKey } from "../domain/tenancy/oauth-records.ts";
import { sessionName } from "./session-call.ts";

type InvalidateSession = (session: string) => Promise<void>;

/**
 * The records of the authorization server, invalidating a person's session object for every token and grant that ends, as
 * `keysWithInvalidation` does for keys.
 */
export function recordsWithInvalidation(records: OAuthRecordStore, invalidate: InvalidateSession): OAuthRecordStore {
  return {
    read: (key, now) => records.read(key, now),
    readToken: (key, grantKey, place, now) => records.readToken(key, grantKey, place, now),
    write: (record, expected, spent) => records.write(record, expected, spent),
    writeUnusedClient: (record, most) => records.writeUnusedClient(record, most),
    list: (prefix, after, limit, now) => records.list(prefix, after, limit, now),
    keepForever: (key) => records.keepForever(key),
    grantOfSpent: (tokenHash) => records.grantOfSpent(tokenHash),
    async remove(key) {
      const removed = await records.remove(key);
      const subject = parseSubject(parseGrantKey(key)?.subject ?? "");
      if (removed && subject) await invalidate(sessionName(subject.teamId, subject.userId));
      return removed;
    },
  };
}

export function grantsWithInvalidation(grants: GrantStore, invalidate: InvalidateSession): GrantStore {
  return {
    memberships: (person) => grants.memberships(person),
    connections: (person, now) => grants.connections(person, now),
    audit: (entry) => grants.audit(entry),
    async endGrant(subject, grantId, audit) {
      const ended = await grants.endGrant(subject, grantId, audit);
      if (ended) await invalidate(sessionName(subject.teamId, subject.userId));
      return ended;
    },
  };
}
