import { authenticate, issueKey, revokeKey } from "../domain/tenancy/keys.ts";
import { type Principal, scopes } from "../domain/tenancy/principal.ts";
import type { DirectoryStore } from "../platform/d1/directory-store.ts";

/** Fixed ids: whoever starts the server on this machine is always the same person, whatever became of local.json. */
export const local = {
  organization: { id: "local", name: "Local" },
  team: { id: "local", name: "Local" },
  owner: { id: "local", name: "Local user" },
};
const keyName = "local";

/**
 * The person, their team and a key to it. `known` is what local.json holds; when it no longer opens the door (the file was
 * deleted, the data is another's) a new key takes its place and earlier local keys end, so that deleting local.json is how
 * a key that got out is replaced.
 */
export async function ensureLocalKey(store: DirectoryStore, shards: readonly string[], known: string | undefined, now: number): Promise<string> {
  await store.registerShards(shards, now);
  const place = (await store.findTeam(local.team.id)) ?? (await store.provision(local, now));
  if (known !== undefined && (await opensLocalTeam(store, known, now))) return known;

  const principal: Principal = {
    userId: local.owner.id,
    teamId: place.id,
    organizationId: place.organizationId,
    role: "owner",
    scopes,
    shard: place.shard,
    credential: { kind: "api-key", id: keyName },
  };
  const from = { client: "launcher" };
  for (const key of await store.listKeys(principal, principal.userId)) {
    if (key.name === keyName && key.revokedAt === null) await revokeKey({ principal, now, keys: store, from }, { keyId: key.keyId });
  }
  const { userId, teamId, organizationId } = principal;
  const { token } = await issueKey(store, { userId, teamId, organizationId, name: keyName, scopes, expiresAt: null }, now, from);
  return token;
}

async function opensLocalTeam(store: DirectoryStore, token: string, now: number): Promise<boolean> {
  const deferred: Promise<void>[] = [];
  const answer = await authenticate({ keys: store, defer: (work) => deferred.push(work) }, token, now, { client: "launcher" });
  await Promise.all(deferred);
  return answer.kind === "ok" && answer.principal.teamId === local.team.id;
}
