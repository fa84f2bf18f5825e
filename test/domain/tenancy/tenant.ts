import { env } from "cloudflare:workers";
import { uuidv7 } from "../../../src/domain/ids.ts";
import { authenticate, type Authentication, issueKey, type KeyContext } from "../../../src/domain/tenancy/keys.ts";
import { type Principal, type Role, type Scope, scopes } from "../../../src/domain/tenancy/principal.ts";
import { D1DirectoryStore } from "../../../src/platform/d1/directory-store.ts";

export const now = Date.UTC(2026, 10, 20, 12);
export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export const store = new D1DirectoryStore(env.DB);

export interface Tenant {
  teamId: string;
  organizationId: string;
  ownerId: string;
}

/** From here on teams are put into this shard: tests look into it, and the cron would make the other one known. */
export async function onlyOpen(shard: string): Promise<void> {
  await store.registerShards(["SHARD_0", "SHARD_1"], now);
  await env.DB.prepare("UPDATE shards SET accepts_teams = (name = ?)").bind(shard).run();
}

/** A team of its own for each test, on the real store; ids are new each time, so that tests cannot meet. */
export async function newTenant(shard = "SHARD_0"): Promise<Tenant> {
  const id = (): string => uuidv7(now);
  const tenant = { organization: { id: id(), name: "Acme" }, team: { id: id(), name: "Core" }, owner: { id: id(), name: "Ada" } };
  await onlyOpen(shard);
  await store.provision(tenant, now);
  return { teamId: tenant.team.id, organizationId: tenant.organization.id, ownerId: tenant.owner.id };
}

export async function addMember(teamId: string, role: Role): Promise<string> {
  const userId = uuidv7(now);
  await store.createUser({ id: userId, name: role }, now);
  await store.addMember({ teamId, userId, role }, now);
  return userId;
}

/** A working key, made as the launcher makes it. */
export async function keyFor(
  tenant: { teamId: string; organizationId: string },
  userId: string,
  granted: readonly Scope[] = scopes,
  expiresAt: number | null = null,
): Promise<{ token: string; keyId: string; ctx: KeyContext }> {
  const { teamId, organizationId } = tenant;
  const { token, key } = await issueKey(store, { userId, teamId, organizationId, name: "laptop", scopes: granted, expiresAt }, now);
  return { token, keyId: key.keyId, ctx: { principal: await principalOf(token), now, keys: store } };
}

export async function principalOf(token: string): Promise<Principal> {
  const answer = await login(token);
  if (answer.kind !== "ok") throw new Error(`the key is ${answer.kind}`);
  return answer.principal;
}

/** Authenticates and waits for what was put off until after the answer. */
export async function login(token: string, at = now, from = {}): Promise<Authentication> {
  const deferred: Promise<void>[] = [];
  const answer = await authenticate({ keys: store, defer: (work) => deferred.push(work) }, token, at, from);
  await Promise.all(deferred);
  return answer;
}

export async function audit(column: "team_id" | "subject", value: string): Promise<{ action: string; success: number; address: string | null }[]> {
  const { results } = await env.DB.prepare(`select action, success, address from audit where ${column} = ? order by id`).bind(value).all();
  return results as { action: string; success: number; address: string | null }[];
}
