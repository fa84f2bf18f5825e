import { DomainError, invalid } from "../errors.ts";
import { requireFreshSignIn } from "./fresh-sign-in.ts";
import type { AuditEntry, CallOrigin } from "./audit-entry.ts";
import type { Person, SignedIn } from "./sign-in-store.ts";

/** A key of an authenticator, as it was proven at its registration. */
export interface Passkey {
  /** base64url. */
  credentialId: string;
  userId: string;
  /** COSE, base64url. */
  publicKey: string;
  /** Counter of the last use; 0 for authenticators that do not count. */
  counter: number;
  transports: string[];
  backedUp: boolean;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface PasskeyStore {
  /** Knows no person: it is what makes one. `undefined` also when they are deleted. */
  findPasskey(credentialId: string): Promise<{ passkey: Passkey; person: Person } | undefined>;
  /** Oldest first. */
  passkeys(person: Person): Promise<Passkey[]>;
  /** `false` when this authenticator's key is there already, this person's or another's. */
  insertPasskey(passkey: Passkey, audit: AuditEntry): Promise<boolean>;
  /** `false` when another use came first, or the key is gone. */
  notePasskeyUse(passkey: Passkey, use: { counter: number; backedUp: boolean }, now: number): Promise<boolean>;
  /** Removes it unless it is the person's last way in. `false` when nothing was removed. */
  removePasskey(person: Person, credentialId: string, audit: AuditEntry): Promise<boolean>;
}

const maxNameLength = 60;
const maxPasskeys = 20;

export type ProvenPasskey = Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports" | "backedUp">;

/** One more way in for a person who is signed in. */
export async function addPasskey(
  directory: PasskeyStore,
  { person, session }: SignedIn,
  proven: ProvenPasskey,
  name: string,
  now: number,
  from: CallOrigin = {},
): Promise<void> {
  requireFreshSignIn(session.createdAt, now);
  const trimmed = name.trim().slice(0, maxNameLength);
  const known = await directory.passkeys(person);
  if (known.length >= maxPasskeys) throw invalid(`You have ${maxPasskeys} passkeys, which is as many as there may be.`, "Remove one that you no longer use.");
  const passkey: Passkey = { ...proven, userId: person.userId, name: trimmed || `Passkey ${known.length + 1}`, createdAt: now, lastUsedAt: null };
  const audit: AuditEntry = { ...from, at: now, action: "passkey.add", success: true, userId: person.userId, subject: passkey.credentialId };
  if (!(await directory.insertPasskey(passkey, audit))) throw new DomainError("CONFLICT", "This passkey is registered already.");
}

/** One's own passkey, as long as another way in remains. */
export async function removePasskey(directory: PasskeyStore, { person, session }: SignedIn, credentialId: string, now: number, from: CallOrigin = {}): Promise<void> {
  requireFreshSignIn(session.createdAt, now);
  const audit: AuditEntry = { ...from, at: now, action: "passkey.remove", success: true, userId: person.userId, subject: credentialId };
  if (!(await directory.removePasskey(person, credentialId, audit))) {
    throw new DomainError("CONFLICT", "This passkey cannot be removed.", { hint: "It may be gone already, or be your only way in; then add another one first." });
  }
}
