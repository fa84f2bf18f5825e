import { DomainError, forbidden, invalid, notFound } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { equalDigests, hashSecret, newApiKey, parseApiKey } from "./api-key.ts";
import { requireFreshCredential } from "./fresh-sign-in.ts";
import type { AuditEntry, CallOrigin } from "./audit-entry.ts";
import type { KeyStore, KeyHolder, KeyRecord, KeyRenewal, KeySummary } from "./key-store.ts";
import type { Preferences } from "./preferences.ts";
import { isTeamAdmin, type Principal, requireGranted, roleAllows, type Scope, scopes } from "./principal.ts";
import { nameProblem } from "./shown-name.ts";
import { auditOf } from "./teams.ts";

/** API keys: 90 days unless asked otherwise (omnimemory document, API Key Authentication). */
export const defaultLifetimeDays = 90;
export const maxLifetimeDays = 365;
export const defaultGraceHours = 24;
export const maxGraceHours = 7 * 24;
const maxNameLength = 100;
/** That work, of one person in one team; each is counted and limited by itself. */
const maxKeys = 25;
/** Old keys go on working for a while beside their successors. */
const maxKeysInRotation = 2 * maxKeys;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Last use is known to the minute; writing it on every request would make each read a write. */
const touchIntervalMs = 60_000;

/** Anyone can send wrong keys and links; the audit shows the attempt without letting them fill the database. */
export const auditedFailuresPerMinute = 60;

/** Compared against when no such key exists, so that the answer takes as long as for a wrong secret. */
const noDigest = "0".repeat(64);

export type AuthenticationFailure = "malformed" | "unknown" | "expired" | "revoked";

/** The edge answers every failure with the same text; the kinds are for the audit and for tests. */
export type Authentication = { kind: "ok"; principal: Principal; name: string; preferences: Preferences; expiresAt: number | null } | { kind: AuthenticationFailure };

export interface AuthenticationPorts {
  keys: Pick<KeyStore, "authenticate" | "touchKey" | "auditFailure">;
  /** Lets the answer go out before the work is done (`waitUntil`). */
  defer: (work: Promise<void>) => void;
}

export async function authenticate(ports: AuthenticationPorts, token: string, now: number, from: CallOrigin = {}): Promise<Authentication> {
  const parts = parseApiKey(token);
  if (!parts) return refuse(ports, now, from, "malformed");
  const [presented, holder] = await Promise.all([hashSecret(parts.secret), ports.keys.authenticate(parts.keyId)]);
  const proven = equalDigests(presented, holder?.key.secretHash ?? noDigest);
  if (!holder || !proven) return refuse(ports, now, from, "unknown", parts.keyId, holder);

  const { key } = holder;
  if (key.revokedAt !== null) return refuse(ports, now, from, "revoked", key.keyId, holder);
  if (key.expiresAt !== null && key.expiresAt <= now) return refuse(ports, now, from, "expired", key.keyId, holder);

  if (key.lastUsedAt === null || key.lastUsedAt <= now - touchIntervalMs) {
    ports.defer(ports.keys.touchKey(key.keyId, now, now - touchIntervalMs));
  }
  return {
    kind: "ok",
    name: key.name,
    preferences: holder.preferences,
    expiresAt: key.expiresAt,
    principal: {
      userId: key.userId,
      teamId: key.teamId,
      organizationId: holder.organizationId,
      role: holder.role,
      scopes: key.scopes,
      shard: holder.shard,
      credential: { kind: "api-key", id: key.keyId },
    },
  };
}

function refuse(
  ports: AuthenticationPorts,
  now: number,
  from: CallOrigin,
  kind: AuthenticationFailure,
  keyId?: string,
  holder?: KeyHolder,
): Authentication {
  const entry: AuditEntry = {
    ...from,
    at: now,
    action: `authenticate.${kind}`,
    success: false,
    ...(keyId ? { subject: keyId } : {}),
    ...(holder ? { organizationId: holder.organizationId, teamId: holder.key.teamId, userId: holder.key.userId } : {}),
  };
  ports.defer(ports.keys.auditFailure(entry, auditedFailuresPerMinute));
  return { kind };
}

export interface KeyContext {
  principal: Principal;
  now: number;
  keys: KeyStore;
  from?: CallOrigin;
  /** Of a page that makes one key, however often it asks; nobody else knows it. */
  seed?: string | undefined;
}

/** The token is in no store and is never shown again. */
export interface IssuedKey {
  token: string;
  key: KeySummary;
}

/** A key of one's own, with no more than the creator's scopes and role allow. */
export async function createKey(
  ctx: KeyContext,
  input: { name: string; scopes?: readonly Scope[]; expiresInDays?: number },
): Promise<IssuedKey> {
  requireGranted(ctx.principal, "memory:admin");
  const name = input.name.trim();
  // It stands in lists of other people's keys, where nothing may reorder or hide it.
  const problem = name === "" ? "has at least one character" : nameProblem(name, maxNameLength);
  if (problem !== undefined) throw invalid(`The name of a key ${problem}.`);
  const granted = input.scopes ?? ctx.principal.scopes;
  requireSubset(ctx.principal, granted);
  const days = input.expiresInDays ?? defaultLifetimeDays;
  if (!Number.isInteger(days) || days < 1 || days > maxLifetimeDays) {
    throw invalid(`expires_in_days is a whole number from 1 to ${maxLifetimeDays}.`);
  }
  const expiresAt = ctx.now + days * dayMs;
  requireFreshFor(ctx, { scopes: granted, createdAt: ctx.now, expiresAt });
  const { userId, teamId, organizationId } = ctx.principal;
  return issueKey(
    ctx.keys,
    { userId, teamId, organizationId, name, scopes: granted, expiresAt, seed: ctx.seed },
    ctx.now,
    { ...ctx.from, credentialId: ctx.principal.credential.id },
    maxKeys,
  );
}

type KeyGrant = Pick<KeyRecord, "userId" | "teamId" | "name" | "scopes" | "expiresAt"> & Pick<KeyContext, "seed">;

/** Makes a key without the checks of createKey; the launcher makes the first key with it, when there is no principal yet. */
export async function issueKey(
  keys: KeyStore,
  grant: KeyGrant & { organizationId: string },
  now: number,
  from: CallOrigin & Pick<AuditEntry, "credentialId"> = {},
  most = Number.MAX_SAFE_INTEGER,
): Promise<IssuedKey> {
  const { record, issued } = await newRecord(grant, now);
  const { organizationId, teamId, userId } = grant;
  const audit: AuditEntry = { ...from, at: now, action: "key.create", success: true, organizationId, teamId, userId, subject: record.keyId };
  return (await keys.insertKey(record, most, audit)) ? issued : madeBefore(keys, issued, tooManyKeys(most));
}

/** One's own keys; an admin of the team sees everybody's. */
export async function listKeys(ctx: KeyContext): Promise<KeySummary[]> {
  requireGranted(ctx.principal, "memory:admin");
  return ctx.keys.listKeys(ctx.principal, isTeamAdmin(ctx.principal) ? undefined : ctx.principal.userId);
}

/** One's own key, or as an admin of the team anybody's. Takes effect on the next request. Revoking twice is no error. */
export async function revokeKey(ctx: KeyContext, input: { keyId: string }): Promise<{ revoked: boolean }> {
  requireGranted(ctx.principal, "memory:admin");
  const key = await ctx.keys.findKey(ctx.principal, input.keyId);
  if (!key || (key.userId !== ctx.principal.userId && !isTeamAdmin(ctx.principal))) throw noSuchKey();
  return { revoked: await ctx.keys.revokeKey(ctx.principal, key.keyId, ctx.now, auditOf(ctx, "key.revoke", key.keyId)) };
}

/**
 * A successor with the same name, scopes and lifetime. The old key works until the grace period is over, so that clients
 * can be changed one by one. Only one's own: the token of somebody else's key would be a way to act as them.
 */
export async function rotateKey(ctx: KeyContext, input: { keyId: string; graceHours?: number | undefined }): Promise<IssuedKey & { oldExpiresAt: number }> {
  requireGranted(ctx.principal, "memory:admin");
  const grace = input.graceHours ?? defaultGraceHours;
  if (!(grace >= 0 && grace <= maxGraceHours)) throw invalid(`grace_hours is a number from 0 to ${maxGraceHours}.`);
  const old = await ctx.keys.findKey(ctx.principal, input.keyId);
  if (!old || old.userId !== ctx.principal.userId) throw noSuchKey();
  requireSubset(ctx.principal, old.scopes);
  requireFreshFor(ctx, old);

  const oldExpiresAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, ctx.now + grace * hourMs);
  const expiresAt = old.expiresAt === null ? null : ctx.now + (old.expiresAt - old.createdAt);
  return { ...(await replaceKey(ctx, old, { scopes: old.scopes, expiresAt }, oldExpiresAt)), oldExpiresAt };
}

/**
 * Replaces a key without the checks of rotateKey; the launcher replaces a key of an earlier version with it, which had too many
 * rights.
 */
export async function replaceKey(ctx: KeyContext, old: KeyRecord, next: Pick<KeyRecord, "scopes" | "expiresAt">, oldExpiresAt: number): Promise<IssuedKey> {
  const { record, issued } = await newRecord({ ...old, ...next, seed: ctx.seed }, ctx.now);
  const rotated = await ctx.keys.rotateKey(ctx.principal, old.keyId, oldExpiresAt, record, maxKeysInRotation, auditOf(ctx, "key.rotate", old.keyId));
  if (rotated) return issued;
  return madeBefore(ctx.keys, issued, new DomainError("CONFLICT", `This key is revoked, expired or already replaced, or ${maxKeysInRotation} of your keys work in this team.`, { hint: "List the keys and rotate one that is current, or create a key; revoke those that nobody uses." }));
}

/** What was not inserted, where the same seed made it before: a button was pressed twice, or the answer was lost. @throws `refused` otherwise */
async function madeBefore(keys: KeyStore, { token, key }: IssuedKey, refused: DomainError): Promise<IssuedKey> {
  const made = await keys.findKey(key, key.keyId);
  if (!made) throw refused;
  if (made.revokedAt !== null) throw new DomainError("CONFLICT", "This form has made a key, which was revoked since.", { hint: "Open the page anew to make another." });
  return { token, key: { ...key, expiresAt: made.expiresAt } };
}

/**
 * The key goes on working until then. The launcher renews its own one instead of replacing it: its clients hold the key in
 * their configuration, and none of them would hear of another. A key that nobody's launcher renews runs out.
 */
export const renewKey = (ctx: Omit<KeyContext, "keys"> & { keys: KeyRenewal }, keyId: string, expiresAt: number): Promise<boolean> =>
  ctx.keys.renewKey(ctx.principal, keyId, expiresAt, auditOf(ctx, "key.renew", keyId));

async function newRecord(
  grant: KeyGrant,
  now: number,
): Promise<{ record: KeyRecord; issued: IssuedKey }> {
  const { keyId, secret, token } = newApiKey(grant.seed && (await sha256Hex(grant.seed)));
  const { userId, teamId, name, scopes, expiresAt } = grant;
  const key: KeySummary = { keyId, userId, teamId, name, scopes, createdAt: now, expiresAt, revokedAt: null, lastUsedAt: null, replacedBy: null };
  return { record: { ...key, secretHash: await hashSecret(secret) }, issued: { token, key } };
}

function requireSubset(principal: Principal, wanted: readonly Scope[]): void {
  if (wanted.length === 0 || wanted.some((scope) => !scopes.includes(scope))) {
    throw invalid("A key has at least one scope, and each is one of the known ones.", `Scopes: ${scopes.join(", ")}.`);
  }
  const missing = wanted.filter((scope) => !principal.scopes.includes(scope));
  if (missing.length > 0) throw forbidden(`A key cannot have scopes that its creator lacks: ${missing.join(", ")}.`);
  if (!wanted.every((scope) => roleAllows(principal.role, scope))) throw forbidden("A viewer's key reads and does nothing else.", "Ask for memory:read alone.");
}

/** A key that outlives the usual time, or may make others, is a way in like any: a session that was left open makes none. */
function requireFreshFor({ principal, now }: KeyContext, key: Pick<KeyRecord, "scopes" | "createdAt" | "expiresAt">): void {
  const isLong = key.expiresAt === null || key.expiresAt - key.createdAt > defaultLifetimeDays * dayMs;
  if (isLong || key.scopes.includes("memory:admin")) requireFreshCredential(principal.credential, now);
}

const tooManyKeys = (most: number): DomainError =>
  new DomainError("CONFLICT", `You have ${most} keys to this team that work, and more are not given.`, { hint: "List your keys and revoke those that nobody uses." });

/** The same for a key that is not there and for somebody else's: ids of keys are not to be probed. */
const noSuchKey = (): DomainError => notFound("You have no key with this id.", "List your keys to see their ids.");
