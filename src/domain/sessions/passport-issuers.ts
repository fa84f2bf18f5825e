import type { Context } from "../context.ts";
import { sha256Hex } from "../hash.ts";
import { canonical } from "../memories/memory.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { PublicKey } from "./issuer-keys.ts";
import { type ForeignPassport, type Passport, wasChanged } from "./passport.ts";
import type { PassportStore, TrustedIssuer } from "./passport-store.ts";

/** Public keys of other servers. */
export interface RemoteIssuerKeys {
  /** @throws VALIDATION_ERROR when the server may not be asked, as an address inside a network */
  requireReachable(issuer: string): void;
  /** From `/.well-known/jwks.json`. @throws PROVIDER_ERROR, VALIDATION_ERROR */
  keysOf(issuer: string): Promise<PublicKey[]>;
}

export interface IssuerPorts {
  passports: { store: PassportStore; remoteKeys: RemoteIssuerKeys };
}

/** What a person is asked before a passport of another server is looked into: who is said to have signed it, and how much is in it. */
export interface TrustQuestion {
  issuer: string;
  exportedAt: number;
  contains: { files: number; searches: number; decisions: number; tasks: number };
  /** The argument with which the same call goes ahead. */
  confirm: string;
}

/**
 * Proves a passport of another server, if the person trusts that server or confirms it now. Until then nothing is fetched: whoever
 * hands somebody a passport does not choose what this server asks. @throws VALIDATION_ERROR, PROVIDER_ERROR
 */
export async function provenForeign(ctx: Context & IssuerPorts, { issuer, passport, content, isSignedBy }: ForeignPassport, confirm: string | undefined): Promise<TrustQuestion | undefined> {
  const { principal, now, passports: { store, remoteKeys } } = ctx;
  remoteKeys.requireReachable(issuer);
  const isTrusted = await store.isTrusted(principal, issuer);
  // Bound to the person and to this very passport.
  const token = (await sha256Hex(canonical(["passport-issuer", principal.teamId, principal.userId, issuer, content]))).slice(0, 16);
  if (!isTrusted && confirm !== token) return { issuer, exportedAt: passport.exported_at, contains: countsOf(passport), confirm: token };
  if (!(await isSignedBy(await remoteKeys.keysOf(issuer)))) throw wasChanged();
  if (!isTrusted) await store.trust(principal, { issuer, trustedAt: now });
  return undefined;
}

const countsOf = ({ context }: Passport): TrustQuestion["contains"] => ({
  files: context.files_accessed.length,
  searches: context.recent_searches.length,
  decisions: context.decisions.length,
  tasks: context.workflow_state.keys.length,
});

/** The servers whose passports the person takes in this team. */
export function trustedIssuers(ctx: Context & IssuerPorts): Promise<TrustedIssuer[]> {
  requireScope(ctx.principal, "memory:read");
  return ctx.passports.store.trustedIssuers(ctx.principal);
}

/** The next passport of that server asks again. False where it was not trusted. */
export function distrustIssuer(ctx: Context & IssuerPorts, { issuer }: { issuer: string }): Promise<boolean> {
  requireScope(ctx.principal, "memory:write");
  return ctx.passports.store.distrust(ctx.principal, issuer);
}
