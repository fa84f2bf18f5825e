import { uuidv7 } from "../ids.ts";
import { requireFreshSignIn } from "./fresh-sign-in.ts";
import type { AuditEntry, CallOrigin } from "./audit-entry.ts";
import type { Person, SignedIn } from "./sign-in-store.ts";

/** Who somebody is elsewhere, as an issuer just vouched for. `name` and `email` are to be shown only. */
export interface Identity {
  issuer: string;
  subject: string;
  name: string | undefined;
  email: string | undefined;
}

/** A person with a team that is theirs alone, none of which exists yet. */
export interface NewPerson {
  person: Person;
  organization: { id: string; name: string };
  team: { id: string; name: string };
}

export interface IdentityStore {
  /** `deleted` people are found, so that their identity does not make a second person. */
  findIdentity(issuer: string, subject: string): Promise<{ person: Person; deleted: boolean } | undefined>;
  /** Keeps what the issuer says now of name and address. */
  noteIdentityUse(identity: Identity, now: number): Promise<void>;
  /** All or nothing; `false` when the identity came to be somebody's in the meantime. */
  insertPerson(newcomer: NewPerson, identity: Identity, now: number, audit: AuditEntry): Promise<boolean>;
  /** `false` when the identity is somebody's already, this person's or another's. */
  linkIdentity(person: Person, identity: Identity, now: number, audit: AuditEntry): Promise<boolean>;
  /** Oldest first. */
  identities(person: Person): Promise<{ issuer: string; subject: string; name: string | null; email: string | null; createdAt: number }[]>;
}

const maxNameLength = 100;

/**
 * The person behind an identity; at its first sign-in a new one, with a team of their own. `undefined` for somebody who is
 * deleted. An address of mail joins nobody to anybody: issuers let people write what they like there.
 */
export async function personOf(directory: IdentityStore, identity: Identity, now: number, from: CallOrigin = {}): Promise<Person | undefined> {
  const known = await directory.findIdentity(identity.issuer, identity.subject);
  if (known) {
    if (known.deleted) return undefined;
    await directory.noteIdentityUse(identity, now);
    return known.person;
  }
  const newcomer = newPerson(identity, now);
  const { userId } = newcomer.person;
  const audit: AuditEntry = { ...from, at: now, action: "person.create", success: true, organizationId: newcomer.organization.id, teamId: newcomer.team.id, userId, subject: identity.issuer };
  if (await directory.insertPerson(newcomer, identity, now, audit)) return newcomer.person;
  // The same person in two tabs: one of them was first.
  const first = await directory.findIdentity(identity.issuer, identity.subject);
  return first && !first.deleted ? first.person : undefined;
}

/** One more way in for a person who is signed in. `taken` when the identity is another person's. */
export async function linkIdentity(
  directory: IdentityStore,
  { person, session }: SignedIn,
  identity: Identity,
  now: number,
  from: CallOrigin = {},
): Promise<"linked" | "taken"> {
  requireFreshSignIn(session.createdAt, now);
  const audit: AuditEntry = { ...from, at: now, action: "identity.link", success: true, userId: person.userId, subject: identity.issuer };
  if (await directory.linkIdentity(person, identity, now, audit)) return "linked";
  const owner = await directory.findIdentity(identity.issuer, identity.subject);
  return owner?.person.userId === person.userId ? "linked" : "taken";
}

function newPerson(identity: Identity, now: number): NewPerson {
  const name = identity.name?.trim().slice(0, maxNameLength) || "New member";
  return {
    person: { userId: uuidv7(now), name },
    organization: { id: uuidv7(now), name },
    team: { id: uuidv7(now), name: "Personal" },
  };
}
