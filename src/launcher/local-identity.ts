import { authenticate, defaultGraceHours, defaultLifetimeDays, issueKey, renewKey, replaceKey, revokeKey } from "../domain/tenancy/keys.ts";
import type { KeyRecord } from "../domain/tenancy/key-store.ts";
import { type Principal, type Scope, scopes } from "../domain/tenancy/principal.ts";
import type { D1DirectoryStore, NamedTeam } from "../platform/d1/directory-store.ts";

/** Fixed ids: whoever starts the server on this machine is always the same person, whatever became of local.json. */
export const local = {
  organization: { id: "local", name: "Local" },
  team: { id: "local", name: "Local" },
  owner: { id: "local", name: "Local user" },
};
const keyName = "local";
const from = { client: "launcher" };

/**
 * The scopes that clients need. Managing keys and the team takes a browser that is signed in, for which the launcher prints a
 * link.
 */
const clientScopes: readonly Scope[] = ["memory:read", "memory:write"];
const dayMs = 86_400_000;
const lifetimeMs = defaultLifetimeDays * dayMs;
const graceMs = defaultGraceHours * 3_600_000;

/** The key that local.json holds. */
export interface LocalKey {
  token: string;
  /** `null`: never, which only a key has that the person made themselves and put there. */
  expiresAt: number | null;
  /** Why it is another key than before, so that clients which hold the one before need it. */
  notice?: string;
}

/**
 * The person, their team and a key to it. `known` is the key of local.json. As long as it is good the launcher renews it
 * and does not replace it: clients hold it in their configuration and would not hear of a successor, and outside this
 * machine it opens nothing. A key that got out ends when local.json is deleted, or by revoking it on the account page.
 */
export async function ensureLocalKey(store: D1DirectoryStore, shards: readonly string[], known: string | undefined, now: number): Promise<LocalKey> {
  await store.registerShards(shards, now);
  const place = (await store.findTeam(local.team.id)) ?? (await store.provision(local, now));
  const principal = principalIn(place);
  const issued = (): Promise<LocalKey> => issue(store, principal, now);

  const held = await findHeld(store, known, now);
  if (held === "unknown") {
    const revoked = await revokeLocalKeys(store, principal, now);
    return { ...(await issued()), ...(revoked ? { notice: "local.json held no key to this data, so earlier keys of the launcher are revoked." } : {}) };
  }
  if (typeof held === "string") return { ...(await issued()), notice: `The one before is ${held}.` };
  const { token, key } = held;
  if (!isOwn(key)) return { token, expiresAt: key.expiresAt };
  if (key.replacedBy !== null) return { ...(await issued()), notice: "The one before was replaced." };
  if (key.expiresAt === null || key.scopes.some((scope) => !clientScopes.includes(scope))) return limit(store, principal, key, now);
  return { token, expiresAt: await renew(store, principal, key, now) };
}

/** The same for a launcher that runs for months: its key must not run out meanwhile. */
export async function renewLocalKey(store: D1DirectoryStore, token: string, now: number): Promise<void> {
  const held = await findHeld(store, token, now);
  const place = await store.findTeam(local.team.id);
  if (typeof held !== "string" && place && isOwn(held.key) && held.key.replacedBy === null) await renew(store, principalIn(place), held.key, now);
}

const principalIn = ({ teamId: id, organizationId, shard }: NamedTeam): Principal => ({
  userId: local.owner.id,
  teamId: id,
  organizationId,
  role: "owner",
  scopes,
  shard,
  credential: { kind: "api-key", id: keyName },
});

const isOwn = ({ name, userId }: KeyRecord): boolean => name === keyName && userId === local.owner.id;

type Held = { token: string; key: KeyRecord } | "unknown" | "expired" | "revoked";

async function findHeld(store: D1DirectoryStore, token: string | undefined, now: number): Promise<Held> {
  if (token === undefined) return "unknown";
  const deferred: Promise<void>[] = [];
  const answer = await authenticate({ keys: store, defer: (work) => deferred.push(work) }, token, now, from);
  await Promise.all(deferred);
  if (answer.kind === "expired" || answer.kind === "revoked") return answer.kind;
  if (answer.kind !== "ok" || answer.principal.teamId !== local.team.id) return "unknown";
  const key = await store.findKey(answer.principal, answer.principal.credential.id);
  return key ? { token, key } : "unknown";
}

async function issue(store: D1DirectoryStore, { userId, teamId, organizationId }: Principal, now: number): Promise<LocalKey> {
  const expiresAt = now + lifetimeMs;
  const { token } = await issueKey(store, { userId, teamId, organizationId, name: keyName, scopes: clientScopes, expiresAt }, now, from);
  return { token, expiresAt };
}

/** Deleting local.json is how a key that got out is replaced. `true` when there was one. */
async function revokeLocalKeys(store: D1DirectoryStore, principal: Principal, now: number): Promise<boolean> {
  const open = (await store.listKeys(principal, principal.userId)).filter((key) => key.name === keyName && key.revokedAt === null);
  for (const { keyId } of open) await revokeKey({ principal, now, keys: store, from }, { keyId });
  return open.length > 0;
}

/** Launchers of earlier versions made keys that could do everything, for ever. */
async function limit(store: D1DirectoryStore, principal: Principal, old: KeyRecord, now: number): Promise<LocalKey> {
  const endsAt = now + graceMs;
  const expiresAt = now + lifetimeMs;
  const { token } = await replaceKey({ principal, now, keys: store, from }, old, { scopes: clientScopes, expiresAt }, endsAt);
  const until = new Date(endsAt).toISOString().slice(0, 16).replace("T", " ");
  return { token, expiresAt, notice: `The one before could do everything and never expired. It works until ${until} UTC.` };
}

/** Once a day is enough, and keeps the audit short. Until when it works. */
async function renew(store: D1DirectoryStore, principal: Principal, { keyId, expiresAt }: KeyRecord, now: number): Promise<number | null> {
  const later = now + lifetimeMs;
  if (expiresAt === null || expiresAt > later - dayMs) return expiresAt;
  return (await renewKey({ principal, now, keys: store, from }, keyId, later)) ? later : expiresAt;
}
