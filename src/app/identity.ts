import { AuthorizationServer } from "../http/oauth/authorization-server.ts";
import type { GrantDirectory } from "../domain/tenancy/grant-ports.ts";
import type { IdentityDirectory } from "../domain/tenancy/identities.ts";
import type { OAuthRecordStore } from "../domain/tenancy/oauth-records.ts";
import type { PasskeyDirectory } from "../domain/tenancy/passkeys.ts";
import type { People } from "../domain/tenancy/people.ts";
import type { KeyDirectory } from "../domain/tenancy/ports.ts";
import type { AttemptDirectory } from "../domain/tenancy/sign-in-attempts.ts";
import type { DeletionDirectory, ErasurePorts } from "../domain/tenancy/deletion-ports.ts";
import { closeDeleted } from "../domain/tenancy/erasure.ts";
import { shardName } from "../domain/tenancy/shard-name.ts";
import type { IdentityMaintenance, SignInLinkDirectory, WebSessionDirectory } from "../domain/tenancy/sign-in-ports.ts";
import type { InvitationDirectory, TenantDirectory } from "../domain/tenancy/tenant-ports.ts";
import { DeletionStore } from "../platform/d1/deletion-store.ts";
import { GrantStore } from "../platform/d1/grant-store.ts";
import { D1IdentityMaintenance } from "../platform/d1/identity-maintenance.ts";
import { IdentityStore } from "../platform/d1/identity-store.ts";
import { InvitationStore } from "../platform/d1/invitation-store.ts";
import { D1OAuthRecords } from "../platform/d1/oauth-store.ts";
import { PasskeyStore } from "../platform/d1/passkey-store.ts";
import { PeopleStore } from "../platform/d1/people-store.ts";
import { SignInStore } from "../platform/d1/sign-in-store.ts";
import { TenantStore } from "../platform/d1/tenant-store.ts";
import { announcedDeletion } from "../session/announced-deletion.ts";
import { announcedGrants, announcedRecords } from "../session/announced-grants.ts";
import { announcedKeys } from "../session/announced-keys.ts";
import { announcedTenants, type SessionAnnouncements } from "../session/announced-tenants.ts";
import { type RestCharges, restCharges } from "../session/rest-charges.ts";
import type { Base } from "./base.ts";

/** People, teams, and what they prove themselves with. */
export interface Identity {
  keys: KeyDirectory;
  signIn: WebSessionDirectory & SignInLinkDirectory & AttemptDirectory;
  tenants: TenantDirectory;
  invitations: InvitationDirectory;
  deletion: DeletionDirectory;
  identities: IdentityDirectory;
  passkeys: PasskeyDirectory;
  grants: GrantDirectory;
  oauth: AuthorizationServer;
  oauthRecords: OAuthRecordStore;
  charges: RestCharges;
  people: People;
  identityMaintenance: IdentityMaintenance;
  /** Makes shards that are newly bound known to the directory, so that teams can be put there. */
  registerShards(now: number): Promise<void>;
}

/** Whoever changes a credential or a membership tells the person's session object before the change is acknowledged. */
export function identityOf(env: Env, { config, directory }: Base, erasure: ErasurePorts): Identity {
  const announce: SessionAnnouncements = {
    changed: (session) => env.USER_SESSION.getByName(session).standingChanged(),
    left: (session) => env.USER_SESSION.getByName(session).memberLeft(),
  };
  const oauthRecords = announcedRecords(new D1OAuthRecords(env.DB), announce.changed);
  const boundShards = Object.keys(env).filter((name) => shardName.test(name));
  return {
    keys: announcedKeys(directory, announce.changed),
    signIn: new SignInStore(env.DB),
    tenants: announcedTenants(new TenantStore(env.DB), announce),
    invitations: new InvitationStore(env.DB),
    deletion: announcedDeletion(new DeletionStore(env.DB), announce, () => closeDeleted(erasure, Date.now())),
    identities: new IdentityStore(env.DB, directory),
    passkeys: new PasskeyStore(env.DB),
    grants: announcedGrants(new GrantStore(env.DB), announce.changed),
    oauth: new AuthorizationServer(oauthRecords, config),
    oauthRecords,
    charges: restCharges(env, config.rateLimited),
    people: new PeopleStore(env.DB),
    identityMaintenance: new D1IdentityMaintenance(env.DB),
    registerShards: (now) => directory.registerShards(boundShards, now),
  };
}
