import { AuthorizationServer } from "../http/oauth/authorization-server.ts";
import type { GrantStore } from "../domain/tenancy/grant-store.ts";
import type { IdentityStore } from "../domain/tenancy/identities.ts";
import type { OAuthRecordStore } from "../domain/tenancy/oauth-records.ts";
import type { PasskeyStore } from "../domain/tenancy/passkeys.ts";
import type { People } from "../domain/tenancy/people.ts";
import type { PreferenceStore } from "../domain/tenancy/preferences.ts";
import type { KeyStore } from "../domain/tenancy/key-store.ts";
import type { AttemptStore } from "../domain/tenancy/sign-in-attempts.ts";
import type { DeletionStore, ErasurePorts } from "../domain/tenancy/deletion-store.ts";
import { closeDeleted } from "../domain/tenancy/erasure.ts";
import { shardName } from "../domain/tenancy/shard-name.ts";
import type { IdentityMaintenance, SignInLinkStore, WebSessionStore } from "../domain/tenancy/sign-in-store.ts";
import type { InvitationStore, TenantStore } from "../domain/tenancy/tenant-store.ts";
import { D1DeletionStore } from "../platform/d1/deletion-store.ts";
import { D1GrantStore } from "../platform/d1/grant-store.ts";
import { D1IdentityMaintenance } from "../platform/d1/identity-maintenance.ts";
import { D1IdentityStore } from "../platform/d1/identity-store.ts";
import { D1InvitationStore } from "../platform/d1/invitation-store.ts";
import { D1OAuthRecordStore } from "../platform/d1/oauth-store.ts";
import { D1PasskeyStore } from "../platform/d1/passkey-store.ts";
import { D1PeopleStore } from "../platform/d1/people-store.ts";
import { D1PreferenceStore } from "../platform/d1/preference-store.ts";
import { D1SignInStore } from "../platform/d1/sign-in-store.ts";
import { D1TenantStore } from "../platform/d1/tenant-store.ts";
import { answerMs, withRetries } from "../platform/team-index/attempts.ts";
import { deletionWithInvalidation } from "../session/deletion-invalidation.ts";
import { grantsWithInvalidation, recordsWithInvalidation } from "../session/grant-invalidation.ts";
import { keysWithInvalidation } from "../session/key-invalidation.ts";
import { preferencesWithInvalidation } from "../session/preference-invalidation.ts";
import { tenantsWithInvalidation, type SessionInvalidation } from "../session/tenant-invalidation.ts";
import { type RestCharges, restCharges } from "../session/rest-charges.ts";
import type { Base } from "./base.ts";

/** People, teams, and what they prove themselves with. */
export interface Identity {
  keys: KeyStore;
  signIn: WebSessionStore & SignInLinkStore & AttemptStore;
  tenants: TenantStore;
  invitations: InvitationStore;
  deletion: DeletionStore;
  identities: IdentityStore;
  passkeys: PasskeyStore;
  grants: GrantStore;
  oauth: AuthorizationServer;
  oauthRecords: OAuthRecordStore;
  charges: RestCharges;
  people: People;
  preferences: PreferenceStore;
  identityMaintenance: IdentityMaintenance;
  /** Makes shards that are newly bound known to the directory, so that teams can be put there. */
  registerShards(now: number): Promise<void>;
}

/** Whoever changes a credential or a membership tells the person's session object before the change is acknowledged. */
export function identityOf(env: Env, { config, directory }: Base, erasure: ErasurePorts): Identity {
  // An object that is being reset is told again: who has left is not removed a second time.
  const telling = (what: "credentialsChanged" | "memberLeft" | "preferencesChanged") => (session: string): Promise<void> =>
    withRetries(answerMs, async () => env.USER_SESSION.getByName(session)[what]());
  const announce: SessionInvalidation = { changed: telling("credentialsChanged"), left: telling("memberLeft") };
  const oauthRecords = recordsWithInvalidation(new D1OAuthRecordStore(env.DB), announce.changed);
  const boundShards = Object.keys(env).filter((name) => shardName.test(name));
  return {
    keys: keysWithInvalidation(directory, announce.changed),
    signIn: new D1SignInStore(env.DB),
    tenants: tenantsWithInvalidation(new D1TenantStore(env.DB), announce),
    invitations: new D1InvitationStore(env.DB),
    deletion: deletionWithInvalidation(new D1DeletionStore(env.DB), announce, () => closeDeleted(erasure, Date.now())),
    identities: new D1IdentityStore(env.DB, directory),
    passkeys: new D1PasskeyStore(env.DB),
    grants: grantsWithInvalidation(new D1GrantStore(env.DB), announce.changed),
    oauth: new AuthorizationServer(oauthRecords, config),
    oauthRecords,
    charges: restCharges(env, config.rateLimited),
    people: new D1PeopleStore(env.DB),
    preferences: preferencesWithInvalidation(new D1PreferenceStore(env.DB), telling("preferencesChanged")),
    identityMaintenance: new D1IdentityMaintenance(env.DB),
    registerShards: (now) => directory.registerShards(boundShards, now),
  };
}
